"""A match as a recording of the screens: asciicast v2, which asciinema plays and agg draws.

The format is that of https://docs.asciinema.org/manual/asciicast/v2/.
"""

import io
import json
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from parlour.games.common.errors import BadInput
from parlour.tui.look.look import Look, fit
from parlour.tui.models.save_view import Focus, SaveView
from parlour.tui.views.boards.boards import board_lines
from parlour.tui.views.header import header_lines, scrubber
from parlour.tui.views.match_words import game_title
from parlour.tui.views.scene import scene_of
from parlour.tui.views.talk import cast_line, talk_lines

WIDTH, HEIGHT = 140, 40
TALK = 72
"""Columns of the talk; the board has the others."""
STEP_SECONDS, END_SECONDS = 1.5, 5.0


def recording(watched: SaveView, focus: Focus) -> str:
    """The steps of the match, each as long in sight. BadInput for a match that is hidden."""
    steps = focus.turn_starts()
    title = f"{watched.games[focus.match.game].name}, match {focus.match.number}"
    head = {"version": 2, "width": WIDTH, "height": HEIGHT, "title": title}
    lines, before = [json.dumps(head)], [""] * HEIGHT
    for at in range(len(steps)):
        focus.show(watched.save, steps[at])
        if focus.trouble:
            raise BadInput(title, focus.trouble, "record another match")
        frame = [_escapes(line) for line in _frame(watched, focus, steps, at)]
        rows = enumerate(zip(before, frame, strict=True), start=1)
        changed = "".join(f"\x1b[{row};1H{new}" for row, (old, new) in rows if new != old)
        lines.append(json.dumps([at * STEP_SECONDS, "o", changed if at else f"\x1b[?25l{changed}"]))
        before = frame
    lines.append(json.dumps([at * STEP_SECONDS + END_SECONDS, "o", "\x1b[?25h"]))
    return "".join(f"{line}\n" for line in lines)


def _frame(watched: SaveView, focus: Focus, steps: Sequence[int], at: int) -> Iterator[Text]:
    """Yields the lines of the replay screen at a step: header, and the talk beside the board."""
    look = Look()
    scene = scene_of(focus, watched.cast(look.palette), look)
    left = Text(game_title(look, watched.games[focus.match.game]), f"bold {look.palette.text}")
    left.append(f" · match {focus.match.number}", look.palette.soft)
    right = Text(f"ask {at} of {len(steps) - 1}", look.palette.text)
    yield from header_lines(look, "Replay", left, right, WIDTH, scrubber(look, steps, at, WIDTH))
    height = HEIGHT - 2
    talk = [cast_line(scene, TALK - 2), Text()]
    talk += talk_lines(scene, TALK - 2, height - 2)[2 - height :]
    board = board_lines(scene, WIDTH - TALK, height)
    for row in range(height):
        parts = [lines[row] if row < len(lines) else Text() for lines in (talk, board)]
        line = fit(parts[0], TALK).append_text(fit(parts[1], WIDTH - TALK))
        line.stylize_before(f"{look.palette.text} on {look.palette.bg}")
        yield line


def _escapes(line: Text) -> str:
    """A line with the sequences that colour it."""
    console = Console(
        file=io.StringIO(), force_terminal=True, color_system="truecolor", width=WIDTH
    )
    with console.capture() as captured:
        console.print(line, end="")
    return captured.get()
