"""Standings, race and networks of a save by themselves, and the lines of their pane."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from parlour.ratings.counting.ties import Ties
from parlour.ratings.reports.leaderboard import Cell
from parlour.ratings.reports.ranking import leaderboard
from parlour.ratings.skill.race import Race
from parlour.tournament.save.finished import last_answers, newest_matches, records_of
from parlour.tournament.save.reader import Save
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.models import standings as module
from parlour.tui.models.standings import POINTS, Charts, MatchHistory, Standings
from parlour.tui.views.standings import nobody_met, standings_lines
from tests.ratings.records import numbered, undercover
from tests.tournaments import MATCHES, tamper
from tests.tui.playing import OF_A_MATCH, driven, end, pane_text, play, saved

SAVE = Path("saves/small.db")
WIDTHS = (20, 34, 38, 54, 80, 120, 220)


async def test_another_process_computes_the_same_leaderboard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = await saved(SAVE)
    here, elsewhere = Standings(path), Standings(path)
    assert here.refresh()
    monkeypatch.setattr("parlour.tournament.reports.leaderboards.FEW", 0)
    assert elsewhere.refresh()
    assert elsewhere.board == here.board
    tamper(path, "DELETE FROM leaderboards")
    tamper(path, "DELETE FROM counts")
    heard: list[tuple[str, int, int]] = []
    again = Standings(path)
    monkeypatch.setattr(again, "_hear", lambda *how_far: heard.append(how_far))
    assert again.refresh()
    again.close()
    assert (heard[0], heard[-1]) == (
        ("Counting matches", 0, MATCHES),
        ("Counting matches", MATCHES, MATCHES),
    )
    assert not elsewhere.refresh(), "nothing has ended since"
    assert elsewhere._computer is not None
    process = elsewhere._computer._process
    assert process is not None
    assert process.poll() is None
    elsewhere.close()
    assert process.poll() is not None


async def test_a_leaderboard_that_another_process_cannot_compute_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = await saved(SAVE)
    tamper(path, "UPDATE answers SET value = '[]' WHERE match = 3 AND ask = 0")
    tamper(path, "DELETE FROM leaderboards")
    tamper(path, "DELETE FROM counts")
    standings = Standings(path)
    monkeypatch.setattr("parlour.tournament.reports.leaderboards.FEW", 0)
    assert standings.refresh()
    assert "match 3, ask 0" in standings.trouble
    path.write_text("not a save")
    assert standings.refresh()
    assert standings.trouble.endswith("name another file, or restore a copy of it")
    standings.close()


def test_a_pane_says_how_far_its_count_is_and_how_long_it_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    standings, look = Standings(SAVE), Look()
    for second, done, words in (
        (0, 0, "Counting matches … 0 of 9,000"),
        (2, 1000, "Counting matches … 1,000 of 9,000, about 16 s left"),
        (17, 9000, "Computing …"),
    ):
        monkeypatch.setattr(module.time, "monotonic", lambda second=second: float(second))
        standings._hear("Counting matches", done, 9000)
        lines = standings_lines(standings, Cast(AGENTS, look.palette), look, 80)
        assert lines[0].plain.strip() == words


AGENTS = ["Ada", "A long-winded name", "Bea"]


def computed(matches: int = 8) -> Standings:
    """Standings of a few matches, computed."""
    standings = Standings(SAVE)
    board = leaderboard(numbered([undercover(["Ada", "A long-winded name", "Ada"])] * matches))
    standings.board, standings.before = board, {"Ada": 1, "A long-winded name": 0}
    return standings


@pytest.mark.parametrize("width", WIDTHS)
def test_every_line_of_the_standings_has_the_width_of_the_pane(width: int) -> None:
    look = Look()
    people = Cast(AGENTS, look.palette), look
    empty = Standings(SAVE)
    broken = Standings(SAVE)
    broken.trouble = "saves/small.db: is damaged"
    nobody = Standings(SAVE)
    nobody.board = leaderboard([])
    for standings in (computed(), empty, broken, nobody):
        lines = standings_lines(standings, *people, width, 10)
        assert {line.cell_len for line in lines} == {width}


def test_rank_strength_and_move_stay_where_the_forest_has_no_room() -> None:
    look = Look()
    people = Cast(AGENTS, look.palette), look
    standings = computed()
    order = list(standings.places())
    for width, has_forest in ((60, True), (50, True), (26, False)):
        titles, first, second = (line.plain for line in standings_lines(standings, *people, width))
        assert "strength" in titles
        assert first.startswith("1–2")
        assert ("●" in first) is ("├" in first) is has_forest
        moves = ("▲1", "▼1") if order[0] == "Ada" else ("·", "·")
        assert (first.split()[-1], second.split()[-1]) == moves


def test_a_strength_without_an_interval_is_hollow_and_the_pane_says_why() -> None:
    look = Look()
    head, first, _, why = standings_lines(computed(2), Cast(AGENTS, look.palette), look, 60)
    assert ("○" in first.plain, "●" in first.plain) == (True, False)
    assert why.plain.rstrip() == "○ too few matches for an interval"
    assert "…" not in head.plain


def test_where_nobody_met_anybody_a_rate_stands_in_and_the_pane_says_why() -> None:
    look = Look()
    standings = Standings(SAVE)
    standings.board = leaderboard(numbered([undercover(["Ada", "Ada", "Ada"])] * 3))
    lines = standings_lines(standings, Cast(["Ada"], look.palette), look, 54)
    assert "No two agents met" in lines[-1].plain
    assert "%" in lines[1].plain
    assert nobody_met(standings.board)
    assert not nobody_met(None)
    first, *others = standings.board.standings
    helps = {"cooperation_ratio": Cell(0.75, 4, 3, 0.5, 0.9)}
    standings.board = replace(standings.board, standings=[replace(first, measures=helps), *others])
    lines = standings_lines(standings, Cast(["Ada"], look.palette), look, 54)
    assert lines[0].plain.rstrip().endswith("helps")
    assert "75 %" in lines[1].plain


async def test_the_wait_after_a_computation_ends_with_the_tournament() -> None:
    standings = Standings(await saved(SAVE, 150))
    assert standings.due(finished=False)
    standings.refresh()
    assert not standings.due(finished=True), "nothing has changed since"
    standings.behind = True
    standings._next = time.monotonic() + 60
    assert not standings.due(finished=False)
    assert standings.due(finished=True)


async def test_the_last_match_is_counted_on_the_screen_that_saw_it_end() -> None:
    save = await saved(SAVE, 240)  # of 252: one match is left
    async with driven(save, size=(160, 48)) as pilot:
        standings = pilot.live.standings
        await pilot.until(lambda: standings.board is not None and standings.board.matches == 11)
        await pilot.until(lambda: "Ada" in pane_text(pilot.live, "#standings"))
        standings._next = time.monotonic() + 60
        await play(save)
        await pilot.until(lambda: standings.board.matches == MATCHES)
    end(save)


def shown(history: MatchHistory) -> Charts:
    assert history.shown is not None
    return history.shown


def from_scratch(save: Path) -> Charts:
    """The same from all records of ratings, in the order in which the matches were over."""
    with Save(save) as opened:
        order = last_answers(opened, 0)
        records = sorted(opened.records(), key=lambda record: order[record.number])
    race, ties = Race(), Ties()
    for record in records:
        race.add(record)
        ties.add(record)
    networks = {"accused": ties.network("accused"), "helped": ties.network("helped")}
    return Charts(len(records), {None: race.chart(POINTS)}, networks)  # type: ignore[arg-type]


async def test_it_equals_what_all_records_give() -> None:
    history = MatchHistory(await saved(SAVE))
    assert history.refresh()
    expected = from_scratch(SAVE)
    assert shown(history).matches == expected.matches == 12
    assert shown(history).races[None] == expected.races[None]
    assert shown(history).races["undercover"] == expected.races[None]
    assert shown(history).networks == expected.networks
    assert expected.networks["accused"].ties  # undercover has votes


async def test_it_grows_with_the_save_and_counts_each_match_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    save = await saved(SAVE, 3 * OF_A_MATCH + 5)
    history = MatchHistory(save)
    assert history.refresh()
    assert shown(history).matches == 3
    history._next = 0.0
    assert not history.refresh()  # nothing is new
    counted: list[int] = []
    records_before = records_of

    def noted(opened: Save, numbers: list[int], kinds: list[str]) -> object:
        counted.extend(numbers)
        return records_before(opened, numbers, kinds)

    monkeypatch.setattr(module, "records_of", noted)
    await play(save)
    history._next = 0.0
    assert history.refresh()
    assert len(counted) == len(set(counted)) == 9
    assert replace(shown(history), races={}) == replace(from_scratch(save), races={})
    assert shown(history).races[None] == from_scratch(save).races[None]


async def test_a_closed_one_stops_and_shows_nothing_half_counted() -> None:
    history = MatchHistory(await saved(SAVE))
    history.close()
    assert not history.refresh()
    assert history.shown is None


async def test_it_says_why_a_save_cannot_be_read_and_goes_on_when_it_can() -> None:
    save = await saved(SAVE)
    history = MatchHistory(save)
    whole = save.read_bytes()
    save.write_bytes(b"no longer a save" * 100)
    assert history.refresh()
    assert "saves/small.db" in history.trouble
    save.write_bytes(whole)
    history._next = 0.0
    assert history.refresh()
    assert not history.trouble
    assert shown(history).matches == 12


async def test_a_frozen_match_is_not_counted() -> None:
    save = await saved(SAVE)
    tamper(save, "UPDATE matches SET outcome = NULL, frozen = 'rules changed' WHERE number = 2")
    history = MatchHistory(save)
    history.refresh()
    assert shown(history).matches == 11


async def test_the_newest_matches_of_an_agent_come_first() -> None:
    save = await saved(SAVE)
    with Save(save) as opened:
        order = last_answers(opened, 0)
        matches = newest_matches(opened, "undercover", "Ada", 5)
        assert newest_matches(opened, "donation", "Ada", 5) == []
        assert len(newest_matches(opened, None, "Ada", 99)) == 8
    numbers = [match.number for match in matches]
    assert len(numbers) == 5
    assert numbers == sorted(numbers, key=lambda number: -order[number])
    assert all("Ada" in match.agents for match in matches)
