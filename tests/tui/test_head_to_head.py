"""The head-to-head screen: all against all, a game at a time, and its exports."""

import csv
import io
import json
from pathlib import Path
from threading import Event

import pytest
from textual.pilot import Pilot

from parlour.ratings.reports.matrix import matrix, matrix_table
from parlour.tui.models.standings import Standings
from parlour.tui.screens.agent import AgentScreen
from parlour.tui.screens.head_to_head import HeadToHeadScreen
from tests.tui.playing import driven, looped, new_save, pane_text, play, saved, shown, toasts, until

SAVE = Path("saves/small.db")

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
""" + "".join(
    f'\n[[agents]]\nname = "{name}, an agent of many words"\nstrategy = "random"\n'
    for name in ("Ada", "Bea", "Cleo", "Dora")
)


async def opened(pilot: Pilot[None]) -> HeadToHeadScreen:
    """The matrix, by way of the leaderboard."""
    await pilot.press("l")
    await until(pilot, lambda: "finished matches" in shown(pilot))
    await pilot.press("m")
    await pilot.pause()
    assert isinstance(pilot.app.screen, HeadToHeadScreen)
    return pilot.app.screen


@looped
async def test_m_on_the_leaderboard_shows_everybody_against_everybody() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        board = screen._standings.board
        assert board is not None
        rows = [row.split() for row in pane_text(screen, "#table").splitlines()]
        assert rows == [" ".join(line).split() for line in matrix_table(matrix(board, None)).rows]
        assert [row.count("·") for row in rows] == [1, 1, 1]
        assert "a draw is half a win" in " ".join(shown(pilot).replace("│", "").split())
        await pilot.press("escape")
        assert "Leaderboard  1 Overall" in shown(pilot)


@looped
async def test_n_and_p_go_through_the_games() -> None:
    path = new_save(SAVE, TWO_GAMES)
    await play(path)
    async with driven(path) as pilot:
        screen = await opened(pilot)
        seen = [shown(pilot).splitlines()[0].split("  ")[1:3]]
        for key in ("n", "n", "n", "p", "p"):
            await pilot.press(key)
            seen.append(shown(pilot).splitlines()[0].split("  ")[1:3])
        all_, good, under = ["all games", "1/3"], ["public_good", "2/3"], ["undercover", "3/3"]
        assert seen == [all_, good, under, all_, under, good]
        assert screen._matrix is not None
        assert screen._matrix.game == "public_good"

        # Four agents with long names: cut, told apart by their numbers, and brought into sight.
        assert "more columns: → " in shown(pilot)
        heads = shown(pilot).splitlines()[1]
        assert "1 " in heads
        assert "…" in heads
        await pilot.press(*["right"] * 10)
        assert shown(pilot).splitlines()[1].rstrip().rsplit("  ", maxsplit=1)[1].startswith("4 ")
        assert "→" not in shown(pilot).splitlines()[-4]
        await pilot.press("n")  # another game begins at the left
        assert "more columns: ←" not in shown(pilot)

        await pilot.press("e", "1", "n", "e", "2")
        under_md = Path("saves/small-head-to-head-undercover.md").read_text(encoding="utf-8")
        assert "an agent of many words" in under_md  # names are whole in a file
        text = Path("saves/small-head-to-head-all.csv").read_text(encoding="utf-8")
        assert len(list(csv.DictReader(io.StringIO(text)))) == 4 * 3


@looped
async def test_enter_opens_the_agent_of_the_line() -> None:
    async with driven(await saved(SAVE)) as pilot:
        screen = await opened(pilot)
        await pilot.press("down", "enter")
        assert screen._matrix is not None
        assert isinstance(pilot.app.screen, AgentScreen)
        assert f"Agent  {screen._matrix.agents[1]} " in shown(pilot)
        await pilot.press("escape")
        assert pilot.app.screen is screen


@looped
async def test_e_writes_the_matrix_in_four_forms() -> None:
    async with driven(await saved(SAVE)) as pilot:
        await opened(pilot)
        for choice, ending, begins in (
            ("1", "md", "| # | Agent | 1 "),
            ("2", "csv", "game,agent,other,wins,draws,losses,n,share,low,high"),
            ("3", "tex", "\\begin{tabular}{lllll}"),
            ("4", "json", "{"),
        ):
            await pilot.press("e", choice)
            target = Path(f"saves/small-head-to-head-all.{ending}")
            assert toasts(pilot) == [f"Written: {target}"]
            assert target.read_text(encoding="utf-8").startswith(begins)
        assert len(json.loads(target.read_text(encoding="utf-8"))["pairs"]) == 6


@looped
async def test_opened_before_the_leaderboard_is_there_it_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    computed, refresh = Event(), Standings.refresh

    def held(standings: Standings) -> bool:
        computed.wait(20)
        return refresh(standings)

    monkeypatch.setattr(Standings, "refresh", held)
    async with driven(await saved(SAVE)) as pilot:
        await pilot.press("l", "m", "n", "right", "enter", "down")
        assert isinstance(pilot.app.screen, HeadToHeadScreen)
        assert "Computing …" in shown(pilot)
        computed.set()
        await until(pilot, lambda: "1 Ada" in shown(pilot))


@looped
async def test_where_nobody_has_met_anybody_it_says_so_and_writes_an_empty_table() -> None:
    async with driven(await saved(SAVE, 0)) as pilot:
        await pilot.press("l")
        await until(pilot, lambda: "No match is finished yet" in shown(pilot))
        await pilot.press("m", "down", "enter", "left")
        await until(pilot, lambda: "No two agents have met" in shown(pilot))
        await pilot.press("e", "4")
        text = Path("saves/small-head-to-head-all.json").read_text(encoding="utf-8")
        assert json.loads(text) == {"game": None, "agents": [], "pairs": []}
