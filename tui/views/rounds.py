"""The board of a match as text: each kind of picture that a game's folder makes, drawn once."""

from collections import Counter
from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.text import Text

from parlour.games.engine.board import (
    Bars,
    Board,
    Feed,
    Grid,
    GridRow,
    Lines,
    Matrix,
    Ring,
    StackedBars,
)
from parlour.games.engine.moves import Seat, player
from parlour.tui.models.save_view import Focus
from parlour.tui.text import BOLD, DIM, fitted, one_line

NOTHING = "No moves yet."
WIDEST_BAR = 20
"""Columns of the longest bar."""


def boards(focus: Focus | None) -> tuple[Board, ...]:
    """The pictures of the focused match now; none for a game without a board.

    A board that cannot be made counts as none: a game's code is not trusted to fit every match.
    """
    if focus is None or focus.table is None:
        return ()
    table = focus.table
    try:
        return table.game.board(table.seats, table.events, table.outcome)
    except Exception:  # a game of another package can raise anything
        return ()


def pictures(focus: Focus, shown: Iterable[Board]) -> list[Text]:
    """All pictures of a match, one below the other, then the agents of a grid's columns."""
    lines: list[Text] = []
    has_columns = False
    for board in shown:
        # Totals and bars belong to the grid above them, in the same columns.
        if lines and not isinstance(board, Grid | Bars):
            lines.append(Text(""))
        lines += picture(focus, board)
        has_columns = has_columns or (isinstance(board, Grid) and bool(board.rows))
    if has_columns:
        agents = enumerate(focus.match.agents)
        names = [Text(f"{player(seat)} {one_line(agent)}", DIM) for seat, agent in agents]
        lines += [Text(""), *names]
    return lines


def picture(focus: Focus, board: Board) -> Iterator[Text]:
    """One picture as lines."""
    match board:
        case Ring():
            yield from _ring(focus, board)
        case Grid():
            yield from _grid(focus, board)
        case Bars():
            yield from _bars(board)
        case StackedBars():
            yield from _stacked_bars(board)
        case Matrix():
            yield from _matrix(board)
        case Lines():
            for line in board.lines:
                values = "".join(f"{value:>8g}" for value in line.values)
                yield Text(f"{_short(line.seat):>4}{values}", no_wrap=True)
        case Feed():
            for item in board.items:
                yield Text(f"{player(item.speaker)} {item.tone} {one_line(item.text)}")


def _ring(focus: Focus, ring: Ring) -> Iterator[Text]:
    """Arrows from seat to seat, then how often each is named, the most named marked."""
    if not ring.arrows:
        yield Text(f"No {_named_by(ring)} yet.", DIM)
        return
    names = [one_line(agent) for agent in focus.match.agents]
    width = max(cell_len(name) for name in names)
    for arrow in ring.arrows:
        target = "nobody" if arrow.target is None else player(arrow.target)
        source = f"{player(arrow.source)} {fitted(names[arrow.source], width)}"
        yield Text(f"{source} ──▶ {target}", no_wrap=True)
    yield Text("")
    counts = Counter(arrow.target for arrow in ring.arrows if arrow.target is not None)
    most = max(counts.values(), default=0)
    for seat in range(len(names)):
        yield from _named(ring, Seat(seat), counts[Seat(seat)], most)


def _named_by(ring: Ring) -> str:
    return f"{ring.counted}s" if ring.counted else ring.title.lower()


def _named(ring: Ring, seat: Seat, count: int, most: int) -> Iterator[Text]:
    """Count of one seat's namings; a second line if it has both marks, since panes are narrow."""
    rows = [Text(f"{player(seat)} {'█' * count:<{most}} {count}", no_wrap=True)]
    if count and count == most:
        rows[0].append(f"  ◀ most {_named_by(ring)}", "bold yellow")
        rows.append(Text(" " * len(player(seat)), no_wrap=True))
    if seat in ring.notes:
        rows[-1].append(f"  ★ {ring.notes[seat]}", "bold magenta")
    yield from (row for row in rows if row.plain.strip())


def _grid(focus: Focus, grid: Grid) -> Iterator[Text]:
    """One column a seat, one line a round. A grid of totals alone has no head."""
    if not grid.rows:
        yield Text(NOTHING, DIM)
        return
    if not all(row.total for row in grid.rows):
        yield _row("", [_short(Seat(seat)) for seat in range(len(focus.match.agents))], BOLD)
    for row in grid.rows:
        yield _grid_row(row)


def _grid_row(row: GridRow) -> Text:
    return _row(row.head, [cell.text for cell in row.cells], BOLD if row.total else "")


def _row(head: str, cells: Iterable[str], style: str = "") -> Text:
    """A line of a grid: a short head and one cell a seat."""
    return Text(f"{head:>4}" + "".join(f"{cell:>8}" for cell in cells), style, no_wrap=True)


def _bars(bars: Bars) -> Iterator[Text]:
    """One bar a line; the note alone says what a grid above has in figures."""
    if bars.note:
        yield Text(bars.note, BOLD)
        return
    longest = max((abs(bar.value) for bar in bars.bars), default=0)
    for bar in bars.bars:
        length = round(WIDEST_BAR * abs(bar.value) / longest) if longest else 0
        head = bar.label if bar.seat is None else f"{_short(bar.seat)} {bar.label}"
        yield Text(f"{head} {'█' * length} {bar.value:g}", no_wrap=True)


def _stacked_bars(bars: StackedBars) -> Iterator[Text]:
    """Each round's divisions with the seats that support them, and the result."""
    if not bars.bars:
        yield Text(NOTHING, DIM)
        return
    round = None
    for bar in bars.bars:
        if bar.round != round:
            round = bar.round
            yield Text(f"Round {round}", BOLD)
        parts = " / ".join(f"{part:>2g}" for part in bar.parts)
        line = Text(f"  {_short(bar.seat)}  {parts}", no_wrap=True)
        if bar.supporters:
            line.append("  ◀ " + " ".join(map(_short, bar.supporters)), "bold yellow")
        yield line
    if bars.result:
        yield Text("")
        yield Text(bars.result, BOLD)


def _matrix(matrix: Matrix) -> Iterator[Text]:
    """One line for each thing that one seat did to another."""
    if not matrix.cells:
        yield Text(NOTHING, DIM)
    for cell in matrix.cells:
        sign = {True: "+", False: "-", None: "·"}[cell.good]
        share = "" if cell.share is None else f" {100 * cell.share:.0f} %"
        yield Text(f"{_short(cell.source)} → {_short(cell.target)} {sign}{share}", no_wrap=True)


def _short(seat: Seat) -> str:
    return f"P{seat + 1}"
