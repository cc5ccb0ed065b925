"""Head to head on the leaderboard screen: all against all, a game at a time, and its exports."""

import csv
import io
import json
from pathlib import Path
from threading import Event

import pytest
from textual.pilot import Pilot

from parlour.ratings.reports.matrix import matrix
from parlour.tui.models.standings import Standings
from parlour.tui.screens.leaderboard import LeaderboardScreen
from parlour.tui.views.leaderboard import MET, OVERALL
from tests.tui.playing import (
    SMALL,
    driven,
    looped,
    new_save,
    pane_text,
    play,
    saved,
    shown,
    until,
)

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


OFTEN = SMALL.replace("seed = 7", "seed = 7\nrepetitions = 3")
"""Enough matches of each pair for intervals."""


async def opened(pilot: Pilot[None]) -> LeaderboardScreen:
    """The matrix, by way of the leaderboard."""
    await pilot.press("l")
    await until(pilot, lambda: "finished matches" in shown(pilot))
    await pilot.press("m")
    await pilot.pause()
    assert isinstance(pilot.app.screen, LeaderboardScreen)
    assert pilot.app.screen.state.view == MET
    return pilot.app.screen


def game(pilot: Pilot[None]) -> str:
    """The game in the header, with its number."""
    return " ".join(shown(pilot).splitlines()[0].split("│")[1].split())


@looped
async def test_m_on_the_leaderboard_shows_everybody_against_everybody() -> None:
    async with driven(await saved(SAVE, text=OFTEN), size=(160, 48)) as pilot:
        screen = await opened(pilot)
        board = screen._standings.board
        assert board is not None
        shown_matrix = matrix(board, None)
        text = pane_text(screen, "#table")
        for meeting in shown_matrix.all():
            assert meeting.interval is not None
            _, low, high = meeting.interval
            assert f"{100 * meeting.share:.0f} %" in text
            assert f"±{50 * (high - low):.0f} of {meeting.n}" in text
        assert text.count("·") == 3
        assert "a draw is half a win" in " ".join(shown(pilot).replace("│", "").split())
        await pilot.press("escape")
        assert screen.state.view == OVERALL


@looped
async def test_n_and_p_go_through_the_games() -> None:
    path = new_save(SAVE, TWO_GAMES)
    await play(path)
    async with driven(path) as pilot:
        screen = await opened(pilot)
        seen = [game(pilot)]
        for key in ("n", "n", "n", "p", "p"):
            await pilot.press(key)
            seen.append(game(pilot))
        all_, good, under = "all games 1/3", "♦ Public good 2/3", "♠ Undercover 3/3"
        assert seen == [all_, good, under, all_, under, good]
        assert screen.state.met_game == "public_good"

        # On a small screen the columns follow the cursor.
        await pilot.resize_terminal(34, 20)
        await until(pilot, lambda: "more columns: → " in shown(pilot))
        await pilot.press(*["right"] * 10)
        assert "more columns: →" not in shown(pilot)
        await pilot.press("n")  # another game begins at the left
        assert "more columns: ←" not in shown(pilot)
        await pilot.resize_terminal(80, 24)

        await pilot.press("e", "1", "n", "e", "2")
        under_md = Path("saves/small-head-to-head-undercover.md").read_text(encoding="utf-8")
        assert "an agent of many words" in under_md  # names are whole in a file
        text = Path("saves/small-head-to-head-all.csv").read_text(encoding="utf-8")
        assert len(list(csv.DictReader(io.StringIO(text)))) == 4 * 3


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
        assert "Computing …" in shown(pilot)
        computed.set()
        await until(pilot, lambda: " A  Ada" in shown(pilot))


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
