"""The header of every screen: a line of words and counts, and a line of progress below it."""

from collections.abc import Sequence

from rich.text import Text

from parlour.tui.look.look import Look, fit, spread


def header_line(
    look: Look, word: str, left: Text, right: Text, width: int, *, whole: bool = False
) -> Text:
    """The first line: the word of the screen, its subject, and a note at the right.

    The subject is cut where both do not fit; a ``whole`` one is not, the note goes in its place.
    """
    palette = look.palette
    line = Text(no_wrap=True).append(f" {word} ", f"bold {palette.accent}")
    line.append("│ ", palette.rule).append_text(left)
    if whole and line.cell_len + right.cell_len + 2 > width:
        right = Text()
    tail = Text(no_wrap=True).append_text(right).append(" " if right.plain else "")
    both = spread(line, tail, width)
    both.stylize_before(f"{palette.text} on {palette.panel}")
    return both


def header_lines(
    look: Look, word: str, left: Text, right: Text, width: int, below: Text | None = None
) -> list[Text]:
    """Both lines; ``below`` is the second one, a plain rule by default."""
    rule = below if below is not None else look.rule(width)
    return [header_line(look, word, left, right, width), fit(rule, width)]


def scrubber(look: Look, steps: Sequence[int], at: int, width: int) -> Text:
    """The line of a replay: a sign where an ask begins, and a dot where one is.

    ``steps`` has the number of answers before each ask, then of all; ``at`` is an index of it.
    """
    palette, signs = look.palette, look.signs
    total = max(1, steps[-1] if steps else 0)

    def column(answers: int) -> int:
        return min(width - 1, answers * (width - 1) // total)

    here = column(steps[at]) if steps else 0
    cells = [(signs.line, palette.accent)] * here + [(signs.rest, palette.rule)] * (width - here)
    for answers in steps[:-1]:
        place = column(answers)
        cells[place] = (signs.ask, palette.accent if place < here else palette.soft)
    if width:
        cells[here] = (signs.point, f"bold {palette.accent}")
    return Text.assemble(*cells[:width], no_wrap=True)


def clock(seconds: float) -> str:
    """A duration as h:mm:ss or m:ss."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def tabs_line(look: Look, names: Sequence[str], chosen: int, width: int) -> Text:
    """Tabs with the keys that open them; only the keys of the others where names do not fit."""
    palette, line = look.palette, Text(no_wrap=True)
    for shown in (range(len(names)), (chosen,)):
        line = Text(no_wrap=True)
        for index, name in enumerate(names):
            here = index == chosen
            key = f"bold {palette.on_chip} on {palette.accent}" if here else palette.faint
            words = f"bold {palette.text} on {palette.raised}" if here else palette.soft
            line.append(" ").append(f" {index + 1} ", key)
            line.append(f" {name} " if index in shown else "", words)
        if line.cell_len <= width:
            break
    return fit(line, width)
