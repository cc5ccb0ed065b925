"""Drawings of boards: grids, bars, columns and lines with one colour a seat."""

from collections.abc import Sequence
from itertools import accumulate, chain

from markupsafe import Markup

from parlour.games.common.forms import percent
from parlour.games.engine import board as boards
from parlour.report.charts import Line, Scale, lines, scale_of
from parlour.report.figures import Picture, count, number
from parlour.report.svg import cut, tag, text
from parlour.tui.look.cast import Identity

People = Sequence[Identity]
LEFT, STEP, NAME = 108.0, 30.0, 13
STYLES: dict[bool | None, str] = {True: "coop", False: "defect"}
"""The class of an action that helps others, or harms them."""
SIGNS = {True: "+", False: "−", None: "·"}


def _name(who: Identity, y: float, x: float = LEFT - 8) -> Markup:
    return text(x, y, cut(who.name, NAME), text_anchor="end", class_=f"name {who.colour}")


def _box(x: float, y: float, width: float, style: str, words: str, small: str = "") -> Markup:
    """A cell with words in its middle."""
    shape = tag("rect", x=x, y=y, width=width, height=STEP - 4, rx=2, class_=style)
    middle = {"text_anchor": "middle", "class_": f"in {style}"}
    if not small:
        return shape + text(x + width / 2, y + 17, words, **middle)
    upper = text(x + width / 2, y + 12, words, **middle)
    return shape + upper + text(x + width / 2, y + 23, small, text_anchor="middle",
                                class_=f"in small {style}")  # fmt: skip


def shares(board: boards.Shares, people: People) -> Picture:
    """Shares that seats give each other: a row for each seat, a cell for each other."""
    wide = 54.0
    parts = [
        text(LEFT + wide * (seat + 0.5) - 2, 14, cut(who.letters, 4), text_anchor="middle",
             class_=f"name {who.colour}")
        for seat, who in enumerate(people)
    ]  # fmt: skip
    for seat, row in enumerate(board.rows):
        y = 22 + STEP * seat
        parts.append(_name(people[seat], y + 17))
        for other, value in enumerate(row):
            x = LEFT + wide * other
            if value is None:
                parts.append(_box(x, y, wide - 4, "none", "·"))
            else:
                step = min(5, int(max(0.0, value) * 6))
                words = "yes" if board.named and value else f"{100 * value:.0f}"
                words = "" if board.named and not value else words
                parts.append(_box(x, y, wide - 4, f"h{step}", words))
    height = 26 + STEP * len(board.rows)
    words = "Rows are those who think so, columns those of whom; values in percent."
    return Picture(board.title, words, LEFT + wide * len(people), height, Markup("").join(parts))


def grid(board: boards.Grid, people: People) -> Picture:
    """The actions of each seat (row) by round (column), with what they brought."""
    wide = min(54.0, max(30.0, 560.0 / len(board.rows)))
    parts = []
    for index, row in enumerate(board.rows):
        x = LEFT + wide * index
        middle = x + wide / 2 - 2
        parts.append(text(middle, 14, row.head, text_anchor="middle", class_="label"))
        for seat, cell in enumerate(row.cells):
            style = STYLES.get(cell.good, "total" if row.total else "none")
            parts.append(_box(x, 22 + STEP * seat, wide - 4, style, cell.text, cell.note))
        if row.note:
            y = 22 + STEP * len(row.cells) + 14
            parts.append(text(middle, y, row.note, text_anchor="middle", class_="label"))
    parts += [_name(who, 22 + STEP * seat + 17) for seat, who in enumerate(people)]
    foot = 24 + STEP * len(people)
    if board.notes:
        parts.append(text(LEFT - 8, foot + 12, board.notes, text_anchor="end", class_="label"))
    words = "A row for each player, a column for each round, and the totals."
    width = LEFT + wide * len(board.rows)
    return Picture(
        board.title, words, width, foot + 20, Markup("").join(parts), round(min(width, 420))
    )


def _bar(x: float, y: float, width: float, style: str, words: str) -> Markup:
    """A bar with its value in it where there is room."""
    shape = tag("rect", x=x, y=y, width=max(0.0, width), height=20, class_=style)
    if width < 7 * len(words) + 6:
        return shape
    return shape + text(x + width / 2, y + 14, words, text_anchor="middle", class_=f"in {style}")


def bars(board: boards.Bars, people: People) -> Picture:
    """A bar for each value, with what is left of the whole."""
    room = 300.0
    wholes = [bar.value + (bar.rest or 0.0) for bar in board.bars]
    scale = Scale(0.0, max([*wholes, 1e-9]))
    parts = []
    for index, (bar, whole) in enumerate(zip(board.bars, wholes, strict=True)):
        y = 6 + STEP * index
        style = "p-other" if bar.seat is None else people[bar.seat].colour
        if bar.seat is None:
            parts.append(text(LEFT - 8, y + 15, cut(bar.label, 14), text_anchor="end"))
        else:
            parts.append(_name(people[bar.seat], y + 15))
        long = room * scale.share(bar.value)
        words = number(bar.value, 1)
        parts.append(_bar(LEFT, y, long, f"part {style}", words))
        if bar.rest:
            parts.append(_bar(LEFT + long, y, room * scale.share(whole) - long, "rest",
                              number(bar.rest, 1)))  # fmt: skip
        result = "" if bar.result is None else f"{board.result} {number(bar.result, 1)}".strip()
        parts.append(text(LEFT + room + 8, y + 15, result or words, class_="label"))
    height = 8 + STEP * len(board.bars)
    words = "A bar for each value; what is kept back is hatched in grey."
    return Picture(board.title, words, LEFT + room + 100, height, Markup("").join(parts), 360)


def columns(board: boards.StackedColumns, people: People) -> Picture:
    """A column for each round, the amounts of the seats on top of each other."""
    height, bottom = 210.0, 178.0
    most = max(sum(column.parts) for column in board.columns) or 1.0
    wide = min(46.0, 360.0 / len(board.columns))
    parts = []
    for index, column in enumerate(board.columns):
        x, y = 12 + wide * index, bottom
        for seat, amount in enumerate(column.parts):
            tall = (bottom - 26) * amount / most
            y -= tall
            size = {"x": x, "y": y, "width": wide - 6, "height": tall}
            parts.append(tag("rect", **size, class_=f"part {people[seat].colour}"))
            if tall > 13:
                style = {"text_anchor": "middle", "class_": f"in part {people[seat].colour}"}
                parts.append(text(x + wide / 2 - 3, y + tall / 2 + 4, count(amount), **style))
        middle = {"text_anchor": "middle"}
        parts.append(text(x + wide / 2 - 3, y - 5, count(sum(column.parts)), **middle))
        parts.append(text(x + wide / 2 - 3, bottom + 15, column.head, **middle))
    edge = 18 + wide * len(board.columns)
    for seat, who in enumerate(people):
        y = 34 + 18.0 * seat
        parts.append(tag("rect", x=edge, y=y - 9, width=10, height=10, class_=f"part {who.colour}"))
        parts.append(text(edge + 16, y, cut(who.name, NAME), class_=f"name {who.colour}"))
    parts.append(text(12, height - 2, "round", class_="label"))
    words = "A column for each round, the part of each player in its colour, the sum on top."
    return Picture(board.title, words, edge + 120, height, Markup("").join(parts), 300)


def divisions(board: boards.StackedBars, people: People) -> Picture:
    """A bar for each division of the whole, cut among the seats."""
    room, left = 330.0, LEFT + 16
    rows: list[tuple[int | None, str, tuple[float, ...], str]] = []
    if board.basis:
        rows.append((None, board.basis_title, board.basis, ""))
    for bar in board.bars:
        agreed = " ".join(people[seat].letters for seat in bar.supporters)
        rows.append((bar.seat, str(bar.round), bar.parts, agreed))
    parts = []
    for index, (seat, head, amounts, agreed) in enumerate(rows):
        y = 6 + STEP * index
        if seat is None:
            parts.append(text(left - 8, y + 15, head, text_anchor="end", class_="label"))
        else:
            parts.append(text(2, y + 15, head, class_="label"))
            parts.append(_name(people[seat], y + 15, left - 8))
        whole = sum(amounts) or 1.0
        for number_of, (begin, amount) in enumerate(
            zip(accumulate((0.0, *amounts)), amounts, strict=False)
        ):
            x, wide = left + room * begin / whole, room * amount / whole
            colour = people[number_of].colour
            parts.append(_bar(x, y, max(0.0, wide - 1), f"part {colour}", number(amount, 0)))
        if agreed:
            parts.append(text(left + room + 6, y + 15, f"✓ {cut(agreed, 12)}", class_="label"))
    words = "A bar for each proposal in the order they were made; ✓ names those who agreed."
    height = 8 + STEP * len(rows)
    return Picture(board.title, words, left + room + 90, height, Markup("").join(parts), 400)


def comparisons(board: boards.Comparisons, people: People) -> Picture:
    """Two numbers of each seat on one scale, joined by a line."""
    room = 300.0
    values = [row.base for row in board.rows]
    values += [row.value for row in board.rows if row.value is not None]
    scale = scale_of(values)
    parts = []
    for index, row in enumerate(board.rows):
        y = 16 + STEP * index
        who = people[row.seat]
        parts.append(_name(who, y + 5))
        first = LEFT + room * scale.share(row.base)
        if row.value is not None:
            second = LEFT + room * scale.share(row.value)
            parts.append(tag("line", x1=first, x2=second, y1=y, y2=y, class_=f"line {who.colour}"))
            parts.append(tag("circle", cx=second, cy=y, r=5, class_=f"dot {who.colour}"))
        parts.append(tag("circle", cx=first, cy=y, r=4.5, class_=f"hollow {who.colour}"))
        result = f"{number(row.base, 1)} ▸ {number(row.value, 1)}"
        parts.append(text(LEFT + room + 8, y + 5, result, class_="label"))
    height = 8 + STEP * len(board.rows)
    words = f"Hollow: {board.base}. Filled: {board.value}."
    return Picture(board.title, words, LEFT + room + 100, height, Markup("").join(parts), 360)


def matrix(board: boards.Matrix, people: People) -> Picture:
    """Actions of seats toward each other: a row for each that acted, a column for each other."""
    wide = 54.0
    done: dict[tuple[int, int], list[boards.MatrixCell]] = {}
    for cell in board.cells:
        done.setdefault((cell.source, cell.target), []).append(cell)
    parts = [
        text(LEFT + wide * (seat + 0.5) - 2, 14, cut(who.letters, 4), text_anchor="middle",
             class_=f"name {who.colour}")
        for seat, who in enumerate(people)
    ]  # fmt: skip
    edge = LEFT + wide * len(people)
    parts.append(text(edge + 6, 14, cut(board.holding, 12), class_="label"))
    for seat, who in enumerate(people):
        y = 22 + STEP * seat
        parts.append(_name(who, y + 17))
        parts += [
            _toward(done.get((seat, other), []), LEFT + wide * other, y, wide)
            for other in range(len(people))
            if seat != other
        ]
        if seat < len(board.holdings):
            parts.append(text(edge + 6, y + 17, number(board.holdings[seat], 1)))
    words = "Rows act, columns are acted upon: + helped, − refused, or the percent that was given."
    height = 26 + STEP * len(people)
    return Picture(board.title, words, edge + 76, height, Markup("").join(parts), 320)


def _toward(cells: Sequence[boards.MatrixCell], x: float, y: float, wide: float) -> Markup:
    """The actions of one seat toward another, side by side."""
    if not cells:
        return _box(x, y, wide - 4, "none", "")
    part = (wide - 4) / len(cells)
    parts = []
    for index, cell in enumerate(cells):
        style = STYLES.get(cell.good, "none")
        words = SIGNS[cell.good] if cell.share is None else percent(cell.share).rstrip(" %")
        parts.append(_box(x + part * index, y, part, style, words if part > 12 else ""))
    return Markup("").join(parts)


def points(board: boards.Lines, people: People) -> Picture:
    """The values of the seats over the rounds."""
    courses = [
        Line(people[line.seat].name, people[line.seat].colour, list(enumerate(line.values)))
        for line in board.lines
    ]
    values = list(chain.from_iterable(line.values for line in board.lines))
    body = lines(courses, scale_of(values), "round", size=(520.0, 230.0))
    return Picture(board.title, "A line for each player.", 520.0, 230.0, body, 420)
