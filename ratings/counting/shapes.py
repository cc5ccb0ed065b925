"""Counts of shapes: matches that differ only in names are told once.

A *shape* is what the counts of a match depend on, but for the names of its agents and slices. The
counts of a shape are told with places for these names; a match adds only the names.
"""

from array import array
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parlour.games.engine.counting import Count

Cell = tuple[str, str, str]
"""Agent, role and counter."""
Total = tuple[Cell, tuple[float, float]]
"""A cell with its sums of k and n."""
PLACES = 256
"""Numbers below this are places, others names. The places of a match are its slices, then its
agents."""

THIN = 16
"""Possible values of each of some numbers from which on they are sorted, not marked."""

Ints = NDArray[np.int64]


class MatchRows(NamedTuple):
    """Matches as rows: the numbers of their clusters and shapes, and the names in their places."""

    clusters: Ints
    shapes: Ints
    names: Ints


class Shapes:
    """The counts of shapes one after the other: those of a leaderboard, then the details.

    ``names`` numbers names; other tables may share it. Everything only grows.
    """

    def __init__(self, names: dict[str, int]) -> None:
        self.names = names
        self.cells: dict[tuple[int, int, int], int] = {}
        self.middles, self.ends = array("q"), array("q")
        self.cell, self.k, self.n = array("q"), array("d"), array("d")

    @property
    def columns(self) -> "list[array[int] | array[float]]":
        """All columns, which stored blocks continue."""
        return [self.middles, self.ends, self.cell, self.k, self.n]

    def __len__(self) -> int:
        return len(self.ends)

    def add(self, basic: Iterable[Count], details: Iterable[Count]) -> int:
        """Adds a shape and returns its number."""
        self._append(basic)
        self.middles.append(len(self.cell))
        self._append(details)
        self.ends.append(len(self.cell))
        return len(self.ends) - 1

    def _append(self, counts: Iterable[Count]) -> None:
        cells, number = self.cells, self._number
        for agent, role, counter, k, n in counts:
            cell = number(agent), number(role), number(counter)
            self.cell.append(cells.setdefault(cell, len(cells)))
            self.k.append(k)
            self.n.append(n)

    def totals(self, rows: MatchRows, *, details: bool) -> Iterator[tuple[int, list[Total]]]:
        """Yields the number of each cluster of some matches, with its totals.

        Sums are made in the order of the matches, and cells come as they first occurred.
        """
        ends = np.frombuffer(self.ends, np.int64)
        begins = np.concatenate(([0], ends[:-1]))
        ends = ends if details else np.frombuffer(self.middles, np.int64)
        sizes = (ends - begins)[rows.shapes]
        # The lines that each match adds, one match after the other.
        match = np.repeat(np.arange(len(sizes)), sizes)
        if not len(match):
            return
        after = np.cumsum(sizes)
        lines = np.arange(len(match)) + np.repeat(begins[rows.shapes] - (after - sizes), sizes)
        cells, texts = self._named_cells(rows.names, match, lines)
        clusters = int(rows.clusters.max()) + 1
        keys, inverse = _distinct(rows.clusters[match] * len(texts) + cells, clusters * len(texts))
        first = np.empty(len(keys), dtype=np.int64)
        first[inverse[::-1]] = np.arange(len(inverse))[::-1]  # the last one written stays
        k = np.bincount(inverse, weights=np.frombuffer(self.k)[lines])
        n = np.bincount(inverse, weights=np.frombuffer(self.n)[lines])
        # The cells of a cluster together, in the order in which each first occurred.
        of_cluster, of_cell = np.divmod(keys, len(texts))
        order = np.lexsort((first, of_cluster))
        sums = zip(k[order].tolist(), n[order].tolist(), strict=True)
        totals = zip(map(texts.__getitem__, of_cell[order].tolist()), sums, strict=True)
        pairs = zip(of_cluster[order].tolist(), totals, strict=True)
        for cluster, group in groupby(pairs, key=itemgetter(0)):
            yield cluster, list(map(itemgetter(1), group))

    def _named_cells(self, names: Ints, match: Ints, lines: Ints) -> tuple[Ints, list[Cell]]:
        """Returns the number of each line's cell with the names of its match, and these cells."""
        most = names.shape[1]
        numbered: Ints = np.array(list(self.cells), dtype=np.int64)
        of_cell = numbered[np.frombuffer(self.cell, np.int64)[lines]]

        def named(column: int) -> Ints:
            numbers = of_cell[:, column]
            in_places = names[match, np.minimum(numbers, most - 1)]
            return np.where(numbers < PLACES, in_places, numbers)

        radix = PLACES + len(self.names)
        pairs, of_pair = _distinct(named(0) * radix + named(1), radix**2)
        kinds, cells = _distinct(of_pair * radix + of_cell[:, 2], len(pairs) * radix)
        titles = [""] * PLACES + list(self.names)
        texts = []
        for kind in kinds.tolist():
            pair, counter = divmod(kind, radix)
            agent, role = divmod(int(pairs[pair]), radix)
            texts.append((titles[agent], titles[role], titles[counter]))
        return cells, texts

    def _number(self, name: str) -> int:
        """Returns the number of a place or name in the counts of a shape."""
        return int(name[1:]) if name.startswith("\0") else number_of(self.names, name)


def _distinct(numbers: Ints, size: int) -> tuple[Ints, Ints]:
    """Returns the distinct ones of numbers below ``size``, in order, and the place of each number.

    They are marked, which is quicker than sorting them, unless they are spread thinly.
    """
    if size > THIN * len(numbers):
        return np.unique(numbers, return_inverse=True)
    marks = np.zeros(size, dtype=np.bool_)
    marks[numbers] = True
    places = np.cumsum(marks) - 1
    return np.flatnonzero(marks), places[numbers]


def number_of(names: dict[str, int], name: str) -> int:
    """Returns the number of a name, a new one where it has none."""
    return names.setdefault(name, PLACES + len(names))


def place(number: int) -> str:
    """Returns the text that stands for the name in a place; no name begins so."""
    return f"\0{number}"
