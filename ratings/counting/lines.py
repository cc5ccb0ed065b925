"""Lines: the rows of a book in words, so that what two books have of a match can be compared."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import zip_longest

from parlour.games.engine.counting import Count
from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting.book import NONE, CountBook
from parlour.ratings.counting.counted import of_sequences
from parlour.ratings.counting.shapes import PLACES, Shapes, place

DIGITS = 9
"""Decimal places of counts that must agree: the last bits of a mean depend on the machine."""


def first_difference(stored: CountBook, again: CountBook) -> int | None:
    """Returns the first match that one book counts otherwise than the other, None if there is none.

    The matches are those of ``again``; the other book has them, too, and may have more. Counts of
    sequences of matches are left to ``first_other_sequence``.
    """
    row_of = dict(zip(*(each.tolist() for each in stored.latest()), strict=True))
    lines, other_lines = BookLines(stored), BookLines(again)
    for number, row in zip(*(each.tolist() for each in again.latest()), strict=True):
        if lines.line(row_of[number]) != other_lines.line(row):
            return int(number)
    return None


def first_other_sequence(one: Sequence[MatchRecord], other: Sequence[MatchRecord]) -> int | None:
    """Returns the first match that is counted otherwise than in other records of the same matches.

    Only by the counts that follow matches over a sequence of them.
    """
    for ours, theirs in zip_longest(*(_numbered(of_sequences(each)) for each in (one, other))):
        if ours != theirs:
            return min(each[0] for each in (ours, theirs) if each is not None)
    return None


def _numbered(
    sequences: Iterable[tuple[MatchRecord, Count]],
) -> Iterator[tuple[int, str, str, str, float, float]]:
    """Yields the counts of sequences with the number of the match of each."""
    for record, (agent, role, counter, k, n) in sequences:
        yield record.number, agent, role, counter, round(k, DIGITS), round(n, DIGITS)


class BookLines:
    """The lines of a book as it is now."""

    def __init__(self, book: CountBook) -> None:
        self._book = book
        self._titles = [*map(place, range(PLACES)), *book.names]
        self._groups, self._kinds = list(book.groups), list(book.kinds)
        self._shaped, self._exact = _Counts(book.shaped), _Counts(book.exact)

    def line(self, row: int) -> Hashable:
        """Returns what a row says of its match; equal for equally counted matches.

        Without the answers that sequences follow: those of any match of the shape stand there.
        """
        book = self._book
        begin = book.name_ends[row - 1] if row else 0
        in_places = book.in_places[begin : book.name_ends[row]]
        return (
            *(self._groups[book.of_group[row]], self._kinds[book.of_kind[row]], book.faulty[row]),
            *(book.seeds[row], book.transcripts[row]),
            tuple(map(self._titles.__getitem__, in_places)),
            self._shaped.of(book.of_shaped[row]),
            self._exact.of(book.of_exact[row]),
        )


class _Counts:
    """The counts of shapes in words: of each, those of a leaderboard and the details, sorted."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        titles = [*map(place, range(PLACES)), *shapes.names]
        cells = [tuple(map(titles.__getitem__, cell)) for cell in shapes.cells]
        self._told = [
            (*cells[cell], round(k, DIGITS), round(n, DIGITS))
            for cell, k, n in zip(shapes.cell, shapes.k, shapes.n, strict=True)
        ]
        self._known: dict[int, Hashable] = {NONE: None}

    def of(self, number: int) -> Hashable:
        """Returns the counts of a shape."""
        if number not in self._known:
            shapes = self._shapes
            begin = shapes.ends[number - 1] if number else 0
            middle, end = shapes.middles[number], shapes.ends[number]
            self._known[number] = self._counts(begin, middle), self._counts(middle, end)
        return self._known[number]

    def _counts(self, begin: int, end: int) -> Hashable:
        return tuple(sorted(map(self._told.__getitem__, self._shapes.counts[begin:end])))
