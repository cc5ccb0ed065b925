"""Radar chart: one spoke for each value from 0 to 1, clockwise from the top."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, floor, hypot, pi, sin

from rich.cells import cell_len
from rich.text import Text

from parlour.games.common.text import one_line
from parlour.tui.look.canvas import Canvas
from parlour.tui.look.look import Look, ShownInterval, fit

Point = tuple[float, float]
RINGS = (0.25, 0.5, 0.75, 1.0)
NAMED_FROM = 40
"""Columns from which on names stand at the spokes; below, numbers."""
FILL = 0.48
"""Share of the background in the colour of the fill."""
SMALLEST = 8
"""Dots of the radius below which there is no chart."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The polygon of one agent: its name, colour and values, None for what is not measured."""

    name: str
    colour: str
    values: Sequence[float | None]


def radar_lines(
    look: Look, names: Sequence[str], shapes: Sequence[Shape], width: int, height: int
) -> list[Text]:
    """The chart with a legend below; the first shape is filled, the others are outlined.

    Neighbouring values are joined. A value between two missing ones is a bar on its spoke.
    """
    if width < 1 or height < 1:
        return []
    named = width >= NAMED_FROM
    margin = max(map(cell_len, names), default=0) + 1 if named else 3
    rows = height - 2
    radius = min(width - 2 * margin, 2 * rows - 5)
    if radius < SMALLEST or not look.signs.braille:
        return _bars(look, names, shapes, width, height)
    canvas = Canvas(width, rows)
    chart = _RadarChart(canvas, (width - 0.5, 2.0 * rows), radius, len(names))
    chart.web(look)
    if shapes:
        chart.fill(look, shapes[0])
    for shape in reversed(shapes):
        chart.outline(look, shape)
    labels = names if named else [str(number) for number in range(1, len(names) + 1)]
    for spoke, label in enumerate(labels):
        chart.label(spoke, label, look.palette.soft)
    lines = list(canvas.lines())
    return [*lines, Text(" " * width), legend(look, shapes, width)][:height]


def legend(look: Look, shapes: Sequence[Shape], width: int) -> Text:
    """The names of the shapes behind a piece of their lines."""
    line = Text(no_wrap=True)
    for shape in shapes:
        line.append("   " if line.plain else "").append(look.signs.line * 2, shape.colour)
        line.append(f" {one_line(shape.name)}", shape.colour)
    return fit(line, width, align="center")


@dataclass(slots=True)
class _RadarChart:
    """The chart on a canvas: middle and radius in dots, and the number of spokes."""

    canvas: Canvas
    middle: Point
    radius: float
    spokes: int

    def at(self, spoke: int, value: float) -> Point:
        """The dot of a value on a spoke."""
        angle = 2 * pi * spoke / self.spokes
        reach = self.radius * value
        return self.middle[0] + reach * sin(angle), self.middle[1] - reach * cos(angle)

    def web(self, look: Look) -> None:
        """Rings and spokes, as single dots."""
        for ring in RINGS:
            style = look.palette.rule if ring == 1 else look.palette.grid
            for spoke in range(self.spokes):
                self._dotted(self.at(spoke, ring), self.at(spoke + 1, ring), style, 3)
        for spoke in range(self.spokes):
            self._dotted(self.middle, self.at(spoke, 1), look.palette.grid, 4)

    def _dotted(self, start: Point, end: Point, style: str, apart: int) -> None:
        count = max(1, round(hypot(end[0] - start[0], end[1] - start[1]) / apart))
        for step in range(count):
            x = start[0] + (end[0] - start[0]) * step / count
            self.canvas.dot(x, start[1] + (end[1] - start[1]) * step / count, style)

    def edges(self, shape: Shape) -> Iterator[tuple[int, int, Point, Point]]:
        """Yields each pair of neighbouring spokes with values, and the dots of these values."""
        values = list(shape.values)
        for spoke, following in pairwise((*range(self.spokes), 0)):
            one, other = values[spoke], values[following]
            if one is not None and other is not None:
                yield spoke, following, self.at(spoke, one), self.at(following, other)

    def fill(self, look: Look, shape: Shape) -> None:
        """The polygon of a shape, in checked dots."""
        style = look.palette.dimmed(shape.colour, FILL)
        for _, _, start, end in self.edges(shape):
            self.canvas.fill([self.middle, start, end], style)

    def outline(self, look: Look, shape: Shape) -> None:
        """The edges of a shape, with a point at each value."""
        joined: set[int] = set()
        for spoke, following, start, end in self.edges(shape):
            self.canvas.line(start, end, shape.colour)
            joined |= {spoke, following}
        for spoke, value in enumerate(shape.values):
            if value is None:
                continue
            x, y = self.at(spoke, value)
            if spoke not in joined:
                self.canvas.line(self.middle, (x, y), shape.colour)
            cell = floor((x + 0.5) / 2), floor((y + 0.5) / 4)
            self.canvas.write(*cell, look.signs.point, f"bold {shape.colour}")

    def label(self, spoke: int, words: str, style: str) -> None:
        """The name of a spoke beyond its end."""
        angle = 2 * pi * spoke / self.spokes
        x, y = self.at(spoke, 1 + 4 / self.radius)
        column, row, size = floor(x / 2), floor(y / 4), cell_len(words)
        if abs(sin(angle)) < 0.2:
            column -= size // 2
        elif sin(angle) < 0:
            column -= size
        else:
            column += 1
        column = max(0, min(self.canvas.width - size, column))
        self.canvas.write(column, max(0, min(self.canvas.height - 1, row)), words, style)


def _bars(
    look: Look, names: Sequence[str], shapes: Sequence[Shape], width: int, height: int
) -> list[Text]:
    """The values as lines, where there is no room for a chart or no dots to draw it with."""
    label = min(max(map(cell_len, names), default=0), max(1, width // 3))
    lines = []
    for index, name in enumerate(names):
        for shape in shapes:
            value = shape.values[index]
            line = fit(Text(name, look.palette.soft), label).append(" ")
            room = max(0, width - label - 6)
            point = None if value is None else ShownInterval(value, value, value)
            line.append_text(look.track(point, room, shape.colour))
            line.append("    –" if value is None else f"{100 * value:5.0f}", look.palette.text)
            lines.append(fit(line, width))
    return lines[:height]
