"""Ring graph in cells: boxes from the top clockwise, and arrows between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, pairwise, product
from math import ceil, cos, dist, floor, pi, sin

from rich.text import Text

from parlour.tui.look.canvas import Canvas
from parlour.tui.look.look import Look, fit

BEND = 0.14
"""Sideways shift of the middle of an arrow whose target points back, as a share of its length."""
DASH, GAP = 8, 5
"""Dots of a dash, and between two."""

Point = tuple[float, float]
"""A place on the canvas in dots."""


@dataclass(frozen=True, slots=True)
class Node:
    """One on the ring: a line, and the words of the upper and lower border of its box.

    ``heavy`` has a heavy border. One that is ``bare`` has its line alone.
    """

    line: Text
    style: str = ""
    above: Text = field(default_factory=Text)
    below: Text = field(default_factory=Text)
    heavy: bool = False
    bare: bool = False

    @property
    def size(self) -> tuple[int, int]:
        """Its columns and lines."""
        if self.bare:
            return self.line.cell_len, 1
        words = max(self.above.cell_len, self.below.cell_len)
        return max(self.line.cell_len + 2, words + 6), 3


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow between two places of the ring, one to three dots wide."""

    source: int
    target: int
    style: str
    dots: int = 2
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A node in its place: the upper left cell and the size."""

    node: Node
    column: int
    row: int
    width: int
    height: int

    @property
    def centre(self) -> Point:
        """The middle of the box in dots."""
        return 2 * self.column + self.width, 4 * self.row + 2 * self.height

    def cells(self) -> Iterator[tuple[int, int]]:
        """The cells that it covers."""
        columns = range(self.column, self.column + self.width)
        return product(columns, range(self.row, self.row + self.height))

    def contains(self, point: Point, margin: int = 0) -> bool:
        """True if a point lies in the box, or in so many cells around it."""
        x, y = point[0] / 2 - self.column, point[1] / 4 - self.row
        return -margin <= x < self.width + margin and -margin <= y < self.height + margin

    def overlaps(self, other: "Box") -> bool:
        """True if two boxes share a cell."""
        right, bottom = self.column + self.width, self.row + self.height
        across = max(self.column, other.column) < min(right, other.column + other.width)
        return across and max(self.row, other.row) < min(bottom, other.row + other.height)


def boxes_of(nodes: Sequence[Node], width: int, height: int, *, usual: int = 0) -> list[Box]:
    """The nodes on a ring in this size; none where they are in each other's way.

    ``usual`` are the columns of a box whose words come and go, so that boxes keep their places.
    """
    sizes = [node.size for node in nodes]
    tallest = max((lines for _, lines in sizes), default=0)
    widest = max([usual, *(columns for columns, _ in sizes)])
    across, down = max(0.0, (width - widest) / 2 - 1), (height - tallest) / 2
    boxes = []
    for node, (own, lines), (x, y) in zip(nodes, sizes, _places(len(nodes)), strict=True):
        column = floor(width / 2 + x * across - own / 2 + 0.5)
        row = floor(down + y * down + 0.5)
        boxes.append(Box(node, max(0, min(width - own, column)), row, own, lines))
    apart = not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    fits = tallest <= height and all(box.width <= width for box in boxes)
    return boxes if apart and fits else []


def ring_picture(
    look: Look, boxes: Sequence[Box], edges: Sequence[Edge], width: int, height: int
) -> Canvas:
    """The boxes and the arrows between them; heads stand over everything else."""
    canvas = Canvas(width, height)
    pairs = {(edge.source, edge.target) for edge in edges}
    curves = []
    for edge in edges:
        source, target = boxes[edge.source], boxes[edge.target]
        bend = BEND if (edge.target, edge.source) in pairs else 0.0
        curve = _curve(source.centre, target.centre, bend)
        outside = [p for p in curve if not source.contains(p) and not target.contains(p, 1)]
        for step, (start, end) in enumerate(pairwise(outside)):
            if not edge.dashed or step % (DASH + GAP) < DASH:
                canvas.line(start, end, edge.style, dots=edge.dots)
        curves.append(curve)
    for box in boxes:
        _draw_box(canvas, look, box)
    taken = set(chain.from_iterable(box.cells() for box in boxes))
    for edge, curve in zip(edges, curves, strict=True):
        target = boxes[edge.target]
        entry = next(point for point in curve if target.contains(point, 1))
        sign, cells = _head(look, target, entry)
        free = next((cell for cell in cells if cell not in taken), cells[0])
        taken.add(free)
        canvas.write(*free, sign, f"bold {edge.style}")
    return canvas


def _places(count: int) -> list[Point]:
    """Places on a ring from the top clockwise, stretched so that they fill -1 to 1 both ways."""
    angles = [2 * pi * place / count - pi / 2 for place in range(count)]
    across, down = _stretched(list(map(cos, angles))), _stretched(list(map(sin, angles)))
    return list(zip(across, down, strict=True))


def _stretched(values: Sequence[float]) -> list[float]:
    low, high = min(values, default=0), max(values, default=0)
    if high - low < 1e-9:
        return [0.0] * len(values)
    return [2 * (value - low) / (high - low) - 1 for value in values]


def _draw_box(canvas: Canvas, look: Look, box: Box) -> None:
    node = box.node
    if node.bare:
        canvas.write(box.column, box.row, node.line)
        return
    signs = look.signs.heavy if node.heavy else look.signs.box
    style = f"bold {node.style}" if node.heavy else node.style
    inside = box.width - 2
    upper = _border(signs[0], signs[1], signs[2], node.above, inside, style)
    lower = _border(signs[4], signs[1], signs[5], node.below, inside, style)
    middle = Text.assemble((signs[3], style), fit(node.line, inside, align="center"))
    for row, line in enumerate((upper, middle.append(signs[3], style), lower)):
        canvas.write(box.column, box.row + row, line)


def _border(first: str, fill: str, last: str, words: Text, inside: int, style: str) -> Text:
    before = (inside - words.cell_len) // 2
    after = inside - words.cell_len - before
    return Text.assemble((first + fill * before, style), words, (fill * after + last, style))


def _curve(start: Point, end: Point, bend: float) -> Sequence[Point]:
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


def _head(look: Look, box: Box, entry: Point) -> tuple[str, list[tuple[int, int]]]:
    """The sign by the side that an arrow meets, and the cells for it, the best one first."""
    signs = look.signs
    column, row = floor(entry[0] / 2), floor(entry[1] / 4)
    if row < box.row or row >= box.row + box.height:
        above = row < box.row
        sign, line = (signs.down, box.row - 1) if above else (signs.up, box.row + box.height)
        nearest = max(box.column + 1, min(box.column + box.width - 2, column))
        places = sorted(range(box.column, box.column + box.width), key=lambda c: abs(c - nearest))
        return sign, [(place, line) for place in places]
    left = column < box.column
    sign, place = (signs.right, box.column - 1) if left else (signs.left, box.column + box.width)
    rows = sorted(range(box.row, box.row + box.height), key=lambda line: abs(line - row))
    return sign, [(place, line) for line in rows]
