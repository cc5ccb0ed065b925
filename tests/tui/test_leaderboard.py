"""The leaderboard screen: its views, columns in and out of sight, exports in four forms."""

import csv
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event

import pytest

from parlour.ratings.reports.matrix import matrix
from parlour.tui.models.standings import Standings
from parlour.tui.screens.leaderboard import LeaderboardScreen
from parlour.tui.views.leaderboard import MET, OVERALL
from parlour.tui.widgets.panes import ListPane
from tests.tournaments import SMALL, scripted, tamper
from tests.tui.playing import Driven, driven, new_save, pane_text, play, saved, watched

SAVE = Path("saves/small.db")


async def opened(pilot: Driven) -> LeaderboardScreen:
    """The leaderboard screen, once the leaderboard is there."""
    await pilot.press("l")
    screen = pilot.at(LeaderboardScreen)
    await pilot.sees("Ada")
    return screen


@asynccontextmanager
async def standings(
    save: Path, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Driven, LeaderboardScreen]]:
    """The app on the leaderboard screen of a save, and this screen."""
    async with driven(save, size=size) as pilot:
        yield pilot, await opened(pilot)


def rows(screen: LeaderboardScreen) -> list[list[str]]:
    """The words of each row of the table, without the sign of the cursor."""
    lines = pane_text(screen, "#table").splitlines()
    return [words for line in lines if (words := line.replace("▎", " ").split())]


def agents(screen: LeaderboardScreen) -> list[str]:
    """The agents of the table from above."""
    return [({"Ada", "Lin", "Rob"} & {*row}).pop() for row in rows(screen)]


def faulty(save: Path, which: str) -> None:
    """Makes faults of some answers."""
    tamper(save, f"UPDATE answers SET fault = 'empty' WHERE {which}")
    tamper(save, "DELETE FROM counts")


async def test_agents_are_ranked_with_all_columns_where_there_is_room() -> None:
    async with standings(await saved(SAVE), size=(240, 34)) as (pilot, screen):
        assert [row[:3] for row in rows(screen)] == [
            *(["1–3", "A", "Ada"], ["1–3", "L", "Lin"], ["1–3", "R", "Rob"])
        ]
        board = screen.state.board
        assert board is not None
        text = pilot.shown
        for standing in board.by("overall"):
            strength = standing.strength
            assert strength is not None
            half = (strength.high - strength.low) / 2
            words = f"{round(strength.value, 2) + 0.0:+.2f} ±{half:.2f}".replace("-", "−")
            assert any(words in line and standing.agent in line for line in text.splitlines())
            assert f"{standing.rating:.2f}".replace("-", "−") in text
        assert "more columns" not in text
        assert "12 finished matches · 95 % intervals, these settings only" in text
        assert "small" in text.splitlines()[0]  # the name of the tournament


async def test_1_to_6_choose_the_view() -> None:
    words = {
        **{"2": "Strength in each game", "3": "Strength in each role", "4": "Race TrueSkill"},
        **{"5": "Who accuses whom", "6": "Conduct of all stored answers", "1": "strength"},
    }
    async with standings(await saved(SAVE), size=(120, 34)) as (pilot, screen):
        for key, word in words.items():
            await pilot.press(key)
            await pilot.until(lambda word=word: word in pilot.shown)  # type: ignore[misc]
            assert screen.state.view == int(key) - 1
        heading = pilot.shown.splitlines()[1]
        assert heading.split() == [
            *("1", "Overall", "2", "By", "game", "3", "By", "role"),
            *("4", "Race", "5", "Networks", "6", "Conduct"),
        ]


@pytest.mark.parametrize(("right", "left"), [("right", "left"), ("l", "h")])
async def test_columns_that_do_not_fit_come_into_sight_and_rank_and_name_stay(
    right: str, left: str
) -> None:
    async with standings(await saved(SAVE)) as (pilot, screen):
        assert "more columns: → " in pilot.shown
        assert "├" in pilot.shown
        await pilot.press(right)
        assert "├" not in pilot.shown  # the measures have taken its place
        assert "judge" in pilot.shown
        assert rows(screen)[0][:3] == ["1–3", "A", "Ada"]
        await pilot.press(left, left, sees="├")
        await pilot.press(*[right] * 20, sees="σ")
        assert "→" not in pilot.shown
        assert rows(screen)[0][:3] == ["1–3", "A", "Ada"]


async def test_the_cursor_moves_over_the_standings_and_the_picture_follows() -> None:
    async with standings(await saved(SAVE)) as (pilot, screen):
        table = screen.query_one("#table", ListPane)
        for key, row in (("down", 1), ("j", 2), ("k", 1), ("up", 0), ("G", 2), ("home", 0)):
            await pilot.press(key)
            assert table.cursor == row
            assert screen.state.agent == agents(screen)[row]
            assert agents(screen)[row] in str(screen.query_one("#one").border_title)


async def test_s_sorts_by_the_next_column_and_capital_s_from_the_other_end() -> None:
    async with standings(await saved(SAVE), size=(160, 40)) as (pilot, screen):
        await pilot.press("down", "s")  # by rank
        assert screen.state.agent == "Lin"  # the cursor stays on its agent
        await pilot.press("s")  # by name
        assert agents(screen) == ["Ada", "Lin", "Rob"]
        await pilot.press("S")
        assert agents(screen) == ["Rob", "Lin", "Ada"]
        assert screen.state.agent == "Lin"
        await pilot.press("s")  # by strength
        assert agents(screen) == ["Ada", "Lin", "Rob"]
        assert "strength ▼" in pilot.shown
        await pilot.press("S")
        assert agents(screen) == ["Rob", "Lin", "Ada"]
        await pilot.press("enter", sees="Agent │  L  Lin")


async def test_v_shows_intervals_then_counts() -> None:
    async with standings(await saved(SAVE), size=(160, 40)) as (pilot, screen):
        board = screen.state.board
        assert board is not None
        cell = board.by("overall")[0].measures["reasoning"]
        assert cell.k is not None
        await pilot.press("v")
        assert "±" in " ".join(rows(screen)[0])
        await pilot.press("v")
        assert f"{cell.k:.0f}/{cell.n:.0f}" in rows(screen)[0]
        await pilot.press("v")
        assert "/" not in " ".join(rows(screen)[0])


@pytest.mark.parametrize("size", [(160, 40), (80, 24)])
async def test_c_compares_with_the_agent_under_the_cursor(size: tuple[int, int]) -> None:
    async with standings(await saved(SAVE), size=size) as (pilot, screen):
        assert "Ada against the mean" in pilot.shown
        await pilot.press("c", "down", sees="Lin against Ada")
        await pilot.press("enter", sees="Lin against  A  Ada")
        await pilot.press("escape", "up", "c")
        assert screen.state.against is None


async def test_a_cell_by_game_is_opened_below_with_its_matches() -> None:
    async with standings(await saved(SAVE), size=(160, 48)) as (pilot, screen):
        await pilot.press("2", "right", "down", sees="its matches, newest first")
        await pilot.until(lambda: "★" in pane_text(screen, "#one"))
        text = pane_text(screen, "#one")
        assert "Lin in ♠ Undercover   8 matches" in text
        assert "as civilian" in text
        # Its eight matches in two columns.
        assert sum("as undercover" in line or "as civilian" in line for line in text.splitlines())
        await pilot.press("3", sees="Strength in each role")
        await pilot.press("right")
        column = screen.state.tile_column
        assert column is not None
        assert column.role is not None
        await pilot.until(lambda: screen.state.opened is not None)
        opened_cell = screen.state.opened
        assert opened_cell is not None
        await pilot.press("enter", sees="Agent │  L  Lin")


async def test_keys_that_come_at_once_leave_cursor_and_cell_together() -> None:
    async with standings(await saved(SAVE), size=(160, 48)) as (pilot, screen):
        await pilot.press("2")
        for key in ("right", "down", "right", "down", "left"):
            pilot.app.simulate_key(key)
        await pilot.pause()
        assert screen.query_one("#table", ListPane).cursor == 2
        assert screen.state.agent == "Rob"
        await pilot.until(lambda: "Rob in" in pane_text(screen, "#one"))


async def test_the_race_is_shown_by_game_and_as_ranks_and_one_agent_stands_out() -> None:
    async with standings(await saved(SAVE), size=(120, 34)) as (pilot, screen):
        await pilot.press("4")
        await pilot.until(lambda: screen.state.shown is not None)
        await pilot.sees("Ada +")
        assert "all games" in pilot.shown
        await pilot.press("g", sees="Undercover")
        await pilot.press("r", sees="Ada 1")
        await pilot.press("enter")  # nobody is chosen
        assert pilot.app.screen is screen
        await pilot.press("down", "down", "enter", sees="Agent │  L  Lin")
        await pilot.press("escape", "e", "4")
        target = Path("saves/small-race-undercover.json")
        assert json.loads(target.read_text(encoding="utf-8"))["points"]


async def test_the_network_of_votes_has_a_ring_beside_it_and_its_own_export() -> None:
    async with standings(await saved(SAVE), size=(160, 48)) as (pilot, screen):
        await pilot.press("5", sees=("most accused", "Network"))
        assert "╭" in pane_text(screen, "#two")
        ties = screen.state.ties
        await pilot.press("minus", "minus", "plus")
        assert screen.state.ties == ties - 4
        await pilot.press("h", sees="Nobody has met yet.")
        await pilot.press("a", "e", "2")
        text = Path("saves/small-network-accused.csv").read_text(encoding="utf-8")
        assert text.startswith("agent,other,times,chances,share,low,high")
        assert len(text.splitlines()) == 1 + 6
        await pilot.press("s", "s")  # by the votes for the first agent
        assert "▼" in pane_text(screen, "#one")
        await pilot.resize_terminal(80, 24)
        await pilot.until(lambda: not screen.query_one("#two").display)
        await pilot.press("r")
        await pilot.until(lambda: screen.query_one("#two").display)


async def test_moves_since_the_last_look_are_shown() -> None:
    async with standings(await saved(SAVE), size=(120, 34)) as (pilot, screen):
        screen._local.seen_order = ()
        await pilot.press("escape")
        local = screen._local
        assert local.seen_order == ("Ada", "Lin", "Rob")
        local.seen_order = ("Lin", "Rob", "Ada")
        again = await opened(pilot)
        assert again.state.moves == {"Ada": 2, "Lin": -1, "Rob": -1}
        assert "▲2" in pilot.shown
        await pilot.press("escape")
        assert (await opened(pilot)).state.moves == {"Ada": 0, "Lin": 0, "Rob": 0}


CONFIDENT = ("game,condition,role,agent,rank,last_rank,strength", r"% The preamble")
EXPORTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "leaderboard-overall": ((), ("| # | Agent | Strength | Rating |", *CONFIDENT)),
    "head-to-head": (
        ("m",),
        ("| # | Agent | 1 ", "game,agent,other,wins,draws,losses,n", r"\begin{tabular}{lllll}"),
    ),
    "agent-1": (  # Ada is the first agent of the tournament file
        ("enter",),
        ("# Ada\n\n## Capabilities", "agent,game,role,measure,value,k,n", r"\section*{Ada}"),
    ),
}
"""The keys that lead to a view or page, and how its files begin, by the name of these."""


@pytest.mark.parametrize("part", EXPORTS)
async def test_e_writes_what_is_shown_in_each_format(part: str) -> None:
    keys, begins = EXPORTS[part]
    async with standings(await saved(SAVE)) as (pilot, _):
        await pilot.press(*keys)
        endings = ("md", "csv", "tex", "json")
        for choice, (ending, begin) in enumerate(
            zip(endings, (*begins, "{"), strict=True), start=1
        ):
            await pilot.press("e", str(choice))
            target = Path(f"saves/small-{part}.{ending}")
            assert pilot.toasts == [f"Written: {target}"]
            text = target.read_text(encoding="utf-8")
            assert text.replace("\\#", "#").startswith(begin)
            assert all(name in text for name in ("Ada", "Rob", "Lin"))
        assert json.loads(text)
        await pilot.press("e", "escape")  # nothing more is written
        assert len(list(Path("saves").glob(f"small-{part}*"))) == 4


async def test_the_standings_by_role_have_a_file_of_their_own() -> None:
    async with standings(await saved(SAVE)) as (pilot, _):
        await pilot.press("3", "e", "4")
        written = json.loads(Path("saves/small-leaderboard-role.json").read_text(encoding="utf-8"))
        assert written["by"] == "role"
        assert len(written["standings"]) == 6


async def test_6_shows_the_conduct_of_every_agent_with_its_own_export() -> None:
    save = await saved(SAVE)
    faulty(save, "match = 2 AND ask = 0")
    async with standings(save, size=(190, 30)) as (pilot, screen):
        await pilot.press("6")
        await pilot.until(lambda: "84" in pane_text(screen, "#table"))
        # 252 answers of three agents: 84 each. No model, so there are no calls.
        assert [row[:3] for row in rows(screen)] == [
            *(["A", "Ada", "84"], ["R", "Rob", "84"], ["L", "Lin", "84"])
        ]
        assert sum("empty 1" in " ".join(row) for row in rows(screen)) == 1
        assert all(row.count("–") >= 7 for row in rows(screen))
        assert "Faulty: answers replaced by a fallback" in pilot.shown
        await pilot.press("s", "s", "s")  # by name, by answers, by faults
        assert "empty" in rows(screen)[0]
        await pilot.press("S")
        assert "empty" in rows(screen)[-1]
        await pilot.press("s", "s")  # by repairs, and then by calls: nothing has any
        await pilot.press("f")  # of all that is stored: there is nothing to leave out
        assert "without faults" not in pilot.shown.splitlines()[0]
        await pilot.press("e", "2")
        target = Path("saves/small-conduct.csv")
        assert pilot.toasts[-1] == f"Written: {target}"
        assert target.read_text(encoding="utf-8").startswith("agent,answers,faults,repairs,")
        await pilot.press("y")
        assert pilot.toasts[-1].startswith("Copied")
        assert "| Agent | Answers |" in pilot.app.clipboard
        chosen = screen.state.agent
        await pilot.press("enter")
        assert f" {chosen} " in pilot.shown.splitlines()[0]
        await pilot.press("escape", "1", sees="strength")


async def test_conduct_is_there_before_a_match_is_finished() -> None:
    async with driven(await saved(SAVE, 15)) as pilot:
        await pilot.press("l", "6", sees="Ada")
        await pilot.press("enter", says="This agent has finished no match yet.")


async def test_f_leaves_out_the_matches_that_had_a_fault() -> None:
    save = await saved(SAVE)
    faulty(save, "match IN (2, 5) AND ask = 0")
    async with standings(save, size=(240, 30)) as (pilot, _):
        assert "12 finished matches" in pilot.shown
        await pilot.press("f", sees=("Left out because of a fault: 2", "10 finished matches"))
        assert "without faults" in pilot.shown.splitlines()[0]
        await pilot.press("e", "4")
        target = Path("saves/small-leaderboard-overall-without-faults.json")
        assert json.loads(target.read_text(encoding="utf-8"))["left_out"] == 2
        await pilot.press("f", sees="12 finished matches")


async def test_f_says_so_where_every_match_had_a_fault() -> None:
    save = await saved(SAVE)
    faulty(save, "ask = 0")
    async with standings(save) as (pilot, _):
        await pilot.press("f")
        words = "No match is left: 12 matches had a fault, and no other match"
        await pilot.sees(words)


async def test_it_keeps_up_with_a_running_tournament() -> None:
    async with watched(await saved(SAVE, 22), pace=200, paused=True) as (pilot, runner):
        await opened(pilot)
        assert "1 finished match ·" in pilot.shown
        runner.gate.open()
        await pilot.sees("12 finished matches")


async def test_a_save_whose_answers_cannot_be_read_says_so_instead_of_computing_for_ever() -> None:
    save = await saved(SAVE)
    async with driven(save) as pilot:
        save.write_bytes(b"no longer a save" * 100)
        await pilot.press("l", sees="saves/small.db: is")


TWO_GAMES = """
name = "two"
seed = 3
repetitions = 1

[[games]]
name = "public_good"
limit = 1

[[games]]
name = "undercover"
limit = 1
clue_rounds = 1
""" + scripted(
    **{f"{name}, an agent of many words": "random" for name in ("Ada", "Bea", "Cleo", "Dora")}
)


OFTEN = SMALL.replace("seed = 7", "seed = 7\nrepetitions = 3")
"""Enough matches of each pair for intervals."""


async def met(pilot: Driven) -> LeaderboardScreen:
    """The matrix of all against all."""
    screen = await opened(pilot)
    await pilot.sees("finished matches")
    await pilot.press("m")
    assert screen.state.view == MET
    return screen


async def test_m_on_the_leaderboard_shows_everybody_against_everybody() -> None:
    async with driven(await saved(SAVE, text=OFTEN), size=(160, 48)) as pilot:
        screen = await met(pilot)
        board = screen._standings.board
        assert board is not None
        shown_matrix = matrix(board, None)
        text = pane_text(screen, "#table")
        for meeting in shown_matrix.all():
            low, high = meeting.ends
            assert low is not None
            assert high is not None
            assert f"{100 * meeting.share:.0f} %" in text
            assert f"±{50 * (high - low):.0f} of {meeting.n}" in text
        assert text.count("·") == 3
        assert "a draw is half a win" in " ".join(pilot.shown.replace("│", "").split())
        await pilot.press("escape")
        assert screen.state.view == OVERALL


async def test_on_a_small_screen_the_columns_of_meetings_follow_the_cursor() -> None:
    path = new_save(SAVE, TWO_GAMES)
    await play(path)
    async with driven(path) as pilot:
        await met(pilot)
        await pilot.resize_terminal(34, 20)
        await pilot.sees("more columns: → ")
        await pilot.press(*["right"] * 10)
        assert "more columns: →" not in pilot.shown
        await pilot.resize_terminal(80, 24)

        await pilot.press("e", "1", "e", "2")
        markdown = Path("saves/small-head-to-head.md").read_text(encoding="utf-8")
        assert "an agent of many words" in markdown  # names are whole in a file
        text = Path("saves/small-head-to-head.csv").read_text(encoding="utf-8")
        assert len(list(csv.DictReader(io.StringIO(text)))) == 4 * 3


async def test_opened_before_the_leaderboard_is_there_it_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    computed, refresh = Event(), Standings.refresh

    def held(standings: Standings) -> bool:
        computed.wait(20)
        return refresh(standings)

    monkeypatch.setattr(Standings, "refresh", held)
    async with driven(await saved(SAVE)) as pilot:
        await pilot.press("l", "m", "right", "enter", "down", sees="Computing …")
        computed.set()
        await pilot.sees(" A  Ada")


async def test_with_no_match_finished_it_says_so_and_writes_an_empty_table_of_meetings() -> None:
    async with driven(await saved(SAVE, 0)) as pilot:
        await pilot.press("l", sees="No match is finished yet. Esc goes back.")
        await pilot.press("2", "3", "right", "left", "down", "enter", "escape", sees="not running")
        await pilot.press("l", "m", "down", "enter", "left", sees="No two agents have met")
        await pilot.press("e", "4")
        text = Path("saves/small-head-to-head.json").read_text(encoding="utf-8")
        assert json.loads(text) == {"game": None, "agents": [], "pairs": []}
