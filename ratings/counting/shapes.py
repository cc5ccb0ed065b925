"""Counts of shapes: matches that differ only in names are told once.

A *shape* is what the counts of a match depend on, but for the names of its agents and slices. The
counts of a shape are told with places for these names; a match adds only the names.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

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

THIN = 4
"""Possible values of each of some numbers from which on they are sorted, not marked."""

Ints = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


AT_ONCE, MATCHES_AT_ONCE = 2**18, 2**11
"""Sums, and matches, that are worked on at once."""


class Shapes:
    """The counts of shapes one after the other: those of a leaderboard, then the details.

    ``names`` numbers names; other tables may share it. Everything only grows.
    """

    def __init__(self, names: dict[str, int]) -> None:
        self.names = names
        self.cells: dict[tuple[int, int, int], int] = {}
        self.middles, self.ends, self.counts = array("i"), array("i"), array("i")
        # The distinct counts, by number.
        self.cell, self.k, self.n = array("i"), array("d"), array("d")
        self._known: dict[Count, int] = {}

    @property
    def columns(self) -> "list[array[int] | array[float]]":
        """All columns, which stored blocks continue."""
        return [self.middles, self.ends, self.counts, self.cell, self.k, self.n]

    def __len__(self) -> int:
        return len(self.ends)

    def add(self, basic: "array[int]", details: "array[int]") -> int:
        """Adds a shape of these counts and returns its number."""
        self.counts += basic
        self.middles.append(len(self.counts))
        self.counts += details
        self.ends.append(len(self.counts))
        return len(self.ends) - 1

    def numbered(self, counts: Iterable[Count]) -> "array[int]":
        """Returns the numbers of counts; equal ones have the same."""
        numbers, known = array("i"), self._known
        for count in counts:
            if (number := known.get(count)) is None:
                number = known[count] = self._add(*count)
            numbers.append(number)
        return numbers

    def _add(self, agent: str, role: str, counter: str, k: float, n: float) -> int:
        cell = self._number(agent), self._number(role), self._number(counter)
        self.cell.append(self.cells.setdefault(cell, len(self.cells)))
        self.k.append(k)
        self.n.append(n)
        return len(self.n) - 1

    def lines(self, kinds: Ints, names: Ints | None, *, details: bool) -> "CountLines":
        """Returns the lines that kinds of matches add; without ``details`` a leaderboard's.

        ``kinds`` are the numbers of their shapes, ``names`` the names in their places (None where
        the counts have the names themselves).
        """
        ends, of_count = ints(self.ends), ints(self.cell)
        counts = np.asarray(self.counts)  # no copy, since it is the longest column
        begins = np.concatenate(([0], ends[:-1]))[kinds]
        sizes = (ends if details else ints(self.middles))[kinds] - begins
        numbers: dict[tuple[int, ...], int] = {}

        def numbered(of_line: Ints, names: Ints) -> Ints:
            """Returns the number of each cell of some lines with these names in their places."""
            named = self._named_cells(of_line, names)
            first, of_part = numbered_rows(named)
            rows = zip(*(column[first].tolist() for column in named), strict=True)
            known = [numbers.setdefault(row, len(numbers)) for row in rows]
            return np.array(known, np.int32)[of_part]

        places = None
        if names is None:
            cells = numbered(of_count, np.zeros((len(of_count), 1), np.int32))
        else:
            places = np.cumsum(sizes) - sizes
            cells = np.empty(sizes.sum(), np.int32)
            for part in range(0, len(sizes), MATCHES_AT_ONCE):
                own = slice(part, part + MATCHES_AT_ONCE)
                of_line = of_count[counts[_ranges(begins[own], sizes[own])]]
                begin = places[part]
                named = np.repeat(names[own], sizes[own], axis=0)
                cells[begin : begin + len(of_line)] = numbered(of_line, named)
        title = ([""] * PLACES + list(self.names)).__getitem__
        texts = [cast("Cell", tuple(map(title, row))) for row in numbers]
        k, n = floats(self.k), floats(self.n)
        return CountLines(begins, places, sizes, counts, k, n, cells, texts)

    def _named_cells(self, cells: Ints, names: Ints) -> list[Ints]:
        """Returns the agents, roles and counters of some lines with the names in their places."""
        numbered: Ints = np.array(list(self.cells), dtype=np.int32).reshape(-1, 3)
        columns = []
        for of_cell in numbered.T[:2]:
            numbers = of_cell[cells]
            places = np.minimum(numbers, names.shape[1] - 1)[:, np.newaxis]
            in_places = np.take_along_axis(names, places, axis=1)[:, 0]
            columns.append(np.where(numbers < PLACES, in_places, numbers))
        return [*columns, numbered[cells, 2]]

    def _number(self, name: str) -> int:
        """Returns the number of a place or name in the counts of a shape."""
        return int(name[1:]) if name.startswith("\0") else number_of(self.names, name)


class CountLines(NamedTuple):
    """Lines of kinds of matches: a count of the shape of each kind, and the cell it goes to.

    Those of a kind begin at ``begins`` among the ``counts`` of all shapes, and at ``places`` among
    the ``cell`` of all kinds. Without places ``cell`` has the cell of each count.
    """

    begins: Ints
    places: Ints | None
    sizes: Ints
    counts: Ints
    k: Floats
    n: Floats
    cell: Ints
    cells: list[Cell]

    def totals(self, clusters: Ints, kinds: Ints) -> Iterator[tuple[int, list[Total]]]:
        """Yields the number of each cluster of some matches, with its totals.

        Sums are made in the order of the matches, and cells come as they first occurred. Of many
        matches, some are added at once: their lines take more memory than the matches.
        """
        order = np.argsort(clusters, kind="stable")
        clusters, kinds = clusters[order], kinds[order]
        width = max(1, len(self.cells))
        count = int(clusters[-1]) + 1 if len(clusters) else 0
        step = max(1, min(count, AT_ONCE // width))
        for low in range(0, count, step):
            begin, end = np.searchsorted(clusters, (low, low + step))
            k, n, first = np.zeros((3, step * width))
            first -= 1
            for part in range(begin, end, MATCHES_AT_ONCE):
                own = kinds[part : min(end, part + MATCHES_AT_ONCE)]
                sizes = self.sizes[own]
                counts = self.counts[_ranges(self.begins[own], sizes)]
                keys = np.repeat(clusters[part : part + len(own)] - low, sizes) * width
                lines = counts if self.places is None else _ranges(self.places[own], sizes)
                keys += self.cell[lines]
                np.add.at(k, keys, self.k[counts])
                np.add.at(n, keys, self.n[counts])
                new = np.flatnonzero(first[keys] < 0)[::-1]
                first[keys[new]] = new + float(2**32) * part  # the last one written stays
            for cluster in range(step):
                own_cells = slice(cluster * width, (cluster + 1) * width)
                there = np.flatnonzero(first[own_cells] >= 0)
                there = there[np.argsort(first[own_cells][there], kind="stable")]
                if len(there):
                    sums = zip(
                        k[own_cells][there].tolist(), n[own_cells][there].tolist(), strict=True
                    )
                    texts = map(self.cells.__getitem__, there.tolist())
                    yield low + cluster, list(zip(texts, sums, strict=True))


def _ranges(begins: Ints, sizes: Ints) -> Ints:
    """Returns the numbers from each begin on, so many of each, one range after the other."""
    places = np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)
    places += np.arange(len(places))
    return places


def numbered_rows(columns: Iterable[Ints]) -> tuple[Ints, Ints]:
    """Returns the place where each distinct row of some columns first occurs, and numbers all rows.

    Numbers go by the first occurrence. No column has numbers below -1.
    """
    numbers, count = np.zeros(1, np.int32), 1
    for column in columns:
        rows = np.broadcast_to(numbers, len(column)).astype(np.int64)
        rows *= int(column.max(initial=0)) + 2
        rows += column
        numbers, count = distinct(rows)
    first = first_places(numbers, count)
    order = np.argsort(first)
    place_of = np.empty(count, np.int32)
    place_of[order] = np.arange(count)
    return first[order], place_of[numbers]


def first_places(numbers: Ints, count: int) -> Ints:
    """Returns the place where each number below ``count`` first occurs; each does."""
    first = np.zeros(count, np.int64)
    first[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)  # the last one written stays
    return first


def distinct(numbers: Ints) -> tuple[NDArray[np.int32], int]:
    """Returns the place of each number among the distinct ones in order, and their count.

    They are marked, which is quicker than sorting them, unless they are spread thinly.
    """
    if not len(numbers):
        return np.zeros(0, np.int32), 0
    low = int(numbers.min())
    size = int(numbers.max()) - low + 1
    if size > THIN * len(numbers):
        order = np.argsort(numbers)
        in_order = numbers[order]
        ranks = np.zeros(len(numbers), np.int32)
        np.cumsum(in_order[1:] != in_order[:-1], out=ranks[1:])
        places = np.empty_like(ranks)
        places[order] = ranks
        return places, int(ranks[-1]) + 1
    numbers = numbers - low if low else numbers
    marks = np.zeros(size, dtype=np.bool_)
    marks[numbers] = True
    ranks = np.cumsum(marks, dtype=np.int32)
    ranks -= 1
    return ranks[numbers], int(ranks[-1]) + 1


def ints(column: Sequence[int]) -> Ints:
    """Returns a copy of a column, in its own width."""
    return np.array(column)


def floats(column: "array[float]") -> Floats:
    """Returns a copy of a column of values."""
    return np.array(column, dtype=np.float64)


def number_of(names: dict[str, int], name: str) -> int:
    """Returns the number of a name, a new one where it has none."""
    return names.setdefault(name, PLACES + len(names))


def place(number: int) -> str:
    """Returns the text that stands for the name in a place; no name begins so."""
    return f"\0{number}"
