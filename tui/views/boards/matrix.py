"""Matrix of actions between seats: giver by receiver, holdings, and what is known of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from rich.text import Text

from parlour.games.engine.board import Arrow, HelpMatrix, Ratio
from parlour.tui.look.look import fit
from parlour.tui.views.boards.parts import NARROW, head, head_width, in_tile, right, short
from parlour.tui.views.scene import Scene

WIDEST_BAR = 26
SMALLEST_BAR = 4
LEAST_PITCH = 3
"""Columns of a cell in which a sign stands apart."""
MOST_WITH_GAPS = 5
"""Seats of the largest table whose cells stand apart."""


def matrix_lines(
    scene: Scene, matrix: HelpMatrix, width: int, *, small: bool = False
) -> list[Text]:
    """A row a seat; holdings and reputation go where they do not fit. Below, the ratios.

    ``small`` leaves reputation and ratios out, for a tile.
    """
    palette = scene.look.palette
    seats = range(len(scene.people))
    heads = in_tile(width) if small else width
    first = head_width(scene, heads)
    numbers = [] if small else right([short(held) for held in matrix.holdings])
    fitting = _fitting(scene, matrix, numbers, width - first, small=small)
    named = head_width(scene, max(width, NARROW))
    if not fitting.bar and not small and named + LEAST_PITCH * len(seats) <= width:
        heads, first = max(width, NARROW), named  # names where there is no room for bars
        fitting = _fitting(scene, matrix, numbers, width - first, small=small)
    title = Text("gave to" if first > 7 else "", palette.faint)
    line = fit(title, first)
    for seat in seats:
        line.append_text(fit(scene.letters(seat), fitting.pitch, align="center"))
    if fitting.bar:
        line.append("  ")
        room = fitting.bar + fitting.number
        line.append(matrix.holding[:room].ljust(room), palette.faint)
        line.append("   said" if fitting.known else "", palette.faint)
    lines = [line]
    most = max((held for held in matrix.holdings if held > 0), default=0) or 1
    for seat in seats:
        row = head(scene, seat, heads)
        for other in seats:
            row.append_text(_cell(scene, matrix, seat, other, fitting.pitch))
        if fitting.bar and seat < len(matrix.holdings):
            share, colour = matrix.holdings[seat] / most, scene.people[seat].colour
            row.append("  ").append_text(scene.look.bar(share, fitting.bar, colour))
            if numbers:
                row.append(numbers[seat].rjust(fitting.number), palette.text)
        if fitting.known and seat < len(matrix.reputation):
            row.append("   ")
            row.append_text(reputation(scene, matrix.reputation[seat], fitting.known))
        lines.append(row)
    if matrix.ratios and not small:
        lines += [Text(""), _ratios(scene, matrix.ratios, width)]
    return lines


@dataclass(frozen=True, slots=True)
class Fitting:
    """The columns of a cell, of a bar, of its number and of a reputation; 0 leaves one out."""

    pitch: int
    bar: int = 0
    number: int = 0
    known: int = 0


def _fitting(
    scene: Scene, matrix: HelpMatrix, numbers: Sequence[str], room: int, *, small: bool
) -> Fitting:
    """The most that fits: cells with gaps and all columns first, cells alone last."""
    seats = max(1, len(scene.people))
    number = len(numbers[0]) + 2 if numbers else 0
    known = max((len(text) for text in matrix.reputation), default=0)
    wanted = [max(4, known), 4] if known and not small else []
    for said in (*wanted, 0):
        for pitch in (4, 3):
            if pitch == 4 and seats > MOST_WITH_GAPS:
                continue
            bar = room - pitch * seats - 2 - number - (said + 3 if said else 0)
            if bar >= SMALLEST_BAR:
                return Fitting(pitch, min(WIDEST_BAR, bar), number, said)
    return Fitting(max(1, min(4 if seats <= MOST_WITH_GAPS else 3, room // seats)))


def _cell(scene: Scene, matrix: HelpMatrix, giver: int, receiver: int, width: int) -> Text:
    """The last action of one seat toward another."""
    palette, signs = scene.look.palette, scene.look.signs
    gap = " " if width > 3 else ""
    size = width - len(gap)
    if giver == receiver:
        return Text("·".center(size) + gap, palette.faint)
    done = [each for each in matrix.acts if (each.source, each.target) == (giver, receiver)]
    if not done:
        meets = {giver, receiver} == set(matrix.meeting)
        words = signs.pending if meets else ""
        style = f"bold {palette.warn} on {palette.panel}"
    else:
        words, style = _words(done[-1], size), _style(scene, done[-1].good)
    # Not a text of that style, which the gap would inherit.
    return Text(no_wrap=True).append(words.center(size), style).append(gap)


def _words(act: Arrow, width: int) -> str:
    if act.share is not None:
        percent = f"{floor(100 * act.share + 0.5)}"
        if len(percent) <= width:
            return percent
    return sign_of(act.good)


def sign_of(good: bool | None) -> str:
    """+ for help, – for its refusal, · where it is neither."""
    if good is None:
        return "·"
    return "+" if good else "–"


def _style(scene: Scene, good: bool | None) -> str:
    palette = scene.look.palette
    if good is None:
        return f"{palette.soft} on {palette.panel}"
    return f"bold {palette.on_cell} on {palette.cooperate if good else palette.defect}"


def sign_cell(scene: Scene, sign: str, width: int) -> Text:
    """A sign of + - · as a cell in its colour."""
    good = {"+": True, "-": False}.get(sign)
    return Text(sign_of(good).center(width), _style(scene, good))


def reputation(scene: Scene, known: str, room: int) -> Text:
    """The newest signs that fit, oldest first."""
    line = Text(no_wrap=True)
    for sign in known[-room:]:
        line.append_text(sign_cell(scene, sign, 1))
    return line


def _ratios(scene: Scene, ratios: Sequence[Ratio], width: int) -> Text:
    """The ratios side by side; a bad one as a sign and its count where they do not fit."""
    for gap, signs in (("    ", False), ("  ", False), ("  ", True)):
        line = _ratios_line(scene, ratios, gap, signs)
        if line.cell_len <= width:
            break
    return line


def _ratios_line(scene: Scene, ratios: Sequence[Ratio], gap: str, signs: bool) -> Text:
    palette = scene.look.palette
    line = Text(no_wrap=True)
    for ratio in ratios:
        line.append(gap if line.plain else "")
        style = palette.bad if ratio.bad and ratio.count else palette.text
        if ratio.bad and signs:
            line.append(f"{scene.look.signs.failed} {ratio.count}", style)
            continue
        line.append(f"{ratio.label} ", palette.soft)
        line.append(f"{ratio.count}/{ratio.of}", f"bold {style}")
    return line
