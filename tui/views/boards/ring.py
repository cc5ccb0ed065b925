"""Ring of the seats: who votes for whom, or who helped whom."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from parlour.games.engine.board import Arrow, Ring
from parlour.games.engine.moves import Seat
from parlour.games.engine.transcript import counted
from parlour.tui.look.look import DIM_BORDER, spread
from parlour.tui.text import cut
from parlour.tui.views.boards.parts import NARROW, centred, head
from parlour.tui.views.ring import Box, Edge, Node, boxes_of, ring_picture
from parlour.tui.views.scene import Scene

USUAL_WIDTH = {True: 16, False: 9}
"""Columns of a box that says that its seat thinks, with names and without."""


def ring_lines(scene: Scene, ring: Ring, width: int, height: int) -> list[Text]:
    """The graph in exactly this size; a table where dots or room for it are missing."""
    boxes = _boxes(scene, ring, width, height) if scene.look.signs.braille else []
    if not boxes:
        return list(_table(scene, ring, width))
    canvas = ring_picture(scene.look, boxes, _edges(scene, ring), width, height)
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
        beside = [box for box in boxes if 0 <= row - box.row < box.height]
        ends = [(box.column, box.column + box.width) for box in beside]
        if all(end <= columns.start or start >= columns.stop for start, end in ends):
            return row
    return None


def _boxes(scene: Scene, ring: Ring, width: int, height: int) -> list[Box]:
    """The boxes with names or, where those are in each other's way, with chips; or none."""
    for names in (True, False) if width >= NARROW else (False,):
        nodes = [_node(scene, ring, seat, width, names) for seat in range(len(scene.people))]
        usual = USUAL_WIDTH[names] if ring.counted else 0
        boxes = boxes_of(nodes, width, height, usual=usual)
        if boxes:
            return boxes
    return []


def _node(scene: Scene, ring: Ring, seat: int, width: int, names: bool) -> Node:
    """The box of a seat: its role or that it thinks above, the votes for it below."""
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
    heavy = seat in ring.marked
    style = who.colour if heavy else palette.dimmed(who.colour, DIM_BORDER)
    return Node(line, style, above, below, heavy)


def _counts(ring: Ring) -> Mapping[int | None, int]:
    return Counter(arrow.target for arrow in ring.arrows)


def _edges(scene: Scene, ring: Ring) -> list[Edge]:
    """The arrows between two seats that there are; a refusal is dashed."""
    seats, edges = range(len(scene.people)), []
    for arrow in ring.arrows:
        source, target = arrow.source, arrow.target
        if source in seats and target is not None and target in seats and source != target:
            colour = _colour(scene, arrow)
            edges.append(Edge(source, target, colour, dashed=arrow.good is False))
    return edges


def _colour(scene: Scene, arrow: Arrow) -> str:
    if arrow.good is None:
        return scene.people[arrow.source].colour
    return scene.look.palette.helped if arrow.good else scene.look.palette.refused


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
