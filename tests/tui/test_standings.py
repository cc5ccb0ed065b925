"""The standings beside a tournament: computed elsewhere when there is much, and never behind."""

import sqlite3
import time
from pathlib import Path

import pytest

from parlour.ratings.reports.leaderboard import leaderboard
from parlour.tui.models.standings import Standings
from parlour.tui.views.standings import standings_lines
from tests.ratings.records import numbered, undercover
from tests.tournaments import MATCHES
from tests.tui.playing import driven, end, live, looped, pane_text, play, saved, until

SAVE = Path("saves/small.db")


@looped
async def test_another_process_computes_the_same_leaderboard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = await saved(SAVE)
    here, elsewhere = Standings(path), Standings(path)
    assert here.refresh()
    monkeypatch.setattr("parlour.tournament.reports.leaderboards.FEW", 0)
    assert elsewhere.refresh()
    assert elsewhere.board == here.board
    assert not elsewhere.refresh(), "nothing has ended since"
    assert elsewhere._computer is not None
    process = elsewhere._computer._process
    assert process is not None
    assert process.poll() is None
    elsewhere.close()
    assert process.poll() is not None


@looped
async def test_a_leaderboard_that_another_process_cannot_compute_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = await saved(SAVE)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE answers SET value = '[]' WHERE match = 3 AND ask = 0")
        connection.execute("DELETE FROM leaderboards")
    connection.close()
    standings = Standings(path)
    monkeypatch.setattr("parlour.tournament.reports.leaderboards.FEW", 0)
    assert standings.refresh()
    assert "match 3, ask 0" in standings.trouble
    path.write_text("not a save")
    assert standings.refresh()
    assert standings.trouble.endswith("is not a save of Parlour; name another file")
    standings.close()


def test_where_the_pane_is_narrow_the_win_rate_goes_without_its_interval() -> None:
    standings = Standings(SAVE)
    board = leaderboard(numbered([undercover(["Ada", "A long-winded name", "Ada"])] * 4))
    standings.board = board
    for width, whole in ((50, True), (40, False), (26, False)):
        titles, ada, other, _ = (str(line) for line in standings_lines(standings, width))
        assert max(map(len, (titles, ada, other))) <= width
        assert "strength" in titles
        assert ada.startswith("1–2 Ada ")
        assert (ada.count("±"), other.count("±")) == ((2, 2) if whole else (1, 1))


@looped
async def test_the_wait_after_a_computation_ends_with_the_tournament() -> None:
    standings = Standings(await saved(SAVE, 150))
    assert standings.due(finished=False)
    standings.refresh()
    assert not standings.due(finished=True), "nothing has changed since"
    standings.behind = True
    standings._next = time.monotonic() + 60
    assert not standings.due(finished=False)
    assert standings.due(finished=True)


@looped
async def test_the_last_match_is_counted_on_the_screen_that_saw_it_end() -> None:
    save = await saved(SAVE, 240)  # of 252: one match is left
    async with driven(save, size=(160, 48)) as pilot:
        await pilot.press("5")
        await until(pilot, lambda: "11 matches" in pane_text(live(pilot), "#side"))
        live(pilot).standings._next = time.monotonic() + 60
        await play(save)
        await until(pilot, lambda: f"{MATCHES} matches" in pane_text(live(pilot), "#side"))
    end(save)
