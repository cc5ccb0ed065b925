"""The keys of a screen by what they are for, in columns, and what the signs say."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from parlour.tui.look.look import Look, fit, flowed

COLUMN, GAP, MOST_COLUMNS = 38, 3, 3
"""The least columns of a list of keys, those between two lists, and the most lists in a row."""
PURPOSES = ("Steer", "Take away", "Look", "In the pane", "Go", "Everywhere")
"""Purposes of keys, in the order of the columns."""
STEER, TAKE, LOOK, HERE, GO, EVERYWHERE = PURPOSES
_STEERING = ("pause", "turn", "round", "match", "faster", "slower", "budget", "seat", "look_on")
_TAKING = ("export", "copy", "pager", "editor")
_PLACES = ("back", "close", "home", "leaderboard", "replay", "wall", "thoughts", "prompts", "fork")
_PANES = ("list", "text", "fields", "cards", "talk")


@dataclass(frozen=True, slots=True)
class HelpLine:
    """An action by its name, its keys as displayed, and its words."""

    action: str
    keys: str
    words: str


def help_lines(look: Look, keys: Sequence[HelpLine], width: int) -> list[Text]:
    """Lists of keys under headings, side by side where there is room; then the signs."""
    columns = max(1, min(MOST_COLUMNS, (width + GAP) // (COLUMN + GAP)))
    room = (width - GAP * (columns - 1)) // columns
    used = {purpose(key.action) for key in keys}
    sections = [_section(look, title, keys, room) for title in PURPOSES if title in used]
    lines = _side_by_side(sections, columns, room)
    return [fit(line, width) for line in [*lines, Text(), *_legend(look, width)]]


def purpose(action: str) -> str:
    """The heading under which an action stands."""
    place, _, name = action.partition(".")
    if place == "app":
        return EVERYWHERE
    if name in _TAKING:
        return TAKE
    if place == "live" and name in _STEERING:
        return STEER
    if place in _PANES:
        return HERE
    return GO if name in _PLACES or name.startswith("jump") else LOOK


def _section(look: Look, title: str, keys: Sequence[HelpLine], width: int) -> list[Text]:
    palette = look.palette
    room = min(12, max((len(key.keys) for key in keys), default=0))
    lines = [Text(title, f"bold {palette.text}"), Text(look.signs.rule * width, palette.rule)]
    for key in keys:
        if purpose(key.action) == title:
            line = Text(key.keys.ljust(room), f"bold {palette.accent}", no_wrap=True)
            lines.append(line.append("  ").append(key.words, f"not bold {palette.soft}"))
    return [*lines, Text()]


def _side_by_side(sections: Sequence[list[Text]], columns: int, width: int) -> list[Text]:
    """Sections in columns of about the same height, in their order."""
    height = sum(map(len, sections)) / columns
    stacks: list[list[Text]] = [[] for _ in range(columns)]
    at = 0
    for section in sections:
        if stacks[at] and at < columns - 1 and len(stacks[at]) + len(section) / 2 > height:
            at += 1
        stacks[at] += section
    lines = []
    for row in range(max(map(len, stacks))):
        cells = (stack[row] if row < len(stack) else Text() for stack in stacks)
        lines.append(Text(" " * GAP).join(fit(cell, width) for cell in cells))
    while lines and not lines[-1].plain.strip():
        lines.pop()
    return lines


def _legend(look: Look, width: int) -> list[Text]:
    """Meanings of the signs of all screens, as many on a line as fit."""
    palette, signs = look.palette, look.signs
    turn = Text.assemble((" C ", f"bold {palette.on_chip} on {palette.people[0]}"))
    explained = [
        turn.append(" an agent, in its colour", "not bold " + palette.soft),
        _sign(look, "C", "reversed in a list: its turn", f"reverse {palette.people[0]}"),
        _sign(look, signs.private, "private: not all players see it", palette.faint),
        _sign(look, signs.won, "won", palette.warn),
        _sign(look, signs.special, "special role", palette.warn),
        _sign(look, signs.most, "most points", palette.warn),
        _sign(look, "+", "helps", f"{palette.on_cell} on {palette.cooperate}"),
        _sign(look, "–", "does not", f"{palette.on_cell} on {palette.defect}"),
        _sign(look, signs.failed, "untrue", palette.bad),
        _sign(
            look,
            f"{signs.low}{signs.rest}{signs.point}{signs.rest}{signs.high}",
            "estimate, 95 % interval",
            palette.text,
        ),
        _sign(look, signs.hollow, "too few for an interval", palette.text),
        _sign(look, "1–5", "any of these ranks", palette.text),
    ]
    return [look.rule(width, "what the signs say"), *flowed(explained, width, 3)]


def _sign(look: Look, sign: str, words: str, style: str) -> Text:
    shown = f" {sign} " if " on " in style else sign
    return Text.assemble((shown, style), (f" {words}", look.palette.soft))
