"""The cells written to the terminal: only those that change, and the right ones."""

from random import Random

import pytest
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from parlour.tui.widgets.frame import Frame
from tests.terminals import Picture, strange_bytes

WIDTH, HEIGHT = 30, 6
CONSOLE = Console(color_system="truecolor", force_terminal=True)
STYLES = (None, Style.parse("bold #aabbcc on #112233"), Style.parse("#ddeeff on #112233"))


def strip(text: str, style: Style | None = None) -> Strip:
    """A strip as wide as the screen."""
    return Strip([Segment(text, style)]).adjust_cell_length(WIDTH)


def whole(*lines: Strip) -> LayoutUpdate:
    """A whole frame; lines that are not given are blank."""
    blank = [Strip.blank(WIDTH)] * (HEIGHT - len(lines))
    return LayoutUpdate([[line] for line in [*lines, *blank]], Region(0, 0, WIDTH, HEIGHT))


def part(y: int, line: Strip) -> ChopsUpdate:
    """A frame of which one line is drawn again."""
    chops = [{0: line if row == y else None} for row in range(HEIGHT)]
    return ChopsUpdate(chops, [(y, 0, WIDTH)], [[WIDTH]] * HEIGHT)


def test_a_frame_that_is_drawn_again_writes_nothing() -> None:
    frame = Frame()
    assert len(frame.write(whole(strip("one", STYLES[1])), CONSOLE)) > WIDTH * HEIGHT
    assert frame.write(whole(strip("one", STYLES[1])), CONSOLE) == ""


def test_only_the_cells_that_change_are_written() -> None:
    frame = Frame()
    frame.write(whole(strip("matches 41 of 90", STYLES[2])), CONSOLE)
    written = frame.write(part(0, strip("matches 42 of 90", STYLES[2])), CONSOLE)
    assert written == "\x1b[1;10H\x1b[38;2;221;238;255;48;2;17;34;51m2\x1b[39;49m"


def test_a_change_of_colour_alone_is_written() -> None:
    frame = Frame()
    frame.write(whole(strip("winner", STYLES[2])), CONSOLE)
    assert "winner" in frame.write(part(0, strip("winner", STYLES[1])), CONSOLE)


def test_all_is_written_when_the_terminal_is_not_known_any_more() -> None:
    frame = Frame()
    first = frame.write(whole(strip("one")), CONSOLE)
    frame.forget()
    assert frame.write(whole(strip("one")), CONSOLE) == first


def test_a_line_with_wide_letters_is_written_as_a_whole() -> None:
    frame = Frame()
    frame.write(whole(strip("投票 for Player 1")), CONSOLE)
    written = frame.write(part(0, strip("投票 for Player 2")), CONSOLE)
    assert "投票 for Player 2" in written
    assert frame.write(part(0, strip("投票 for Player 2")), CONSOLE) == ""


@pytest.mark.parametrize("seed", range(20))
def test_the_terminal_shows_what_was_drawn_after_any_changes(seed: int) -> None:
    dice = Random(seed)
    frame, terminal = Frame(), Picture(WIDTH, HEIGHT)
    terminal.feed(frame.write(whole(), CONSOLE).encode())
    wanted = [""] * HEIGHT
    for _ in range(40):
        y = dice.randrange(HEIGHT)
        letters = dice.choice(("ab ", "ab 投", "─│ x"))
        text = "".join(dice.choices(letters, k=dice.randrange(WIDTH // 2)))
        wanted[y] = text.rstrip()
        written = frame.write(part(y, strip(text, dice.choice(STYLES))), CONSOLE)
        assert strange_bytes(written.encode()) == b""
        terminal.feed(written.encode())
        assert terminal.lines == wanted
