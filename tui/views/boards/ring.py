"""Ring graph of the seats: boxes in seat order from the top clockwise, and arrows between them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import ceil, cos, dist, floor, pi, sin

from rich.text import Text

from parlour.games.engine.board import Arrow, Ring
from parlour.games.engine.moves import Seat
from parlour.tui.look.canvas import Canvas
from parlour.tui.look.look import DIM_BORDER, fit, spread
from parlour.tui.text import cut
from parlour.tui.views.boards.parts import NARROW, centred, head
from parlour.tui.views.scene import Scene

BEND = 0.14
"""Sideways shift of the middle of an arrow whose target points back, as a share of its length."""
USUAL_WIDTH = {True: 16, False: 9}
"""Columns of a box that says that its seat thinks, with names and without."""
DASH, GAP = 8, 5
"""Dots of a dash, and between two."""

Point = tuple[float, float]
"""A place on the canvas in dots."""


@dataclass(frozen=True, slots=True)
class Box:
    """A seat's box: its upper left cell, its width, the line in it, and the words of its borders.

    Every box is three lines high.
    """

    column: int
    row: int
    width: int
    line: Text
    above: Text
    below: Text
    heavy: bool
    style: str

    @property
    def centre(self) -> Point:
        """The middle of the box in dots."""
        return 2 * self.column + self.width, 4 * self.row + 6

    def contains(self, point: Point, margin: int = 0) -> bool:
        """True if a point lies in the box, or in so many cells around it."""
        x, y = point[0] / 2 - self.column, point[1] / 4 - self.row
        return -margin <= x < self.width + margin and -margin <= y < 3 + margin

    def overlaps(self, other: "Box") -> bool:
        """True if two boxes share a cell."""
        across = max(self.column, other.column) < min(
            self.column + self.width, other.column + other.width
        )
        return across and abs(self.row - other.row) < 3


def ring_lines(scene: Scene, ring: Ring, width: int, height: int) -> list[Text]:
    """The graph in exactly this size; a table where dots or room for it are missing."""
    boxes = _boxes(scene, ring, width, height) if scene.look.signs.braille else []
    if not boxes:
        return list(_table(scene, ring, width))
    canvas = Canvas(width, height)
    for arrow, (points, style) in _arrows(scene, ring, boxes):
        _draw_path(canvas, points, style, dashed=arrow.good is False)
    for box in boxes:
        _draw_box(canvas, scene, box)
    _draw_heads(canvas, scene, ring, boxes)
    if not ring.arrows and ring.empty:
        words = Text(ring.empty, f"italic {scene.look.palette.faint}")
        column = (width - words.cell_len) // 2
        row = _free_row(boxes, range(column, column + words.cell_len), height)
        if row is not None:
            canvas.write(column, row, words)
    return list(canvas.lines())


def _free_row(boxes: Sequence[Box], columns: range, height: int) -> int | None:
    """The row next to the middle in which no box covers any of the columns; None if none is."""
    for row in sorted(range(height), key=lambda row: abs(row - height // 2)):
        beside = [box for box in boxes if 0 <= row - box.row < 3]
        ends = [(box.column, box.column + box.width) for box in beside]
        if all(end <= columns.start or start >= columns.stop for start, end in ends):
            return row
    return None


# --- Boxes


def _boxes(scene: Scene, ring: Ring, width: int, height: int) -> list[Box]:
    """The boxes with names or, where those are in each other's way, with chips; or none."""
    for names in (True, False):
        if names and width < NARROW:
            continue
        placed = _placed(scene, ring, width, height, names)
        apart = not any(one.overlaps(other) for one, other in combinations(placed, 2))
        if apart and all(box.width <= width for box in placed) and height >= 3:
            return placed
    return []


def _placed(scene: Scene, ring: Ring, width: int, height: int, names: bool) -> list[Box]:
    seats = range(len(scene.people))
    parts = [_content(scene, ring, seat, width, names) for seat in seats]
    widths = [
        max(line.cell_len + 2, above.cell_len + 6, below.cell_len + 6)
        for line, above, below in parts
    ]
    # Room for the words that come and go, so that boxes keep their places.
    usual = USUAL_WIDTH[names] if ring.counted else 0
    half_width = max(0.0, (width - max([usual, *widths])) / 2 - 1)
    half_height = (height - 3) / 2
    boxes = []
    for seat, (across, down) in enumerate(_places(len(seats))):
        own = widths[seat]
        column = floor(width / 2 + across * half_width - own / 2 + 0.5)
        row = floor(half_height + down * half_height + 0.5)
        colour, heavy = scene.people[seat].colour, seat in ring.marked
        style = colour if heavy else scene.look.palette.dimmed(colour, DIM_BORDER)
        column = max(0, min(width - own, column))
        boxes.append(Box(column, row, own, *parts[seat], heavy, style))
    return boxes


def _places(count: int) -> list[Point]:
    """Places on a ring from the top clockwise, stretched so that they fill -1 to 1 both ways."""
    angles = [2 * pi * seat / count - pi / 2 for seat in range(count)]
    across, down = _stretched(list(map(cos, angles))), _stretched(list(map(sin, angles)))
    return list(zip(across, down, strict=True))


def _stretched(values: Sequence[float]) -> list[float]:
    low, high = min(values, default=0), max(values, default=0)
    if high - low < 1e-9:
        return [0.0] * len(values)
    return [2 * (value - low) / (high - low) - 1 for value in values]


def _content(
    scene: Scene, ring: Ring, seat: int, width: int, names: bool
) -> tuple[Text, Text, Text]:
    """The line of a seat's box, and the words of its upper and lower border."""
    palette, signs, who = scene.look.palette, scene.look.signs, scene.people[seat]
    line = Text(" ").append_text(scene.chip(seat)).append(" ")
    if names:
        name = cut(who.name, max(6, width * 2 // 5 - 8))
        line.append(name, who.colour).append(" ")
    above = Text()
    if Seat(seat) in ring.notes:
        note = f" {cut(ring.notes[Seat(seat)], width // 3 - 4)}" if names else ""
        above = Text(f" {signs.special}{note} ", f"bold {palette.warn}")
    elif ring.counted and seat in scene.waiting:
        words = f" thinks {signs.pending} " if names else f" {signs.pending} "
        above = Text(words, f"italic {palette.soft}")
    below, count = Text(), _counts(ring)[seat]
    if ring.counted and count:
        words = f" {counted(count, ring.counted)} " if names else f" {count} "
        below = Text(words, f"bold {who.colour}")
    return line, above, below


def counted(count: int, word: str) -> str:
    """A number with its word in the right number."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _counts(ring: Ring) -> Mapping[int | None, int]:
    return Counter(arrow.target for arrow in ring.arrows)


def _draw_box(canvas: Canvas, scene: Scene, box: Box) -> None:
    signs = scene.look.signs.heavy if box.heavy else scene.look.signs.box
    style = f"bold {box.style}" if box.heavy else box.style
    inside = box.width - 2
    upper = _border(signs[0], signs[1], signs[2], box.above, inside, style)
    lower = _border(signs[4], signs[1], signs[5], box.below, inside, style)
    middle = Text.assemble((signs[3], style), fit(box.line, inside, align="center"))
    for row, line in enumerate((upper, middle.append(signs[3], style), lower)):
        canvas.write(box.column, box.row + row, line)


def _border(first: str, fill: str, last: str, words: Text, inside: int, style: str) -> Text:
    before = (inside - words.cell_len) // 2
    after = inside - words.cell_len - before
    return Text.assemble((first + fill * before, style), words, (fill * after + last, style))


# --- Arrows


def _drawable(ring: Ring, boxes: Sequence[Box]) -> Iterator[tuple[Arrow, Box, Box]]:
    """Yields the arrows between two seats that there are, with their boxes."""
    seats = range(len(boxes))
    for arrow in ring.arrows:
        if arrow.source in seats and arrow.target in seats and arrow.source != arrow.target:
            assert arrow.target is not None
            yield arrow, boxes[arrow.source], boxes[arrow.target]


def _arrows(
    scene: Scene, ring: Ring, boxes: Sequence[Box]
) -> Iterator[tuple[Arrow, tuple[list[Point], str]]]:
    """Yields each arrow with the points of its line outside of both boxes, and its colour."""
    pairs = {(arrow.source, arrow.target) for arrow in ring.arrows}
    for arrow, source, target in _drawable(ring, boxes):
        bend = BEND if (arrow.target, arrow.source) in pairs else 0.0
        points = _curve(source.centre, target.centre, bend)
        outside = [p for p in points if not source.contains(p) and not target.contains(p, 1)]
        yield arrow, (outside, _colour(scene, arrow))


def _colour(scene: Scene, arrow: Arrow) -> str:
    if arrow.good is None:
        return scene.people[arrow.source].colour
    return scene.look.palette.helped if arrow.good else scene.look.palette.refused


def _curve(start: Point, end: Point, bend: float) -> list[Point]:
    """Points a dot apart on a straight line, or on one that is bent to its left."""
    across, down = end[0] - start[0], end[1] - start[1]
    middle = (start[0] + across / 2 + bend * down, start[1] + down / 2 - bend * across)
    steps = max(1, ceil(dist(start, end)))
    points = []
    for step in range(steps + 1):
        t = step / steps
        from_start, by_middle, to_end = (1 - t) ** 2, 2 * t * (1 - t), t**2
        points.append(
            (
                from_start * start[0] + by_middle * middle[0] + to_end * end[0],
                from_start * start[1] + by_middle * middle[1] + to_end * end[1],
            )
        )
    return points


def _draw_path(canvas: Canvas, points: Sequence[Point], style: str, *, dashed: bool) -> None:
    for step, (start, end) in enumerate(pairwise(points)):
        if not dashed or step % (DASH + GAP) < DASH:
            canvas.line(start, end, style, thick=True)


def _draw_heads(canvas: Canvas, scene: Scene, ring: Ring, boxes: Sequence[Box]) -> None:
    """Draws the heads over everything else, each in a cell of its own beside its target."""
    taken: set[tuple[int, int]] = set()
    pairs = {(arrow.source, arrow.target) for arrow in ring.arrows}
    for arrow, source, target in _drawable(ring, boxes):
        bend = BEND if (arrow.target, arrow.source) in pairs else 0.0
        curve = _curve(source.centre, target.centre, bend)
        entry = next(point for point in curve if target.contains(point, 1))
        sign, cells = _head(scene, target, entry)
        free = next((cell for cell in cells if cell not in taken), cells[0])
        taken.add(free)
        canvas.write(*free, sign, f"bold {_colour(scene, arrow)}")


def _head(scene: Scene, box: Box, entry: Point) -> tuple[str, list[tuple[int, int]]]:
    """The sign by the side that an arrow meets, and the cells for it, the best one first."""
    signs = scene.look.signs
    column, row = floor(entry[0] / 2), floor(entry[1] / 4)
    if row < box.row or row >= box.row + 3:
        sign, line = (signs.down, box.row - 1) if row < box.row else (signs.up, box.row + 3)
        nearest = max(box.column + 1, min(box.column + box.width - 2, column))
        places = sorted(range(box.column, box.column + box.width), key=lambda c: abs(c - nearest))
        return sign, [(place, line) for place in places]
    left = column < box.column
    sign, place = (signs.right, box.column - 1) if left else (signs.left, box.column + box.width)
    rows = sorted(range(box.row, box.row + 3), key=lambda line: abs(line - row))
    return sign, [(place, line) for line in rows]


# --- As a table


def _table(scene: Scene, ring: Ring, width: int) -> Iterator[Text]:
    """Yields a line for each seat: the arrows that it gets, and who they are from."""
    if not ring.arrows and ring.empty:
        yield centred(scene, ring.empty, width)
    palette, signs = scene.look.palette, scene.look.signs
    counts = _counts(ring)
    for seat in range(len(scene.people)):
        line = head(scene, seat, width)
        count = counts[seat]
        if count:
            style = f"bold {scene.people[seat].colour}"
            line.append(f" {signs.vote * min(count, 12)} {count}", style)
        if Seat(seat) in ring.notes:
            note = cut(ring.notes[Seat(seat)], 20)
            line.append(f" {signs.special} {note}", f"bold {palette.warn}")
        elif ring.counted and seat in scene.waiting:
            line.append(f" {signs.pending}", palette.soft)
        sources = [arrow.source for arrow in ring.arrows if arrow.target == seat]
        known = [source for source in sources if source in range(len(scene.people))]
        by = Text("by ", palette.faint).append_text(scene.all_letters(known)) if known else Text()
        yield spread(line, by, width)
