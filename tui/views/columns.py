"""The layout of a table that scrolls sideways while its first columns stay."""

from collections.abc import Sequence

from rich.cells import cell_len

GAP = "  "


class Columns:
    """Titles and rows of cells, laid out at a width in columns of the screen.

    ``names`` is the index of the column of names: it and the columns before it always stay. The
    names and the columns between them and the first are aligned left, all others right.
    """

    def __init__(
        self, titles: Sequence[str] = ("",), rows: Sequence[Sequence[str]] = (), names: int = 0
    ) -> None:
        self.titles, self.rows, self._names = titles, rows, names
        self._widths = [max(map(cell_len, column)) for column in zip(titles, *rows, strict=True)]

    def in_sight(self, first: int, width: int) -> list[int]:
        """The indices of the columns that fit when scrolled by ``first`` columns.

        There is always at least one of those that scroll, even where it does not fit.
        """
        fixed = self._names + 1
        columns = list(range(fixed))
        for i in range(fixed + first, len(self.titles)):
            room = sum(self._widths[column] + len(GAP) for column in columns) + self._widths[i]
            if room > width and len(columns) > fixed:
                break
            columns.append(i)
        return columns

    def hidden(self, first: int, width: int) -> str:
        """The number of hidden columns on either side as a text, empty if none is hidden."""
        sides = (("←", first), ("→", len(self.titles) - self.in_sight(first, width)[-1] - 1))
        counts = [f"{arrow} {count}" for arrow, count in sides if count]
        return "more columns: " + "  ".join(counts) if counts else ""

    def shifted(self, first: int, by: int, width: int) -> int:
        """The scroll position after a move, which stops when the last column is in sight."""
        if by < 0 or self.in_sight(first, width)[-1] < len(self.titles) - 1:
            return max(0, first + by)
        return first

    def line(self, cells: Sequence[str], first: int, width: int) -> str:
        """The cells in sight as one line."""
        texts = []
        for i in self.in_sight(first, width):
            padding = " " * (self._widths[i] - cell_len(cells[i]))
            align_left = i == self._names or 0 < i < self._names
            texts.append(cells[i] + padding if align_left else padding + cells[i])
        return GAP.join(texts)
