"""Canvas of cells: lines and fills in dots, two across and four down a cell, under text."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, floor

from rich.cells import cell_len
from rich.text import Text

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a braille cell, by row and column. Source: Unicode, braille patterns."""


class Canvas:
    """A drawing of ``width`` × ``height`` cells; dots are counted from the top left."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = max(0, width), max(0, height)
        self._dots: dict[tuple[int, int], int] = {}
        self._styles: dict[tuple[int, int], str] = {}
        self._texts: dict[tuple[int, int], tuple[str, str]] = {}
        self._grid: dict[tuple[int, int], tuple[str, str]] = {}

    def dot(self, x: float, y: float, style: str) -> None:
        """Sets the dot nearest to a point; points outside are left out."""
        column, row = floor(x + 0.5), floor(y + 0.5)
        cell = (column // 2, row // 4)
        if 0 <= cell[0] < self.width and 0 <= cell[1] < self.height:
            self._dots[cell] = self._dots.get(cell, 0) | _DOTS[row % 4][column % 2]
            self._styles[cell] = style

    def line(
        self, start: tuple[float, float], end: tuple[float, float], style: str, *, dots: int = 1
    ) -> None:
        """Draws a line between two points, one to three dots wide."""
        (x, y), (to_x, to_y) = start, end
        steps = max(1, ceil(max(abs(to_x - x), abs(to_y - y))))
        across = abs(to_y - y) > abs(to_x - x)
        for step in range(steps + 1):
            at_x, at_y = x + (to_x - x) * step / steps, y + (to_y - y) * step / steps
            for aside in (0, 1, -1)[:dots]:
                self.dot(at_x + aside * across, at_y + aside * (not across), style)

    def path(self, points: Sequence[tuple[float, float]], style: str, *, dots: int = 1) -> None:
        """Draws lines from point to point."""
        for start, end in pairwise(points):
            self.line(start, end, style, dots=dots)

    def fill(self, points: Sequence[tuple[float, float]], style: str) -> None:
        """Fills a polygon with every second dot, like a chess board."""
        for row in range(self.height * 4):
            crossings = sorted(_crossings(points, row))
            for left, right in zip(crossings[::2], crossings[1::2], strict=False):
                for column in range(ceil(left), floor(right) + 1):
                    if (column + row) % 2 == 0:
                        self.dot(column, row, style)

    def rule(self, column: int, row: int, length: int, sign: str, style: str) -> None:
        """Draws a line of signs behind the drawing, such as that of a grid."""
        for place in range(column, column + length):
            self._grid[place, row] = (sign, style)

    def write(self, column: int, row: int, text: Text | str, style: str = "") -> None:
        """Writes text over the drawing, from a cell on; what is outside is left out."""
        plain = text if isinstance(text, Text) else Text(text, style)
        for index, sign in enumerate(plain.plain):
            wide = cell_len(sign)
            if 0 <= row < self.height and 0 <= column <= self.width - wide:
                self._texts[column, row] = (sign, _style_at(plain, index))
                if wide == 2:
                    self._texts[column + 1, row] = ("", "")
            column += wide

    def lines(self) -> Iterator[Text]:
        """Yields the drawing line by line, each ``width`` columns wide."""
        for row in range(self.height):
            line = Text(no_wrap=True)
            for column in range(self.width):
                line.append(*self._cell(column, row))
            yield line

    def _cell(self, column: int, row: int) -> tuple[str, str]:
        written = self._texts.get((column, row))
        if written is not None:
            return written
        dots = self._dots.get((column, row))
        if dots is None:
            return self._grid.get((column, row), (" ", ""))
        return chr(0x2800 + dots), self._styles[column, row]


def _style_at(text: Text, index: int) -> str:
    """The styles of one character of a text, joined as Rich reads them."""
    spans = [str(span.style) for span in text.spans if span.start <= index < span.end]
    return " ".join(filter(None, [str(text.style), *spans]))


def _crossings(points: Sequence[tuple[float, float]], row: float) -> Iterator[float]:
    """Yields the places where the edges of a polygon cross a row."""
    for (x, y), (to_x, to_y) in zip(points, [*points[1:], *points[:1]], strict=True):
        if (y <= row) != (to_y <= row):
            yield x + (row - y) * (to_x - x) / (to_y - y)
