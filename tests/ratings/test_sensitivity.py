"""Checks of a leaderboard, on matches where the answer is known."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import log
from statistics import NormalDist

import pytest
from scipy.optimize import brentq

from parlour.games.engine.moves import Seat
from parlour.games.engine.record import MatchRecord
from parlour.ratings.reports.sensitivity_report import checked, notes, sensitivity_report
from parlour.ratings.reports.writers import WRITERS
from parlour.ratings.sensitivity.drop import matches_to_drop
from parlour.ratings.sensitivity.held_out import held_out
from parlour.ratings.sensitivity.refits import Fitted, clones, is_tied, ties, weighted
from parlour.ratings.sensitivity.refits import fitted as fitted_to
from parlour.ratings.sensitivity.sensitivity import cycles, faults
from parlour.ratings.skill.strength_model import strengths
from tests.ratings.impostors import impostor
from tests.ratings.records import dilemma, negotiation, numbered, undercover
from tests.ratings.simulated import tournament, truth

NORMAL = NormalDist()
DUEL = ("xyx", 1)
"""Two civilians of x against the undercover of y."""
TIED_BALLOT = (1, 0, 1, 0)
"""Two votes for the impostor in seat 0, and two for seat 1."""


def fitted(records: Sequence[MatchRecord], *, draws: bool = True) -> Fitted:
    return fitted_to(weighted(records), draws=draws)


def duels(caught: int, escaped: int, tie: int = 0) -> list[MatchRecord]:
    """Duels that x won as the civilians, that y won, and level ones."""
    endings = ["caught"] * caught + ["escaped"] * escaped + ["tie"] * tie
    return numbered(undercover(*DUEL, ending) for ending in endings)


def test_point_fits_are_the_strengths_of_the_leaderboard() -> None:
    records = tournament(truth(3, agents=4), 3, settings=3, pairs=24)
    ranked = strengths(records).overall
    fit = fitted(records)
    assert dict(fit.values) == {agent: strength.value for agent, strength in ranked.items()}
    assert fit.ranks()[max(ranked, key=lambda agent: ranked[agent].value)] == 1
    # Where no match is level, the error of the leaderboard is that of the posterior at least.
    decided = duels(7, 3)
    least = fitted(decided).se
    assert all(least[agent] <= each.se + 1e-9 for agent, each in strengths(decided).overall.items())


def test_matches_to_drop_worked_by_hand() -> None:
    # x won 7 of 10. Without 4 of its wins it is 3 to 3, and the two are equal; without 5 y leads.
    (drop,) = matches_to_drop(duels(7, 3))
    assert (drop.leader, drop.other, drop.needed, drop.n) == ("x", "y", 5, 10)
    assert drop.matches == (1, 2, 3, 4, 5)
    assert drop.share == 0.5
    values = fitted(duels(7, 3)).values
    assert drop.gap == pytest.approx(values["x"] - values["y"])


@pytest.mark.parametrize("records", [[], [undercover("xxx")], [negotiation("xyz", [[]], None)]])
def test_nothing_to_drop_without_two_rated_agents(records: list[MatchRecord]) -> None:
    assert matches_to_drop(records) == ()
    assert faults(records, {}).agents == ()


def close_race() -> list[MatchRecord]:
    return tournament(truth(8, agents=4, spread=0.05, apart=0.05), 8, settings=12, pairs=120)


def test_dropping_the_named_matches_changes_the_leader_and_fewer_do_not() -> None:
    records = close_race()
    first = matches_to_drop(records)[0]
    assert first.needed is not None
    assert 2 <= first.needed <= 20
    assert len(first.matches) == first.needed

    def leader(dropped: Sequence[int]) -> str:
        left = [record for record in records if record.number not in dropped]
        ranked = strengths(left).overall
        return max(ranked, key=lambda agent: ranked[agent].value)

    assert leader(()) == first.leader
    assert leader(first.matches) == first.other
    assert leader(first.matches[:-1]) == first.leader


def test_the_closed_form_is_close_where_few_matches_are_dropped() -> None:
    # 510 to 490: without 20 wins of x the two are equal, without 21 y leads.
    (drop,) = matches_to_drop(duels(510, 490))
    assert drop.needed == 21
    assert drop.predicted == pytest.approx(20, abs=1)
    # A leader that never lost can only be equalled.
    (drop,) = matches_to_drop(duels(3, 0))
    assert (drop.needed, drop.share, drop.matches) == (None, None, ())


def test_cycles_of_all_shares_and_of_those_that_survive() -> None:
    # Rock beats scissors, paper rock, scissors paper; lizard loses to all. With paper's win over
    # rock in doubt no cycle survives.
    beats = [("rock", "scissors"), ("paper", "rock"), ("scissors", "paper")]
    beats += [(each, "lizard") for each in ("rock", "paper", "scissors")]
    assert cycles(beats, beats).surviving == (("paper", "rock", "scissors"),)
    weaker = cycles(beats, [pair for pair in beats if pair != ("paper", "rock")])
    assert (weaker.observed, weaker.surviving) == (1, ())


def test_held_out_scores_worked_by_hand() -> None:
    # Fitted to one win of x alone, η is where η / variance = φ(η) / Φ(η); the variance is that
    # of two places, two agents and two roles: 2 + 2 + 0.18. The other match is a loss of x.
    eta = brentq(lambda x: x / 4.18 - NORMAL.pdf(x) / NORMAL.cdf(x), 0, 10)
    chance = NORMAL.cdf(eta)
    held = held_out(duels(1, 1))
    assert (held.folds, held.n) == (2, 2)
    assert held.model.log_loss == pytest.approx(-log(1 - chance))
    assert held.model.brier == pytest.approx(chance**2)
    # By positions: one win and half a match more for either make 0.75.
    assert (held.positions.log_loss, held.positions.brier) == pytest.approx((-log(0.25), 0.5625))
    (only,) = held.bins
    assert (only.n, only.observed) == (2, 0)
    assert only.predicted == pytest.approx(chance)


def test_the_model_of_true_skills_is_calibrated_and_beats_positions() -> None:
    held = held_out(tournament(truth(1, agents=6), 1, settings=20, pairs=60))
    assert held.model.log_loss < held.positions.log_loss < log(2)
    assert held.model.brier < held.positions.brier < 0.25
    assert len(held.bins) >= 3
    for each in held.bins:
        assert each.observed == pytest.approx(each.predicted, abs=0.06)


def test_a_draw_is_half_a_win_for_both_and_too_few_clusters_are_said_in_words() -> None:
    # Fitted to a draw everything is even: a coin for the other draw.
    held = held_out(duels(0, 0, tie=2))
    assert (held.model.log_loss, held.model.brier) == pytest.approx((log(2), 0.25))
    assert held_out([]).problem == "a game has fewer than two clusters of matches"
    assert held_out(duels(1, 0)).model is None


def test_how_ties_count_may_decide_who_leads() -> None:
    # x won 2, y 1, and 3 were level: y leads only if the undercover is given the level ones.
    checks = ties(weighted(duels(2, 1, tie=3)))
    assert (checks.tied, checks.n) == (3, 6)
    leaders = {each.policy: each.order[0] for each in checks.policies}
    expected = {"as_played": "x", "draws": "x", "left_out": "x", "to_special": "y"}
    assert leaders == expected | {"to_others": "x"}
    special = checks.policies[3]
    assert (special.tau, special.moved) == (-1, 1)
    assert checks.policies[0].tau == 1


def test_a_tied_ballot_is_tied_whoever_wins_it() -> None:
    tied = impostor("xyyy", TIED_BALLOT, "tie")
    assert tied.outcome.winners == (Seat(0),)
    assert is_tied(tied)
    assert not is_tied(impostor("xyyy", (1, 0, 0, 0), "caught"))
    assert not is_tied(dilemma("xyx", ["CCC"], [3, 3, 3]))
    # One escape and one tied ballot: x leads, unless the tie goes to the others.
    records = numbered([tied, impostor("xyyy", (1, 0, 0, 0), "caught"), replace(tied, number=3)])
    leaders = {each.policy: each.order[0] for each in ties(weighted(records)).policies}
    assert (leaders["as_played"], leaders["to_others"]) == ("x", "y")


def test_equal_payoffs_are_left_out_with_the_ties() -> None:
    # x is above the second seat and level with the third, both of y.
    records = [dilemma("xyy", ["CCC"], [3, 1, 3])]
    with_level, without = fitted(records).values, fitted(records, draws=False).values
    assert without["x"] > with_level["x"] > 0
    # Who was only ever level is left out with what was level.
    level = dilemma("xzz", ["CCC"], [3, 3, 3])
    assert fitted(numbered([*records, level]), draws=False).values == without


def test_dependence_on_faults_worked_by_hand() -> None:
    # x won matches 1 to 3 and lost 4. In 1 and 2 y had a fault, in 3 x itself.
    checks = faults(duels(3, 1), {1: {1}, 2: {1}, 3: {0}})
    assert (checks.faulty, checks.n) == (3, 4)
    of_x = next(each for each in checks.agents if each.agent == "x")
    assert (of_x.clean, of_x.share, of_x.faulty, of_x.share_with) == (2, 0.5, 2, 1.0)
    assert of_x.of_wins == pytest.approx(2 / 3)
    assert (of_x.rank, of_x.clean_rank) == (1, 2)  # only the lost match has no fault
    of_y = next(each for each in checks.agents if each.agent == "y")
    assert (of_y.clean, of_y.faulty, of_y.share_with, of_y.of_wins) == (3, 1, 0.0, 0.0)


def test_faults_in_a_game_of_payoffs_are_those_of_other_agents() -> None:
    # x has seats 0 and 2 with a mean of 4, above the 3 of y; the fault is of x.
    record = dilemma("xyx", ["CDC"], [5, 3, 3])
    checks = faults([record], {1: {2}})
    dependence = {each.agent: (each.clean, each.faulty) for each in checks.agents}
    assert dependence == {"x": (1, 0), "y": (0, 1)}
    assert next(each for each in checks.agents if each.agent == "y").of_wins is None


def test_an_agent_entered_twice_moves_nobody_else() -> None:
    records = tournament(truth(2, agents=5), 2, settings=12, pairs=60)
    checks = clones(weighted(records))
    assert [each.agent for each in checks] == fitted(records).order
    for each in checks:
        assert each.errors is not None
        assert each.errors < 0.25
        assert each.apart is not None
        assert each.apart < 0.5
        assert each.reordered is False


def test_a_clone_has_a_name_of_its_own() -> None:
    matches = product(("x", "x (clone)", "z"), ("caught", "escaped", "caught"))
    records = numbered(undercover([agent, "y", agent], 1, ending) for agent, ending in matches)
    check = next(each for each in clones(weighted(records)) if each.agent == "x")
    assert check.apart is not None
    few = clones(weighted(duels(1, 0)))  # a single match cannot be halved
    assert {each.moved for each in few} == {None}


def test_the_report_has_every_check() -> None:
    report = sensitivity_report(checked(close_race(), {1: {0}}))
    headings = [table.heading for table in report.tables]
    assert headings[0] == "Matches to drop until another agent leads"
    assert headings[-4:] == ["Calibration", "Ties", "Faults of opponents", "Clones"]
    assert {record["check"] for record in report.records} == {
        *("drop", "cycles", "held_out", "calibration", "ties", "faults", "clones")
    }
    for write in WRITERS.values():
        assert write(report)
    nothing = checked([], {})
    line = "No two agents have met in a finished match: there is nothing to check."
    assert (notes(nothing), sensitivity_report(nothing).tables) == ([line], [])


def test_cycles_come_from_the_head_to_head_results() -> None:
    # Each beats the next in 30 of 30 matches: intervals exclude one half.
    names = ["a", "b", "c"]
    records = numbered(
        undercover([names[index % 3], names[(index + 1) % 3], names[index % 3]], 1, "caught")
        for index in range(90)
    )
    checks = checked(records, {})
    assert checks.cycles.surviving == (("a", "b", "c"),)
    report = sensitivity_report(checks)
    assert "a \\> b \\> c \\> a" in WRITERS["md"](report)
    assert r"a \textgreater{} b" in WRITERS["latex"](report)
