"""Measures of hand-made matches: values, slices, intervals, and what has no row."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import games
from parlour.ratings.measures.measures import Row, measures
from parlour.ratings.statistics.intervals import wilson
from tests.ratings.records import beliefs, find, numbered, own_role, undercover, vote


def value(records: list[MatchRecord], measure: str, agent: str = "x", **where: object) -> Row:
    row = find(measures(records), measure, agent, **where)  # type: ignore[arg-type]
    assert row is not None
    return row


# x is the civilians of matches 1 to 3 and the undercover of 4 and 5, each time against y.
FIVE = numbered(
    [
        undercover("xyx", ending="caught"),
        undercover("xyx", ending="caught"),
        undercover("xyx", ending="tie"),
        undercover("yxy", ending="escaped"),
        undercover("yxy", ending="tie"),
    ]
)


def test_a_win_rate_is_credits_out_of_three_a_match_in_each_role() -> None:
    as_civilian = value(FIVE, "win_rate", role="civilian")
    assert (as_civilian.k, as_civilian.n) == (3 + 3 + 1, 9)
    assert as_civilian.value == 7 / 9
    as_undercover = value(FIVE, "win_rate", role="undercover")
    assert (as_undercover.k, as_undercover.n) == (3 + 2, 6)
    assert as_undercover.value == 5 / 6
    assert value(FIVE, "win_rate", "y", role="civilian").k == 0 + 1
    assert value(FIVE, "win_rate", "y", role="undercover").k == 0 + 0 + 2


def test_the_win_rate_of_a_game_is_the_mean_over_roles_however_often_each_was_played() -> None:
    row = value(FIVE, "win_rate")
    assert row.value == pytest.approx((7 / 9 + 5 / 6) / 2)
    assert (row.k, row.n) == (None, 5)


def test_a_role_that_was_not_played_does_not_enter_the_win_rate() -> None:
    row = value(FIVE[:3], "win_rate")
    assert row.value == pytest.approx(7 / 9)
    assert find(measures(FIVE[:3]), "win_rate", role="undercover") is None


def test_the_overall_win_rate_is_the_mean_over_the_roles_of_all_games(other_game: str) -> None:
    # Undercover: 7/9 and 5/6. The other game, as a civilian only: 0 of 3.
    records = [*FIVE, undercover("xyx", ending="escaped", number=6, game=other_game)]
    row = value(records, "win_rate", game=None)
    assert row.value == pytest.approx((7 / 9 + 5 / 6 + 0) / 3)
    assert row.n == 6


def test_one_agent_in_all_seats_counts_once_in_each_role() -> None:
    records = [undercover("xxx", ending="tie")]
    assert value(records, "win_rate", role="civilian").value == 1 / 3
    assert value(records, "win_rate", role="undercover").value == 2 / 3
    assert value(records, "win_rate").value == pytest.approx(1 / 2)
    assert value(records, "payoff").n == 2


def test_both_civilian_seats_are_one_match_for_the_win_rate_and_two_votes_for_judgment() -> None:
    records = [undercover("xyx", answers=[vote(0, 1), vote(1, 0), vote(2, 0)], ending="escaped")]
    assert value(records, "win_rate", role="civilian").n == 3  # the credits of one match
    judged = value(records, "judgment")
    assert (judged.k, judged.n, judged.value) == (1, 2, 0.5)


def test_deception_is_the_share_of_success() -> None:
    # y was the undercover three times: caught, caught, and a tie, which is a success.
    for measure in ("deception", "deception_raw"):
        shown = value(FIVE, measure, "y")
        assert (shown.k, shown.n, shown.value) == (1, 3, 1 / 3)
        assert (shown.low, shown.high) == (None, None)  # three matches are too few


def test_payoff_and_welfare_are_means_a_match() -> None:
    assert value(FIVE, "payoff", role="civilian").value == pytest.approx((3 + 3 + 1) / 3)
    assert value(FIVE, "payoff").value == pytest.approx((3 + 3 + 1 + 3 + 2) / 5)
    # All seats together: 6, 6, 4, 3, 4.
    assert value(FIVE, "welfare").value == pytest.approx(23 / 5)
    assert value(FIVE, "welfare", role="undercover").value == pytest.approx(7 / 2)


def test_payoffs_of_several_games_are_not_put_together() -> None:
    rows = measures(FIVE)
    assert find(rows, "payoff", game=None) is None
    assert find(rows, "welfare", game=None) is None


def test_a_fault_rate_is_faulted_answers_out_of_all_answers() -> None:
    answers = [vote(0, None), vote(1, 0), vote(2, 1), own_role(0, "ordinary")]
    records = [undercover("xyx", answers=answers)]
    row = value(records, "fault_rate")
    assert (row.k, row.n, row.value) == (1, 3, 1 / 3)
    assert value(records, "fault_rate", role="civilian").k == 1
    assert value(records, "fault_rate", "y", role="undercover").k == 0


def test_a_fault_rate_in_a_role_is_of_the_answers_given_in_that_role() -> None:
    # x: two answers as a civilian, one of them a fault, and one as the undercover.
    records = numbered(
        [
            undercover("xyx", answers=[vote(0, None), vote(2, 1)]),
            undercover("yxy", answers=[vote(1, 0)]),
        ]
    )
    as_civilian = value(records, "fault_rate", role="civilian")
    assert (as_civilian.k, as_civilian.n) == (1, 2)
    as_undercover = value(records, "fault_rate", role="undercover")
    assert (as_undercover.k, as_undercover.n) == (0, 1)
    assert value(records, "fault_rate").value == 1 / 3


def test_a_measure_with_nothing_to_divide_by_has_no_row() -> None:
    civilian_without_answers = measures([undercover("xyx")])
    measured = {row.measure for row in civilian_without_answers if row.agent == "x"}
    assert measured == {"win_rate", "payoff", "welfare"}
    as_undercover = {row.measure for row in civilian_without_answers if row.agent == "y"}
    deception = {"deception", "deception_raw", "deception_extended"}
    assert as_undercover == measured | deception
    assert measures([]) == []


def test_a_game_without_a_special_role_has_no_deductions(other_game: str) -> None:
    game = games()[other_game]
    games()[other_game] = replace(game, scoring=replace(game.scoring, special=None))
    answers = [vote(0, 1), own_role(0, "ordinary"), beliefs(0, 1, 1, 1)]
    rows = measures([undercover("xyx", answers=answers, game=other_game)])
    assert {row.measure for row in rows} == {"win_rate", "payoff", "welfare", "fault_rate"}


def test_plain_rates_carry_wilson_intervals() -> None:
    votes = [[vote(0, 1)], [vote(0, 2)]] * 3
    records = [undercover("xyz", answers=each, number=n) for n, each in enumerate(votes)]
    row = value(records, "judgment")
    assert (row.low, row.high) == pytest.approx(wilson(3, 6)[1:])
    assert row.se == pytest.approx(sqrt(1 / 4 / 5))  # s / √6 of six values 0 and 1


def test_votes_of_one_match_are_not_trials_of_their_own() -> None:
    both = [undercover("xyx", answers=[vote(0, right), vote(2, right)]) for right in (1, 3)]
    row = value(numbered(both * 4), "judgment")
    assert (row.k, row.n) == (8, 16)
    # Eight matches of two votes that agree: 16 votes have a design effect of 2 × 15/16 × 8/7, and
    # t of 15 and of 7 degrees of freedom are 2.1314 and 2.3646.
    trials = 16 / (2 * 15 / 16 * 8 / 7) * (2.131450 / 2.364624) ** 2
    assert (row.low, row.high) == pytest.approx(wilson(trials / 2, trials)[1:], rel=1e-5)


def test_a_mean_over_roles_leaves_all_roles_of_a_cluster_out_together() -> None:
    # Credits and possible credits as civilian, then as undercover, of the five matches.
    lines = np.array([[3, 3, 0, 0], [3, 3, 0, 0], [1, 3, 0, 0], [0, 0, 3, 3], [0, 0, 2, 3]])

    def mean_of_roles(left: np.ndarray) -> float:
        k, n, other_k, other_n = left.sum(axis=0)
        return float(k / n + other_k / other_n) / 2

    whole = mean_of_roles(lines)
    left_out = [mean_of_roles(np.delete(lines, match, axis=0)) for match in range(5)]
    row = value(FIVE, "win_rate")
    assert row.value == pytest.approx(whole)
    assert row.se == pytest.approx(sqrt(4 / 5 * sum((each - whole) ** 2 for each in left_out)))
    assert row.low is None  # three matches as civilian are too few


def test_a_win_rate_from_a_single_cluster_has_no_interval() -> None:
    row = value(FIVE[:1], "win_rate")
    assert (row.value, row.se, row.low, row.high) == (1.0, None, None, None)


def test_rows_come_by_condition_by_game_and_over_everything(other_game: str) -> None:
    votes = ([vote(0, 1)], [vote(0, 1)], [vote(0, 2)], [vote(0, 2)])
    records = numbered(
        [
            undercover("xyz", answers=votes[0], condition=""),
            undercover("xyz", answers=votes[1], condition="probes=off"),
            undercover("xyz", answers=votes[2], condition="probes=off"),
            undercover("xyz", answers=votes[3], game=other_game),
        ]
    )
    rows = [row for row in measures(records) if (row.agent, row.measure) == ("x", "judgment")]
    assert [(row.game, row.condition, row.k, row.n) for row in rows] == [
        (None, "all", 2, 3),  # the strict profile: the other game does not enter it
        ("othercover", "all", 0, 1),
        ("othercover", "default", 0, 1),
        ("undercover", "all", 2, 3),
        ("undercover", "default", 1, 1),
        ("undercover", "probes=off", 1, 2),
    ]
    extended = value(records, "judgment_extended", game=None)
    assert (extended.k, extended.n) == (2, 4)


def test_a_challenger_schedule_measures_the_challengers_alone() -> None:
    records = [undercover("yxy", counted=[1], answers=[vote(0, 1), vote(1, 0), vote(2, 1)])]
    assert {row.agent for row in measures(records)} == {"x"}
    assert value(records, "fault_rate").n == 1
