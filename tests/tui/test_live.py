"""The live screen: each key does what it says, with a real runner behind it."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest
from textual.events import Key

from parlour.games.common.errors import BadSave
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.plan.additions import Addition
from parlour.tournament.save.growing.grow import grow
from parlour.tournament.save.lock import holder
from parlour.tui.app import ParlourApp
from parlour.tui.models.match_tree import MatchRow
from parlour.tui.screens.home import HomeScreen
from parlour.tui.screens.leaderboard import LeaderboardScreen
from parlour.tui.screens.live import MatchList
from parlour.tui.screens.replay import ReplayScreen
from parlour.tui.settings import Settings
from parlour.tui.widgets.dialogs import ChoiceDialog, Leaving
from parlour.tui.widgets.drawn import DrawnPane
from parlour.tui.widgets.panes import ListPane, Pane
from tests.tournaments import ANSWERS, MATCHES, printed, tamper
from tests.tui.playing import (
    OF_A_MATCH,
    Driven,
    answers_in,
    detached,
    driven,
    end,
    pane_text,
    play,
    running,
    saved,
    watched,
)

SAVE = Path("saves/small.db")
WIDE = (160, 48)
"""A terminal on which all panes are beside each other."""
A_ROUND = 9
"""Answers of one round of undercover: 3 clues, 3 own roles, 3 beliefs."""


# --- Space and the steps


async def test_space_pauses_until_nothing_is_in_flight_and_space_again_goes_on() -> None:
    async with watched(await saved(SAVE, 0), pace=60) as (pilot, runner):
        await pilot.until(lambda: runner.stats.answers > 3)
        assert "► running" in pilot.shown
        await pilot.press("space", sees="‖ paused")
        answers = runner.stats.answers
        assert (runner.state, answers_in(SAVE)) == ("paused", answers)
        await asyncio.sleep(0.3)
        assert runner.stats.answers == answers
        await pilot.press("space")
        await pilot.until(lambda: runner.stats.answers > answers)
        assert runner.state == "running"


async def test_space_starts_a_runner_where_there_is_none() -> None:
    save = await saved(SAVE, 150)
    try:
        async with driven(save) as pilot:
            assert "○ not running" in pilot.shown
            await pilot.press("space", sees="✓ finished   12 of 12")
        assert answers_in(save) == ANSWERS
    finally:
        end(save)


@pytest.mark.parametrize(
    ("answers", "key", "said"),
    [
        (None, "space", "All matches are finished; l shows the leaderboard."),
        (None, "M", "All matches are finished; l shows the leaderboard."),
        (30, "n", "Not running. Space starts the tournament, then n steps."),
        (30, "plus", "Not running, so there is no pace to change."),
    ],
)
async def test_a_key_that_has_nothing_to_steer_says_why(
    answers: int | None, key: str, said: str
) -> None:
    async with driven(await saved(SAVE, answers)) as pilot:
        await pilot.press(key, says=said)
        assert holder(SAVE) is None
        assert ("space pause" in pilot.shown) == (answers is not None)
        assert answers is None or answers_in(SAVE) == answers


@pytest.mark.parametrize(("key", "answers"), [("n", 1), ("N", A_ROUND), ("M", OF_A_MATCH)])
async def test_a_step_plays_its_share_of_the_focused_match_and_nothing_else(
    key: str, answers: int
) -> None:
    async with watched(await saved(SAVE, 0), paused=True) as (pilot, runner):
        pilot.live.show_match(2)
        await pilot.press(key)

        def rests_after(played: int) -> bool:
            # Both together: right after the key the screen still shows the rest before it.
            watched = pilot.live.watched
            seen = (watched.asks, set(watched.moved))
            return (watched.state, seen) == ("paused", (played, {2}))

        await pilot.until(lambda: rests_after(answers))
        assert runner.stats.answers == answers


async def test_a_step_while_all_runs_pauses_everything_else() -> None:
    async with watched(await saved(SAVE, 0), pace=40) as (pilot, runner):
        await pilot.until(lambda: pilot.live.watched.state == "running")
        await pilot.press("n")
        await pilot.until(lambda: pilot.live.watched.state == "paused")
        answers = runner.stats.answers
        await asyncio.sleep(0.2)
        assert runner.stats.answers == answers


async def test_a_step_when_the_focused_match_is_over_goes_on_to_one_that_is_not() -> None:
    async with watched(await saved(SAVE, OF_A_MATCH), paused=True) as (pilot, runner):
        pilot.live.show_match(1)
        await pilot.press("n")
        await pilot.until(lambda: runner.stats.answers == 1)
        assert pilot.live.watched.focus.match.number == 2


async def test_a_step_when_every_match_is_over_says_so() -> None:
    async with driven(await saved(SAVE)) as pilot:
        pilot.live.watched.live = RunnerStatus(
            state="paused"
        )  # its last word, just before it ended
        pilot.live.action_step("turn")
        await pilot.pause()
        assert pilot.toasts == ["All matches are finished; l shows the leaderboard."]


# --- The pace


SLOWER = [("minus", pace) for pace in (8.0, 4.0, 2.0, 1.0, 0.5, 0.5)]  # there is no slower one
NO_LIMIT = [("plus", None), ("plus", None), ("minus", 128.0)]


@pytest.mark.parametrize(
    ("first", "keys", "words"),
    [
        (4, [("plus", 8.0), ("equals_sign", 16.0), *SLOWER], "(pace 0.5/s)"),
        (128, NO_LIMIT, "(pace 128/s)"),
    ],
)
async def test_plus_and_minus_go_through_the_paces(
    first: float, keys: list[tuple[str, float | None]], words: str
) -> None:
    save = await saved(SAVE, 0)
    size = (120, 40)
    async with running(save, pace=first, paused=True) as runner, driven(save, size=size) as pilot:
        await pilot.until(lambda: pilot.live.watched.state == "paused")
        for key, pace in keys:
            await pilot.press(key)
            await pilot.until(lambda pace=pace: runner.gate.pace == pace)
            await pilot.until(lambda pace=pace: pilot.live.watched.live.pace == pace)
        await pilot.sees(words)


async def test_pace_keys_struck_in_a_burst_each_go_one_further() -> None:
    async with watched(await saved(SAVE, 0), pace=4, paused=True) as (pilot, runner):
        for _ in range(3):  # all at once: the pilot would wait after each
            pilot.app.post_message(Key("plus", "+"))
        await pilot.until(lambda: runner.gate.pace == 32.0)


async def test_a_pace_key_waits_for_a_runner_that_starts() -> None:
    save = await saved(SAVE, 0)
    async with driven(save) as pilot:
        pilot.live._started = time.monotonic()
        await pilot.press("plus")
        async with running(save, pace=4, paused=True) as runner:
            await pilot.until(lambda: runner.gate.pace == 8.0)
        assert pilot.toasts == []


# --- The list of matches


async def test_every_match_is_listed_with_its_ending_or_how_far_it_is() -> None:
    # 30 answers, one match after the other: match 1 is over, match 2 has 30 - 21 = 9.
    async with driven(await saved(SAVE, 30), size=WIDE) as pilot:
        rows = [row.split() for row in pane_text(pilot.live, "#matches").splitlines()]
        assert rows[0] == ["At", "the", "table", "1"]
        assert rows[1][:7] == ["▎♠", "2", "A", "R", "A", "clues", "2/2"]
        assert rows[2] == []
        assert rows[3] == ["▾", "♠", "Undercover", "╸─────", "1/12"]
        assert rows[4] == ["1", "R", "A", "R", "undercover", "escaped", "★", "A"]
        assert rows[5] == ["10", "to", "come"]


async def test_enter_opens_and_closes_headings_and_shows_the_rest_of_a_game() -> None:
    async with driven(await saved(SAVE, 30), size=WIDE) as pilot:

        def rows() -> list[str]:
            return pane_text(pilot.live, "#matches").splitlines()

        await pilot.press("end")
        assert rows()[-1].split() == ["▎", "10", "to", "come"]
        assert pilot.live.watched.focus.match.number == 2  # no match stands there
        await pilot.press("enter")
        numbers = [row.split()[0] for row in rows()[5:-1]]
        assert numbers == [str(number) for number in range(3, MATCHES + 1)]
        assert rows()[-1].split()[-1] == "fewer"
        await pilot.press("end", "enter")
        assert len(rows()) == 6
        await pilot.press("home", "down", "enter")  # from match 2 past the gap to the heading
        assert [row.split()[:3] for row in rows()[3:]] == [["▎▸", "♠", "Undercover"]]
        await pilot.press("enter")
        assert len(rows()) == 6


async def test_a_match_in_play_shows_the_letters_of_the_seats_it_waits_for_reversed() -> None:
    save = await saved(SAVE, 0)
    paused = running(save, concurrency=1, paused=True)
    async with paused as runner, driven(save, size=WIDE) as pilot:
        await pilot.until(lambda: "clues 1/2" in pane_text(pilot.live, "#matches"))

        def reversed_letters() -> list[int]:
            """The columns of the first match's letters on a ground of their own."""
            row = pilot.live.query_one("#matches", ListPane).line(1, 40)
            chips = [span for span in row.spans if " on " in str(span.style)]
            return [(span.start - 9) // 2 for span in chips]

        await pilot.until(lambda: reversed_letters() == list(runner.playing[1].waiting))
        await pilot.press("n", "n", "n")  # the third clue given, all are asked for their role
        await pilot.until(lambda: reversed_letters() == [0, 1, 2])
        await pilot.until(lambda: "aside 1/2" in pane_text(pilot.live, "#matches"))


async def test_the_cursor_moves_by_arrows_letters_pages_and_to_the_ends() -> None:
    async with driven(await saved(SAVE), size=(120, 16)) as pilot:
        matches = pilot.live.query_one("#matches", ListPane)
        page = matches.scrollable_content_region.height - 1
        last = MATCHES  # row 0 is the heading, then the matches, the last one first
        for key, row in (
            ("home", 0),
            ("down", 1),
            ("j", 2),
            ("k", 1),
            ("up", 0),
            ("up", 0),
            ("G", last),
            ("j", last),
            ("home", 0),
            ("end", last),
            ("home", 0),
            ("pagedown", page),
            ("pageup", 0),
        ):
            await pilot.press(key)
            assert matches.cursor == row, key
            if row:
                assert pilot.live.watched.focus.match.number == MATCHES + 1 - row
            top = matches.scroll_offset.y
            assert top <= row < top + matches.scrollable_content_region.height


async def test_enter_goes_to_the_talk_of_a_match_in_play_and_replays_a_finished_one() -> None:
    async with driven(await saved(SAVE, 30), size=WIDE) as pilot:
        await pilot.press("home", "enter")
        assert pilot.focused == "talk"
        await pilot.press("1", "down", "down", "enter", at=ReplayScreen)


async def test_a_click_moves_the_cursor_and_a_second_one_opens() -> None:
    async with driven(await saved(SAVE), size=WIDE) as pilot:
        await pilot.click("#matches", offset=(5, 4))  # the border takes the first line
        assert pilot.live.watched.focus.match.number == MATCHES - 2
        await pilot.click("#matches", offset=(5, 4))
        await pilot.until(lambda: isinstance(pilot.app.screen, ReplayScreen))


# --- The filter


def listed(pilot: Driven) -> list[list[str]]:
    """The words of each match in the list."""
    rows = [row.split() for row in pane_text(pilot.live, "#matches").splitlines()]
    rows = [row[1:] if row[:1] == ["▎"] else row for row in rows]
    return [row for row in rows if row and row[0].isdigit() and row[1] != "to"]


async def test_the_filter_keeps_the_matches_that_fit_and_escape_brings_all_back() -> None:
    async with driven(await saved(SAVE), size=WIDE) as pilot:
        await pilot.press("slash", *"rob vs LIN")
        # Per setting the pairs are Ada-Rob, Ada-Lin, Rob-Lin with two matches each.
        assert [row[0] for row in listed(pilot)] == ["12", "11", "6", "5"]  # newest first, as ever
        assert "1 Matches · /rob vs lin" in pilot.shown
        await pilot.press("enter")
        assert pilot.focused == "matches"
        assert not pilot.live.query_one("#filter").display
        assert pilot.live.watched.focus.match.number == 12
        await pilot.press("down")
        assert pilot.live.watched.focus.match.number == 11
        await pilot.press("escape")
        assert len(listed(pilot)) == MATCHES
        matches = pilot.live.query_one("#matches", MatchList)
        assert matches.row_at(matches.cursor) == MatchRow(11)  # still on match 11
        await pilot.press("slash", *"zzz")
        text = " ".join(pane_text(pilot.live, "#matches").split())
        assert text == "No match fits the filter: / changes it."
        await pilot.press("enter", "enter", "down")  # there is nothing to open
        assert pilot.focused == "matches"
        await pilot.press("escape")
        await pilot.press("escape", at=HomeScreen)


async def test_letters_typed_into_the_filter_are_text_and_no_commands() -> None:
    async with driven(await saved(SAVE, 30), size=WIDE) as pilot:
        await pilot.press("slash", *"qnlrev1?")
        field = pilot.live.query_one("#filter")
        assert field.value == "qnlrev1?"
        assert pilot.toasts == []
        await pilot.press("f1")
        assert "Keys: Live" in pilot.shown  # F1 is help even here


# --- Panes, tabs and layouts


async def test_tab_goes_round_the_panes_and_numbers_go_to_panes() -> None:
    async with driven(await saved(SAVE), size=WIDE) as pilot:
        order = [pilot.focused]
        for _ in range(4):
            await pilot.press("tab")
            order.append(pilot.focused)
        assert order == ["matches", "talk", "board", "standings", "matches"]
        await pilot.press("shift+tab")
        assert pilot.focused == "standings"
        for key, pane, title in (
            ("2", "talk", "2 ♠ Undercover · match"),
            ("1", "matches", "1 Matches"),
            ("4", "standings", "4 Standings"),
            ("3", "board", "3 Ballot"),
        ):
            await pilot.press(key)
            assert pilot.focused == pane, key
            assert title in pilot.shown


async def test_on_a_narrow_terminal_the_panes_are_tabs() -> None:
    async with driven(await saved(SAVE, 30), size=(80, 24)) as pilot:

        def in_sight() -> list[str | None]:
            return [pane.id for pane in pilot.live.query(Pane) if pane.display and pane.can_focus]

        assert "1 Matches" in pilot.shown.splitlines()[2]
        assert in_sight() == ["talk", "board"]
        for key, panes in (
            ("1", ["matches"]),
            ("3", ["board"]),
            ("4", ["standings"]),
            ("2", ["talk", "board"]),
        ):
            await pilot.press(key)
            assert in_sight() == panes
            assert pilot.focused == panes[0]
        await pilot.press("1", "enter")  # a match in play: its talk
        assert in_sight() == ["talk", "board"]
        await pilot.resize_terminal(160, 48)
        await pilot.until(lambda: len(in_sight()) == 4)
        await pilot.resize_terminal(50, 12)
        await pilot.sees("60 × 16 at least")
        assert "this terminal has 50 × 12" in pilot.shown
        await pilot.resize_terminal(80, 24)
        await pilot.until(lambda: in_sight() == ["talk", "board"])


async def test_v_goes_through_the_layouts_and_each_is_what_it_is_called() -> None:
    async with driven(await saved(SAVE), size=(160, 36)) as pilot:

        def corners() -> list[tuple[int, int]]:
            panes = [pilot.live.query_one(f"#{name}") for name in ("matches", "talk", "board")]
            return [(pane.region.x, pane.region.y) for pane in panes if pane.display]

        assert len({x for x, _ in corners()}) == 3
        await pilot.press("v", says="Layout: columns, kept for the next start.")
        assert len({x for x, _ in corners()}) == 3
        assert len({y for _, y in corners()}) == 1
        await pilot.press("v")
        assert len({x for x, _ in corners()}) == 1
        assert len({y for _, y in corners()}) == 3
        await pilot.press("v", says="Layout: wide talk, kept for the next start.")
        assert len(corners()) == 2
        await pilot.press("1", "4")  # a pane that cannot be seen does not take the keys away
        assert pilot.focused == "matches"
        assert pilot.toasts == ["The layout 'wide talk' hides this pane: v goes to the next one."]
        await pilot.press("v", says="Layout: auto, kept for the next start.")


async def test_a_layout_without_room_is_passed_over_with_a_word_and_shown_as_auto() -> None:
    settings = Settings(Path("none.toml"), layout="columns")
    async with driven(await saved(SAVE), size=(160, 36), settings=settings) as pilot:

        def in_sight() -> list[str]:
            panes = pilot.live.query(Pane)
            return [str(pane.id) for pane in panes if pane.display and pane.can_focus]

        assert in_sight() == ["matches", "talk", "board", "standings"]
        await pilot.resize_terminal(80, 24)
        await pilot.until(lambda: in_sight() == ["talk", "board"])  # as auto
        assert settings.layout == "columns"
        await pilot.press("v")
        assert settings.layout == "wide talk"
        assert pilot.toasts == [
            "Layout: wide talk, kept for the next start. Stacked needs 36 rows."
        ]
        await pilot.until(lambda: in_sight() == ["talk"])
        await pilot.press("v", "v")
        assert settings.layout == "wide talk"
        assert pilot.toasts == [
            "Layout: wide talk, kept for the next start. Columns needs 110 columns."
            " Stacked needs 36 rows."
        ]


# --- The wall


async def test_a_wall_without_a_match_in_play_says_so_before_and_after_the_last_one() -> None:
    save = await saved(SAVE, 0)
    async with driven(save) as pilot:
        before = pilot.live
        await pilot.press("g")
        screen = pilot.app.screen
        await pilot.until(lambda: "No match is in play." in pane_text(screen, "#wall"))
        await play(save)
        await pilot.until(lambda: before.watched.progress.done)
        await pilot.until(lambda: "All matches are over." in pane_text(screen, "#wall"))


# --- Following


async def test_the_talk_follows_only_at_its_end_else_it_counts_what_is_new() -> None:
    async with watched(await saved(SAVE, 0), paused=True, size=(80, 17)) as (pilot, _):
        talk = pilot.live.query_one("#talk", DrawnPane)

        def newest_in_sight() -> bool:
            last = [line for line in pane_text(pilot.live, "#talk").splitlines() if line.strip()]
            return last[-1].rstrip() in pilot.shown

        await pilot.press("N")
        await pilot.until(lambda: pilot.live.watched.focus.shown == A_ROUND)
        await pilot.until(newest_in_sight)
        assert talk.following  # it was there, so it followed
        assert "new" not in talk.border_subtitle
        await pilot.press("2", "home")
        await pilot.until(lambda: talk.scroll_offset.y == 0)
        await pilot.press("N")
        await pilot.until(lambda: " new" in talk.border_subtitle)
        assert talk.scroll_offset.y == 0
        assert " new " in pilot.shown
        await pilot.until(pilot.live.is_over)  # so that f goes to the next match at once
        await pilot.press("f", says="Following the play.")
        await pilot.until(newest_in_sight)
        assert "new" not in talk.border_subtitle
        await pilot.press("home", "n")
        await pilot.until(lambda: " new" in talk.border_subtitle)
        await pilot.press("G")  # to the end by hand
        await pilot.until(lambda: "new" not in talk.border_subtitle)
        before = pane_text(pilot.live, "#talk")
        await pilot.press("n")
        await pilot.until(lambda: pane_text(pilot.live, "#talk") != before)
        await pilot.until(newest_in_sight)
        assert talk.following
        assert "new" not in talk.border_subtitle


async def test_a_reader_at_the_end_stays_there_however_the_screen_changes() -> None:
    async with driven(await saved(SAVE)) as pilot:
        talk = pilot.live.query_one("#talk", DrawnPane)

        def at_end() -> bool:
            last = [line for line in pane_text(pilot.live, "#talk").splitlines() if line.strip()]
            return bool(last) and last[-1].rstrip() in pilot.shown

        sizes = [(80, 24), (60, 16), (80, 24), (150, 20), (20, 5), (80, 24)]
        for width, height in sizes:
            await pilot.resize_terminal(width, height)
            if width >= 60:
                await pilot.until(at_end)
        await pilot.press("2", "home")
        for width, height in sizes:
            await pilot.resize_terminal(width, height)
            await pilot.pause()
        assert talk.scroll_offset.y == 0  # and one who is elsewhere is not moved


async def test_f_at_the_end_stops_following_and_f_again_goes_to_a_match_in_play() -> None:
    async with watched(await saved(SAVE, OF_A_MATCH), paused=True) as (pilot, _):
        await pilot.press("f", says="Staying with this match.")
        pilot.live.show_match(1)  # which is over
        await pilot.press("f", says="Following the play.")
        assert pilot.live.watched.focus.match.number == 2


async def test_while_following_the_next_match_in_play_comes_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("parlour.tui.screens.live.NEXT_MATCH_SECONDS", 0.25)
    save = await saved(SAVE, OF_A_MATCH - 3)  # only the three votes of match 1 are missing
    async with running(save, concurrency=1, pace=30, paused=True) as runner, driven(save) as pilot:
        await pilot.until(lambda: pilot.live.watched.state == "paused")
        assert pilot.live.watched.focus.match.number == 1
        await pilot.press("space")
        await pilot.until(lambda: runner.stats.finished >= 1)
        await pilot.until(lambda: pilot.live.watched.focus.match.number > 1)


async def test_one_who_has_chosen_a_match_is_not_taken_away_from_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("parlour.tui.screens.live.NEXT_MATCH_SECONDS", 0.25)
    save = await saved(SAVE, OF_A_MATCH)
    async with running(save, concurrency=1, pace=30), driven(save, size=WIDE) as pilot:
        await pilot.until(lambda: bool(pilot.live.watched.running()))
        while pilot.live.watched.focus.match.number != 1:
            await pilot.press("down")  # past those at the table to the one that is over
        await pilot.pause(1.0)
        assert pilot.live.watched.focus.match.number == 1


async def test_the_talk_scrolls_by_arrows_letters_pages_and_to_the_ends() -> None:
    async with driven(await saved(SAVE), size=(80, 17)) as pilot:
        await pilot.press("2")
        talk = pilot.live.query_one("#talk", DrawnPane)
        last, page = talk.max_scroll_y, talk.room
        assert last > 2 * page
        for key, line in (
            ("home", 0),
            ("down", 1),
            ("j", 2),
            ("k", 1),
            ("up", 0),
            ("pagedown", page),
            ("pageup", 0),
            ("end", last),
            ("home", 0),
            ("G", last),
        ):
            await pilot.press(key)
            await pilot.until(lambda line=line: talk.scroll_offset.y == line)


# --- Other screens, exports and the way out


async def test_l_shows_the_leaderboard_and_escape_comes_back() -> None:
    async with driven(await saved(SAVE)) as pilot:
        before = pilot.live
        for key in ("l", "L"):
            await pilot.press(key, at=LeaderboardScreen)
            await pilot.press("escape")
            assert pilot.app.screen is before


async def test_a_key_struck_twice_opens_one_screen_and_escape_twice_goes_home_once() -> None:
    async with driven(await saved(SAVE)) as pilot:
        for key in ("l", "l"):  # both before the first is handled: the pilot would wait
            pilot.app.post_message(Key(key, key))
        await pilot.until(lambda: isinstance(pilot.app.screen, LeaderboardScreen))
        await pilot.press("escape")
        assert pilot.live
        for _ in range(2):
            pilot.app.post_message(Key("escape", None))
        await pilot.until(lambda: isinstance(pilot.app.screen, HomeScreen))
        await pilot.pause()
        assert isinstance(pilot.app.screen, HomeScreen)


async def test_e_writes_the_transcript_as_text() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await pilot.press("e", "1", says="Written: saves/small-match-1.txt")
    text = Path("saves/small-match-1.txt").read_text(encoding="utf-8")
    assert text == printed("replay", Path("saves/small.db").absolute(), 1, cwd=Path.cwd())
    assert text.startswith("Match 1: undercover: Ada vs Rob\n  Player 1 is ")
    assert "[1] Table: Player 2 says" in text
    assert "Ended: escaped" in text
    assert text.endswith("credits\n")


async def test_e_offers_the_leaderboard_too_and_escape_writes_nothing() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await pilot.press("e", "escape")
        assert pilot.live
        await pilot.press("e", "down", "enter", at=LeaderboardScreen)
    assert [path.name for path in Path("saves").glob("small-*")] == []


async def test_an_export_that_cannot_be_written_says_why() -> None:
    async with driven(await saved(SAVE)) as pilot:
        Path("saves/small-match-1.txt").mkdir()
        await pilot.press("e", "1")
        assert pilot.toasts == ["saves/small-match-1.txt cannot be written (Is a directory)"]


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
async def test_with_nothing_running_leaving_is_immediate(key: str) -> None:
    async with driven(await saved(SAVE, 30)) as pilot:
        await pilot.press(key)
        assert pilot.app._exit


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
async def test_leaving_a_running_tournament_asks_and_leave_it_running_does(key: str) -> None:
    async with watched(await saved(SAVE, 0), pace=20) as (pilot, runner):
        await pilot.until(lambda: pilot.live.watched.live is not None)
        await pilot.press(key, at=Leaving)
        await pilot.press("escape")
        assert pilot.live
        await pilot.press(key, "1")
        assert pilot.app._exit
        assert runner.state == "running"


async def test_leaving_with_a_pause_waits_until_all_is_at_rest() -> None:
    async with watched(await saved(SAVE, 0), pace=20) as (pilot, runner):
        await pilot.until(lambda: runner.stats.answers > 0)
        await pilot.press("q", "2")
        await pilot.until(lambda: pilot.app._exit)
        assert runner.state == "paused"
        assert answers_in(SAVE) == runner.stats.answers


async def test_leaving_with_a_stop_ends_the_process_and_loses_nothing() -> None:
    save = await saved(SAVE, 0)
    with detached(save, pace=20):
        async with driven(save) as pilot:
            await pilot.until(
                lambda: pilot.live.watched.live is not None and pilot.live.watched.live.answers > 0
            )
            await pilot.press("q", "3")
            await pilot.until(lambda: pilot.app._exit)
        for _ in range(200):
            if holder(save) is None:
                break
            await asyncio.sleep(0.02)
        assert holder(save) is None
    assert answers_in(save) > 0


async def test_leaving_a_paused_tournament_offers_to_keep_it_paused() -> None:
    async with watched(await saved(SAVE, 0), paused=True) as (pilot, runner):
        await pilot.press("q", at=Leaving)
        said = pane_text(pilot.app.screen, "#options")
        assert "keep it paused" in said
        assert "running" not in said
        assert "pause" not in said.replace("paused", "")
        await pilot.press("1")
        assert pilot.app._exit
        assert runner.state == "paused"


@pytest.mark.parametrize(
    ("over", "above", "key"), [("e", ChoiceDialog, "ctrl+c"), ("l", LeaderboardScreen, "q")]
)
async def test_leaving_asks_over_another_screen_and_leaves_when_asked_twice(
    over: str, above: type, key: str
) -> None:
    async with watched(await saved(SAVE, 0), pace=20) as (pilot, runner):
        await pilot.until(lambda: pilot.live.watched.live is not None)
        await pilot.press(over, at=above)
        await pilot.press(key, at=Leaving)
        assert not pilot.app._exit
        await pilot.press("ctrl+c")
        assert pilot.app._exit
        assert runner.state == "running"


async def test_escape_goes_to_all_saves_and_the_runner_goes_on() -> None:
    async with watched(await saved(SAVE, 0), pace=20) as (pilot, runner):
        await pilot.until(lambda: runner.stats.answers > 0)
        await pilot.press("escape", at=HomeScreen)
        answers = runner.stats.answers
        await pilot.until(lambda: runner.stats.answers > answers)
        assert "running" in pilot.shown
        await pilot.press("enter", sees="► running")
        await pilot.press("escape")  # back to the same home screen, not to a second one
        assert len(pilot.app.screen_stack) == 2


# --- The runner's own troubles, and saves that cannot be read


async def test_a_failing_agent_is_named_in_the_status_line() -> None:
    async with watched(await saved(SAVE, 0), paused=True, size=(160, 30)) as (pilot, runner):
        runner.stats.failed[1] = "match 1: agent 'Ada' failed with KeyError: 'word'"
        await pilot.sees("match 1: agent 'Ada' failed with KeyError")
        runner.stop()
        await pilot.sees("✗ failed")
        assert "match 1: agent 'Ada' failed with KeyError" in pilot.shown  # it is still the reason


async def test_a_provider_left_alone_and_the_budget_are_in_the_status_line() -> None:
    async with watched(await saved(SAVE, 0), paused=True, size=(200, 30)) as (pilot, runner):
        runner.limits.describe = lambda: ["openai: paused for 30 s (server errors)"]  # type: ignore[method-assign]
        runner.stats.calls, runner.stats.cached, runner.stats.dollars = 3, 2, 0.1234
        runner.run_options = replace(runner.run_options, budget=5.0)
        await pilot.sees("openai: paused for 30 s (server errors)")
        await pilot.sees("3 calls, 2 cached")
        await pilot.sees("$0.1234 of $5.00")


async def test_a_frozen_match_says_why_it_cannot_go_on() -> None:
    save = await saved(SAVE, 30)
    tamper(save, "UPDATE matches SET frozen = 'match 2, ask 3: differs' WHERE number = 2")
    async with driven(save, size=WIDE) as pilot:
        pilot.live.show_match(2)
        await pilot.pause()
        row = listed(pilot)[0]
        assert (row[0], row[-2:]) == ("2", ["✗", "frozen"])
        talk = " ".join(pane_text(pilot.live, "#talk").split())
        assert "✗ frozen, cannot continue: match 2, ask 3: differs" in talk
        assert "1 frozen" in pilot.shown


async def test_an_answer_that_the_rules_do_not_take_is_said_in_the_transcript() -> None:
    save = await saved(SAVE, 30)
    tamper(save, "UPDATE answers SET value = '{}' WHERE match = 2 AND ask = 1")
    async with driven(save) as pilot:
        pilot.live.show_match(2)
        await pilot.pause()
        assert "match 2, ask 1, Player" in pane_text(pilot.live, "#talk")


async def test_a_save_that_cannot_be_read_is_refused_before_the_screen_is_taken() -> None:
    save = await saved(SAVE, 30)
    tamper(save, "UPDATE tournament SET spec = 'no JSON'")
    with pytest.raises(BadSave, match="damaged"):
        ParlourApp(save)


async def test_a_save_that_goes_bad_while_it_is_watched_says_so_and_the_app_goes_on() -> None:
    save = await saved(SAVE, 30)
    async with driven(save) as pilot:
        await pilot.sees("not running")
        tamper(save, "DELETE FROM tournament")
        tamper(save, "DROP TABLE stored_answers")
        await pilot.sees("✗ saves/small.db: is damaged")
        await pilot.press("escape", at=HomeScreen)


# --- A tournament that grows


async def test_a_tournament_that_grew_meanwhile_is_shown_with_its_new_matches() -> None:
    save = await saved(SAVE)
    async with driven(save) as pilot:
        await pilot.until(lambda: pilot.live.watched.progress.matches == MATCHES)
        await asyncio.to_thread(grow, save, Addition(repetitions=2))
        await play(save)
        await pilot.until(lambda: pilot.live.watched.progress.finished == 2 * MATCHES)
        assert not pilot.live.watched.trouble
