"""The ring of a network: a box for each agent, and its strongest ties as arcs."""

from dataclasses import dataclass
from math import cos, floor, hypot, pi, sin
from typing import TYPE_CHECKING

from rich.text import Text

from parlour.tui.look.canvas import Canvas
from parlour.tui.look.look import DIM_BORDER, DIM_FILL, fit
from parlour.tui.views.networks import NetworkState
from parlour.tui.views.standings_table import chip_width

if TYPE_CHECKING:
    from parlour.ratings.counting.ties import Tie

Point = tuple[float, float]
BEND = 0.14
"""Height of an arc as a share of its length, where there is one back as well."""
NAMED_FROM = 56
"""Columns from which on boxes have names; below, chips stand alone."""
STEPS = 120
SMALLEST = (24, 9)
"""Columns and lines from which on the ring is drawn; below, ties are listed."""


@dataclass(frozen=True, slots=True)
class _Box:
    """A box in cells: its upper left corner and its size."""

    column: int
    row: int
    width: int
    height: int

    @property
    def middle(self) -> Point:
        """Its middle in dots."""
        return 2 * self.column + self.width, 4 * self.row + 2.0 * self.height

    def holds(self, x: float, y: float) -> bool:
        """True if a dot lies in the box or next to it."""
        column, row = floor(x / 2), floor(y / 4)
        inside = self.column - 1 <= column <= self.column + self.width
        return inside and self.row <= row < self.row + self.height


def ring_lines(state: NetworkState, width: int, height: int) -> list[Text]:
    """The agents on a ring in the order of the standings, from the top and clockwise."""
    ties = state.network.strongest(state.count)
    if width < 1 or height < 1:
        return []
    agents = state.present
    small = width < SMALLEST[0] or height < SMALLEST[1] or not state.look.signs.braille
    if small or not agents:
        return [fit(_words(state, tie), width) for tie in ties][:height]
    canvas = Canvas(width, height)
    boxes = _boxes(state, agents, width, height)
    pairs = {(tie.agent, tie.other) for tie in ties}
    heads = []
    for tie in reversed(ties):
        bent = (tie.other, tie.agent) in pairs
        heads.append(_arc(state, canvas, tie, boxes, BEND if bent else 0.0))
    for agent, box in boxes.items():
        _draw_box(state, canvas, agent, box)
    for place, sign, colour in filter(None, heads):
        canvas.write(*place, sign, f"bold {colour}")
    return list(canvas.lines())


def ring_title(state: NetworkState) -> str:
    """The rule by which ties are in the picture."""
    ties = state.network.strongest(state.count)
    if not ties:
        return "no tie with 3 chances yet"
    if ties[-1].share == 1:
        return f"{len(ties)} ties of 100 %"
    return f"the {len(ties)} strongest ties, {100 * ties[-1].share:.0f} % and more"


def _words(state: NetworkState, tie: "Tie") -> Text:
    palette, line = state.look.palette, Text()
    line.append_text(state.look.name(state.cast[tie.agent])).append(f" {state.look.signs.closed} ")
    line.append_text(state.look.name(state.cast[tie.other]))
    return line.append(f"  {100 * tie.share:.0f} % {tie.times}/{tie.chances}", palette.soft)


def _boxes(state: NetworkState, agents: list[str], width: int, height: int) -> dict[str, _Box]:
    chip = chip_width(state.cast)
    crowded = len(agents) * 3 > 2 * height or width < NAMED_FROM
    longest = max(Text(state.cast[agent].name).cell_len for agent in agents)
    inner = chip if crowded else chip + 3 + min(longest, 12)
    wide, high = (inner, 1) if crowded else (inner + 2, 3)
    boxes = {}
    across, down = (width - wide) / 2 - 1, (height - high) / 2
    for index, agent in enumerate(agents):
        angle = 2 * pi * index / len(agents)
        column = round((width - wide) / 2 + across * sin(angle))
        row = round((height - high) / 2 - down * cos(angle))
        boxes[agent] = _Box(max(0, column), max(0, row), wide, high)
    return boxes


def _draw_box(state: NetworkState, canvas: Canvas, agent: str, box: _Box) -> None:
    look, palette, who = state.look, state.look.palette, state.cast[agent]
    chip = look.chip(who, width=chip_width(state.cast))
    if box.height == 1:
        canvas.write(box.column, box.row, chip)
        return
    chosen = agent == state.chosen
    style = who.colour if chosen else palette.dimmed(who.colour, DIM_BORDER)
    top_left, side, top_right, upright, low_left, low_right = tuple(look.signs.box)
    inner = box.width - 2
    canvas.write(box.column, box.row, top_left + side * inner + top_right, style)
    name = fit(look.name(who, speaks=chosen), inner - chip.cell_len - 3)
    middle = Text(" ").append_text(chip).append(" ").append_text(name).append(" ")
    line = Text().append(upright, style).append_text(middle).append(upright, style)
    canvas.write(box.column, box.row + 1, line)
    tie = state.network.received(agent)
    share = Text(f" {100 * tie.share:.0f} % " if tie else "", palette.soft)
    left = (inner - share.cell_len) // 2
    bottom = Text().append(low_left + side * left, style).append_text(share)
    bottom.append(side * (inner - left - share.cell_len) + low_right, style)
    canvas.write(box.column, box.row + 2, bottom)


def _arc(
    state: NetworkState, canvas: Canvas, tie: "Tie", boxes: dict[str, _Box], bend: float
) -> tuple[tuple[int, int], str, str] | None:
    """Draws a tie. Returns the cell, the sign and the colour of its head."""
    source, target = boxes[tie.agent], boxes[tie.other]
    points = [
        point
        for point in _curve(source.middle, target.middle, bend)
        if not source.holds(*point) and not target.holds(*point)
    ]
    if not points:
        return None
    colour = state.cast[tie.agent].colour
    if state.chosen is not None and state.chosen not in (tie.agent, tie.other):
        colour = state.look.palette.dimmed(colour, DIM_FILL)
    (x, y), (to_x, to_y) = source.middle, target.middle
    length = hypot(to_x - x, to_y - y) or 1.0
    normal = (y - to_y) / length, (to_x - x) / length
    for strand in range(_strands(tie.share)):
        offset = (strand + 1) // 2 * (1 if strand % 2 else -1)
        moved = [(px + normal[0] * offset, py + normal[1] * offset) for px, py in points]
        canvas.path(moved, colour)
    end = points[-1]
    cell = floor(end[0] / 2), floor(end[1] / 4)
    return cell, _head(state, target, cell), colour


def _strands(share: float) -> int:
    """Dots of a tie across: one to three by its share."""
    return 1 + (share >= 0.55) + (share >= 0.85)


def _curve(start: Point, end: Point, bend: float) -> list[Point]:
    """Points of an arc from one place to another; bent to its left."""
    (x, y), (to_x, to_y) = start, end
    control = (
        (x + to_x) / 2 + 2 * bend * (to_y - y) / 2,
        (y + to_y) / 2 - 2 * bend * (to_x - x) / 2,
    )
    points = []
    for step in range(STEPS + 1):
        share = step / STEPS
        one, both, two = (1 - share) ** 2, 2 * share * (1 - share), share**2
        points.append(
            (one * x + both * control[0] + two * to_x, one * y + both * control[1] + two * to_y)
        )
    return points


def _head(state: NetworkState, target: _Box, cell: tuple[int, int]) -> str:
    """The head of an arrow by the side of the box that it meets."""
    signs, (column, row) = state.look.signs, cell
    if row < target.row:
        return signs.down
    if row >= target.row + target.height:
        return signs.up
    return signs.right if column < target.column else signs.left
