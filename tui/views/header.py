"""The header of every screen: a line of words and counts, and a line of progress below it."""

from collections.abc import Sequence

from rich.text import Text

from parlour.tui.look.look import Look, fit, spread


def header_line(look: Look, word: str, left: Text, right: Text, width: int) -> Text:
    """The first line: the word of the screen, its subject, and figures at the right."""
    line = Text(no_wrap=True).append(f" {word} ", f"bold {look.palette.accent}")
    line.append("│ ", look.palette.rule).append_text(left)
    tail = Text(no_wrap=True).append_text(right).append(" " if right.plain else "")
    whole = Text(style=f"{look.palette.text} on {look.palette.panel}", no_wrap=True)
    return whole.append_text(spread(line, tail, width))


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
