"""The leaderboard screen: three kinds, columns in and out of sight, exports in four forms."""

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest
from textual.pilot import Pilot

from parlour.ratings.reports.leaderboard_report import leaderboard_table
from parlour.tui.screens.leaderboard import LeaderboardScreen
from parlour.tui.widgets.panes import ListPane
from tests.tui.playing import driven, looped, pane_text, running, saved, shown, toasts, until

SAVE = Path("saves/small.db")


async def opened(pilot: Pilot[None]) -> LeaderboardScreen:
    """The leaderboard screen, once the leaderboard is there."""
    await pilot.press("l")
    screen = pilot.app.screen
    assert isinstance(screen, LeaderboardScreen)
    await until(pilot, lambda: "Ada" in shown(pilot))
    return screen


def titles(pilot: Pilot[None]) -> list[str]:
    """The column titles in sight."""
    return shown(pilot).splitlines()[1].split()


@looped
async def test_agents_are_ranked_with_all_columns_where_there_is_room() -> None:
    async with driven(await saved(SAVE), size=(240, 30)) as pilot:
        screen = await opened(pilot)
        rows = [row.split() for row in pane_text(screen, "#table").splitlines()]
        assert [row[:2] for row in rows] == [["1–3", "Ada"], ["1–3", "Lin"], ["1–3", "Rob"]]
        strengths = [float(row[2]) for row in rows]
        assert strengths == sorted(strengths, reverse=True)
        board = screen._standings.board
        assert board is not None
        assert " ".join(titles(pilot)) == " ".join(leaderboard_table(board, "overall").titles)
        assert "more columns" not in shown(pilot)
        assert "12 finished matches. Strength: 0 is the mean" in shown(pilot)


@looped
async def test_headings_stand_over_their_columns() -> None:
    async with driven(await saved(SAVE), size=(240, 30)) as pilot:
        await opened(pilot)
        lines = shown(pilot).splitlines()
        row = next(line for line in lines if "Ada" in line)
        assert lines[1].index("#") == row.index("1–3") + 2  # flush right
        assert lines[1].index("Agent") == row.index("Ada")
        # The border, 1–3, Ada, the strength with its interval, and then the rating, flush right.
        rating = row.split()[6]
        assert lines[1].index("Rating") + len("Rating") == row.index(rating) + len(rating)


@looped
async def test_1_2_3_and_o_choose_the_kind() -> None:
    async with driven(await saved(SAVE), size=(120, 30)) as pilot:
        screen = await opened(pilot)
        for key, kind, rows in (("2", "game", 3), ("3", "role", 6), ("1", "overall", 3)):
            await pilot.press(key)
            assert ("Game" in titles(pilot)) == (kind != "overall")
            # Three agents, in two roles each; twelve matches leave every rank possible.
            cells = [row.split() for row in pane_text(screen, "#table").splitlines()]
            assert [row[0] for row in cells] == ["1–3"] * rows
            assert ("Role" in titles(pilot)) == (kind == "role")
        await pilot.press("3", "o")
        assert "Game" not in titles(pilot)
        assert shown(pilot).splitlines()[0].strip() == (
            "Leaderboard  1 Overall  2 By game  3 By role  4 Conduct   saves/small.db"
        )


@pytest.mark.parametrize(("right", "left"), [("right", "left"), ("l", "h")])
def test_columns_that_do_not_fit_come_into_sight_and_rank_and_name_stay(
    right: str, left: str
) -> None:
    async def scenario() -> None:
        async with driven(await saved(SAVE)) as pilot:
            await opened(pilot)
            # That is what 80 columns hold of fourteen: 7 are left.
            assert titles(pilot) == ["#", "Agent", "Strength", "Rating", "μ", "σ", "Matches"]
            assert "more columns: → 7" in shown(pilot)
            await pilot.press(right)
            assert titles(pilot)[:4] == ["#", "Agent", "Rating", "μ"]
            assert "more columns: ← 1  → 6" in shown(pilot)
            await pilot.press(left, left)
            assert "more columns: → 7" in shown(pilot)
            await pilot.press(*[right] * 20)
            assert titles(pilot)[-1] == "Self-awareness"
            assert "→" not in shown(pilot).splitlines()[-4]
            assert shown(pilot).count("[") >= 3  # whole cells, intervals and all
            assert "…" not in shown(pilot)

    asyncio.run(scenario())


@looped
async def test_a_wider_screen_shows_more_columns_at_once() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await opened(pilot)
        await pilot.resize_terminal(240, 30)
        await until(pilot, lambda: "Self-awareness" in shown(pilot))
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "more columns: → 7" in shown(pilot))
        assert "Self-awareness" not in shown(pilot)


@looped
async def test_the_cursor_moves_over_the_standings() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        table = screen.query_one("#table", ListPane)
        for key, row in (("down", 1), ("j", 2), ("k", 1), ("up", 0), ("G", 2), ("home", 0)):
            await pilot.press(key)
            assert table.cursor == row


@looped
async def test_e_writes_what_is_shown_in_each_format() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await opened(pilot)
        for choice, ending, begins in (
            ("1", "md", "| # | Agent | Strength | Rating |"),
            ("2", "csv", "game,condition,role,agent,rank,last_rank,strength"),
            ("3", "tex", r"\begin{tabular}"),
            ("4", "json", "{"),
        ):
            await pilot.press("e", choice)
            target = Path(f"saves/small-leaderboard-overall.{ending}")
            assert toasts(pilot) == [f"Written: {target}"]
            text = target.read_text(encoding="utf-8")
            assert text.replace("\\#", "#").startswith(begins)
            assert all(name in text for name in ("Ada", "Rob", "Lin"))
        await pilot.press("3", "e", "4")
        written = json.loads(Path("saves/small-leaderboard-role.json").read_text(encoding="utf-8"))
        assert written["by"] == "role"
        assert len(written["standings"]) == 6
        await pilot.press("e", "escape")  # nothing more is written
        assert len(list(Path("saves").glob("small-leaderboard-*"))) == 5


@looped
async def test_4_shows_the_conduct_of_every_agent_with_its_own_export() -> None:
    save = await saved(SAVE)
    connection = sqlite3.connect(save)
    with connection:
        connection.execute("UPDATE answers SET fault = 'empty' WHERE match = 2 AND ask = 0")
    connection.close()
    async with driven(save, size=(160, 30)) as pilot:
        screen = await opened(pilot)
        await pilot.press("4")
        await until(pilot, lambda: "Repairs" in titles(pilot))
        rows = [row.split() for row in pane_text(screen, "#table").splitlines()]
        # 252 answers of three agents: 84 each. No model, so there are no calls.
        assert [row[:2] for row in rows] == [["Ada", "84"], ["Rob", "84"], ["Lin", "84"]]
        assert sum("empty 1" in " ".join(row) for row in rows) == 1
        assert all(row[-7:] == ["–"] * 7 for row in rows)
        assert "Faulty: answers replaced by a fallback" in shown(pilot)
        await pilot.press("f")  # of all that is stored: there is nothing to leave out
        assert "without faults" not in shown(pilot).splitlines()[0]
        await pilot.press("f", "e", "2")
        target = Path("saves/small-conduct.csv")
        assert toasts(pilot)[-1] == f"Written: {target}"
        assert target.read_text(encoding="utf-8").startswith("agent,answers,faults,repairs,")
        await pilot.press("down", "enter")
        assert "Rob" in shown(pilot).splitlines()[0]
        await pilot.press("escape", "c", "1")
        await until(pilot, lambda: "Strength" in titles(pilot))


@looped
async def test_conduct_is_there_before_a_match_is_finished() -> None:
    async with driven(await saved(SAVE, 15)) as pilot:
        await pilot.press("l", "4")
        await until(pilot, lambda: "Ada" in shown(pilot))
        await pilot.press("enter")
        assert toasts(pilot) == ["This agent has finished no match yet."]


@looped
async def test_f_leaves_out_the_matches_that_had_a_fault() -> None:
    save = await saved(SAVE)
    connection = sqlite3.connect(save)
    with connection:
        connection.execute("UPDATE answers SET fault = 'empty' WHERE match IN (2, 5) AND ask = 0")
    connection.close()
    async with driven(save, size=(240, 30)) as pilot:
        await opened(pilot)
        assert "12 finished matches" in shown(pilot)
        await pilot.press("f")
        await until(pilot, lambda: "Left out because of a fault: 2" in shown(pilot))
        assert "10 finished matches" in shown(pilot)
        assert "without faults" in shown(pilot).splitlines()[0]
        await pilot.press("e", "4")
        target = Path("saves/small-leaderboard-overall-without-faults.json")
        assert json.loads(target.read_text(encoding="utf-8"))["left_out"] == 2
        await pilot.press("f")
        assert "12 finished matches" in shown(pilot)


@looped
async def test_f_says_so_where_every_match_had_a_fault() -> None:
    save = await saved(SAVE)
    connection = sqlite3.connect(save)
    with connection:
        connection.execute("UPDATE answers SET fault = 'empty' WHERE ask = 0")
    connection.close()
    async with driven(save) as pilot:
        await opened(pilot)
        await pilot.press("f")
        words = "No match is left: 12 matches had a fault, and no other match"
        await until(pilot, lambda: words in shown(pilot))


@looped
async def test_with_no_match_finished_it_says_so_and_exports_nothing() -> None:
    async with driven(await saved(SAVE, 0)) as pilot:
        await pilot.press("l")
        await until(pilot, lambda: "No match is finished yet. Esc goes back." in shown(pilot))
        await pilot.press("2", "3", "right", "left", "down", "enter", "escape")
        assert "not running" in shown(pilot)


@looped
async def test_it_keeps_up_with_a_running_tournament() -> None:
    save = await saved(SAVE, 22)
    async with running(save, pace=200, paused=True) as runner, driven(save) as pilot:
        await opened(pilot)
        assert "1 finished match." in shown(pilot)
        runner.gate.open()
        await until(pilot, lambda: "12 finished matches" in shown(pilot))


@looped
async def test_a_save_whose_answers_cannot_be_read_says_so_instead_of_computing_for_ever() -> None:
    save = await saved(SAVE)
    async with driven(save) as pilot:
        save.write_bytes(b"no longer a save" * 100)
        await pilot.press("l")
        await until(pilot, lambda: "saves/small.db: is" in shown(pilot))
