"""The two lines at the top of a screen: its word, what it is about, and its tabs."""

from collections.abc import Sequence

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.tui.look.look import Look, fit, spread


def word_line(look: Look, word: str, subject: Text | str, note: Text, width: int) -> Text:
    """The word of a screen, its subject, and a note at the right."""
    palette = look.palette
    line = Text(no_wrap=True).append(f" {word} ", f"bold {palette.accent}")
    line.append("│ ", palette.rule)
    if isinstance(subject, Text):
        line.append_text(subject)
    else:
        line.append(one_line(subject), f"bold {palette.text}")
    room = width - line.cell_len - 2
    right = note.copy().append(" ") if note.cell_len <= room else Text()
    whole = spread(line, right, width)
    whole.stylize_before(f"on {palette.panel}")
    return whole


def tabs_line(look: Look, names: Sequence[str], chosen: int, width: int) -> Text:
    """Tabs with the keys that open them; only the keys of the others where names do not fit."""
    whole = _tabs(look, names, chosen, names)
    if whole.cell_len > width:
        only = [name if index == chosen else "" for index, name in enumerate(names)]
        whole = _tabs(look, only, chosen, names)
    return fit(whole, width)


def _tabs(look: Look, names: Sequence[str], chosen: int, keys: Sequence[str]) -> Text:
    palette, line = look.palette, Text(no_wrap=True)
    for index in range(len(keys)):
        line.append(" ")
        name = f" {names[index]} " if names[index] else ""
        if index == chosen:
            line.append(f" {index + 1} ", f"bold {palette.on_chip} on {palette.accent}")
            line.append(name, f"bold {palette.text} on {palette.raised}")
        else:
            line.append(f" {index + 1} ", palette.faint).append(name, palette.soft)
    return line
