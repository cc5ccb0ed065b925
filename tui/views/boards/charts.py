"""Values over the rounds: lines in dots, and stacked columns in eighths of a cell."""

from collections.abc import Sequence
from math import floor

from rich.text import Text

from parlour.games.engine.board import Lines, StackedColumns
from parlour.tui.look.canvas import Canvas
from parlour.tui.look.look import fit
from parlour.tui.views.boards.parts import head, right, short
from parlour.tui.views.scene import Scene

TALLEST, LOWEST = 14, 8
"""Lines of a chart with its title, where there is room and where there is none."""
WIDEST_COLUMN = 8


def lines_chart(scene: Scene, lines: Lines, width: int, height: int) -> list[Text]:
    """One line a seat over all rounds there will be, with its letters at the end."""
    title = scene.look.rule(width, lines.title)
    values = list(filter(None, lines.values))
    if not scene.look.signs.braille or not values:
        return [title, *_table(scene, lines, width)]
    high, low = max(0.0, *map(max, values)) or 1.0, min(0.0, *map(min, values))
    rows = height - 1
    marks = {0: high, (rows - 1) // 2: (high + low) / 2, rows - 1: low}
    labels = dict(zip(marks, right([short(mark) for mark in marks.values()]), strict=True))
    axis = max(map(len, labels.values())) + 2
    canvas = Canvas(width - axis, rows)
    letters = sum(len(who.letters) for who in scene.people)
    across = 2 * max(1, canvas.width - min(letters, 6) - 3) - 1
    last = max(lines.rounds, max(map(len, values)) - 1, 1)

    def place(index: int, value: float) -> tuple[float, float]:
        return across * index / last, (4 * rows - 2) * (high - value) / (high - low)

    ends: dict[int, int] = {}
    for seat, course in zip(range(len(scene.people)), lines.values, strict=False):
        points = [place(index, value) for index, value in enumerate(course)]
        if not points:
            continue
        canvas.path(points * 2 if len(points) == 1 else points, colour(scene, seat), dots=2)
        x, y = points[-1]
        row = floor(y / 4)
        # Letters of lines that end in the same row stand side by side.
        column = ends.get(row, floor(x / 2) + 3)
        name = scene.letters(seat)
        canvas.write(column, row, name)
        ends[row] = column + name.cell_len
    drawn = [title]
    blank = " " * (axis - 2)
    for row, dots in enumerate(canvas.lines()):
        sign = "┤" if row in labels else "│"
        palette = scene.look.palette
        scale = Text.assemble((labels.get(row, blank), palette.faint), (f" {sign}", palette.rule))
        drawn.append(scale.append_text(dots))
    return drawn


def colour(scene: Scene, seat: int) -> str:
    """The colour of a seat."""
    return scene.people[seat].colour


def _table(scene: Scene, lines: Lines, width: int) -> list[Text]:
    """The newest values of each seat in figures."""
    drawn = []
    for seat, values in zip(range(len(scene.people)), lines.values, strict=False):
        start = head(scene, seat, width)
        fitting = max(1, (width - start.cell_len) // 7)
        numbers = "".join(f"{short(value):>7}" for value in values[-fitting:])
        drawn.append(start.append(numbers, scene.look.palette.text))
    return drawn


def columns_chart(scene: Scene, chart: StackedColumns, width: int, height: int) -> list[Text]:
    """A column a round with its sum on top; of more rounds than fit, the newest."""
    lines = [scene.look.rule(width, chart.heading)] if chart.heading else []
    count = max(chart.rounds, len(chart.columns), 1)
    fitting = max(1, width // 2)
    first = max(0, min(count, max(len(chart.columns) + 1, fitting)) - fitting)
    shown = list(chart.columns[first:])
    slots = min(count - first, fitting)
    pitch = max(2, min(WIDEST_COLUMN, width // max(1, slots)))
    thick = max(1, pitch - max(1, pitch * 3 // 8))
    rows = max(3, height - len(lines) - 1)
    tallest = max((sum(map(_amount, parts)) for parts in shown), default=0) or 1
    stacks = [_stack(scene, parts, tallest, rows, thick) for parts in shown]
    stacks += [_empty(scene, rows, thick)] * (slots - len(shown))
    margin = " " * max(0, (width - pitch * slots) // 2)
    gap = " " * (pitch - thick)
    for row in range(rows):
        line = Text(margin, no_wrap=True)
        for stack in stacks:
            line.append_text(stack[row]).append(gap)
        lines.append(line)
    heads = Text(margin)
    for index in range(slots):
        style = scene.look.palette.soft if index < len(shown) else scene.look.palette.faint
        heads.append(str(first + index + 1)[:thick].center(thick) + gap, style)
    return [*lines, heads]


def _amount(part: float) -> float:
    return max(0.0, part)


def _empty(scene: Scene, rows: int, width: int) -> list[Text]:
    base = Text(scene.look.signs.columns[1] * width, scene.look.palette.grid)
    return [*[Text(" " * width)] * (rows - 1), base]


def _stack(
    scene: Scene, parts: Sequence[float], tallest: float, rows: int, width: int
) -> list[Text]:
    """The cells of a column from the top: its sum, then the parts, the first seat at the foot."""
    total = sum(map(_amount, parts))
    sum_text = Text(short(total)[:width].center(width), f"bold {scene.look.palette.text}")
    if not total:
        return [*[Text(" " * width)] * (rows - 2), sum_text, _empty(scene, 1, width)[0]]
    eighths = 8 * (rows - 1) / tallest
    tops, reached = [], 0.0
    for part in parts[: len(scene.people)]:
        reached += _amount(part)
        tops.append(floor(reached * eighths + 0.5))
    cells = [_cell(scene, tops, level, width) for level in range((tops[-1] + 7) // 8)]
    cells = [*_lettered(scene, tops, cells, width), sum_text]
    return [Text(" " * width)] * (rows - len(cells)) + cells[::-1]


def _cell(scene: Scene, tops: Sequence[int], level: int, width: int) -> Text:
    """The cell at a level: filled by one part, or the border of two parts or of the end."""
    floor_of, ceiling = 8 * level, 8 * level + 8
    lower = next((seat for seat, top in enumerate(tops) if top > floor_of), len(tops) - 1)
    filled = min(8, tops[lower] - floor_of)
    signs = scene.look.signs
    if filled == 8:
        return Text(signs.full * width, colour(scene, lower))
    upper = next((seat for seat, top in enumerate(tops) if top >= ceiling), None)
    ground = "" if upper is None else f" on {colour(scene, upper)}"
    return Text(signs.columns[filled] * width, f"{colour(scene, lower)}{ground}")


def _lettered(scene: Scene, tops: Sequence[int], cells: list[Text], width: int) -> list[Text]:
    """The cells with the letters of a seat in the middle of its part, if it fills two of them."""
    low = 0
    for seat, top in enumerate(tops):
        first, last = -(-low // 8), top // 8
        who = scene.people[seat]
        if last - first >= 2 and len(who.letters) <= width:
            style = f"bold {scene.look.palette.on_chip} on {who.colour}"
            cells[(first + last - 1) // 2] = fit(Text(who.letters), width, align="center")
            cells[(first + last - 1) // 2].stylize(style)
        low = top
    return cells
