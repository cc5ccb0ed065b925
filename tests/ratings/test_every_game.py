"""Measures of every game (payoff, welfare, fault rate) against the records."""

from collections import Counter
from statistics import fmean

import pytest

from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.games.engine.registry import games
from parlour.games.families.gossip_games import TONES
from parlour.games.testing.playthrough import opened
from parlour.ratings.measures.conditions import ALL_CONDITIONS
from parlour.ratings.measures.measures import leaderboard_measures, measures
from parlour.ratings.reports.leaderboard import COLUMNS, NOT_SHOWN, column_titles
from tests.ratings.records import drawn, numbered


def seats_of(record: MatchRecord, agent: str) -> list[Seat]:
    return [seat for seat in record.counted if record.agents[seat] == agent]


def answers_of(records: list[MatchRecord], agent: str) -> list[Answered]:
    answers: list[Answered] = []
    for record in records:
        answers += [answer for answer in record.answers if answer.seat in seats_of(record, agent)]
    return answers


def seat_count(name: str) -> int:
    game = games()[name]
    return len(opened(game, game.shipped()[0], game.variant(), 0).seats)


@pytest.mark.parametrize("name", games())
def test_payoff_welfare_and_fault_rate_are_those_of_the_records(name: str) -> None:
    seats = seat_count(name)
    records = numbered(drawn(name, ("ab" * seats)[:seats], seed, faulty=0.3) for seed in range(8))
    by_measure = {
        row.measure: row
        for row in measures(records)
        if (row.game, row.condition, row.agent, row.role) == (name, ALL_CONDITIONS, "a", None)
    }
    # A match counts once for each role that the agent held in it.
    payoffs, welfare = [], []
    for record in records:
        for role in {record.outcome.roles[seat] for seat in seats_of(record, "a")}:
            held = [seat for seat in seats_of(record, "a") if record.outcome.roles[seat] == role]
            payoffs.append(fmean(record.outcome.payoffs[seat] for seat in held))
            welfare.append(sum(record.outcome.payoffs))
    assert by_measure["payoff"].value == pytest.approx(fmean(payoffs))
    assert by_measure["welfare"].value == pytest.approx(fmean(welfare))
    answers = answers_of(records, "a")
    faults = [answer for answer in answers if answer.fault is not None]
    assert 0 < len(faults) < len(answers)
    assert (by_measure["fault_rate"].k, by_measure["fault_rate"].n) == (len(faults), len(answers))


@pytest.mark.parametrize("name", [*games(), "all"])
def test_what_a_leaderboard_shows_is_what_every_measure_says_of_it(name: str) -> None:
    records = []
    for each in games() if name == "all" else [name]:
        seats = seat_count(each)
        records += [drawn(each, ("ab" * seats)[:seats], seed, faulty=0.1) for seed in range(4)]
    every = [row for row in measures(numbered(records)) if row.condition == ALL_CONDITIONS]
    wanted = {*column_titles(), *NOT_SHOWN}
    shown = leaderboard_measures(numbered(records))
    assert {row for row in shown if row.measure in wanted} == {
        row for row in every if row.measure in wanted
    }
    assert {row.condition for row in shown} == {ALL_CONDITIONS}


@pytest.mark.parametrize("name", ["donation", "reciprocity", "investment"])
def test_tones_are_those_of_the_messages_that_were_no_faults(name: str) -> None:
    seats = seat_count(name)
    records = numbered(drawn(name, ("ab" * seats)[:seats], seed, faulty=0.2) for seed in range(4))
    rows = [row for row in measures(records) if (row.game, row.condition) == (name, ALL_CONDITIONS)]
    tones = Counter(
        answer.value["tone"]
        for answer in answers_of(records, "a")
        if answer.kind == "gossip" and answer.fault is None
    )
    assert set(tones) == set(TONES)
    for tone in TONES:
        (row,) = (r for r in rows if (r.agent, r.role, r.measure) == ("a", None, f"tone_{tone}"))
        assert (row.k, row.n) == (tones[tone], tones.total())


FIVE = ("chameleon", "cost_sharing", "prisoners_dilemma", "public_good", "undercover")


@pytest.mark.parametrize("name", FIVE)
def test_the_extended_profile_of_one_of_the_five_games_is_its_own(name: str) -> None:
    records = numbered(drawn(name, "aba" if seed % 2 else "bab", seed) for seed in range(12))
    rows = {
        row.measure: (row.value, row.k, row.n)
        for row in measures(records)
        if (row.game, row.agent, row.role) == (None, "a", None)
    }
    extended = [measure for measure in rows if measure.endswith("_extended")]
    assert extended
    for measure in extended:
        assert rows[measure] == rows[measure.removesuffix("_extended")], measure


def test_every_column_of_the_leaderboard_is_a_measure() -> None:
    records: list[MatchRecord] = []
    for name in games():
        seats = seat_count(name)
        records += [drawn(name, ("ab" * seats)[:seats], seed) for seed in range(4)]
    measured = {row.measure for row in leaderboard_measures(numbered(records))}
    assert COLUMNS.keys() <= measured
