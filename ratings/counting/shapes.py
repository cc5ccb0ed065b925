"""Counts of matches that differ only in names, told once for all of them.

A *shape* is what the counts of a match depend on, but for the names of its agents and slices. The
counts of a shape are told with places for these names; a match adds only the names.
"""

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parlour.games.engine.counting import Count
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.record import MatchRecord

Cell = tuple[str, str, str]
"""Agent, role and counter."""
Total = tuple[Cell, tuple[float, float]]
"""A cell with its sums of k and n."""
PLACES = 256
"""Numbers below this are places, others names. The places of a match are its slices, then its
agents."""

_Ints = NDArray[np.int64]


class _Match(NamedTuple):
    """A match as counted: the numbers of its cluster and shape, and the names in its places."""

    cluster: int
    shape: int
    names: list[int]


class ShapeCounts:
    """Counts of matches in arrays; ``tell`` gives the counts of a match, once for each shape."""

    def __init__(self, tell: Callable[[MatchRecord, Sequence[str]], Iterable[Count]]) -> None:
        self._tell = tell
        self._shapes: dict[Hashable, int] = {}
        self._names: dict[str, int] = {}
        self._groups: dict[tuple[str, str], list[_Match]] = {}
        self._clusters: dict[str, int] = {}
        # The counts of all shapes one after the other: number of the cell, k and n.
        self._begins = [0]
        self._cells: dict[Cell, int] = {}
        self._cell, self._k, self._n = array("q"), array("d"), array("d")

    def add(
        self, record: MatchRecord, shape: Hashable, slices: Sequence[str], cluster: str
    ) -> None:
        """Adds a match of a cluster, which belongs to some slices."""
        agents, outcome = record.agents, record.outcome
        distinct = list(dict.fromkeys(agents))
        ruled = distinct.index(BUILT_IN) if BUILT_IN in distinct else None
        known = (
            *(record.game, record.counted, tuple(map(distinct.index, agents)), ruled, shape),
            *(outcome.ending, outcome.payoffs, outcome.roles, outcome.sides, outcome.winners),
            len(slices),
        )
        if known not in self._shapes:
            self._shapes[known] = len(self._shapes)
            self._tell_shape(record, distinct, len(slices))
        names = self._names
        places = [names.setdefault(name, PLACES + len(names)) for name in (*slices, *distinct)]
        number = self._clusters.setdefault(cluster, len(self._clusters))
        group = self._groups.setdefault((record.game, record.condition), [])
        group.append(_Match(number, self._shapes[known], places))

    def _tell_shape(self, record: MatchRecord, distinct: Sequence[str], slices: int) -> None:
        """Stores the counts of a shape, told of its first match with places for names."""
        named = {
            agent: agent if agent == BUILT_IN else _place(number)
            for number, agent in enumerate(distinct, start=slices)
        }
        anonymous = replace(record, agents=tuple(named[agent] for agent in record.agents))
        cells, cell, of_k, of_n = self._cells, self._cell, self._k, self._n
        for agent, role, counter, k, n in self._tell(anonymous, list(map(_place, range(slices)))):
            cell.append(cells.setdefault((agent, role, counter), len(cells)))
            of_k.append(k)
            of_n.append(n)
        self._begins.append(len(cell))

    def totals(self) -> Iterator[tuple[tuple[str, str, str], list[Total]]]:
        """Yields game, condition and cluster with the totals of their cells.

        Sums are made in the order of the matches, and cells come as they first occurred.
        """
        clusters = list(self._clusters)
        for (game, condition), matches in self._groups.items():
            for cluster, totals in self._totals_of(matches):
                yield (game, condition, clusters[cluster]), totals

    def _totals_of(self, matches: Sequence[_Match]) -> Iterator[tuple[int, list[Total]]]:
        """Yields the number of each cluster of some matches, with its totals."""
        shapes = np.array([match.shape for match in matches])
        begins = np.array(self._begins)
        sizes = (begins[1:] - begins[:-1])[shapes]
        # The lines that each match adds, one match after the other.
        match = np.repeat(np.arange(len(matches)), sizes)
        ends = np.cumsum(sizes)
        lines = np.arange(len(match)) + np.repeat(begins[shapes] - (ends - sizes), sizes)
        cells, texts = self._named_cells(matches, match, lines)
        clusters: _Ints = np.array([each.cluster for each in matches])[match]
        keys, first, inverse = np.unique(
            clusters * len(texts) + cells, return_index=True, return_inverse=True
        )
        k = np.bincount(inverse, weights=np.frombuffer(self._k)[lines])
        n = np.bincount(inverse, weights=np.frombuffer(self._n)[lines])
        # The cells of a cluster together, in the order in which each first occurred.
        of_cluster, of_cell = np.divmod(keys, len(texts))
        order = np.lexsort((first, of_cluster))
        sums = zip(k[order].tolist(), n[order].tolist(), strict=True)
        totals = zip(map(texts.__getitem__, of_cell[order].tolist()), sums, strict=True)
        rows = zip(of_cluster[order].tolist(), totals, strict=True)
        for cluster, group in groupby(rows, key=itemgetter(0)):
            yield cluster, list(map(itemgetter(1), group))

    def _named_cells(
        self, matches: Sequence[_Match], match: _Ints, lines: _Ints
    ) -> tuple[_Ints, list[Cell]]:
        """Returns the number of each line's cell with the names of its match, and these cells."""
        most = max(len(each.names) for each in matches)
        padded = [each.names + [0] * (most - len(each.names)) for each in matches]
        names: _Ints = np.array(padded, dtype=np.int64)
        counters: dict[str, int] = {}
        parts = []
        for agent, role, counter in self._cells:
            number = counters.setdefault(counter, len(counters))
            parts.append((self._number(agent), self._number(role), number))
        of_cell: _Ints = np.array(parts, dtype=np.int64)[np.frombuffer(self._cell, np.int64)[lines]]

        def named(column: int) -> _Ints:
            numbers = of_cell[:, column]
            in_places = names[match, np.minimum(numbers, most - 1)]
            return np.where(numbers < PLACES, in_places, numbers)

        radix = PLACES + len(self._names)
        numbers = (named(0) * radix + named(1)) * len(counters) + of_cell[:, 2]
        kinds, cells = np.unique(numbers, return_inverse=True)
        title = {number: name for name, number in self._names.items()}
        titles = list(counters)
        texts = []
        for kind in kinds.tolist():
            pair, number = divmod(kind, len(counters))
            agent, role = divmod(pair, radix)
            texts.append((title[agent], title[role], titles[number]))
        return cells, texts

    def _number(self, name: str) -> int:
        """Returns the number of a place or name in the counts of a shape."""
        if name.startswith("\0"):
            return int(name[1:])
        return self._names.setdefault(name, PLACES + len(self._names))


def _place(number: int) -> str:
    """Returns the text that stands for the name in a place; no name begins so."""
    return f"\0{number}"
