"""The small windows: help, a choice, a line of text, the palette."""

from pathlib import Path

import pytest

from parlour.tui.look.look import Look
from parlour.tui.views.key_help import HelpLine, help_lines
from parlour.tui.widgets.dialogs import ChoiceDialog, CommandList, Help, LinePrompt
from parlour.tui.widgets.drawn import DrawnPane
from parlour.tui.widgets.panes import ListPane
from tests.tui.playing import driven, pane_text, saved

SAVE = Path("saves/small.db")


async def test_help_opens_and_closes_by_each_of_its_keys() -> None:
    async with driven(await saved(SAVE, 30)) as pilot:
        for opens, closes in (
            ("question_mark", "question_mark"),
            ("f1", "f1"),
            ("f1", "q"),
            ("question_mark", "escape"),
        ):
            await pilot.press(opens, at=Help, sees="Keys: Live")
            await pilot.press(closes)
            assert pilot.live
            assert pilot.app.return_code is None


async def test_help_is_about_the_screen_below_and_can_be_scrolled_where_it_is_long() -> None:
    async with driven(await saved(SAVE, 30), size=(60, 12)) as pilot:
        await pilot.press("question_mark")
        text = pilot.app.screen.query_one(DrawnPane)
        assert "Pause/resume" in pilot.shown
        assert "Leave" not in pilot.shown
        await pilot.press("G")
        await pilot.until(lambda: text.scroll_offset.y == text.max_scroll_y > 0)
        assert "any of these ranks" in pilot.shown
        await pilot.press("escape", "l", "question_mark")
        assert "By game" in pane_text(pilot.app.screen, "#lines")
        assert "Pause/resume" not in pane_text(pilot.app.screen, "#lines")


async def test_the_border_of_help_counts_the_lines_out_of_sight() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await pilot.press("question_mark")
        pane = pilot.app.screen.query_one(DrawnPane)
        below = pane.virtual_size.height - pane.scrollable_content_region.height
        assert below > 0
        assert f"more: ↓ {below} ─" in pilot.shown
        await pilot.press("down", sees=f"more: ↑ 1  ↓ {below - 1} ─")
        await pilot.press("G", sees=f"more: ↑ {below} ─")
        await pilot.resize_terminal(80, 80)
        await pilot.pause()
        assert "esc closes" in pilot.shown


async def test_help_shows_all_keys_of_an_action_on_one_line() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await pilot.press("question_mark")
        lines = pane_text(pilot.app.screen, "#lines").splitlines()
        assert any(line.split() == ["?", "f1", "Help"] for line in lines)
        assert any(line.split() == ["↓", "j", "Scroll", "down"] for line in lines)
        keys = [line for line in lines if line.strip(" ─")]
        assert len(keys) == len(set(keys))


async def test_a_choice_is_made_by_number_or_with_the_cursor_and_not_by_accident() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await pilot.press("e", at=ChoiceDialog)
        options = pilot.app.screen.query_one("#options", ListPane)
        await pilot.press("9", "x", "n", "space", "q")  # none of these is an option
        assert isinstance(pilot.app.screen, ChoiceDialog)
        await pilot.press("down", "down", "down")
        assert options.cursor == 1
        await pilot.press("k")
        assert options.cursor == 0
        await pilot.press("escape")
        assert pilot.live
        assert pilot.toasts == []


async def test_the_cursor_of_a_choice_does_not_move_the_list_below() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await pilot.press("e", "down", "escape")
        assert pilot.live.watched.focus.match.number == 1


async def test_a_line_takes_every_letter_as_text() -> None:
    async with driven(None) as pilot:
        await pilot.press("o", *"q?n1", at=LinePrompt)
        assert pilot.app.screen.query_one("#line").value == "q?n1"


async def test_the_palette_finds_an_action_by_its_name_and_does_it() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await pilot.press("ctrl+p", at=CommandList)
        await pilot.press(*"go to the talk")
        await pilot.press("enter")
        await pilot.until(lambda: pilot.focused == "talk")
        await pilot.press("ctrl+p", "escape")
        assert pilot.live


async def test_a_message_is_a_line_over_the_footer_and_covers_nothing_that_is_read() -> None:
    async with driven(await saved(SAVE)) as pilot:
        before = pilot.shown.splitlines()
        pilot.app.screen.say("Cells show the intervals.")  # type: ignore[attr-defined]
        await pilot.sees("Cells show the intervals.")
        after = pilot.shown.splitlines()
        assert after[:-1] == before[:-1]
        assert after[-1].endswith("Cells show the intervals.")
        assert after[-1].startswith(" l leaderboard")


KEYS = (
    HelpLine("live.pause", "space", "Pause"),
    HelpLine("live.export", "e", "Export"),
    HelpLine("live.layout", "v", "Next layout"),
    HelpLine("live.wall", "g", "Wall"),
    HelpLine("list.down", "↓ j", "Row down"),
    HelpLine("app.help", "? f1", "Help"),
)
HEADINGS = ("Steer", "Take away", "Look", "In the pane", "Go", "Everywhere")


@pytest.mark.parametrize("width", [20, 38, 72, 79, 120, 126, 220])
def test_every_line_has_the_width_and_every_key_and_heading_is_there(width: int) -> None:
    lines = help_lines(Look(), KEYS, width)
    assert {line.cell_len for line in lines} == {width}
    text = "\n".join(line.plain for line in lines)
    for key in KEYS:
        assert f"{key.keys:<5}  {key.words}" in text
    assert all(heading in text for heading in HEADINGS)


def test_a_broad_window_has_three_lists_beside_each_other_and_a_narrow_one_has_one() -> None:
    broad, narrow = (help_lines(Look(), KEYS, width) for width in (120, 60))
    assert sum(heading in broad[0].plain for heading in HEADINGS) == 3
    assert sum(heading in narrow[0].plain for heading in HEADINGS) == 1


def test_the_signs_are_explained_below() -> None:
    text = "\n".join(line.plain for line in help_lines(Look(), KEYS, 120))
    assert "private: not all players see it" in text.partition("what the signs say")[2]
