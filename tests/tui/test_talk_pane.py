"""The pane of a conversation: following by half pages, searching, copying."""

import base64
import itertools
from pathlib import Path
from typing import ClassVar

import pytest
from rich.text import Text
from textual.app import App, ComposeResult

from parlour.tui.clipboard import copy
from parlour.tui.look.palette import NIGHT
from parlour.tui.look.themes import variables
from parlour.tui.widgets.talk_pane import TalkPane


class Talk(App[None]):
    """An app of one pane with numbered lines."""

    copied: ClassVar[list[str]] = []

    def __init__(self, lines: int) -> None:
        super().__init__()
        self.animation_level = "none"
        self.lines = [f"line {number}" for number in range(lines)]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return variables(NIGHT)

    def compose(self) -> ComposeResult:
        yield TalkPane(lambda width, height: [Text(line) for line in self.lines], id="talk")

    def on_talk_pane_copied(self, message: TalkPane.Copied) -> None:
        self.copied.append(message.text)


def in_sight(pane: TalkPane) -> list[str]:
    """The lines in sight."""
    top, height = pane.scroll_offset.y, pane.scrollable_content_region.height
    return [line.plain for line in pane.lines[top : top + height]]


async def test_the_newest_line_is_always_in_sight_and_lines_move_by_half_pages() -> None:
    app = Talk(0)
    async with app.run_test(size=(40, 12)) as pilot:
        pane = app.query_one(TalkPane)
        tops = []
        for number in range(60):
            app.lines.append(f"line {number}")
            pane.show()
            await pilot.pause()
            assert in_sight(pane)[-1] == f"line {number}"
            tops.append(pane.scroll_offset.y)
        moves = sum(top != before for before, top in itertools.pairwise(tops))
        assert moves <= 60 // 5 + 1


async def test_search_goes_from_hit_to_hit_and_ends() -> None:
    app = Talk(40)
    async with app.run_test(size=(40, 12)) as pilot:
        pane = app.query_one(TalkPane)
        pane.focus()
        await pilot.press("slash", *"INE 1", "enter")
        assert "line 19" in in_sight(pane)  # the last of line 1, 10 to 19
        assert "11 of 11" in str(pane.border_subtitle)
        await pilot.press("n")
        assert "line 1" in in_sight(pane)
        assert "1 of 11" in str(pane.border_subtitle)
        await pilot.press("N", "N")
        assert "10 of 11" in str(pane.border_subtitle)
        Talk.copied.clear()
        await pilot.press("y")
        assert Talk.copied == ["line 18"]
        await pilot.press("escape")
        assert in_sight(pane)[-1] == "line 39"
        assert not pane.check_action("find", (1,))
        await pilot.press("slash", *"nowhere", "enter")
        assert "not found" in str(pane.border_subtitle)


async def test_y_copies_the_last_line_in_sight() -> None:
    app = Talk(5)
    async with app.run_test(size=(40, 12)) as pilot:
        app.query_one(TalkPane).focus()
        Talk.copied.clear()
        await pilot.press("y")
        assert Talk.copied == ["line 4"]


async def test_a_copy_goes_to_the_terminal_or_into_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    app, written = Talk(1), []
    async with app.run_test():
        assert app._driver is not None
        monkeypatch.setattr(app._driver, "write", written.append)
        assert copy(app, "a\x1b[31mb", tmp_path / "x.db") == "Copied."
        sequence = base64.b64encode(b"a[31mb").decode()
        assert any(sequence in text for text in written), written
        monkeypatch.setenv("TERM", "linux")
        said = copy(app, "words", tmp_path / "x.db")
        assert "x-copied.txt" in said
        assert (tmp_path / "x-copied.txt").read_text() == "words\n"
