"""A radar chart in braille: one spoke for each value from 0 to 1, clockwise from the top."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import cos, pi, sin

from rich.text import Text
from textual.widget import Widget

from parlour.tui.text import DIM

Point = tuple[float, float]
SHAPE = "bold"
RINGS = (0.5, 1.0)
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot in a braille character, by row and column."""
_WIDE, _HIGH = 2, 4
"""Dots in a cell of the screen. A cell is twice as high as wide, so dots lie on a square canvas."""
_MARGIN = 5
"""Dots reserved for the numbers at the ends of the spokes."""


class Canvas:
    """Dots on cells of the screen. In a cell with dots of the shape, the web behind is hidden."""

    def __init__(self, width: int, height: int) -> None:
        self._width, self._height = width, height
        self._web: dict[tuple[int, int], int] = {}
        self._shape: dict[tuple[int, int], int] = {}
        self._signs: dict[tuple[int, int], str] = {}

    def draw(self, one: Point, other: Point, *, web: int = 0) -> None:
        """Draws a line of the shape, or of the web with every ``web``-th dot only."""
        dots = self._web if web else self._shape
        steps = max(1, round(max(abs(other[0] - one[0]), abs(other[1] - one[1]))))
        for step in range(0, steps + 1, web or 1):
            x = round(one[0] + (other[0] - one[0]) * step / steps)
            y = round(one[1] + (other[1] - one[1]) * step / steps)
            cell = (x // _WIDE, y // _HIGH)
            dots[cell] = dots.get(cell, 0) | _DOTS[y % _HIGH][x % _WIDE]

    def write(self, at: Point, sign: str) -> None:
        """Writes a character into the cell of a point."""
        self._signs[round(at[0]) // _WIDE, round(at[1]) // _HIGH] = sign

    def lines(self) -> Iterator[Text]:
        """Yields the lines of cells."""
        for y in range(self._height):
            line = Text(no_wrap=True)
            for x in range(self._width):
                cell = (x, y)
                if cell in self._signs:
                    line.append(self._signs[cell])
                elif cell in self._shape:
                    line.append(chr(0x2800 + self._shape[cell]), SHAPE)
                else:
                    dots = self._web.get(cell)
                    line.append(chr(0x2800 + dots) if dots else " ", DIM)
            yield line


def radar(values: Sequence[float | None], width: int, height: int) -> list[Text]:
    """Draws the chart in width x height cells; a value of None leaves its spoke empty.

    Neighbouring values are joined. A value between two missing ones is a bar on its spoke. Each
    spoke has its number, from 1.
    """
    canvas = Canvas(width, height)
    middle = (width * _WIDE / 2, height * _HIGH / 2)
    radius = min(middle) - _MARGIN
    if radius < _HIGH:
        return [Text("Too small for the chart.", DIM)]

    def at(spoke: int, value: float) -> Point:
        angle = 2 * pi * spoke / len(values)
        return middle[0] + radius * value * sin(angle), middle[1] - radius * value * cos(angle)

    spokes = range(len(values))
    for ring in RINGS:
        for spoke in spokes:
            canvas.draw(at(spoke, ring), at(spoke + 1, ring), web=2)
    for spoke in spokes:
        canvas.draw(middle, at(spoke, 1), web=3)
        canvas.write(at(spoke, 1 + 3 / radius), str(spoke + 1))
    joined = set()
    for spoke, following in pairwise((*spokes, 0)):
        one, other = values[spoke], values[following]
        if one is not None and other is not None:
            canvas.draw(at(spoke, one), at(following, other))
            joined |= {spoke, following}
    for spoke, value in enumerate(values):
        if value is not None and spoke not in joined:
            canvas.draw(middle, at(spoke, value))
    return list(canvas.lines())


class Radar(Widget):
    """A radar chart that fills the widget."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._values: Sequence[float | None] = ()

    def show(self, values: Sequence[float | None]) -> None:
        """Draws these values if they have changed."""
        if values != self._values:
            self._values = values
            self.refresh()

    def render(self) -> Text:
        """The chart at the size of the widget."""
        if not self._values:
            return Text()
        return Text("\n").join(radar(self._values, self.size.width, self.size.height))
