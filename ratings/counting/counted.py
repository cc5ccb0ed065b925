"""Counted matches: any choice of the matches of a book, added up as often as it is asked for."""

import json
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import merge
from itertools import chain, groupby, starmap
from operator import itemgetter
from typing import NamedTuple, overload

import numpy as np

from parlour.games.common.collection import uncollected
from parlour.games.engine.counting import Count, nothing
from parlour.games.engine.moves import Outcome
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.book import NONE, CountBook
from parlour.ratings.counting.counts import CountKey, Counts, NamesClusters
from parlour.ratings.counting.shapes import (
    Cell,
    Ints,
    Total,
    distinct,
    first_places,
    ints,
    numbered_rows,
)
from parlour.ratings.statistics.clusters import Cluster, Clusters, ClusterType
from parlour.ratings.statistics.intervals import NOTHING

What = Callable[[MatchRecord], Hashable]
"""The part of a match that is looked at: two of one game in which it is equal are alike."""


class Alike(NamedTuple):
    """A match with the number of those like it: all of them, and in one cluster of each type."""

    record: MatchRecord
    number: int
    of_cluster: Mapping[Cluster, int]


@dataclass(frozen=True, slots=True)
class AlikeMatches(Iterable[Alike]):
    """Matches of the same game, agents and outcome as one; they may have other counts.

    Clusters in which matches of the same kinds follow each other are of one type, named by the
    first of them. ``times`` is their number, by game and name. ``in_order`` has the type of each
    cluster of a game, in order: the place of its name among those of the game.
    """

    matches: Sequence[Alike]
    times: Mapping[tuple[str, Cluster], int]
    in_order: Mapping[str, Sequence[int]]

    def __iter__(self) -> Iterator[Alike]:
        return iter(self.matches)


class _Types(NamedTuple):
    """The cluster of each match, the type of each cluster, and the number of each type's clusters.

    Clusters and types are in order. ``first`` is the first match of each cluster.
    """

    clusters: Ints
    first: Ints
    of: Ints
    times: Ints


class _Records(Sequence[MatchRecord]):
    """Matches of a book as records without their answers, but for those that sequences follow.

    They are made when they are asked for: many records take more memory than their rows.
    """

    def __init__(self, book: CountBook, rows: Sequence[int]) -> None:
        self._book, self._rows = book, rows
        self._groups, self._kinds = list(book.groups), list(book.kinds)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[MatchRecord]:
        return map(self._record, self._rows)

    @overload
    def __getitem__(self, index: int) -> MatchRecord: ...
    @overload
    def __getitem__(self, index: slice) -> "_Records": ...
    def __getitem__(self, index: int | slice) -> "MatchRecord | _Records":
        rows = self._rows[index]
        return self._record(rows) if isinstance(rows, int) else _Records(self._book, rows)

    def _record(self, row: int) -> MatchRecord:
        book = self._book
        game, condition, setting, experiment = self._groups[book.of_group[row]]
        agents, counted, *outcome = self._kinds[book.of_kind[row]]
        answers: tuple[Answered, ...] = ()
        if (own := book.of_answers[row]) != NONE:
            answers = tuple(starmap(Answered, json.loads(book.answers[own])))
        return MatchRecord(
            *(book.numbers[row], game, condition, setting, agents, counted),
            Outcome(*outcome),  # without facts
            *(answers, experiment),
            seed=_given(book.seeds[row]),
            transcript=_given(book.transcripts[row]),
            place=book.places.get(book.numbers[row]),
        )


@dataclass(frozen=True)
class Counted:
    """Some matches of a book, in the order of their places."""

    book: CountBook
    rows: Sequence[int]
    _known: dict[object, _Types] = field(default_factory=dict)

    @cached_property
    def records(self) -> Sequence[MatchRecord]:
        """These matches without their answers, but for those that sequences follow."""
        return _Records(self.book, self.rows)

    @classmethod
    def of(cls, records: Iterable[MatchRecord], *, details: bool = True) -> "Counted":
        """Counts finished matches."""
        book = CountBook(details=details)
        with uncollected():
            for record in records:
                book.add(record)
            return cls(book, range(len(book)))

    @classmethod
    def in_book(cls, book: CountBook, numbers: Sequence[int] | None = None) -> "Counted":
        """Returns the matches of a book with these numbers, or all, in the order of places."""
        known, rows = book.latest()
        if numbers is not None and not np.array_equal(known, numbers):
            wanted = np.isin(known, ints(numbers))
            known, rows = known[wanted], rows[wanted]
        if book.places:
            rows = rows[np.argsort(list(map(book.place_of, known.tolist())), kind="stable")]
        return cls(book, array("i", rows.astype(np.int32).tobytes()))

    def column(self, column: "array[int]") -> Ints:
        """Returns a column of the book for these matches."""
        return np.asarray(column)[self._index]

    @cached_property
    def _index(self) -> Ints:
        return np.asarray(self.rows, dtype=np.int32)

    @cached_property
    def games(self) -> Sequence[str]:
        """The games of these matches."""
        return list(dict.fromkeys(game for game, *_ in self._played))

    @cached_property
    def clusters(self) -> Clusters:
        """The clusters of these matches."""
        return Clusters.of_settings((game, setting) for game, _, setting, _ in self._played)

    @property
    def _played(self) -> Iterator[tuple[str, str, str, str]]:
        groups = list(self.book.groups)
        return map(groups.__getitem__, np.unique(self.column(self.book.of_group)).tolist())

    @cached_property
    def by_outcome(self) -> tuple[Sequence[MatchRecord], Ints]:
        """The first match of each game, line-up and outcome, and the place of each match there."""
        games = {game: place for place, game in enumerate(self.games)}
        of_group = np.array([games.get(game, NONE) for game, *_ in self.book.groups], np.int64)
        columns = of_group[self.column(self.book.of_group)], self.column(self.book.of_kind)
        first, kinds = numbered_rows(columns)
        return [self.records[place] for place in first.tolist()], kinds

    @cached_property
    def _kinds(self) -> tuple[Ints, Ints]:
        """The first match of each kind, and the kind of each: game, condition, outcome, counts."""
        book = self.book
        places: dict[tuple[str, str], int] = {}
        of_group = [places.setdefault(group[:2], len(places)) for group in book.groups]
        columns = map(self.column, (book.of_kind, book.of_shaped, book.of_exact))
        conditions = np.array(of_group, np.int32)[self.column(book.of_group)]
        return numbered_rows(chain([conditions], columns, self._names(self._index)))

    def _names(self, rows: Ints) -> Iterator[Ints]:
        """Yields the names of some rows in each place, 0 for rows with fewer places."""
        ends, flat = ints(self.book.name_ends), ints(self.book.in_places + array("i", [0]))
        begins = np.concatenate(([0], ends[:-1]))[rows]
        sizes = ends[rows] - begins
        for place in range(max(1, int(sizes.max(initial=0)))):
            yield np.where(place < sizes, flat[np.minimum(begins + place, len(flat) - 1)], 0)

    def alike(self, clusters: Clusters, what: What | None = None) -> AlikeMatches:
        """Returns these matches with those alike as one: by ``what``, or by their outcomes."""
        types, (records, outcomes) = self._types(clusters), self.by_outcome
        if what is not None:
            known: dict[Hashable, int] = {}
            taken = [known.setdefault(what(each), len(known)) for each in records]
            of_outcome = np.array(taken, np.int64)
            records = [records[place] for place in first_places(of_outcome, len(known)).tolist()]
            outcomes = of_outcome[outcomes]
            types = self._typed(clusters, outcomes)
        _, named = np.unique(types.of, return_index=True)
        names = []
        for place in types.first[named].tolist():
            record = self.records[place]
            names.append((record.game, clusters.key(record)))
        of_cluster: list[dict[Cluster, int]] = [{} for _ in records]
        # What happened in the first cluster of each type.
        is_named = np.zeros(len(types.of), np.bool_)
        is_named[named] = True
        own = is_named[types.clusters]
        of_own = outcomes[own], types.of[types.clusters[own]]
        first, pairs = numbered_rows(of_own)
        columns = (column[first].tolist() for column in of_own)
        for outcome, kind, times in zip(*columns, np.bincount(pairs).tolist(), strict=True):
            of_cluster[outcome][names[kind][1]] = times
        begins: dict[str, int] = {}
        for kind, (game, _) in enumerate(names):
            begins.setdefault(game, kind)
        in_order = {}
        for game, begin in begins.items():
            ends = [each for each in begins.values() if each > begin]
            of = types.of[(types.of >= begin) & (types.of < min(ends, default=len(names)))]
            in_order[game] = array("q", (of - begin).tobytes())
        numbers = np.bincount(outcomes).tolist()
        return AlikeMatches(
            list(map(Alike, records, numbers, of_cluster)),
            dict(zip(names, types.times.tolist(), strict=True)),
            in_order,
        )

    def _types(self, clusters: NamesClusters) -> _Types:
        """Returns the types of clusters; only those of ``Clusters`` are ever of one type."""
        if not isinstance(clusters, Clusters):
            names: dict[str, int] = {}
            named = map(clusters.name, self.records)
            of_match = ints([names.setdefault(name, len(names)) for name in named])
            _, first = np.unique(of_match, return_index=True)
            every = np.arange(len(first))
            return _Types(of_match, first, every, np.ones_like(every))
        units = tuple(clusters.units.items())
        if units not in self._known:
            self._known[units] = self._typed(clusters, self._kinds[1])
        return self._known[units]

    def _typed(self, clusters: Clusters, of_kind: Ints) -> _Types:
        places = self._places_of_clusters(clusters)
        of_match, count = distinct(places)
        first = first_places(of_match, count)
        kinds = of_kind[np.argsort(of_match, kind="stable")].astype("<i4").tobytes()
        types: dict[bytes, int] = {}
        of, begin = array("q"), 0
        for end in (4 * np.cumsum(np.bincount(of_match))).tolist():
            of.append(types.setdefault(kinds[begin:end], len(types)))
            begin = end
        return _Types(of_match, first, ints(of), np.bincount(ints(of)))

    def _places_of_clusters(self, clusters: Clusters) -> Ints:
        """Returns numbers that order matches by game and ``Clusters.key``."""
        book = self.book
        named = []
        for game, _, setting, _ in book.groups:
            unit = clusters.units.get(game)
            named.append((unit, (game, setting if unit == "setting" else "")))
        in_order = sorted({name for _, name in named})
        ranks = {name: rank for rank, name in enumerate(in_order)}
        groups = self.column(book.of_group)
        places: Ints = np.array([ranks[name] for _, name in named], np.int64)[groups]
        if all(unit == "setting" for unit, _ in named):
            return places
        numbers = self.column(book.numbers)
        orders = ints(list(map(book.place_of, numbers.tolist()))) if book.places else numbers
        seeds, transcripts = self.column(book.seeds), self.column(book.transcripts)
        keys = np.where(transcripts == NONE, orders, transcripts)
        keys = np.where(seeds == NONE, keys, seeds)
        for unit, own in (("match", orders), ("setting", 0)):
            keys = np.where(np.array([each == unit for each, _ in named])[groups], own, keys)
        keys, count = distinct(keys)
        return places * count + keys

    def without_faults(self) -> "Counted":
        """Returns the matches in which no answer was a fault, but for those to probes."""
        faulty = self.book.faulty
        return Counted(self.book, [row for row in self.rows if not faulty[row]])

    @property
    def distinct(self) -> int:
        """The number of matches without those that are copies of another one."""
        transcripts = self.column(self.book.transcripts)
        known = transcripts[transcripts != NONE]
        return len(np.unique(known)) + len(transcripts) - len(known)

    def counts(self, clusters: NamesClusters | None = None, *, details: bool = True) -> Counts:
        """Adds up the counts by cluster; without ``details`` only those of a leaderboard."""
        with uncollected():
            return self._counts(clusters or self.clusters, details)

    def _counts(self, clusters: NamesClusters, details: bool) -> Counts:
        if not self.rows:
            return {}
        book, types, (first, kinds) = self.book, self._types(clusters), self._kinds
        # One cluster of each type: the first one by its matches.
        order = np.argsort(types.first)
        _, named = np.unique(types.of[order], return_index=True)
        is_named = np.zeros(len(order), np.bool_)
        is_named[order[named]] = True
        own = np.flatnonzero(is_named[types.clusters])
        conditions: dict[tuple[str, str], int] = {}
        of_group = [conditions.setdefault(group[:2], len(conditions)) for group in book.groups]
        condition = np.array(of_group, np.int32)[self.column(book.of_group)[own]]
        # By cluster, so that what was counted in one stands together.
        parts, number = distinct(types.clusters[own].astype(np.int64) * len(conditions) + condition)
        begins = first_places(parts, number)
        totals: list[Iterator[tuple[int, list[Total]]]] = []
        names = np.stack(list(self._names(self._index[first])), axis=1)
        for shapes, column in ((book.shaped, book.of_shaped), (book.exact, book.of_exact)):
            of_kind = ints(column)[self._index[first]]
            has_shape = of_kind != NONE
            if has_shape.any():
                of_names = names[has_shape] if shapes is book.shaped else None
                place_of = np.cumsum(has_shape, dtype=np.int32) - 1
                matches = has_shape[kinds[own]]
                lines = shapes.lines(of_kind[has_shape], of_names, details=details)
                totals.append(lines.totals(parts[matches], place_of[kinds[own][matches]]))
        numbers_of: dict[tuple[int, Cell, tuple[float, float]], int] = {}
        # By what was counted of an agent in a cluster: its first cluster, and their number.
        alike: dict[tuple[int, tuple[int, ...]], tuple[int, int]] = {}
        where = own[begins]
        of_part, in_part = types.clusters[where].tolist(), condition[begins].tolist()
        for cluster, of_cluster in groupby(
            merge(*totals, key=itemgetter(0)), key=lambda total: of_part[total[0]]
        ):
            of_agent: dict[str, list[int]] = defaultdict(list)
            for part, totals_of in of_cluster:
                for cell, sums in totals_of:
                    line = in_part[part], cell, sums
                    of_agent[cell[0]].append(numbers_of.setdefault(line, len(numbers_of)))
            times = int(types.times[types.of[cluster]])
            apart = NONE if isinstance(clusters, Clusters) else cluster
            for numbers in of_agent.values():
                what = apart, tuple(sorted(numbers))
                first_one, before = alike.get(what, (cluster, 0))
                alike[what] = first_one, before + times
        counts: Counts = defaultdict(dict)
        in_words, played = list(numbers_of), list(conditions)
        for (_, own_lines), (cluster, times) in alike.items():
            record = self.records[int(types.first[cluster])]
            of_type = ClusterType(record.game, clusters.name(record), times)
            for number in own_lines:
                at, cell, sums = in_words[number]
                counts[CountKey(*played[at], *cell)][of_type] = sums
        followed = {find_game(game, "counts").counting.sequences for game in self.games} - {nothing}
        sequences = of_sequences(self.records) if details and followed else ()
        for record, (agent, role, counter, k, n) in sequences:
            # Consecutive matches depend on each other, whatever their settings.
            cluster = ClusterType(record.game, f"experiment {record.experiment}")
            of_key = counts[CountKey(record.game, record.condition, agent, role, counter)]
            sum_k, sum_n = of_key.get(cluster, NOTHING)
            of_key[cluster] = (sum_k + k, sum_n + n)
        return dict(counts)


def of_sequences(records: Sequence[MatchRecord]) -> Iterator[tuple[MatchRecord, Count]]:
    """Yields the counts of consecutive matches of each game, with the match of each."""
    for name in dict.fromkeys(record.game for record in records):
        sequences = find_game(name, "counts").counting.sequences
        if sequences is not nothing:
            yield from sequences([record for record in records if record.game == name])


def _given(number: int) -> int | None:
    return None if number == NONE else number


Finished = Sequence[MatchRecord] | Counted
"""Finished matches, counted or not."""


def counted(matches: Finished, *, details: bool = True) -> Counted:
    """Returns finished matches as counted."""
    return matches if isinstance(matches, Counted) else Counted.of(matches, details=details)


def records_of(matches: Finished) -> Sequence[MatchRecord]:
    """Returns the records of finished matches, those of counted ones without their answers."""
    return matches.records if isinstance(matches, Counted) else matches


def clusters_of(matches: Finished) -> Clusters:
    """Returns the clusters of finished matches."""
    return matches.clusters if isinstance(matches, Counted) else Clusters.of(matches)


def alike(matches: Finished, clusters: Clusters, what: What | None = None) -> AlikeMatches:
    """Returns matches with those alike as one; see ``Counted.alike``. Records are not compared."""
    if isinstance(matches, Counted):
        return matches.alike(clusters, what)
    names = [(record.game, clusters.key(record)) for record in matches]
    own = [Alike(record, 1, {key: 1}) for record, (_, key) in zip(matches, names, strict=True)]
    of_game: dict[str, set[Cluster]] = defaultdict(set)
    for game, key in names:
        of_game[game].add(key)
    in_order = {game: range(len(keys)) for game, keys in of_game.items()}
    return AlikeMatches(own, dict.fromkeys(names, 1), in_order)


def count(
    records: Finished, clusters: NamesClusters | None = None, *, details: bool = True
) -> Counts:
    """Counts of the finished matches, by cluster.

    Without ``details`` it leaves out what no leaderboard shows, which can take as long to count
    as all the rest.
    """
    return counted(records, details=details).counts(clusters, details=details)
