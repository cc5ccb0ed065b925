"""A table whose first columns stay while the others are moved through what room there is."""

from collections.abc import Sequence

from rich.cells import cell_len

GAP = "  "


class Columns:
    """Titles and cells, ``names`` the column of names: it and those before it always stay.

    Names and what stands between them and the first column are set flush left, the rest right.
    """

    def __init__(
        self, titles: Sequence[str] = ("",), rows: Sequence[Sequence[str]] = (), names: int = 0
    ) -> None:
        self.titles, self.rows, self._names = titles, rows, names
        table = [titles, *rows]
        self._widths = [max(cell_len(row[i]) for row in table) for i in range(len(titles))]

    def in_sight(self, first: int, width: int) -> list[int]:
        """The columns that fit when the movable ones begin with the ``first``.

        At least one of them is there, and none is cut that would fit alone.
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
        """How many columns are out of sight on either side, in words; empty if none is."""
        sides = (("←", first), ("→", len(self.titles) - self.in_sight(first, width)[-1] - 1))
        counts = [f"{arrow} {count}" for arrow, count in sides if count]
        return "more columns: " + "  ".join(counts) if counts else ""

    def shifted(self, first: int, by: int, width: int) -> int:
        """The first movable column after a move; it ends where the last is in sight."""
        if by < 0 or self.in_sight(first, width)[-1] < len(self.titles) - 1:
            return max(0, first + by)
        return first

    def line(self, cells: Sequence[str], first: int, width: int) -> str:
        """The cells in sight, each in its column."""
        texts = []
        for i in self.in_sight(first, width):
            padding = " " * (self._widths[i] - cell_len(cells[i]))
            left = i == self._names or 0 < i < self._names
            texts.append(cells[i] + padding if left else padding + cells[i])
        return GAP.join(texts)
