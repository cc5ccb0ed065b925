"""The boards of a match as figures: each kind of picture of ``games/engine/board.py`` once."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from parlour.games.common.forms import percent
from parlour.games.engine import board as boards
from parlour.games.engine.moves import Seat
from parlour.report import board_charts as charts
from parlour.report.figures import Cell, Entry, Figure, Picture, Table, entries, number
from parlour.report.ring import WIDTH, Tie, ring
from parlour.report.wording import plain
from parlour.tui.look.cast import Identity

People = Sequence[Identity]
MOST_NAMED = 40
"""The most arrows that the description of a ring names; its table has all."""
KINDS = {True: "helps", False: "refuses", None: ""}
SIGNS = {True: "+", False: "−", None: "·"}


def board_figures(made: Sequence[boards.Board], people: People, prefix: str) -> list[Figure]:
    """The figures of a match's boards.

    Those without any content are left out, and feeds, since the talk has every message.
    """
    figures = []
    for index, board in enumerate(made, start=1):
        if isinstance(board, boards.Feed):
            continue
        draw: Callable[[Any, People, str], Figure | None] = DRAWN[type(board)]
        figure = draw(board, people, f"{prefix}-board{index}")
        if figure is not None:
            figures.append(figure)
    return figures


def _name(people: People, seat: Seat | int | None) -> str:
    if seat is None:
        return "nobody"
    return people[seat].name if seat < len(people) else f"Player {seat + 1}"


def _who(people: People, seat: int) -> Cell:
    return Cell(person=people[seat])


def _ring(board: boards.Ring, people: People, id: str) -> Figure | None:
    if not board.arrows:
        return None
    total: Counter[tuple[int, int, bool | None]] = Counter()
    for arrow in board.arrows:
        if arrow.target is not None:
            total[arrow.source, arrow.target, arrow.good] += 1
    most = max(total.values(), default=1)
    ties = [
        Tie(source, target, times / most, "refused" if good is False else "")
        for (source, target, good), times in total.items()
    ]
    received = Counter(arrow.target for arrow in board.arrows)
    notes = []
    for seat in range(len(people)):
        words = [plain(board.notes[Seat(seat)], people)] if seat in board.notes else []
        if board.counted and received[Seat(seat)]:
            words.append(_votes(received[Seat(seat)], board.counted))
        notes.append(" · ".join(words))
    rows = [
        entries(_who(people, arrow.source), _name(people, arrow.target), KINDS[arrow.good])
        for arrow in board.arrows
    ]
    named = board.arrows[:MOST_NAMED]
    words = [f"{_name(people, each.source)} to {_name(people, each.target)}" for each in named]
    drawn, height = ring(people, ties, notes, board.marked)
    picture = Picture(board.title, "; ".join(words) + ".", WIDTH, height, drawn, 300)
    table = Table(("From", "To", "Kind"), rows, lead=3)
    return Figure(id, board.title, "", table, (picture,))


def _votes(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")


def _heat(value: float | None) -> Cell:
    if value is None:
        return Cell("·")
    return Cell(percent(value), style=heat_class(value))


def heat_class(share: float) -> str:
    """The class of a share from 0 to 1 in the colours of heat."""
    return f"h{min(5, int(max(0.0, share) * 6))}"


def _shares(board: boards.Shares, people: People, id: str) -> Figure | None:
    if all(value is None for value in chain.from_iterable(board.rows)):
        return None
    titles = entries("", *(_head(who) for who in people))
    rows = [entries(_who(people, seat), *map(_heat, row)) for seat, row in enumerate(board.rows)]
    picture = charts.shares(board, people)
    return Figure(id, board.title, "", Table(titles, rows), (picture,))


def _head(who: Identity) -> Cell:
    return Cell(person=who)


def _grid(board: boards.Grid, people: People, id: str) -> Figure | None:
    if not board.rows:
        return None
    notes = [board.notes] if board.notes else []
    titles = entries("Round", *map(_head, people), *notes)
    rows: list[list[Entry]] = []
    for row in board.rows:
        cells: list[Entry] = [row.head]
        for cell in row.cells:
            style = charts.STYLES.get(cell.good, "")
            cells.append(Cell(cell.text, cell.note, style=style))
        rows.append([*cells, *([row.note] if board.notes else [])])
    return Figure(id, board.title, "", Table(titles, rows), (charts.grid(board, people),))


def _payoffs(board: boards.Payoffs, _people: People, id: str) -> Figure | None:
    rows: list[list[Entry]] = []
    for row in board.rows:
        actions = " ".join(action.text for action in row.actions)
        rows.append([actions, " ".join(f"{points:g}" for points in row.points)])
    if not rows:
        return None
    return Figure(id, board.title, "", Table(("Choices", "Points"), rows))


def _bars(board: boards.Bars, people: People, id: str) -> Figure | None:
    if not board.bars:
        return None
    rest = any(bar.rest is not None for bar in board.bars)
    results = any(bar.result is not None for bar in board.bars)
    titles = entries("", "Value", *(["Rest"] if rest else []), *([board.result] if results else []))
    rows: list[list[Entry]] = []
    for bar in board.bars:
        words = plain(bar.label, people)
        first = Cell(words) if bar.seat is None else Cell(words, person=people[bar.seat])
        row: list[Entry] = [first, number(bar.value, 1)]
        row += [number(bar.rest, 1)] if rest else []
        row += [number(bar.result, 1)] if results else []
        rows.append(row)
    picture = charts.bars(board, people)
    return Figure(id, board.title, plain(board.note, people), Table(titles, rows), (picture,))


def _columns(board: boards.StackedColumns, people: People, id: str) -> Figure | None:
    if not board.columns:
        return None
    titles = entries("Round", *(_head(who) for who in people), "Sum")
    rows: list[list[Entry]] = []
    for column in board.columns:
        numbers = [number(part, 1) for part in column.parts]
        rows.append([column.head, *numbers, number(sum(column.parts), 1)])
    picture = charts.columns(board, people)
    return Figure(id, board.title, plain(board.heading, people), Table(titles, rows), (picture,))


def _divisions(board: boards.StackedBars, people: People, id: str) -> Figure | None:
    if not board.bars:
        return None
    titles = entries("Round", "Proposed by", *(_head(who) for who in people), "Agreed")
    rows: list[list[Entry]] = []
    if board.basis:
        rows.append(["", board.basis_title, *(number(part, 1) for part in board.basis), ""])
    for bar in board.bars:
        numbers = [number(part, 1) for part in bar.parts]
        agreed = ", ".join(_name(people, seat) for seat in bar.supporters)
        rows.append([str(bar.round), _who(people, bar.seat), *numbers, agreed or "nobody"])
    picture = charts.divisions(board, people)
    note = plain(board.result, people)
    return Figure(id, board.title, note, Table(titles, rows, lead=2), (picture,))


def _comparisons(board: boards.Comparisons, people: People, id: str) -> Figure | None:
    if not board.rows:
        return None
    rows = [
        entries(_who(people, row.seat), number(row.base, 1), number(row.value, 1))
        for row in board.rows
    ]
    picture = charts.comparisons(board, people)
    return Figure(id, board.title, "", Table(("", board.base, board.value), rows), (picture,))


def _matrix(board: boards.Matrix, people: People, id: str) -> Figure | None:
    if not board.cells:
        return None
    done: dict[tuple[int, int], list[str]] = {}
    for cell in board.cells:
        words = SIGNS[cell.good] if cell.share is None else percent(cell.share)
        done.setdefault((cell.source, cell.target), []).append(words)
    titles = entries("", *(_head(who) for who in people), board.holding, "reputation")
    rows: list[list[Entry]] = []
    for seat in range(len(people)):
        row: list[Entry] = [_who(people, seat)]
        row += [
            " ".join(done.get((seat, other), ["·" if seat == other else ""]))
            for other in range(len(people))
        ]
        holds = board.holdings[seat] if seat < len(board.holdings) else None
        known = board.reputation[seat] if seat < len(board.reputation) else ""
        rows.append([*row, number(holds, 1), known.replace("-", "−")])
    notes = ", ".join(f"{each.label} {each.count}/{each.of}" for each in board.figures)
    return Figure(id, board.title, notes, Table(titles, rows), (charts.matrix(board, people),))


def _lines(board: boards.Lines, people: People, id: str) -> Figure | None:
    longest = max((len(line.values) for line in board.lines), default=0)
    if longest < 2:
        return None
    titles = entries("Round", *(_head(people[line.seat]) for line in board.lines))
    rows: list[list[Entry]] = []
    for round in range(longest):
        row = [line.values[round] if round < len(line.values) else None for line in board.lines]
        rows.append([str(round), *(number(value, 1) for value in row)])
    return Figure(id, board.title, "", Table(titles, rows), (charts.points(board, people),))


DRAWN: dict[type, Callable[..., Figure | None]] = {
    boards.Ring: _ring,
    boards.Shares: _shares,
    boards.Grid: _grid,
    boards.Payoffs: _payoffs,
    boards.Bars: _bars,
    boards.StackedColumns: _columns,
    boards.StackedBars: _divisions,
    boards.Comparisons: _comparisons,
    boards.Matrix: _matrix,
    boards.Lines: _lines,
}
"""The function that draws each kind of picture."""
