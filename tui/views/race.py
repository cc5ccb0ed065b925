"""The race: a line for each agent over the matches, with its name at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil, floor
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from parlour.tui.look.canvas import Canvas
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import DIM_FILL, Look, fit, signed, wrapped
from parlour.tui.views.standings_table import chip_width
from parlour.tui.views.states import centred

if TYPE_CHECKING:
    from parlour.ratings.skill.race import RaceChart

AXIS = 7
"""Columns of the numbers at the left."""
SMALLEST = (30, 8)
"""Columns and lines from which on lines are drawn; below, the names stand alone."""
BROAD = 84
"""Columns from which on a label has the interval of its value."""
NOTED = 16
"""Lines from which on a note stands below the chart."""
NOTE = "Strength may rank agents otherwise: it takes all matches at once."
Z = 1.96
Courses = Mapping[str, Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class RaceState:
    """A race as drawn. ``chosen`` stands out before the others; None: all are alike."""

    chart: "RaceChart"
    cast: Cast
    look: Look
    chosen: str | None = None
    as_ranks: bool = False


def race_lines(state: RaceState, width: int, height: int) -> list[Text]:
    """The chart with its axes and labels, or a sentence where nothing can be drawn yet."""
    if width < 1 or height < 1:
        return []
    if not state.chart.points:
        words = "A line begins with the third match that rates an agent."
        return centred(state.look, [words], width, height)
    courses: Courses = state.chart.ranks() if state.as_ranks else state.chart.above
    small = width < SMALLEST[0] or height < SMALLEST[1] or not state.look.signs.braille
    if small:
        return [fit(label, width) for _, label in _labels(state, courses, width)][:height]
    note = [fit(line, width) for line in wrapped(Text(NOTE, state.look.palette.faint), width)]
    if height < NOTED:
        note = []
    return [*_RaceDrawing(state, courses, width, height - len(note)).lines(), *note]


def _labels(state: RaceState, courses: Courses, width: int) -> list[tuple[str, Text]]:
    """The agents with their labels, the one that leads first."""
    rows = []
    for agent, course in courses.items():
        value = course[-1]
        if value is not None:
            rows.append((value if state.as_ranks else -value, agent))
    return [(agent, _label(state, agent, value, width)) for value, agent in sorted(rows)]


def _label(state: RaceState, agent: str, value: float, width: int) -> Text:
    palette, chosen, chip = state.look.palette, agent == state.chosen, chip_width(state.cast)
    line = state.look.person(state.cast[agent], speaks=chosen, width=chip).append(" ")
    if state.as_ranks:
        return line.append(f"{value:.0f}", palette.text)
    above = state.chart.above[agent][-1] or 0.0
    line.append(signed(above, 1), palette.text if chosen else palette.soft)
    if width >= BROAD:
        line.append(f" ±{Z * state.chart.sigma.get(agent, 0.0):.1f}", palette.faint)
    return line


class _RaceDrawing:
    """The drawing of a race at a size."""

    def __init__(self, state: RaceState, courses: Courses, width: int, height: int) -> None:
        self.state, self.courses = state, courses
        self.width, self.height = width, height
        self.labels = _labels(state, courses, width)
        longest = max((label.cell_len for _, label in self.labels), default=0)
        self.right = min(longest + 2, width // 3)
        self.left = AXIS
        self.across = max(4, width - self.left - self.right - 1)
        self.rows = height - 2
        present = [value for value in chain.from_iterable(courses.values()) if value is not None]
        low, high = min(present, default=-1.0), max(present, default=1.0)
        if state.as_ranks:
            low, high = 1.0, max(2.0, high)
        margin = 0.3 if state.as_ranks else max(0.2, 0.06 * (high - low))
        self.low, self.high = low - margin, high + margin

    def y(self, value: float) -> float:
        """The dot of a value; the first rank is at the top."""
        share = (value - self.low) / (self.high - self.low)
        if not self.state.as_ranks:
            share = 1 - share
        return share * (self.rows * 4 - 1)

    def lines(self) -> list[Text]:
        """The lines of the chart, its axis and its labels."""
        canvas = Canvas(self.width, self.height)
        self._grid(canvas)
        chosen = self.state.chosen if self.state.chosen in self.courses else None
        agents = [agent for agent in self.courses if agent != chosen]
        for agent in [*agents, *([chosen] if chosen else [])]:
            self._course(canvas, agent, chosen)
        self._write_labels(canvas)
        self._matches(canvas)
        return list(canvas.lines())

    def _grid(self, canvas: Canvas) -> None:
        palette = self.state.look.palette
        for value in _ticks(self.low, self.high, max(2, self.rows // 4)):
            row = floor(self.y(value) / 4)
            zero = value == 0 and not self.state.as_ranks
            words = f"{value:.0f}" if self.state.as_ranks else f"{value:+g}".replace("-", "−")
            words = "0" if zero else words
            canvas.write(self.left - 1 - len(words), row, words, palette.faint)
            sign = self.state.look.signs.rule if zero else "╌"
            style = palette.rule if zero else palette.grid
            canvas.rule(self.left + 1, row, self.across, sign, style)

    def _course(self, canvas: Canvas, agent: str, chosen: str | None) -> None:
        colour = self.state.cast[agent].colour
        if chosen is not None and agent != chosen:
            colour = self.state.look.palette.dimmed(colour, DIM_FILL)
        course = self.courses[agent]
        last = max(1, len(course) - 1)
        points = []
        for index, value in enumerate(course):
            if value is not None:
                x = 2 * (self.left + 1) + index / last * (2 * self.across - 2)
                points.append((x, self.y(value)))
        canvas.path(points, colour, dots=2 if chosen in (None, agent) else 1)

    def _write_labels(self, canvas: Canvas) -> None:
        """Labels at the height of their lines, pushed apart; the last ones are left out."""
        labels = self.labels[: self.rows]
        rows: list[int] = []
        for agent, _ in labels:
            value = self.courses[agent][-1] or 0.0
            wanted = floor(self.y(value) / 4)
            rows.append(max(wanted, rows[-1] + 1) if rows else max(0, wanted))
        limit = self.rows - 1
        for index in range(len(rows) - 1, -1, -1):
            rows[index] = min(rows[index], limit)
            limit = rows[index] - 1
        column = self.width - self.right
        for row, (_, label) in zip(rows, labels, strict=True):
            canvas.write(column, row, fit(label, self.right))

    def _matches(self, canvas: Canvas) -> None:
        palette, points = self.state.look.palette, self.state.chart.points
        corner = "╰" + "─" * self.across
        canvas.write(self.left, self.height - 2, corner, palette.rule)
        free = 0
        count = max(2, min(6, self.across // 12))
        for step in range(count):
            share = step / (count - 1)
            number = str(points[round(share * (len(points) - 1))])
            column = self.left + 1 + round(share * (self.across - 1)) - len(number) // 2
            if column >= free:
                canvas.write(column, self.height - 1, number, palette.faint)
                free = column + len(number) + 1
        word = "matches"
        if self.right >= cell_len(word) + 2:
            canvas.write(max(free, self.width - self.right), self.height - 1, word, palette.faint)


def _ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers between two ends, as many as fit."""
    for step in (0.5, 1.0, 2.0, 5.0, 10.0, 20.0):
        first, last = ceil(low / step), floor(high / step)
        if last - first < most:
            return [number * step for number in range(first, last + 1)]
    return [0.0]
