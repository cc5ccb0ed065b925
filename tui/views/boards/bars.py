"""Bars and charts: values of seats, divisions of a whole, and values over the rounds."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import floor

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.board import (
    Bar,
    Bars,
    Comparisons,
    Lines,
    Shares,
    StackedBar,
    StackedBars,
    StackedColumns,
)
from parlour.games.engine.moves import Seat
from parlour.tournament.reports.thoughts import Thought
from parlour.tui.look.canvas import Canvas
from parlour.tui.look.look import DIM_FILL, fit, spread, wrapped
from parlour.tui.text import cut
from parlour.tui.views.boards.grid import NOTHING
from parlour.tui.views.boards.parts import centred, head, head_width, in_tile, right, short
from parlour.tui.views.scene import Scene

_NUMBER = re.compile(r"\d[\d,.]*")
DIM_REST = 0.62
"""Share of the background in what a seat has kept."""


def bars_lines(scene: Scene, bars: Bars, width: int) -> list[Text]:
    """A rule with the title, a bar a line, and the note."""
    palette = scene.look.palette
    lines = [scene.look.rule(width, bars.title)]
    values = right([short(bar.value) for bar in bars.bars])
    rests = ["" if bar.rest is None else short(bar.rest) for bar in bars.bars]
    results = right(["" if bar.result is None else f"{bar.result:.1f}" for bar in bars.bars])
    longest = max(map(len, rests), default=0)
    tail_width = len(bars.result) + max(map(len, results), default=0) + 4
    largest = max((abs(bar.value) for bar in bars.bars), default=0) or 1
    for bar, value, rest, result in zip(bars.bars, values, rests, results, strict=True):
        line = _bar_head(scene, bar, width)
        line.append(f" {value} ", f"bold {palette.text}")
        room = width - line.cell_len - longest - 1
        tail = Text()
        if bar.result is not None and room - tail_width >= 6:
            room -= tail_width
            tail = Text.assemble((f"{bars.result} ", palette.faint), (f"{result} ", palette.soft))
        whole = largest if bar.rest is None else max(bar.value + bar.rest, bar.value, 1)
        line.append_text(_bar(scene, bar, bar.value / whole, max(0, room)))
        line.append(f" {rest:<{longest}} ", palette.soft)
        lines.append(spread(line, tail, width))
    if bars.note:
        lines += [Text(""), *_note_lines(scene, bars.note, width)]
    return lines


def _note_lines(scene: Scene, note: str, width: int) -> list[Text]:
    """The parts of a note, three blanks apart, side by side or each on a line."""
    parts = list(map(one_line, note.split("   ")))
    whole = "   ".join(parts)
    lines = []
    for words in [whole] if len(whole) <= width else parts:
        line = Text(words, scene.look.palette.soft)
        line.highlight_regex(_NUMBER, f"bold {scene.look.palette.text}")
        lines.append(line)
    return lines


def small_bars(scene: Scene, bars: Bars, width: int) -> list[Text]:
    """A bar a seat with its value at the right, for a tile."""
    lines = []
    values = right([short(bar.value) for bar in bars.bars])
    for bar, value in zip(bars.bars, values, strict=True):
        if bar.rest is None:
            continue
        line = _bar_head(scene, bar, in_tile(width))
        whole = max(bar.value + bar.rest, bar.value, 1)
        room = max(0, width - line.cell_len - len(value) - 2)
        line.append_text(_bar(scene, bar, bar.value / whole, room))
        lines.append(line.append(f" {value}", f"bold {scene.look.palette.text}"))
    return lines


def _bar_head(scene: Scene, bar: Bar, width: int) -> Text:
    line = Text(no_wrap=True)
    if bar.seat is not None and bar.seat < len(scene.people):
        line.append_text(head(scene, bar.seat, width))
    return line.append(cut(bar.label, max(6, width // 4)), scene.look.palette.soft)


def _bar(scene: Scene, bar: Bar, share: float, width: int) -> Text:
    look = scene.look
    known = bar.seat is not None and bar.seat < len(scene.people)
    colour = scene.people[bar.seat or 0].colour if known else look.palette.soft
    line = look.bar(share, width, colour)
    if bar.rest is None:
        return line
    filled = len(line.plain.rstrip())
    line = line[:filled]
    rest = look.palette.dimmed(colour, DIM_REST)
    return line.append(look.signs.spared * (width - filled), rest)


# --- Divisions of a whole


def stacked_lines(scene: Scene, bars: StackedBars, width: int, height: int) -> list[Text]:
    """The basis with ticks at its borders, then the divisions of each round.

    Of more rounds than fit in the height, the newest.
    """
    if not bars.bars and not bars.basis:
        return [centred(scene, NOTHING, width)]
    letters = max((len(who.letters) for who in scene.people), default=1)
    agreeing = max([2, *(len(bar.supporters) for bar in bars.bars)])
    beside = max(4 + (letters + 1) * agreeing, len(bars.basis_title) + 6)
    room = max(6, width - scene.chip_width - 1 - beside)
    top = list(_basis(scene, bars, width, room)) if bars.basis else []
    blocks = []
    for _round, group in groupby(bars.bars, key=lambda bar: bar.round):
        blocks.append([*_round_lines(scene, bars, list(group), width, room)])
    bottom = []
    if bars.result:
        bottom = [Text(""), Text(cut(bars.result, width), f"bold {scene.look.palette.text}")]
    left = height - len(top) - len(bottom) - 1
    shown = len(blocks)
    while shown > 1 and sum(map(len, blocks[-shown:])) > left:
        shown -= 1
    lines = top
    if shown < len(blocks):
        hidden = len(blocks) - shown
        words = "1 earlier round" if hidden == 1 else f"{hidden} earlier rounds"
        lines.append(Text(words, f"italic {scene.look.palette.faint}"))
    for block in blocks[-shown:] if shown else []:
        lines += block
    return lines + bottom


def _basis(scene: Scene, bars: StackedBars, width: int, room: int) -> Iterator[Text]:
    palette = scene.look.palette
    title = fit(Text(cut(bars.basis_title, scene.chip_width), palette.soft), scene.chip_width + 1)
    sizes = _sizes(bars.basis, room)
    line = Text(no_wrap=True).append_text(title).append_text(_parts(scene, bars.basis, sizes))
    yield fit(line.append(f"  by {bars.basis_title}", palette.faint), width)
    ticks, at = [" "] * (room + 1), 0
    for size in sizes[:-1]:
        at += size
        ticks[at] = scene.look.signs.tick
    yield Text(" " * title.cell_len + "".join(ticks), palette.soft)


def _round_lines(
    scene: Scene, bars: StackedBars, group: Sequence[StackedBar], width: int, room: int
) -> Iterator[Text]:
    palette, players = scene.look.palette, len(scene.people)
    voted = any(bar.supporters for bar in group)
    agree = max(_agreeing(group, bar) for bar in group)
    last = group[-1].round == bars.bars[-1].round
    note = Text(f"{agree} of {players} agree", palette.soft)
    if agree == players:
        note.stylize(f"bold {palette.good}")
    elif not voted and last and not bars.result:
        note = Text("no vote yet", palette.faint)
    yield scene.look.rule(width, f"round {group[0].round}", note)
    for bar in group:
        line = Text(no_wrap=True)
        if bar.seat < players:
            line.append_text(scene.chip(bar.seat)).append(" ")
        line.append_text(_parts(scene, bar.parts, _sizes(bar.parts, room)))
        known = [seat for seat in bar.supporters if seat < players]
        if known:
            all_agree = _agreeing(group, bar) == players
            style = f"bold {palette.good}" if all_agree else palette.soft
            line.append(f" {scene.look.signs.left} ", style).append_text(scene.all_letters(known))
        yield fit(line, width)


def _agreeing(group: Sequence[StackedBar], bar: StackedBar) -> int:
    """The number of seats that voted for this division, whoever proposed it."""
    return sum(len(other.supporters) for other in group if other.parts == bar.parts)


def _sizes(parts: Sequence[float], room: int) -> list[int]:
    """Columns of each part, by largest remainders."""
    amounts = [max(0.0, part) for part in parts]
    total = sum(amounts) or 1
    exact = [room * amount / total for amount in amounts]
    sizes = list(map(int, exact))
    by_rest = sorted(range(len(sizes)), key=lambda index: sizes[index] - exact[index])
    for index in by_rest[: room - sum(sizes)] if sum(amounts) else []:
        sizes[index] += 1
    return sizes


def _parts(scene: Scene, parts: Sequence[float], sizes: Sequence[int]) -> Text:
    """The parts side by side, each with its number where it fits."""
    palette = scene.look.palette
    line = Text(no_wrap=True)
    ink = palette.text if palette.exact else palette.on_chip
    for seat, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        who = scene.people[seat % len(scene.people)]
        number = short(part)
        words = number.center(size) if len(number) <= size else " " * size
        line.append(words, f"bold {ink} on {palette.dimmed(who.colour, DIM_FILL)}")
    return line


# --- Two numbers


def comparison_lines(scene: Scene, pairs: Comparisons, width: int) -> list[Text]:
    """A rule with the title, and for each seat both numbers and their difference."""
    palette = scene.look.palette
    lines = [scene.look.rule(width, pairs.title)]
    for seat, (base, value) in zip(range(len(scene.people)), pairs.pairs, strict=False):
        line = head(scene, seat, width)
        line.append(f"{pairs.base} {short(base):<3}", palette.soft)
        if value is not None:
            apart = value - base
            line.append(f" {pairs.value} {short(value):>2}", palette.text)
            style = palette.bad if apart < 0 else palette.good
            words = f"{apart:+g}".replace("-", "−") if apart else "±0"
            line.append(f" {words}", style if apart else palette.soft)
        lines.append(fit(line, width))
    return lines


SUSPICIONS = "who suspects whom"
"""The title of the shares that analyses give."""


def shares_lines(scene: Scene, shares: Shares, width: int) -> list[Text]:
    """A rule with the title, the letters of the seats, and a row of cells a seat."""
    seats = range(len(scene.people))
    title = shares.title if shares.named else f"{shares.title}, %"
    first = head_width(scene, width)
    cell = max(2, min(15, (width - first) // max(1, len(seats))))
    names = Text(" " * first).append_text(
        Text().join(fit(scene.letters(seat), cell, align="center") for seat in seats)
    )
    lines = [scene.look.rule(width, title), names]
    for seat, row in zip(seats, shares.rows, strict=False):
        line = head(scene, seat, width)
        for about, share in enumerate(row):
            line.append_text(_cell(scene, shares, None if about == seat else share, cell))
        lines.append(line)
    return lines


def _cell(scene: Scene, shares: Shares, share: float | None, width: int) -> Text:
    look = scene.look
    if share is None or (shares.named and not share):
        return Text("·".center(width), look.palette.faint)
    if shares.named:
        return Text(look.signs.closed.center(width), f"bold {look.palette.accent}")
    number = f"{100 * share:.0f}"
    return look.heat(share, width, number if len(number) <= width else "99")


def latest_shares(scene: Scene, noted: Sequence[Thought]) -> Shares | None:
    """The suspicions of each seat by its latest analysis; None if nobody made one."""
    beliefs = {
        thought.seat: tuple(thought.beliefs[thought.seat])
        for thought in noted
        if thought.beliefs is not None
    }
    if not beliefs:
        return None
    seats = range(len(scene.people))
    rows = [beliefs.get(Seat(seat), (None,) * len(seats)) for seat in seats]
    return Shares(SUSPICIONS, tuple(rows))


def thought_lines(scene: Scene, thought: Thought, width: int) -> list[Text]:
    """A rule, then a player's thought in its words."""
    palette = scene.look.palette
    words = scene.words(one_line(thought.words[0]), f"italic {palette.soft}", quoted=True)
    indent = scene.chip_width + 1
    body = wrapped(words, width, indent)
    if thought.seat < len(scene.people):
        chip = scene.chip(thought.seat)
        body[0] = Text(no_wrap=True).append_text(chip).append_text(body[0][scene.chip_width :])
    more = scene.look.keys((("t", "all"),))
    return [scene.look.rule(width, "latest thought", more), *body]


# --- Over the rounds: lines in dots, and stacked columns in eighths of a cell

TALLEST, LOWEST = 14, 8
"""Lines of a chart with its title, where there is room and where there is none."""
WIDEST_COLUMN = 8


def lines_chart(scene: Scene, lines: Lines, width: int, height: int) -> list[Text]:
    """One line a seat over all rounds there will be, with its letters at the end."""
    title = scene.look.rule(width, lines.title)
    values = list(filter(None, lines.values))
    if not scene.look.signs.braille or not values:
        return [title, *_figures(scene, lines, width)]
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


def _figures(scene: Scene, lines: Lines, width: int) -> list[Text]:
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
    cells = [_level(scene, tops, level, width) for level in range((tops[-1] + 7) // 8)]
    cells = [*_lettered(scene, tops, cells, width), sum_text]
    return [Text(" " * width)] * (rows - len(cells)) + cells[::-1]


def _level(scene: Scene, tops: Sequence[int], level: int, width: int) -> Text:
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
