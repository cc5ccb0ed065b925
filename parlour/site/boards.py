"""The boards of a match as figures: each kind of ``games/engine/board.py`` once."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from parlour.games.common import forms
from parlour.games.common.forms import percent
from parlour.games.engine import board as boards
from parlour.games.engine.board import Arrow
from parlour.games.engine.moves import Seat
from parlour.games.engine.transcript import counted
from parlour.site.charts import RING, CourseLine, ShareSlice, lines, ring, scale_of, stack_cell
from parlour.site.figures import Chart, Entry, Figure, PageCell, PageTable, count, entries, signed
from parlour.site.wording import plain, sentence_case
from parlour.tui.look.cast import ShownIdentity

People = Sequence[ShownIdentity]
MOST_NAMED = 40
"""The most arrows that the description of a ring names; its table has all."""
LINES = (520.0, 230.0)
KINDS = {True: "helps", False: "refuses", None: ""}
SIGNS = {True: "+", False: "−", None: "·"}
STYLES = {True: "tile coop", False: "tile defect", None: "tile"}
"""The class of an action that helps others, or harms them."""


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
            figures.append(replace(figure, title=sentence_case(figure.title)))
    return figures


def heat_class(share: float) -> str:
    """The class of a share from 0 to 1 in the colours of heat."""
    return f"h{min(5, int(max(0.0, share) * 6))}"


def _name(people: People, seat: Seat | int | None) -> str:
    if seat is None:
        return "nobody"
    return people[seat].name if seat < len(people) else f"Player {seat + 1}"


def _chips(people: People, style: str = "") -> list[Entry]:
    return [PageCell(person=who, style=style) for who in people]


def _amount(value: float | None) -> str:
    """An amount without a needless fraction, or a dash."""
    return forms.NOTHING if value is None else count(value).replace("-", "−")


def _ring(board: boards.Ring, people: People, id: str) -> Figure | None:
    if not board.arrows:
        return None
    times = Counter(
        replace(arrow, share=None) for arrow in board.arrows if arrow.target is not None
    )
    most = max(times.values(), default=1)
    received = Counter(arrow.target for arrow in board.arrows)
    notes = []
    for seat in range(len(people)):
        words = [plain(board.notes[Seat(seat)], people)] if seat in board.notes else []
        if board.counted and received[Seat(seat)]:
            words.append(counted(received[Seat(seat)], board.counted))
        notes.append(" · ".join(words))
    arrows = [replace(arrow, share=often / most) for arrow, often in times.items()]
    drawn, height = ring(people, arrows, notes, board.marked)
    named = board.arrows[:MOST_NAMED]
    words_of = [f"{_name(people, each.source)} to {_name(people, each.target)}" for each in named]
    chart = Chart(board.title, "; ".join(words_of) + ".", RING[0], height, drawn, 300)
    rows = []
    for arrow in board.arrows:
        who = PageCell(person=people[arrow.source])
        rows.append(entries(who, _name(people, arrow.target), KINDS[arrow.good]))
    of_kind = any(arrow.good is not None for arrow in board.arrows)
    legend = (("p-other", "helps"), ("refused", "refuses")) if of_kind else ()
    return Figure(
        id, board.title, "", PageTable(("From", "To", "Kind"), rows, lead=3), (chart,), legend
    )


def _shares(board: boards.Shares, people: People, id: str) -> Figure | None:
    if all(value is None for value in chain.from_iterable(board.rows)):
        return None
    rows: list[list[Entry]] = []
    for who, values in zip(people, board.rows, strict=False):
        shown = [_share(value, named=board.named) for value in values]
        rows.append([PageCell(person=who), *shown])
    return Figure(id, board.title, "", PageTable(["", *_chips(people, "tile")], rows))


def _share(value: float | None, *, named: bool) -> PageCell:
    if value is None:
        return PageCell("·", style="tile")
    words = percent(value)
    if named:
        words = "yes" if value else ""
    return PageCell(words, style=f"tile {heat_class(value)}")


def _grid(board: boards.Grid, people: People, id: str) -> Figure | None:
    if not board.rows:
        return None
    rows: list[list[Entry]] = []
    for seat, who in enumerate(people):
        own = [row.cells[seat] if seat < len(row.cells) else None for row in board.rows]
        rows.append([PageCell(person=who), *map(_grid_cell, own)])
    if board.notes:
        rows.append([board.notes, *(PageCell(row.note, style="tile") for row in board.rows)])
    titles = entries("", *(PageCell(row.head, style="tile") for row in board.rows))
    return Figure(id, board.title, "", PageTable(titles, rows))


def _grid_cell(cell: boards.GridCell | None) -> PageCell:
    return (
        PageCell(style="tile")
        if cell is None
        else PageCell(cell.text, cell.note, style=STYLES[cell.good])
    )


def _payoffs(board: boards.Payoffs, _people: People, id: str) -> Figure | None:
    rows: list[list[Entry]] = []
    for row in board.rows:
        actions = " ".join(action.text for action in row.actions)
        rows.append([actions, " ".join(f"{points:g}" for points in row.points)])
    return Figure(id, board.title, "", PageTable(("Choices", "Points"), rows)) if rows else None


def _bars(board: boards.Bars, people: People, id: str) -> Figure | None:
    if not board.bars:
        return None
    rest = any(bar.rest is not None for bar in board.bars)
    results = any(bar.result is not None for bar in board.bars)
    titles = entries("", PageCell(style="forest"), "Value")
    titles += [*(["Rest"] if rest else []), *([board.result] if results else [])]
    whole = max(1e-9, *(bar.value + (bar.rest or 0.0) for bar in board.bars))
    rows: list[list[Entry]] = []
    for bar in board.bars:
        who = None if bar.seat is None else people[bar.seat]
        style = f"part {who.colour if who else 'p-other'}"
        value, left = _amount(bar.value), _amount(bar.rest)
        slices = [ShareSlice(style, bar.value / whole, value)]
        slices += [] if bar.rest is None else [ShareSlice("rest", bar.rest / whole, left)]
        row = entries(PageCell(plain(bar.label, people), person=who), _bar(slices), value)
        rows.append([*row, *[left] * rest, *[_amount(bar.result)] * results])
    return Figure(id, board.title, plain(board.note, people), PageTable(titles, rows))


def _bar(slices: Sequence[ShareSlice]) -> PageCell:
    words = ", ".join(each.words for each in slices)
    return PageCell(picture=stack_cell(slices, words), style="forest")


def _parts(amounts: Sequence[float], whole: float, people: People) -> PageCell:
    """The amounts of the seats as one bar, each in the colour of its seat."""
    slices = []
    for who, amount in zip(people, amounts, strict=False):
        label = _amount(amount)
        slices.append(
            ShareSlice(f"part {who.colour}", amount / whole, f"{who.name} {label}", label)
        )
    return _bar(slices)


def _columns(board: boards.StackedColumns, people: People, id: str) -> Figure | None:
    if not board.columns:
        return None
    whole = max(map(sum, board.columns)) or 1.0
    rows: list[list[Entry]] = []
    for round, amounts in enumerate(board.columns, start=1):
        bar = _parts(amounts, whole, people)
        rows.append([str(round), bar, *map(_amount, amounts), _amount(sum(amounts))])
    titles = entries("Round", PageCell(style="forest"), *_chips(people), "Sum")
    return Figure(id, board.title, plain(board.heading, people), PageTable(titles, rows))


def _divisions(board: boards.StackedBars, people: People, id: str) -> Figure | None:
    if not board.bars:
        return None
    titles = entries("Round", "By", PageCell(style="forest"), *_chips(people), "Agreed")
    rows: list[list[Entry]] = []
    if board.basis:
        rows.append(["", board.basis_title, *_division(board.basis, people), ""])
    for bar in board.bars:
        agreed = " ".join(people[seat].letters for seat in bar.supporters)
        row = [str(bar.round), PageCell(person=people[bar.seat]), *_division(bar.parts, people)]
        rows.append([*row, agreed or "nobody"])
    note = plain(board.result, people)
    return Figure(id, board.title, note, PageTable(titles, rows, lead=2))


def _division(parts: Sequence[float], people: People) -> list[Entry]:
    return [_parts(parts, sum(parts) or 1.0, people), *map(_amount, parts)]


def _comparisons(board: boards.Comparisons, people: People, id: str) -> Figure | None:
    if not board.pairs:
        return None
    rows: list[list[Entry]] = []
    for who, (base, value) in zip(people, board.pairs, strict=False):
        apart = forms.NOTHING if value is None else signed(value - base, 1)
        rows.append([PageCell(person=who), _amount(base), _amount(value), apart])
    return Figure(id, board.title, "", PageTable(("", board.base, board.value, "difference"), rows))


def _matrix(board: boards.HelpMatrix, people: People, id: str) -> Figure | None:
    if not board.acts:
        return None
    done: dict[tuple[int, int | None], list[Arrow]] = {}
    for act in board.acts:
        done.setdefault((act.source, act.target), []).append(act)
    rows: list[list[Entry]] = []
    for seat, who in enumerate(people):
        given = [_acts(done.get((seat, other), []), seat == other) for other in range(len(people))]
        holds = board.holdings[seat] if seat < len(board.holdings) else None
        known = board.reputation[seat] if seat < len(board.reputation) else ""
        rows.append([PageCell(person=who), *given, _amount(holds), known.replace("-", "−")])
    notes = ", ".join(f"{each.label} {each.count}/{each.of}" for each in board.ratios)
    titles = entries("", *_chips(people, "tile"), board.holding, "said")
    return Figure(id, board.title, notes, PageTable(titles, rows))


def _acts(acts: Sequence[Arrow], own: bool) -> PageCell:
    """The acts of one seat toward another, in the colour of the last one."""
    if not acts:
        return PageCell("·" if own else "", style="tile")
    words = [SIGNS[act.good] if act.share is None else percent(act.share) for act in acts]
    return PageCell(" ".join(words), style=STYLES[acts[-1].good])


def _lines(board: boards.Lines, people: People, id: str) -> Figure | None:
    longest = max(map(len, board.values), default=0)
    if longest < 2:
        return None
    rows: list[list[Entry]] = []
    for round in range(longest):
        shown = [values[round] if round < len(values) else None for values in board.values]
        rows.append([str(round), *map(_amount, shown)])
    courses = [
        CourseLine(who, list(enumerate(values)))
        for who, values in zip(people, board.values, strict=False)
    ]
    scale = scale_of(list(chain.from_iterable(board.values)))
    body = lines(courses, scale, "round", size=LINES)
    chart = Chart(board.title, "A line for each player.", *LINES, body, 420)
    return Figure(id, board.title, "", PageTable(["Round", *_chips(people)], rows), (chart,))


DRAWN: dict[type, Callable[..., Figure | None]] = {
    boards.Ring: _ring,
    boards.Shares: _shares,
    boards.Grid: _grid,
    boards.Payoffs: _payoffs,
    boards.Bars: _bars,
    boards.StackedColumns: _columns,
    boards.StackedBars: _divisions,
    boards.Comparisons: _comparisons,
    boards.HelpMatrix: _matrix,
    boards.Lines: _lines,
}
"""The function that draws each kind."""
