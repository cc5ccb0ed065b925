"""The leaderboard: its standings, their order, and how a save stores it."""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path

import pytest

from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.ratings.measures.measures import measures
from parlour.ratings.reports.leaderboard import FORMULAS, By, Cell, Leaderboard, layout
from parlour.ratings.reports.leaderboard_report import leaderboard_report
from parlour.ratings.reports.ranking import leaderboard
from parlour.ratings.reports.writers import as_json, as_latex
from parlour.ratings.skill.strength_model import strengths
from parlour.ratings.statistics.clusters import Clusters
from parlour.ratings.statistics.intervals import wilson
from parlour.tournament.reports.leaderboards import current_leaderboard
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.finished import fingerprint_of
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import Progress, RunOptions
from parlour.tournament.session import SessionHooks, run_session
from tests.ratings.laddered import rate
from tests.ratings.records import find, numbered, undercover, vote
from tests.tournaments import LANES, new_save, scripted, tamper


def season() -> list[MatchRecord]:
    """x beats y, y beats z and x beats z, three times over, with votes."""
    votes = [vote(0, 1), vote(1, 0), vote(2, 1)]
    pairs = ("xyx", "yzy", "xzx") * 3
    return numbered(undercover(pair, answers=votes, setting=pair) for pair in pairs)


def names(board: Leaderboard, by: str) -> list[tuple[str | None, str | None, str]]:
    return [(s.game, s.role, s.agent) for s in board.by(by)]  # type: ignore[arg-type]


def test_twelve_wins_of_twelve_have_one_interval_in_every_place() -> None:
    records = numbered(undercover("xyx", setting="one") for _ in range(12))
    board = leaderboard(records)
    rates = [
        standing.measures["win_rate"]
        for standing in board.standings
        if standing.agent == "x" and standing.role in {None, "civilian"}
    ]
    rows = [row for row in measures(records) if row.agent == "x" and row.measure == "win_rate"]
    assert len(rates) >= 2
    assert len(rows) >= 2
    for each in (*rates, *rows, wilson(12, 12)):
        assert (each.low, each.high) == (pytest.approx(0.7575, abs=1e-4), 1)
    assert "1.000 [0.758, 1.000]" in as_latex(leaderboard_report(board, "overall"))


def test_agents_are_ordered_by_strength() -> None:
    board = leaderboard(season())
    assert names(board, "overall") == [(None, None, "x"), (None, None, "y"), (None, None, "z")]
    values = [standing.strength.value for standing in board.by("overall")]
    assert values == sorted(values, reverse=True)
    for standing in board.by("overall"):
        assert standing.rating == standing.mu - 3 * standing.sigma


def test_each_game_and_role_has_separate_standings(other_game: str) -> None:
    records = [*season(), undercover("zxz", number=10, game=other_game)]
    board = leaderboard(records)
    assert names(board, "game") == [
        ("othercover", None, "z"),
        ("othercover", None, "x"),
        ("undercover", None, "x"),
        ("undercover", None, "y"),
        ("undercover", None, "z"),
    ]
    # In the first game x never was an undercover, and z never a civilian.
    assert sorted(names(board, "role")) == [
        ("othercover", "civilian", "z"),
        ("othercover", "undercover", "x"),
        ("undercover", "civilian", "x"),
        ("undercover", "civilian", "y"),
        ("undercover", "undercover", "y"),
        ("undercover", "undercover", "z"),
    ]
    # A role that one agent alone had compares nobody; there the rating orders.
    groups = [(s.game, s.role, s.strength and -s.strength.value) for s in board.by("role")]
    assert groups == sorted(groups)
    assert [s.strength is None for s in board.by("role")] == [True, True, *[False] * 4]


def test_a_standing_has_the_ratings_and_measures_of_its_game_and_role() -> None:
    records = season()
    skills, strong, rows = rate(records), strengths(records), measures(records)
    standings = {(s.game, s.role, s.agent): s for s in leaderboard(records).standings}
    overall = standings[None, None, "y"]
    assert (overall.mu, overall.sigma) == (skills.overall["y"].mu, skills.overall["y"].sigma)
    assert overall.strength == strong.overall["y"]
    assert standings["undercover", None, "y"].strength == strong.by_game["undercover", "y"]
    in_role = standings["undercover", "undercover", "y"]
    assert in_role.strength == strong.by_role["undercover", "undercover", "y"]
    assert in_role.mu == skills.by_role["undercover", "undercover", "y"].mu
    row = find(rows, "win_rate", "y", role="undercover")
    assert in_role.measures["win_rate"] == Cell(
        *(row.value, row.n, row.k, row.low, row.high, row.se)
    )
    assert set(in_role.measures) == {"win_rate", "payoff", "welfare", "fault_rate", "suspicion"}
    # y voted rightly with both civilian seats in each of three matches.
    assert standings["undercover", None, "y"].measures["judgment"].k == 6
    of_all = {"win_rate", "payoff", "welfare", "judgment", "deception"}
    assert set(overall.measures) == of_all | {"fault_rate", "suspicion"}


def test_there_is_no_overall_payoff_and_welfare_of_games_with_different_units(
    other_game: str,
) -> None:
    # x was undercover once and was caught: no credit of the six that the civilians share.
    alone = leaderboard([undercover("yxy")])
    two = leaderboard([undercover("yxy"), undercover("yxy", number=2, game=other_game)])
    for board, overall in ((alone, True), (two, False)):
        for standing in board.standings:
            shown = {"payoff", "welfare"} <= set(standing.measures)
            assert shown == (overall or standing.game is not None)
    (x,) = (s for s in alone.by("overall") if s.agent == "x")
    assert (x.measures["payoff"].value, x.measures["welfare"].value) == (0, 6)


def test_without_faults_is_the_leaderboard_of_the_matches_that_had_none() -> None:
    faulty = undercover("yxy", ending="escaped", answers=[vote(0, None)], number=10)
    board = leaderboard([*season(), faulty], without_faults=True)
    assert board == replace(leaderboard(season()), left_out=1)
    alone = replace(faulty, agents=("y", "w", "y"))
    assert leaderboard([*season(), alone], without_faults=True).agents_left_out == ("w",)
    assert leaderboard(season()).left_out is None
    assert leaderboard(season(), without_faults=True).left_out == 0


def test_a_fault_in_a_private_probe_leaves_its_match_in() -> None:
    probe = undercover(answers=[Answered(3, "own_role", 1, Seat(0), {"role": None}, "empty")])
    assert leaderboard([probe], without_faults=True).left_out == 0
    moved = undercover(answers=[*probe.answers, vote(0, None)])
    assert leaderboard([moved], without_faults=True).left_out == 1
    (x,) = (each for each in leaderboard([probe]).by("overall") if each.agent == "x")
    assert (x.measures["fault_rate"].k, x.measures["fault_rate"].n) == (1, 1)


def test_a_game_played_under_several_conditions_has_one_standing_for_all() -> None:
    records = numbered(
        [
            undercover("xyx", answers=[vote(0, 1)]),
            undercover("xyx", answers=[vote(0, 2)], condition="clue_rounds=1"),
            undercover("xyx", answers=[vote(0, 2)], condition="probes=off"),
        ]
    )
    (x,) = (s for s in leaderboard(records).by("game") if s.agent == "x")
    assert (x.measures["judgment"].k, x.measures["judgment"].n) == (1, 3)


def test_matches_are_counted_once_an_agent_however_many_seats_it_had() -> None:
    board = leaderboard(season())
    assert {s.agent: s.matches for s in board.by("overall")} == {"x": 6, "y": 6, "z": 6}
    matches = {(s.role[0], s.agent): s.matches for s in board.by("role")}
    assert matches == {("c", "x"): 6, ("c", "y"): 3, ("u", "y"): 3, ("u", "z"): 6}
    assert board.matches == 9


def test_a_defender_is_rated_although_none_of_its_seats_is_counted() -> None:
    board = leaderboard([undercover("yxy", counted=[1])])
    defender = next(s for s in board.by("overall") if s.agent == "y")
    assert defender.matches == 0
    assert defender.measures == {}
    assert defender.rating is not None
    assert defender.strength is not None
    assert names(board, "role") == [("undercover", "undercover", "x")]


def test_agents_without_a_rating_come_last_by_name() -> None:
    alone = [undercover(name * 3, number=3 + i) for i, name in enumerate("ba")]
    board = leaderboard([*numbered([undercover("xyx"), undercover("xyx")]), *alone])
    assert [s.agent for s in board.by("overall")] == ["x", "y", "a", "b"]
    a = board.by("overall")[2]
    assert (a.mu, a.sigma, a.rating, a.strength) == (None, None, None, None)
    assert leaderboard([]) == Leaderboard((), 0, 0, {}, distinct=0)


def test_a_stored_leaderboard_reads_back_the_same_to_the_last_byte() -> None:
    board = leaderboard([*season(), undercover("aaa", number=10)])
    again = Leaderboard.from_json(board.to_json())
    assert again == board
    assert again.to_json() == board.to_json()
    kinds: tuple[By, ...] = ("overall", "game", "role")
    for by in kinds:
        # also in the same order
        assert as_json(leaderboard_report(again, by)) == as_json(leaderboard_report(board, by))
    body = json.loads(board.to_json(), parse_constant=pytest.fail)  # strict JSON
    assert {*body} == {field.name for field in fields(Leaderboard)}


def test_the_clusters_of_matches_are_determined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    original = Clusters.of_settings

    def counting(played: Iterable[tuple[str, str]]) -> Clusters:
        calls.append(list(played))
        return original(calls[-1])

    monkeypatch.setattr(Clusters, "of_settings", counting)
    leaderboard(season())
    assert len(calls) == 1


TOURNAMENT = 'name = "small"\nseed = 3\n[[games]]\nname = "undercover"\nlimit = 3\n' + scripted(
    a="bayesian", b="random"
)


STORE = "INSERT INTO leaderboards (input, body) VALUES (?, ?)"


@pytest.fixture
def save(tmp_path: Path) -> Path:
    """A save of six matches, none of them played."""
    return new_save(tmp_path, TOURNAMENT)


def play(path: Path, matches: int | None = None) -> None:
    """Plays a save to its end, or stops once so many matches are over."""

    async def session() -> None:
        watching: list[asyncio.Task[None]] = []

        def begun(runner: Runner, _progress: Progress) -> None:
            if matches is not None:
                watching.append(asyncio.create_task(stop_after(runner, matches)))

        # In the fast lane all matches would be over before the stop.
        pace = LANES["fast"] if matches is None else LANES["slow"]
        await run_session(path, RunOptions(concurrency=1, pace=pace), SessionHooks(on_start=begun))
        await asyncio.gather(*watching)

    asyncio.run(session())


async def stop_after(runner: Runner, matches: int) -> None:
    while runner.stats.finished < matches:
        await asyncio.sleep(0)
    runner.stop()


@pytest.mark.parametrize("few", [0, 6], ids=["by another process", "here"])
def test_a_finished_save_stores_the_leaderboard_of_its_matches(
    save: Path, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("parlour.tournament.reports.leaderboards.FEW", few)
    play(save)
    with Save(save) as finished:
        records, stored = finished.records(), finished.stored_leaderboard()
        assert len(records) == 6
        assert stored is not None
        assert Leaderboard.from_json(stored[1]) == leaderboard(records)
        assert current_leaderboard(finished) == leaderboard(records)


def test_the_leaderboard_follows_the_matches_played_since(save: Path) -> None:
    play(save, matches=2)
    with Save(save) as half_way:
        before = current_leaderboard(half_way)
        stale = half_way.stored_leaderboard()
        assert 2 <= before.matches < 6
        assert before == leaderboard(half_way.records())
    play(save)
    with Save(save) as finished:
        assert current_leaderboard(finished).matches == 6

    # Even where the newest stored one is of an older state, the matches decide.
    tamper(save, STORE, *stale)
    with Save(save) as finished:
        assert current_leaderboard(finished) == leaderboard(finished.records())


def test_a_leaderboard_of_other_formulas_is_computed_again(save: Path) -> None:
    play(save)
    with Save(save) as finished:
        right = current_leaderboard(finished)
        fingerprint = fingerprint_of(finished)
    wrong = replace(right, skipped=99).to_json()
    older = layout().replace(str(FORMULAS), str(FORMULAS - 1), 1)
    narrower = layout().replace(" judgment", "", 1)
    for formulas, expected in ((layout(), 99), (older, 0), (layout(), 99), (narrower, 0)):
        tamper(save, STORE, f"{formulas} {fingerprint}", wrong)
        with Save(save) as finished:
            assert current_leaderboard(finished).skipped == expected
