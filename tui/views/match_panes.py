"""The panes of a match in today's form: the one place that is to be swapped for the drawn ones."""

from rich.text import Text

from parlour.tui.look.look import fit, wrapped
from parlour.tui.views import match as describe
from parlour.tui.views.scene import Scene


def cast_line(scene: Scene, width: int) -> Text:
    """The people of a match in one line, with signs for who has answered and who is waited for."""
    line = Text(" ", no_wrap=True)
    for seat in range(len(scene.people)):
        line.append_text(scene.chip(seat))
        line.append(f"{scene.look.signs.pending} " if seat in scene.waiting else "   ")
    return fit(line, width)


def talk_lines(scene: Scene, width: int, height: int, *, why: bool = True) -> list[Text]:
    """The talk of a match in a width."""
    lines: list[Text] = []
    for text in describe.transcript_lines(scene.focus):
        lines += [fit(line, width) for line in wrapped(text, width)]
    return lines
