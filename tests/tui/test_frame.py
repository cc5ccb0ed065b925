"""The cells written to the terminal: only those that change, and the right ones."""

from random import Random

import pytest
from rich.console import Console
from rich.control import Control
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from parlour.tui.widgets.frame import CellFrame
from tests.terminals import Picture, strange_bytes

WIDTH, HEIGHT = 30, 6
CONSOLE = Console(color_system="truecolor", force_terminal=True)
STYLES = (None, Style.parse("bold #aabbcc on #112233"), Style.parse("#ddeeff on #112233"))


def part(y: int, text: str, style: Style | None = None) -> str:
    """A line of the screen as Textual writes it."""
    strip = Strip([Segment(text, style)]).adjust_cell_length(WIDTH)
    return Control.move_to(0, y).segment.text + strip.render(CONSOLE)


def whole(text: str = "", style: Style | None = None) -> str:
    """A whole frame; all its lines but the first are blank."""
    first, *others = part(0, text, style), *(part(y, "") for y in range(1, HEIGHT))
    return "\n".join([first, *others])


def test_a_frame_that_is_drawn_again_writes_nothing() -> None:
    frame = CellFrame()
    assert len(frame.changes(whole("one", STYLES[1]))) > WIDTH * HEIGHT
    assert frame.changes(whole("one", STYLES[1])) == ""


def test_only_the_cells_that_change_are_written() -> None:
    frame = CellFrame()
    frame.changes(whole("matches 41 of 90", STYLES[2]))
    written = frame.changes(part(0, "matches 42 of 90", STYLES[2]))
    assert written == "\x1b[1;10H\x1b[38;2;221;238;255;48;2;17;34;51m2\x1b[39;49m"


def test_all_is_written_when_the_terminal_is_not_known_any_more() -> None:
    frame = CellFrame()
    first = frame.changes(whole("one"))
    frame.forget()
    assert frame.changes(whole("one")) == first


def test_what_is_no_drawing_is_passed_on() -> None:
    frame = CellFrame()
    frame.changes(whole("one"))
    for other in ("\x1b[?2026h", "\x1b]52;c;b25l\x07", "\a"):
        assert frame.changes(other) == other
        assert frame.changes(whole("one")) == ""
    for unknown in ("\x1b[?1049h", "\x1b[2;3Hlink \x1b]8;;x\x07"):
        assert frame.changes(unknown) == unknown
        assert "one" in frame.changes(whole("one"))


def test_a_move_behind_a_frame_places_the_cursor() -> None:
    frame = CellFrame()
    frame.changes(whole("one"))
    assert frame.changes(whole("one") + "\x1b[3;4H") == "\x1b[3;4H"


@pytest.mark.parametrize("seed", range(20))
def test_the_terminal_shows_what_was_drawn_after_any_changes(seed: int) -> None:
    dice = Random(seed)
    frame, terminal = CellFrame(), Picture(WIDTH, HEIGHT)
    terminal.feed(frame.changes(whole()).encode())
    wanted = [""] * HEIGHT
    for _ in range(40):
        y = dice.randrange(HEIGHT)
        letters = dice.choice(("ab ", "ab 投", "─│ x"))
        text = "".join(dice.choices(letters, k=dice.randrange(WIDTH // 2)))
        wanted[y] = text.rstrip()
        written = frame.changes(part(y, text, dice.choice(STYLES)))
        assert strange_bytes(written.encode()) == b""
        terminal.feed(written.encode())
        assert terminal.lines == wanted
