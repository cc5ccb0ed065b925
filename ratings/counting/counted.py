"""Counted matches: each finished match is told once, and added up as often as it is asked for.

A match becomes a row of numbers. What matches share, such as line-ups, outcomes and the counts of
a shape, stands in tables. Rows and tables only grow, so a save can store what was added last
(``tables.py``), and any choice of matches can be added up from them.
"""

import json
from array import array
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, cast

import numpy as np

from parlour.games.common.collection import uncollected
from parlour.games.engine.counting import Count, Counting
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import Outcome
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.counts import (
    Counts,
    Key,
    NamesClusters,
    basic_counts,
    detailed_counts,
)
from parlour.ratings.counting.shapes import Ints, Rows, Shapes, Total, number_of, place
from parlour.ratings.statistics.clusters import Clusters

Triple = tuple[str, str, str]
"""Game, condition and cluster."""
NONE = -1
"""The number of a shape that a match has not."""


class CountBook:
    """Finished matches as rows of numbers, added in any order.

    ``details``: also what no leaderboard shows, which takes longer to count than all the rest.
    ``checks`` has for each match a number of the caller, such as a checksum of its outcome.
    """

    def __init__(self, *, details: bool = True) -> None:
        self.details = details
        self.names: dict[str, int] = {}
        self.groups: dict[tuple[str, str, str, str], int] = {}
        """Game, condition, setting and experiment."""
        self.kinds: dict[Hashable, int] = {}
        """Agents, counted seats, ending, payoffs, roles, sides and winners."""
        # Told with places for names, and as they are: matches of games without shapes, and texts.
        self.shaped, self.exact = Shapes(self.names), Shapes(self.names)
        self.answers: list[str] = []
        """JSON of the answers that sequences follow."""
        self.numbers, self.checks = array("q"), array("q")
        self.of_group, self.of_kind, self.faulty = array("q"), array("q"), array("q")
        self.of_shaped, self.of_exact, self.of_answers = array("q"), array("q"), array("q")
        self.name_ends, self.in_places = array("q"), array("q")
        self._known: dict[Hashable, tuple[int, int]] = {}
        self._rows: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    def check_of(self, number: int) -> int | None:
        """Returns the check of a match, None if it is not counted."""
        row = self._row_of().get(number)
        return None if row is None else self.checks[row]

    def _row_of(self) -> dict[int, int]:
        """The row of each match; the last one where a match was counted again."""
        for row in range(len(self._rows_seen), len(self.numbers)):
            self._rows[self.numbers[row]] = row
        self._rows_seen = range(len(self.numbers))
        return self._rows

    _rows_seen = range(0)

    def add(self, record: MatchRecord, check: int = 0) -> None:
        """Counts a match."""
        counting = find_game(record.game, f"match {record.number}").counting
        outcome, groups, kinds = record.outcome, self.groups, self.kinds
        group = record.game, record.condition, record.setting, record.experiment
        kind = (
            *(record.agents, record.counted, outcome.ending, outcome.payoffs),
            *(outcome.roles, outcome.sides, outcome.winners),
        )
        shaped, exact, answers = NONE, NONE, NONE
        places: tuple[int, ...] = ()
        texts: tuple[Count, ...] = ()
        if counting.shape is None:
            exact, answers = self._add_exact(record, counting)
        else:
            distinct = list(dict.fromkeys(record.agents))
            slices = counting.slices(record) if self.details else ()
            ruled = distinct.index(BUILT_IN) if BUILT_IN in distinct else None
            known = (
                *(record.game, record.counted, tuple(map(distinct.index, record.agents)), ruled),
                *(counting.shape(record), *kind[2:], len(slices), self.details),
            )
            if known not in self._known:
                self._known[known] = self._add_shape(record, counting, distinct, len(slices))
            shaped, answers = self._known[known]
            names = self.names
            places = tuple(number_of(names, name) for name in (*slices, *distinct))
            texts = tuple(counting.texts(record)) if self.details else ()
            if texts:
                exact = self._shape_of_counts((), texts)
        self.numbers.append(record.number)
        self.checks.append(check)
        self.of_group.append(groups.setdefault(group, len(groups)))
        self.of_kind.append(kinds.setdefault(kind, len(kinds)))
        self.faulty.append(record.faulty)
        self.of_shaped.append(shaped)
        self.of_exact.append(exact)
        self.of_answers.append(answers)
        self.in_places.extend(places)
        self.name_ends.append(len(self.in_places))

    def _add_shape(
        self, record: MatchRecord, counting: Counting, distinct: Sequence[str], slices: int
    ) -> tuple[int, int]:
        """Adds a shape, told of its first match with places for names; and its answers."""
        named = {
            agent: agent if agent == BUILT_IN else place(number)
            for number, agent in enumerate(distinct, start=slices)
        }
        anonymous = replace(record, agents=tuple(named[agent] for agent in record.agents))
        in_places = list(map(place, range(slices)))
        details = detailed_counts(anonymous, in_places) if self.details else ()
        return self.shaped.add(basic_counts(anonymous), details), self._add_answers(
            record, counting
        )

    def _add_exact(self, record: MatchRecord, counting: Counting) -> tuple[int, int]:
        """Adds the counts of a match with its names, and its answers."""
        details: Iterable[Count] = ()
        if self.details:
            slices = counting.slices(record)
            details = chain(detailed_counts(record, slices), counting.texts(record))
        counts = tuple(basic_counts(record)), tuple(details)
        return self._shape_of_counts(*counts), self._add_answers(record, counting)

    def _shape_of_counts(self, basic: tuple[Count, ...], details: tuple[Count, ...]) -> int:
        known = basic, details
        if known not in self._known:
            self._known[known] = self.exact.add(basic, details), NONE
        return self._known[known][0]

    def _add_answers(self, record: MatchRecord, counting: Counting) -> int:
        """Adds the answers that sequences of the game follow, if there are any."""
        if not self.details or not counting.followed:
            return NONE
        followed = [
            (answer.ask, answer.kind, answer.round, answer.seat, answer.value, answer.fault)
            for answer in record.answers
            if answer.kind in counting.followed
        ]
        self.answers.append(json.dumps(followed))
        return len(self.answers) - 1

    @property
    def columns(self) -> "list[array[int] | array[float]]":
        """All columns, which stored blocks continue."""
        of_shapes = [
            column
            for shapes in (self.shaped, self.exact)
            for column in (shapes.middles, shapes.ends, shapes.cell, shapes.k, shapes.n)
        ]
        return [
            *(self.numbers, self.checks, self.of_group, self.of_kind, self.faulty),
            *(self.of_shaped, self.of_exact, self.of_answers, self.name_ends, self.in_places),
            *of_shapes,
        ]

    @property
    def tables(self) -> list[Collection[Any]]:
        """All tables, which stored blocks continue."""
        cells = self.shaped.cells, self.exact.cells
        return [self.names, self.groups, self.kinds, *cells, self.answers]

    def chosen(self, numbers: Collection[int] | None = None) -> "Counted":
        """Returns the matches with these numbers, or all, in the order of their numbers."""
        row_of = self._row_of()
        wanted = sorted(row_of if numbers is None else numbers)
        return Counted(self, [row_of[number] for number in wanted])


@dataclass(frozen=True, slots=True)
class Counted:
    """Some matches of a book, in the order of their numbers.

    ``records`` are these matches without their answers, but for those that sequences follow.
    """

    book: CountBook
    rows: Sequence[int]
    records: Sequence[MatchRecord] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "records", self._records())

    @classmethod
    def of(cls, records: Iterable[MatchRecord], *, details: bool = True) -> "Counted":
        """Counts finished matches."""
        book = CountBook(details=details)
        with uncollected():
            for record in records:
                book.add(record)
            return cls(book, range(len(book)))

    def without_faults(self) -> "Counted":
        """Returns the matches in which no answer was a fault."""
        faulty = self.book.faulty
        return Counted(self.book, [row for row in self.rows if not faulty[row]])

    def _records(self) -> list[MatchRecord]:
        book = self.book
        groups = list(book.groups)
        kinds = [_parts_of_kind(kind) for kind in book.kinds]
        answers = list(map(_answers, book.answers))
        answers.append(())  # NONE is its number
        records = []
        for row in self.rows:
            game, condition, setting, experiment = groups[book.of_group[row]]
            agents, counted, outcome = kinds[book.of_kind[row]]
            records.append(
                MatchRecord(
                    *(book.numbers[row], game, condition, setting, agents, counted, outcome),
                    *(answers[book.of_answers[row]], experiment),
                )
            )
        return records

    def counts(self, clusters: NamesClusters | None = None, *, details: bool = True) -> Counts:
        """Adds up the counts by cluster; without ``details`` only those of a leaderboard."""
        with uncollected():
            return self._counts(clusters or Clusters.of(self.records), details)

    def _counts(self, clusters: NamesClusters, details: bool) -> Counts:
        triples: dict[Triple, int] = {}
        of_row = []
        for record in self.records:
            triple = record.game, record.condition, clusters.name(record)
            of_row.append(triples.setdefault(triple, len(triples)))
        totals: dict[int, list[Total]] = defaultdict(list)
        book = self.book
        for shapes, column in ((book.shaped, book.of_shaped), (book.exact, book.of_exact)):
            for rows in self._row_groups(of_row, column, with_names=shapes is book.shaped):
                for number, of_cluster in shapes.totals(rows, details=details):
                    totals[number] += of_cluster
        counts: Counts = defaultdict(dict)
        for (game, condition, cluster), number in triples.items():
            for cell, sums in totals[number]:
                counts[Key(game, condition, *cell)][cluster] = sums
        for key, cluster, (k, n) in _of_sequences(self.records) if details else ():
            sum_k, sum_n = counts[key].get(cluster, (0.0, 0.0))
            counts[key][cluster] = (sum_k + k, sum_n + n)
        return dict(counts)

    def _row_groups(
        self, clusters: Sequence[int], column: "array[int]", *, with_names: bool
    ) -> Iterator[Rows]:
        """Yields the rows that have a shape in a column, one condition of a game after the other.

        All at once would take more memory than the matches themselves.
        """
        groups: dict[tuple[str, str], list[int]] = defaultdict(list)
        for index, (row, record) in enumerate(zip(self.rows, self.records, strict=True)):
            if column[row] != NONE:
                groups[record.game, record.condition].append(index)
        of_cluster = np.array(clusters, dtype=np.int64)
        of_index = np.array(self.rows, dtype=np.int64)
        shape_of = np.frombuffer(column, np.int64) if len(column) else np.array(column)
        for indices in groups.values():
            rows = of_index[indices]
            names = self._names(rows) if with_names else np.zeros((len(rows), 1), np.int64)
            yield Rows(of_cluster[indices], shape_of[rows], names)

    def _names(self, rows: Ints) -> Ints:
        """Returns the names in the places of some rows, a row each, filled up with 0."""
        ends = np.frombuffer(self.book.name_ends, np.int64)
        begins = np.concatenate(([0], ends[:-1]))[rows]
        sizes = ends[rows] - begins
        columns = np.arange(max(1, int(sizes.max())))
        places = begins[:, np.newaxis] + np.minimum(columns, (sizes - 1)[:, np.newaxis])
        flat: Ints = np.frombuffer(self.book.in_places, np.int64)
        return np.where(columns < sizes[:, np.newaxis], flat[places], 0)


def _of_sequences(
    records: Sequence[MatchRecord],
) -> Iterator[tuple[Key, str, tuple[float, float]]]:
    """Yields the counts of consecutive matches of each game, with key and cluster."""
    by_game: dict[str, list[MatchRecord]] = defaultdict(list)
    for record in records:
        by_game[record.game].append(record)
    for name, own in by_game.items():
        sequences = find_game(name, f"match {own[0].number}").counting.sequences
        for record, (agent, role, counter, k, n) in sequences(own):
            # Consecutive matches depend on each other, whatever their settings.
            cluster = f"{name} experiment {record.experiment}"
            yield Key(name, record.condition, agent, role, counter), cluster, (k, n)


def _answers(text: str) -> tuple[Answered, ...]:
    """Returns the answers of their JSON."""
    return tuple(Answered(*each) for each in json.loads(text))


def _parts_of_kind(kind: Hashable) -> tuple[Any, Any, Outcome]:
    """Returns agents, counted seats and the outcome without facts."""
    agents, counted, ending, payoffs, roles, sides, winners = cast("tuple[Any, ...]", kind)
    return agents, counted, Outcome(ending, payoffs, roles, sides, winners)


Finished = Sequence[MatchRecord] | Counted
"""Finished matches, counted or not."""


def counted(matches: Finished, *, details: bool = True) -> Counted:
    """Returns finished matches as counted."""
    return matches if isinstance(matches, Counted) else Counted.of(matches, details=details)


def count(
    records: Finished, clusters: NamesClusters | None = None, *, details: bool = True
) -> Counts:
    """Counts of the finished matches, by cluster.

    Without ``details`` it leaves out what no leaderboard shows, which can take as long to count
    as all the rest.
    """
    return counted(records, details=details).counts(clusters, details=details)
