"""The screen of an agent: its chart, its figures, the agents around it, and its exports."""

import json
from pathlib import Path

from textual.pilot import Pilot

from parlour.ratings.reports.agent import page, tables
from parlour.tui.screens.agent import AgentScreen
from parlour.tui.screens.leaderboard import LeaderboardScreen
from tests.tui.playing import (
    change,
    driven,
    looped,
    pane_text,
    running,
    saved,
    shown,
    toasts,
    until,
)

SAVE = Path("saves/small.db")


async def opened(pilot: Pilot[None]) -> AgentScreen:
    """The page of the best agent."""
    await pilot.press("l")
    await until(pilot, lambda: "Ada" in shown(pilot))
    await pilot.press("enter")
    await pilot.pause()
    assert isinstance(pilot.app.screen, AgentScreen)
    return pilot.app.screen


@looped
async def test_enter_on_a_line_of_the_leaderboard_opens_the_agent_and_escape_goes_back() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        assert shown(pilot).splitlines()[0].strip().startswith("Agent  Ada  rank 1")
        await pilot.press("escape", "3", "down", "down", "enter")  # by role: the third line
        below = pilot.app.screen_stack[-2]
        assert isinstance(below, LeaderboardScreen)
        board = screen._standings.board
        assert board is not None
        assert f"Agent  {board.by('role')[2].agent} " in shown(pilot)
        await pilot.press("escape")
        assert pilot.app.screen is below


@looped
async def test_values_stand_beside_the_chart_with_counts_and_dashes_for_what_there_is_not() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        values = pane_text(screen, "#values")
        assert screen._page is not None
        for row in tables(screen._page)[0].rows:
            assert " ".join(row).strip() in " ".join(values.split()), row
        lines = {line.split()[1]: line.split() for line in values.splitlines()[1:8]}
        assert lines["Cooperation"] == ["5", "Cooperation", "–", "–"]  # undercover alone is played
        k, n = lines["Judgment"][-1].split("/")
        assert f"{int(k) / int(n):.3f}" == lines["Judgment"][2]
        # All of it is in sight at 80 × 24, beside the chart with its seven numbers.
        text = shown(pilot)
        assert "Rationality" in text
        assert "Radar area" in text
        assert any("\u2801" <= sign <= "\u28ff" for sign in text)


@looped
async def test_games_roles_faults_and_the_agents_it_met_are_below() -> None:
    async with driven(await saved(SAVE), size=(160, 48)) as pilot:
        screen = await opened(pilot)
        board = screen._standings.board
        assert board is not None
        details = pane_text(screen, "#details")
        _, places, met = tables(page(board, "Ada"))
        flat = " ".join(details.split())
        for row in (*(row[2:] for row in places.rows), *met.rows):
            assert " ".join(row) in flat
        lines = details.splitlines()
        assert [line.split("  ")[0] for line in lines[2:6]] == [
            *("all games", "undercover", "└ civilian", "└ undercover"),
        ]
        assert len(met.rows) == 2
        assert "No room here" not in details


@looped
async def test_columns_without_room_are_named() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        details = pane_text(screen, "#details")
        assert "Columns left out: #, Rating, μ, σ. e exports all columns." in details
        assert "…" not in details


@looped
async def test_n_and_p_go_through_the_leaderboard() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        board = screen._standings.board
        assert board is not None
        names = [standing.agent for standing in board.by("overall")]
        seen = []
        for key in ("n", "n", "n", "p"):
            await pilot.press(key)
            seen.append(shown(pilot).split()[1])
        assert seen == [names[1], names[2], names[0], names[2]]


@looped
async def test_e_writes_the_page_in_four_forms_named_by_the_number_of_the_agent() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await opened(pilot)
        # Ada is the first agent of the tournament file.
        for choice, ending, begins in (
            ("1", "md", "# Ada\n\n## Capabilities"),
            ("2", "csv", "agent,game,role,measure,value,k,n,low,high,other"),
            ("3", "tex", "\\section*{Ada}"),
            ("4", "json", "{"),
        ):
            await pilot.press("e", choice)
            target = Path(f"saves/small-agent-1.{ending}")
            assert toasts(pilot) == [f"Written: {target}"]
            assert target.read_text(encoding="utf-8").startswith(begins)
        assert json.loads(target.read_text(encoding="utf-8"))["agent"] == "Ada"


@looped
async def test_without_faults_it_is_the_page_of_that_leaderboard() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await pilot.press("l")
        await until(pilot, lambda: "Ada" in shown(pilot))
        await pilot.press("f")
        await until(pilot, lambda: "Left out because of a fault" in shown(pilot))
        await pilot.press("enter", "e", "1")
        assert "without faults" in shown(pilot).splitlines()[0]
        assert toasts(pilot)[0].endswith("-without-faults.md")


@looped
async def test_it_keeps_up_with_a_running_tournament() -> None:
    save = await saved(SAVE, 22)
    async with running(save, pace=200, paused=True) as runner, driven(save) as pilot:
        screen = await opened(pilot)

        def matches() -> int:
            assert screen._page is not None
            return screen._page.standings[0].matches

        assert matches() == 1
        runner.gate.open()
        await until(pilot, lambda: matches() == 8, seconds=15)  # two of three pairings, 4 each


@looped
async def test_a_save_that_cannot_be_read_any_more_is_said_to_be_so() -> None:
    save = await saved(SAVE)
    async with driven(save) as pilot:
        await pilot.press("l")
        await until(pilot, lambda: "Ada" in shown(pilot))
        change(save, "UPDATE tournament SET spec = '[]'")
        board = pilot.app.screen
        await pilot.press("enter")
        assert pilot.app.screen is board
        assert "saves/small.db" in toasts(pilot)[0]
