"""Grid of actions, rounds across and seats down, and the points that actions bring."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from parlour.games.engine.board import Grid, GridCell, GridRow, Payoff, Payoffs
from parlour.tui.look.look import fit
from parlour.tui.text import cut
from parlour.tui.views.boards.parts import NARROW, centred, head, head_width, in_tile
from parlour.tui.views.scene import Scene

NOTHING = "No moves yet."
TOTAL_WIDTH = 8
LONGEST_CELL = 12


def cell_text(scene: Scene, cell: GridCell, width: int) -> Text:
    """A cell in its colour: helping, harming, or neither."""
    palette = scene.look.palette
    words = cut(cell.text, width).center(width)
    if cell.good is None:
        return Text(words, palette.text)
    fill = palette.cooperate if cell.good else palette.defect
    return Text(words, f"bold {palette.on_cell} on {fill}")


def grid_lines(scene: Scene, grid: Grid, width: int) -> list[Text]:
    """A row a seat with the notes of its cells below, then the notes of the rounds."""
    rounds = [row for row in grid.rows if not row.total]
    if not grid.rows and not grid.rounds:
        return [centred(scene, NOTHING, width)]
    columns = _columns(scene, grid, rounds, width)
    first = _first_width(scene, grid, width)
    heads = Text(" " * first)
    pitch, palette = _pitch(rounds), scene.look.palette
    for number, row in columns:
        words = str(number) if row is None else cut(row.head, pitch - 1)
        style = f"bold {palette.text}" if row is not None and row is rounds[-1] else palette.faint
        heads.append_text(Text(words.center(pitch - 1) + " ", style))
    totals = next((row for row in reversed(grid.rows) if row.total), None)
    if totals is not None:
        heads.append(cut(totals.head, TOTAL_WIDTH).rjust(TOTAL_WIDTH), scene.look.palette.soft)
    lines = [heads]
    for seat in range(len(scene.people)):
        start = fit(head(scene, seat, width), first)
        lines += _seat_lines(scene, seat, columns, totals, start)
    if grid.notes and first > len(grid.notes) and rounds:
        lines.append(_notes(scene, grid, columns, first))
    return lines


def small_grid(scene: Scene, grid: Grid, width: int) -> list[Text]:
    """A row a seat without notes and heads, for a tile."""
    rounds = [row for row in grid.rows if not row.total]
    totals = next((row for row in reversed(grid.rows) if row.total), None)
    heads = in_tile(width)
    room = width - head_width(scene, heads) - TOTAL_WIDTH
    shown = rounds[-max(1, room // 3) :]
    lines = []
    for seat in range(len(scene.people)):
        line = head(scene, seat, heads)
        for row in shown:
            line.append_text(cell_text(scene, _cell(row, seat), 3))
        lines.append(_with_total(scene, fit(line, width - TOTAL_WIDTH), seat, totals))
    return lines


Column = tuple[int, GridRow | None]
"""A column of the grid: the number of the round, and the round once it was played."""


def _first_width(scene: Scene, grid: Grid, width: int) -> int:
    """The columns before the cells: for the heads of the rows and the word for the notes."""
    heads = head_width(scene, width)
    return heads if width < NARROW else max(heads, len(grid.notes) + 1)


def _columns(scene: Scene, grid: Grid, rounds: Sequence[GridRow], width: int) -> list[Column]:
    """The columns that fit: all rounds, or those up to the one that is played."""
    count = max(grid.rounds, len(rounds))
    has_totals = any(row.total for row in grid.rows)
    room = width - _first_width(scene, grid, width) - TOTAL_WIDTH * has_totals
    fitting = max(1, room // _pitch(rounds))
    last = min(count, max(len(rounds) + 1, fitting))
    shown = range(max(0, last - fitting), last)
    return [(index + 1, rounds[index] if index < len(rounds) else None) for index in shown]


def _pitch(rounds: Sequence[GridRow]) -> int:
    """The columns from one cell to the next."""
    longest = 3
    for row in rounds:
        for cell in row.cells:
            longest = max(longest, min(LONGEST_CELL, len(cell.text)), len(cell.note))
        longest = max(longest, len(row.note))
    return longest + 1


def _seat_lines(
    scene: Scene, seat: int, columns: Sequence[Column], totals: GridRow | None, line: Text
) -> Iterator[Text]:
    """Yields the cells of a seat behind its head, and their notes if any has one."""
    pitch = _pitch([row for _, row in columns if row is not None])
    notes = Text(" " * line.cell_len)
    current = next((number for number, row in columns if row is None), 0)
    for number, row in columns:
        if row is None:
            words = _pending(scene, seat) if number == current else ""
            style = f"{scene.look.palette.soft} on {scene.look.palette.panel}"
            line.append(words.center(pitch - 1), style).append(" ")
            continue
        cell = _cell(row, seat)
        line.append_text(cell_text(scene, cell, pitch - 1)).append(" ")
        notes.append(cut(cell.note, pitch - 1).center(pitch - 1) + " ", scene.look.palette.soft)
    yield _with_total(scene, line, seat, totals)
    if notes.plain.strip():
        yield notes


def _cell(row: GridRow, seat: int) -> GridCell:
    return row.cells[seat] if seat < len(row.cells) else GridCell("")


def _pending(scene: Scene, seat: int) -> str:
    """The sign of a seat that has answered in this round, or that is waited for."""
    if seat in scene.waiting:
        return scene.look.signs.pending
    table = scene.focus.table
    answered = table is not None and table.pending is not None and seat in table.answered
    return scene.look.signs.done if answered and not scene.is_seat else ""


def _with_total(scene: Scene, line: Text, seat: int, totals: GridRow | None) -> Text:
    if totals is None:
        return line
    total = cut(_cell(totals, seat).text, TOTAL_WIDTH - 1).rjust(TOTAL_WIDTH)
    return line.append(total, f"bold {scene.look.palette.text}")


def _notes(scene: Scene, grid: Grid, columns: Sequence[Column], first: int) -> Text:
    palette = scene.look.palette
    pitch = _pitch([row for _, row in columns if row is not None])
    line = Text(grid.notes.ljust(first), palette.faint)
    for _, row in columns:
        note = "" if row is None else row.note
        line.append(note.center(pitch - 1) + " ", palette.soft)
    return line


def payoff_lines(scene: Scene, payoffs: Payoffs, width: int) -> list[Text]:
    """Two entries a line where they fit: the actions, and what they bring."""
    entries = [_payoff(scene, row) for row in payoffs.rows]
    half = width // 2
    two = all(entry.cell_len < half for entry in entries)
    lines = [scene.look.rule(width, payoffs.title)]
    step = 2 if two else 1
    for index in range(0, len(entries), step):
        line = Text(no_wrap=True)
        for entry in entries[index : index + step]:
            line.append_text(fit(entry, half if two else width))
        lines.append(line)
    return lines


def _payoff(scene: Scene, row: Payoff) -> Text:
    """The points are bold for those who harm others."""
    entry = Text(no_wrap=True)
    for action in row.actions:
        entry.append_text(cell_text(scene, action, 3)).append(" ")
    for action, points in zip(row.actions, row.points, strict=False):
        bold = f"bold {scene.look.palette.text}"
        entry.append(f" {points:g}", bold if action.good is False else scene.look.palette.soft)
    return entry
