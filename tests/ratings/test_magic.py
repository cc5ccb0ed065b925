"""The seven capabilities and what goes with them, on matches small enough to work by hand."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import games
from parlour.ratings.measures.formulas import CAPABILITIES, radar_area
from parlour.ratings.measures.measures import Row, measures
from parlour.ratings.skill.trueskill_ladders import rate
from parlour.ratings.statistics.intervals import wilson
from tests.ratings.records import (
    beliefs,
    beliefs_about,
    chameleon,
    dilemma,
    find,
    guess,
    negotiation,
    numbered,
    own_role,
    pooling,
    undercover,
    vote,
)

A, B, C = (20, 30, 50), (25, 25, 50), (0, 0, 100)


def row(
    records: list[MatchRecord],
    measure: str,
    agent: str = "x",
    game: str | None = None,
    role: str | None = None,
) -> Row | None:
    return find(measures(numbered(records)), measure, agent, role, game)


def rate_of(records: list[MatchRecord], measure: str, *where: str | None) -> object:
    """(k, n) of a rate, None if there is no row."""
    measured = row(records, measure, *where)
    return None if measured is None else (measured.k, measured.n)


def mean_of(records: list[MatchRecord], measure: str, *where: str | None) -> object:
    """(mean, n), None if there is no row."""
    measured = row(records, measure, *where)
    return None if measured is None else (pytest.approx(measured.value), measured.n)


# Judgment


def test_judgment_is_of_the_votes_of_non_chameleons_and_civilians() -> None:
    records = [
        # One right, one abstention; the chameleon's own vote is not counted.
        chameleon("xyx", answers=[vote(0, 1), vote(1, 0), vote(2, None)], ending="even"),
        chameleon("yxy", answers=[vote(0, 1), vote(1, 0), vote(2, 0)], ending="caught"),
        undercover("xyx", answers=[vote(0, 1), vote(1, 0), vote(2, 1)]),
    ]
    assert rate_of(records, "judgment", "x", "chameleon") == (1, 2)
    assert rate_of(records, "judgment", "y", "chameleon") == (1, 2)
    assert rate_of(records, "judgment", "x", "undercover") == (2, 2)
    assert rate_of(records, "judgment", "x") == (3, 4)
    assert rate_of(records[:1], "judgment", "y") is None


# Reasoning: one point for the own view, one if all views of others are right.
# Seats 0 and 2 are x and know the word; seat 1 is y, the chameleon, and knows that.
# Seat 0 suspects 1 (right) and thinks that 2 suspects 1 (2 suspects 0: wrong).
# Seat 2 suspects 0 (wrong) and thinks that 0 suspects 1 (right).
# The chameleon thinks that 0 suspects 1 (right) and that 2 suspects nobody (wrong): not all right.
# What seats 0 and 2 think of the chameleon's own view is not due: it knows, and was not asked.
HELD = [
    beliefs_about(0, {0: 1, 1: 1, 2: 1}),
    beliefs_about(1, {0: 1, 2: None}),
    beliefs_about(2, {0: 1, 1: 2, 2: 0}),
]


def test_reasoning_in_chameleon_leaves_out_what_the_chameleon_knows() -> None:
    records = [chameleon("xyx", answers=HELD)]
    assert rate_of(records, "reasoning", "x") == (2, 4)
    assert rate_of(records, "reasoning", "y") == (0, 1)


@pytest.mark.parametrize(
    ("faulty", "of_x", "of_y"),
    [
        # Seat 0: both its answers stay due and wrong; what others think of its view is not due.
        (0, (0, 3), (0, 1)),
        (1, (2, 4), (0, 1)),
        (2, (1, 3), (1, 1)),
    ],
)
def test_a_faulty_belief_is_wrong_and_what_others_think_of_it_is_not_due(
    faulty: int, of_x: tuple[int, int], of_y: tuple[int, int]
) -> None:
    answers = [beliefs_about(s, {}) if s == faulty else held for s, held in enumerate(HELD)]
    records = [chameleon("xyx", answers=answers)]
    assert rate_of(records, "reasoning", "x") == of_x
    assert rate_of(records, "reasoning", "y") == of_y


def test_reasoning_pools_both_games() -> None:
    # Undercover, seat 1 special: all suspect 1, and think so of each other: 2 points a seat.
    answers = [beliefs(seat, 1, 1, 1) for seat in range(3)]
    records = [chameleon("xyx", answers=HELD), undercover("xyx", answers=answers)]
    assert rate_of(records, "reasoning", "x") == (2 + 4, 4 + 4)
    assert rate_of(records, "reasoning", "y") == (0 + 2, 1 + 2)


def test_two_views_of_others_are_one_point_that_takes_both() -> None:
    # Seat 1 is special. Seat 0 is right about it and about seat 1's view, but not about seat 2's.
    answers = [beliefs(0, 1, 1, 0), beliefs(1, 1, 1, 1), beliefs(2, 1, 1, 1)]
    assert rate_of([undercover("xyz", answers=answers)], "reasoning", "x") == (1, 2)


def test_the_chameleon_deduces_the_word_in_place_of_the_chameleon() -> None:
    for word, right in (("Guitar!", 1), ("lute", 0), (None, 0)):
        match = chameleon("xyx", answers=[*HELD, replace(guess(1, word), kind="supposed_word")])
        outcome = replace(match.outcome, facts={"secret_word": "guitar"})
        records = [replace(match, outcome=outcome)]
        assert rate_of(records, "reasoning", "y") == (right, 2)


def test_reasoning_counts_a_challengers_beliefs_about_a_defender_who_does_not_count() -> None:
    records = [chameleon("xyx", answers=HELD, counted=[1])]
    assert rate_of(records, "reasoning", "y") == (0, 1)
    assert rate_of(records, "reasoning", "x") is None


# Deception


def test_deception_is_k_of_n_and_raw_deception_adds_a_quarter_of_the_wrong_guesses() -> None:
    as_chameleon = [
        chameleon("yxy", ending=ending) for ending in ("escaped", "even", "guessed", "caught")
    ]
    # Four chameleons guessed, three of them wrong; where none was found out nobody guessed.
    beside = [
        chameleon("xyx", ending=ending)
        for ending in ("caught", "caught", "caught", "guessed", "escaped", "even")
    ]
    records = as_chameleon + beside
    assert rate_of(records, "deception") == (3, 4)
    assert rate_of(records, "wrong_guesses") == (3, 4)
    assert mean_of(records, "deception_raw") == (3 / 4 + 0.25 * 3 / 4, 4)


def test_without_guesses_the_second_term_of_deception_is_nothing() -> None:
    records = [chameleon("yxy", ending=e) for e in ("escaped", "caught", "caught", "caught")]
    records.append(chameleon("xyx", ending="escaped"))
    assert rate_of(records, "deception") == (1, 4)
    assert rate_of(records, "deception_raw") == (1, 4)
    assert rate_of(records, "wrong_guesses") is None


def test_the_best_deception_is_one() -> None:
    records = [chameleon("yxy", ending="escaped"), chameleon("xyx", ending="caught")]
    assert mean_of(records, "deception_raw") == (1.25, 1)
    assert rate_of(records, "deception") == (1, 1)


def test_a_guess_that_was_a_fault_is_a_wrong_guess() -> None:
    records = [
        chameleon("yxy", ending="caught"),
        chameleon("xyx", ending="caught", answers=[guess(1, None)]),
    ]
    assert mean_of(records, "deception_raw") == (0.25, 1)


def test_who_never_was_special_has_no_deception() -> None:
    records = [chameleon("xyx", ending="caught")]
    for measure in ("deception", "deception_raw"):
        assert row(records, measure) is None


def test_deception_pools_both_special_roles() -> None:
    records = [
        chameleon("yxy", ending="escaped"),
        undercover("yxy", ending="tie"),
        undercover("yxy", ending="caught"),
    ]
    assert rate_of(records, "deception") == (2, 3)


# Self-awareness


def roles_named(*roles: str | None) -> list[MatchRecord]:
    """One match for each own role that x in seat 0 names; the chameleon is in seat 1."""
    return [chameleon("xyy", answers=[own_role(0, role)], ending="even") for role in roles]


def undercover_roles_named(*roles: str | None) -> list[MatchRecord]:
    return [undercover("xyy", answers=[own_role(0, role)]) for role in roles]


def test_self_awareness_weighs_chameleon_with_six_tenths_whatever_the_counts() -> None:
    in_chameleon = roles_named("ordinary", "ordinary", "ordinary", "unsure")
    in_undercover = undercover_roles_named("ordinary", "special")
    measured = row(in_chameleon + in_undercover, "self_awareness")
    assert measured.value == pytest.approx(0.6 * 3 / 4 + 0.4 * 1 / 2)
    assert (measured.k, measured.n) == (None, 6)


def test_one_game_alone_is_all_of_self_awareness() -> None:
    for alone in (
        roles_named("ordinary", "ordinary", "ordinary", None),
        undercover_roles_named("ordinary", "ordinary", "ordinary", "unsure"),
    ):
        measured = row(alone, "self_awareness")
        assert (measured.k, measured.n, measured.value) == (3, 4, 3 / 4)
        extended = row(alone, "self_awareness_extended")
        assert (measured.se, measured.low) == (extended.se, extended.low)


def test_a_chameleon_is_right_to_take_itself_for_special() -> None:
    records = [
        chameleon("yxy", answers=[own_role(1, role)], ending="even")
        for role in ("special", "ordinary", "unsure")
    ]
    assert rate_of(records, "self_awareness") == (1, 3)


# Cooperation and Coordination: x in seat 0. Agreed on its own split, on another's, on one that
# two proposed, and not at all.
TALKS = [
    negotiation("xyz", [(C, C, C), (A, B, C)], A),
    negotiation("xyz", [(A, B, C)], B),
    negotiation("xyz", [(B, B, C)], B),
    negotiation("xyz", [(A, B, C)] * 5, None),
]


def test_cooperation_is_agreements_out_of_matches() -> None:
    for agent in "xyz":
        assert rate_of(TALKS, "cooperation", agent) == (3, 4)
    assert rate_of(TALKS[3:], "cooperation") == (0, 1)


def test_coordination_is_by_content_of_the_last_round_out_of_agreements_or_matches() -> None:
    assert rate_of(TALKS, "coordination_agreed", "x") == (2, 3)
    assert rate_of(TALKS, "coordination_agreed", "y") == (2, 3)
    # z proposed C, which was agreed on in no round.
    assert rate_of(TALKS, "coordination_agreed", "z") == (0, 3)
    assert rate_of(TALKS, "coordination", "x") == (2, 4)
    assert rate_of(TALKS, "coordination", "z") == (0, 4)
    assert rate_of(TALKS[3:], "coordination_agreed") is None
    assert rate_of(TALKS[3:], "coordination") == (0, 1)


def test_a_split_that_stands_for_a_fault_is_no_agents() -> None:
    records = [negotiation("xyz", [(A, A, C)], A, faults=[(1, 0)])]
    assert rate_of(records, "cooperation") == (1, 1)  # it agreed all the same
    assert rate_of(records, "coordination") is None
    assert rate_of(records, "coordination_agreed") is None
    assert rate_of(records, "coordination", "y") == (1, 1)
    # A fault of an earlier round changes nothing.
    records = [negotiation("xyz", [(C, B, C), (A, B, C)], A, faults=[(1, 0)])]
    assert rate_of(records, "coordination") == (1, 1)


def test_who_proposed_only_before_the_round_of_the_agreement_has_no_part_in_it() -> None:
    records = [negotiation("xyz", [(C, B, C), (A, B, C)], A, faults=[(2, 0)])]
    assert rate_of(records, "cooperation") == (1, 1)
    assert rate_of(records, "coordination") is None
    assert rate_of(records, "coordination_agreed") is None
    assert rate_of(records, "coordination", "y") == (0, 1)


def test_a_split_that_the_setting_fixed_is_no_agents() -> None:
    records = [negotiation("xyz", [(A, B, C)], A, unasked=[(1, 0)])]
    assert rate_of(records, "coordination") is None
    assert rate_of(records, "coordination", "y") == (0, 1)


def test_an_agent_in_two_seats_negotiates_once() -> None:
    records = [negotiation("xxy", [(A, B, C)], B)]
    assert rate_of(records, "cooperation") == (1, 1)
    assert rate_of(records, "coordination") == (1, 1)
    assert mean_of(records, "cost", "x", "cost_sharing") == (25, 1)


def test_cost_is_the_own_share_where_there_was_agreement() -> None:
    talks = [*TALKS, negotiation("xyz", [(C, C, C)], C, setting="D + E + F")]
    # x: 20, 25, 25, and 0 under the other setting.
    assert mean_of(talks, "cost", "x", "cost_sharing") == (70 / 4, 4)
    assert mean_of(talks, "cost", "x", "cost_sharing", "A + B + C") == (70 / 3, 3)
    assert mean_of(talks, "cost", "x", "cost_sharing", "D + E + F") == (0, 1)
    assert mean_of(talks, "cost", "z", "cost_sharing", "A + B + C") == (50, 3)
    assert mean_of(TALKS[3:], "cost", "x", "cost_sharing") is None
    assert rate_of(talks, "cooperation", "x", "cost_sharing", "A + B + C") == (3, 4)
    # What it keeps: 80, 75, 75, nothing, 100.
    assert mean_of(talks, "payoff", "x", "cost_sharing") == (330 / 5, 5)


# Rationality


def test_in_the_dilemma_it_is_rational_to_defect() -> None:
    records = [dilemma("xyz", ["DCC", "CDC", "DDC", "DDC", "CDC"], (16, 20, 0))]
    assert rate_of(records, "rationality", "x") == (3, 5)
    assert rate_of(records, "rationality", "y") == (4, 5)
    assert rate_of(records, "rationality", "z") == (0, 5)
    assert rate_of(records, "rationality", "x", "prisoners_dilemma", "points 3/1/5/5") == (3, 5)


def test_a_choice_that_was_drawn_for_a_fault_is_nobodys() -> None:
    rounds = ["DCC", "CDC", "DDC", "DDC", "CDC"]
    records = [dilemma("xyz", rounds, (16, 20, 0), faults=[(1, 0), (2, 0)])]
    assert rate_of(records, "rationality", "x") == (2, 3)
    assert rate_of(records, "rationality", "y") == (4, 5)
    assert mean_of(records, "score", "x", "prisoners_dilemma") == (16, 1)


# Player by player the least of each round: 0 and 1; all; 2; 1; 2.
GIFTS = [(5, 5, 9), (0, 0, 0), (10, 9, 8), (3, 2, 4), (8, 9, 2)]


def test_in_the_public_good_it_is_rational_to_give_the_least_ties_included() -> None:
    records = [pooling("xyz", GIFTS, 37)]
    assert rate_of(records, "rationality", "x") == (2, 5)
    assert rate_of(records, "rationality", "y") == (3, 5)
    assert rate_of(records, "rationality", "z") == (3, 5)


def test_a_faulty_contribution_is_nobodys_and_still_the_least_to_the_others() -> None:
    records = [pooling("xyz", GIFTS, 37, faults=[(5, 2), (1, 1)])]
    assert rate_of(records, "rationality", "x") == (2, 5)
    assert rate_of(records, "rationality", "y") == (2, 4)
    assert rate_of(records, "rationality", "z") == (2, 4)


def test_rationality_pools_the_decisions_of_both_games() -> None:
    # 1 of 1 and 2 of 5: 3 of 6, not the sum or the mean of the two.
    records = [dilemma("xyz", ["DCC"], (5, 0, 0)), pooling("xyz", GIFTS, 37)]
    assert rate_of(records, "rationality", "x") == (3, 6)
    always = [dilemma("xyz", ["DCC"] * 5, (25, 0, 0)), pooling("xyz", [(0, 1, 1)] * 5, 5)]
    assert rate_of(always, "rationality", "x") == (10, 10)


# Scores and contributions


def test_scores_are_means_a_match_by_scoring() -> None:
    records = [
        dilemma("xyz", ["DCC"], (5, 0, 0)),
        dilemma("yxz", ["CCC"], (3, 3, 3)),
        dilemma("xyz", ["CCC"], (2, 2, 2), setting="points 2/1/4/2"),
    ]
    assert mean_of(records, "score", "x", "prisoners_dilemma") == (10 / 3, 3)
    assert mean_of(records, "score", "x", "prisoners_dilemma", "points 3/1/5/5") == (4, 2)
    assert mean_of(records, "score", "x", "prisoners_dilemma", "points 2/1/4/2") == (2, 1)


def test_contribution_and_payback_by_multiplier_and_contribution_by_round() -> None:
    records = [
        pooling("xyz", GIFTS, 37),  # x gives 26
        pooling("xyz", [(4, 0, 2)] * 5, 20, setting="multiplier 2", faults=[(1, 0)]),  # x: 20
    ]
    place = ("x", "public_good")
    assert mean_of(records, "contribution", *place) == (23, 2)
    assert mean_of(records, "contribution", *place, "multiplier 1.5") == (26, 1)
    assert mean_of(records, "contribution", *place, "multiplier 2") == (20, 1)
    assert mean_of(records, "payback", *place) == (28.5, 2)
    assert mean_of(records, "payback", *place, "multiplier 2") == (20, 1)
    assert mean_of(records, "contribution", *place, "round 1") == (5, 1)  # the other was a fault
    assert mean_of(records, "contribution", *place, "round 3") == (7, 2)  # 10 and 4
    assert mean_of(records, "contribution", "z", "public_good", "round 5") == (2, 2)


# Win rate


SEVEN = [
    chameleon("yxy", ending="even"),  # 1 of 2
    chameleon("xyx", ending="escaped"),  # 0 of 2
    undercover("yxy", ending="escaped"),  # 3 of 3
    undercover("xyx", ending="tie"),  # 1 of 3
    TALKS[0],  # agreed
    TALKS[3],  # failed
    dilemma("xyz", ["DDC"], (5, 5, 0)),  # level at the top: won
    pooling("xyz", [(9, 0, 0)], 5),  # 96, 105, 105: not won
]


def test_the_win_rate_is_the_mean_over_seven_roles() -> None:
    for game, role, k, n in (
        ("chameleon", "chameleon", 1, 2),
        ("chameleon", "non_chameleon", 0, 2),
        ("undercover", "undercover", 3, 3),
        ("undercover", "civilian", 1, 3),
        ("cost_sharing", "airline", 1, 2),
        ("prisoners_dilemma", "prisoner", 1, 1),
        ("public_good", "contributor", 0, 1),
    ):
        assert rate_of(SEVEN, "win_rate", "x", game, role) == (k, n)
    mean = (1 / 2 + 0 + 1 + 1 / 3 + 1 / 2 + 1 + 0) / 7
    assert mean_of(SEVEN, "win_rate", "x") == (mean, 8)


def test_only_roles_that_were_played_enter_the_win_rate() -> None:
    assert mean_of(SEVEN[4:], "win_rate", "x") == ((1 / 2 + 1 + 0) / 3, 4)


def test_an_agent_in_two_seats_of_a_payoff_game_plays_one_match_and_wins_by_half() -> None:
    records = [dilemma("xxy", ["DCC"], (5, 0, 0))]
    assert rate_of(records, "win_rate", "x", "prisoners_dilemma", "prisoner") == (0.5, 1)
    assert rate_of(records, "win_rate", "y", "prisoners_dilemma", "prisoner") == (0, 1)


def test_wins_and_credits_carry_the_same_wilson_interval() -> None:
    # Four agreements in eight matches; all credits of twelve matches, as a role and over roles.
    talks = row(numbered([TALKS[0], TALKS[3]] * 4), "win_rate", "x", "cost_sharing", "airline")
    assert (talks.low, talks.high) == pytest.approx(wilson(4, 8)[1:])
    escaped = numbered([undercover("yxy", ending="escaped")] * 12)
    for role in ("undercover", None):
        won = row(escaped, "win_rate", "x", "undercover", role)
        assert (won.value, won.low, won.high) == pytest.approx((1, *wilson(12, 12)[1:]))
    deceived = row(escaped, "deception", "x", "undercover")
    assert (deceived.low, deceived.high) == pytest.approx(wilson(12, 12)[1:])


def test_only_a_challengers_seat_counts_in_every_game() -> None:
    records = [
        chameleon("yxy", answers=[vote(0, 1), vote(2, 1), own_role(0, "ordinary")], counted=[1]),
        negotiation("xyy", [(A, B, C)], B, counted=[0]),
        dilemma("xyy", ["DCC"], (5, 0, 0), counted=[0]),
        pooling("xyy", [(1, 0, 0)], 0.5, counted=[0]),
    ]
    assert {measured.agent for measured in measures(numbered(records))} == {"x"}


# The radar area. The paper's table 1, in percent, and the areas that follow from it.
TABLE_1 = {
    "GPT o1": (90.0, 34.8, 65.0, 73.0, 85.7, 66.7, 69.5),
    "GPT-4-turbo": (81.2, 37.0, 65.0, 55.0, 66.7, 33.4, 78.1),
    "Llama-2-70B": (45.0, 37.0, 40.0, 53.2, 42.9, 4.80, 5.20),
}
AREAS = {"GPT o1": 1.290, "GPT-4-turbo": 0.932, "Llama-2-70B": 0.314}


def area(values: tuple[float, ...]) -> float:
    return float(radar_area([np.array([value]) for value in values])[0])


def test_the_radar_areas_of_the_papers_table() -> None:
    def of(percentages: Sequence[float]) -> float:
        return area(tuple(value / 100 for value in percentages))

    areas = {name: of(percentages) for name, percentages in TABLE_1.items()}
    assert {name: round(value, 3) for name, value in areas.items()} == AREAS
    assert round(areas["GPT o1"] / areas["Llama-2-70B"], 1) == 4.1
    assert round(areas["GPT-4-turbo"] / areas["Llama-2-70B"], 1) == 3.0


def test_the_radar_area_of_all_ones_is_that_of_the_heptagon_and_order_matters() -> None:
    assert area((1,) * 7) == pytest.approx(7 / 2 * 0.7818314824680298)  # sin(360°/7)
    assert area((1, 1, 0, 0, 0, 0, 0)) == pytest.approx(0.7818314824680298 / 2)
    assert area((1, 0, 1, 0, 0, 0, 0)) == 0
    assert area((1, 0, 0, 0, 0, 0, 1)) == pytest.approx(0.7818314824680298 / 2)  # it closes


# One match for each capability: Judgment 1/2, Reasoning 2/4, Deception 1 (x escaped),
# Self-awareness 1, Cooperation 1/2, Coordination 1/2 (a match without agreement), Rationality 1/5.
WHOLE = [
    chameleon(
        "xyx",
        answers=[*HELD, vote(0, 1), vote(2, 0), own_role(0, "ordinary")],
        ending="even",
    ),
    chameleon("yxy", ending="escaped"),
    TALKS[0],
    TALKS[3],
    dilemma("xyz", ["DCC", "CCC", "CCC", "CCC", "CCC"], (17, 12, 12)),
]
SHOWN = (1 / 2, 2 / 4, 1.0, 1.0, 1 / 2, 1 / 2, 1 / 5)


def test_the_radar_area_is_that_of_the_capabilities_shown() -> None:
    for capability, expected in zip(CAPABILITIES, SHOWN, strict=True):
        assert row(WHOLE, capability).value == pytest.approx(expected), capability
    products = 0.25 + 0.5 + 1 + 0.5 + 0.25 + 0.1 + 0.1  # neighbours, the last with the first
    expected = 0.7818314824680298 / 2 * products
    assert mean_of(WHOLE, "radar_area") == (expected, 5)


@pytest.mark.parametrize("missing", range(5))
def test_there_is_no_radar_area_where_a_capability_is_missing(missing: int) -> None:
    rest = [record for number, record in enumerate(WHOLE) if number != missing]
    shown = {measured.measure for measured in measures(numbered(rest)) if measured.agent == "x"}
    assert ("radar_area" in shown) == set(CAPABILITIES).issubset(shown)
    assert ("radar_area" in shown) == (missing in {2, 3})  # one of the talks can be spared


# TrueSkill


@pytest.mark.parametrize("game", ["prisoners_dilemma", "public_good"])
def test_a_payoff_game_ranks_agents_by_the_mean_payoff_of_their_seats(game: str) -> None:
    if game == "prisoners_dilemma":
        match = dilemma("xyy", ["DDC"], (5, 5, 0))  # 5 against a mean of 2.5
    else:
        match = pooling("xyy", [(1, 0, 4)], 2.5)  # 101.5 against a mean of 100.5
    ratings = rate(numbered([match]))
    assert ratings.overall["x"].mu > 25 > ratings.overall["y"].mu
    assert ratings.by_game[game, "x"] == ratings.overall["x"]
    (role,) = games()[game].scoring.roles
    assert ratings.by_role[game, role, "y"] == ratings.overall["y"]


def test_equal_payoffs_are_level() -> None:
    overall = rate(numbered([dilemma("xyy", ["DDC"], (3, 5, 1))])).overall
    assert overall["x"].mu == pytest.approx(overall["y"].mu) == pytest.approx(25)
    assert overall["x"].sigma < 25 / 3


def test_cost_sharing_moves_no_rating() -> None:
    ratings = rate(numbered(TALKS))
    assert (ratings.overall, ratings.by_game, ratings.by_role) == ({}, {}, {})
    assert ratings.skipped == 0


@pytest.mark.parametrize(("ending", "sign"), [("caught", 1), ("escaped", -1)])
def test_a_chameleon_caught_or_not_moves_both(ending: str, sign: int) -> None:
    overall = rate(numbered([chameleon("xyx", ending=ending)])).overall
    assert sign * (overall["x"].mu - 25) > 1
    assert sign * (overall["y"].mu - 25) < -1


@pytest.mark.parametrize("ending", ["guessed", "even"])
def test_a_right_guess_or_a_tie_is_level(ending: str) -> None:
    overall = rate(numbered([chameleon("xyx", ending=ending)])).overall
    assert overall["x"].mu == pytest.approx(25)
    assert overall["y"].mu == pytest.approx(25)
