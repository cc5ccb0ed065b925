"""Counted matches: any choice of the matches of a book, added up as often as it is asked for."""

import json
from array import array
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import starmap
from typing import Any, cast

import numpy as np

from parlour.games.common.collection import uncollected
from parlour.games.engine.counting import Count
from parlour.games.engine.moves import Outcome
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.book import NONE, CountBook
from parlour.ratings.counting.counts import (
    CountKey,
    Counts,
    NamesClusters,
)
from parlour.ratings.counting.shapes import Cell, Ints, MatchRows, Total
from parlour.ratings.statistics.clusters import Cluster, Clusters
from parlour.ratings.statistics.intervals import Sums

Alike = Sequence[tuple[MatchRecord, Mapping[Cluster, int]]]
"""Matches, each with the number of those like it by cluster."""
Triple = tuple[str, str, str]
"""Game, condition and cluster."""


@dataclass(frozen=True)
class Counted:
    """Some matches of a book, in the order of their places."""

    book: CountBook
    rows: Sequence[int]
    _alike: dict[Hashable, Alike] = field(default_factory=dict)

    @cached_property
    def records(self) -> Sequence[MatchRecord]:
        """These matches without their answers, but for those that sequences follow."""
        book = self.book
        groups = list(book.groups)
        records = []
        with uncollected():
            kinds = []
            for kind in cast("Iterable[tuple[Any, ...]]", book.kinds):
                agents, counted, *outcome = kind
                kinds.append((agents, counted, Outcome(*outcome)))  # without facts
            answers = [tuple(starmap(Answered, json.loads(own))) for own in book.answers]
            answers.append(())  # NONE is its number
            for row in self.rows:
                game, condition, setting, experiment = groups[book.of_group[row]]
                agents, counted, of_match = kinds[book.of_kind[row]]
                records.append(
                    MatchRecord(
                        *(book.numbers[row], game, condition, setting, agents, counted, of_match),
                        *(answers[book.of_answers[row]], experiment),
                        seed=_known(book.seeds[row]),
                        transcript=_known(book.transcripts[row]),
                        place=book.places.get(book.numbers[row]),
                    )
                )
        return records

    @classmethod
    def of(cls, records: Iterable[MatchRecord], *, details: bool = True) -> "Counted":
        """Counts finished matches."""
        book = CountBook(details=details)
        with uncollected():
            for record in records:
                book.add(record)
            return cls(book, range(len(book)))

    @classmethod
    def in_book(cls, book: CountBook, numbers: Collection[int] | None = None) -> "Counted":
        """Returns the matches of a book with these numbers, or all, in the order of places."""
        row_of = book.row_of()
        wanted = sorted(row_of if numbers is None else numbers)
        if book.places:
            wanted.sort(key=book.place_of)
        return cls(book, [row_of[number] for number in wanted])

    def alike(self, clusters: Clusters) -> Alike:
        """Returns one match of each game and kind, with the number of such matches by cluster.

        They have the same agents and outcome, and may have other counts.
        """
        units = tuple(clusters.units.items())
        if units not in self._alike:
            self._alike[units] = self._grouped(clusters)
        return self._alike[units]

    def _grouped(self, clusters: Clusters) -> Alike:
        first: dict[tuple[str, int], MatchRecord] = {}
        times: dict[tuple[str, int], dict[Cluster, int]] = defaultdict(dict)
        of_kind = self.book.of_kind
        for row, record in zip(self.rows, self.records, strict=True):
            kind = record.game, of_kind[row]
            first.setdefault(kind, record)
            cluster, of_cluster = clusters.key(record), times[kind]
            of_cluster[cluster] = of_cluster.get(cluster, 0) + 1
        return [(record, times[kind]) for kind, record in first.items()]

    def without_faults(self) -> "Counted":
        """Returns the matches in which no answer was a fault, but for those to probes."""
        faulty = self.book.faulty
        return Counted(self.book, [row for row in self.rows if not faulty[row]])

    @property
    def distinct(self) -> int:
        """The number of matches without those that are copies of another one."""
        transcripts = self.book.transcripts
        known = [transcripts[row] for row in self.rows if transcripts[row] != NONE]
        return len(set(known)) + len(self.rows) - len(known)

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
        by_cell: dict[tuple[str, str], dict[Cell, Sums]] = defaultdict(dict)
        for (game, condition, cluster), number in triples.items():
            of_condition = by_cell[game, condition]
            for cell, sums in totals.pop(number, ()):
                if cell not in of_condition:
                    of_condition[cell] = counts[CountKey(game, condition, *cell)]
                of_condition[cell][cluster] = sums
        for record, (agent, role, counter, k, n) in of_sequences(self.records) if details else ():
            # Consecutive matches depend on each other, whatever their settings.
            cluster = f"{record.game} experiment {record.experiment}"
            own = counts[CountKey(record.game, record.condition, agent, role, counter)]
            sum_k, sum_n = own.get(cluster, (0.0, 0.0))
            own[cluster] = (sum_k + k, sum_n + n)
        return dict(counts)

    def _row_groups(
        self, clusters: Sequence[int], column: "array[int]", *, with_names: bool
    ) -> Iterator[MatchRows]:
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
            yield MatchRows(of_cluster[indices], shape_of[rows], names)

    def _names(self, rows: Ints) -> Ints:
        """Returns the names in the places of some rows, a row each, filled up with 0."""
        ends = np.frombuffer(self.book.name_ends, np.int64)
        begins = np.concatenate(([0], ends[:-1]))[rows]
        sizes = ends[rows] - begins
        columns = np.arange(max(1, int(sizes.max())))
        places = begins[:, np.newaxis] + np.minimum(columns, (sizes - 1)[:, np.newaxis])
        flat: Ints = np.frombuffer(self.book.in_places, np.int64)
        return np.where(columns < sizes[:, np.newaxis], flat[places], 0)


def of_sequences(records: Sequence[MatchRecord]) -> Iterator[tuple[MatchRecord, Count]]:
    """Yields the counts of consecutive matches of each game, with the match of each."""
    by_game: dict[str, list[MatchRecord]] = defaultdict(list)
    for record in records:
        by_game[record.game].append(record)
    for name, own in by_game.items():
        yield from find_game(name, f"match {own[0].number}").counting.sequences(own)


def _known(number: int) -> int | None:
    return None if number == NONE else number


Finished = Sequence[MatchRecord] | Counted
"""Finished matches, counted or not."""


def counted(matches: Finished, *, details: bool = True) -> Counted:
    """Returns finished matches as counted."""
    return matches if isinstance(matches, Counted) else Counted.of(matches, details=details)


def records_of(matches: Finished) -> Sequence[MatchRecord]:
    """Returns the records of finished matches, those of counted ones without their answers."""
    return matches.records if isinstance(matches, Counted) else matches


def alike(matches: Finished, clusters: Clusters) -> Alike:
    """Returns matches, each with the number of those like it by cluster; see ``Counted.alike``."""
    if isinstance(matches, Counted):
        return matches.alike(clusters)
    return [(record, {clusters.key(record): 1}) for record in matches]


def count(
    records: Finished, clusters: NamesClusters | None = None, *, details: bool = True
) -> Counts:
    """Counts of the finished matches, by cluster.

    Without ``details`` it leaves out what no leaderboard shows, which can take as long to count
    as all the rest.
    """
    return counted(records, details=details).counts(clusters, details=details)
