"""The seven capabilities and what goes with them, on matches small enough to work by hand."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import games
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.measures.formulas import radar_area
from parlour.ratings.measures.measures import Row, measures
from parlour.ratings.statistics.intervals import wilson
from tests.ratings.laddered import rate
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
    shown,
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


def chameleons(agents: str, *endings: str) -> list[MatchRecord]:
    """A match of chameleon for each ending."""
    return [chameleon(agents, ending=ending) for ending in endings]


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


def with_faulty_beliefs(faulty: int) -> list[MatchRecord]:
    answers = [beliefs_about(s, {}) if s == faulty else held for s, held in enumerate(HELD)]
    return [chameleon("xyx", answers=answers)]


def word_supposed(word: str | None) -> list[MatchRecord]:
    """The chameleon deduces the word in place of the chameleon."""
    match = chameleon("xyx", answers=[*HELD, replace(guess(1, word), kind="supposed_word")])
    return [replace(match, outcome=replace(match.outcome, facts={"secret_word": "guitar"}))]


# Undercover, seat 1 special: all suspect 1, and think so of each other: 2 points a seat.
ALL_RIGHT = undercover("xyx", answers=[beliefs(seat, 1, 1, 1) for seat in range(3)])
# Seat 1 is special. Seat 0 is right about it and about seat 1's view, but not about seat 2's.
ONE_WRONG = [beliefs(0, 1, 1, 0), beliefs(1, 1, 1, 1), beliefs(2, 1, 1, 1)]
JUDGED = [
    # One right, one abstention; the chameleon's own vote is not counted.
    chameleon("xyx", answers=[vote(0, 1), vote(1, 0), vote(2, None)], ending="even"),
    chameleon("yxy", answers=[vote(0, 1), vote(1, 0), vote(2, 0)], ending="caught"),
    undercover("xyx", answers=[vote(0, 1), vote(1, 0), vote(2, 1)]),
]
# Four chameleons guessed, three of them wrong; where none was found out nobody guessed.
GUESSED = [
    *chameleons("yxy", "escaped", "even", "guessed", "caught"),
    *chameleons("xyx", "caught", "caught", "caught", "guessed", "escaped", "even"),
]
DEDUCTIONS: dict[str, tuple[list[MatchRecord], str]] = {
    "judgment is of the votes of non-chameleons and civilians": (
        JUDGED,
        "judgment: x@chameleon 1/2, y@chameleon 1/2, x@undercover 2/2, x 3/4",
    ),
    "who was special alone has no judgment": (JUDGED[:1], "judgment: y none"),
    "reasoning in chameleon leaves out what the chameleon knows": (
        [chameleon("xyx", answers=HELD)],
        "reasoning: x 2/4, y 0/1",
    ),
    # Seat 0: both its answers stay due and wrong; what others think of its view is not due.
    "faulty beliefs of seat 0": (with_faulty_beliefs(0), "reasoning: x 0/3, y 0/1"),
    "faulty beliefs of the chameleon": (with_faulty_beliefs(1), "reasoning: x 2/4, y 0/1"),
    "faulty beliefs of seat 2": (with_faulty_beliefs(2), "reasoning: x 1/3, y 1/1"),
    "reasoning pools both games": (
        [chameleon("xyx", answers=HELD), ALL_RIGHT],
        "reasoning: x 6/8, y 2/3",
    ),
    "two views of others are one point that takes both": (
        [undercover("xyz", answers=ONE_WRONG)],
        "reasoning: x 1/2",
    ),
    "the word deduced": (word_supposed("Guitar!"), "reasoning: y 1/2"),
    "another word deduced": (word_supposed("lute"), "reasoning: y 0/2"),
    "no word deduced": (word_supposed(None), "reasoning: y 0/2"),
    "a challenger's beliefs about a defender who does not count": (
        [chameleon("xyx", answers=HELD, counted=[1])],
        "reasoning: y 0/1, x none",
    ),
    "raw deception adds a quarter of the wrong guesses": (
        GUESSED,
        "deception: x 3/4; wrong_guesses: x 3/4; deception_raw: x 15/16 in 4",
    ),
    "without guesses the second term of deception is nothing": (
        [
            *chameleons("yxy", "escaped", "caught", "caught", "caught"),
            *chameleons("xyx", "escaped"),
        ],
        "deception: x 1/4; deception_raw: x 1/4; wrong_guesses: x none",
    ),
    "the best deception is one": (
        [*chameleons("yxy", "escaped"), *chameleons("xyx", "caught")],
        "deception_raw: x 5/4 in 1; deception: x 1/1",
    ),
    "a guess that was a fault is a wrong guess": (
        [*chameleons("yxy", "caught"), chameleon("xyx", answers=[guess(1, None)])],
        "deception_raw: x 1/4 in 1",
    ),
    "who never was special has no deception": (
        chameleons("xyx", "caught"),
        "deception: x none; deception_raw: x none",
    ),
    "deception pools both special roles": (
        [
            *chameleons("yxy", "escaped"),
            undercover("yxy", 1, "tie"),
            undercover("yxy", 1, "caught"),
        ],
        "deception: x 2/3",
    ),
    "a chameleon is right to take itself for special": (
        [
            chameleon("yxy", answers=[own_role(1, role)], ending="even")
            for role in ("special", "ordinary", "unsure")
        ],
        "self_awareness: x 1/3",
    ),
}


# Cooperation and Coordination: x in seat 0. Agreed on its own split, on another's, on one that
# two proposed, and not at all.
TALKS = [
    negotiation("xyz", [(C, C, C), (A, B, C)], A),
    negotiation("xyz", [(A, B, C)], B),
    negotiation("xyz", [(B, B, C)], B),
    negotiation("xyz", [(A, B, C)] * 5, None),
]
ELSEWHERE = negotiation("xyz", [(C, C, C)], C, setting="D + E + F")
AGREEMENTS: dict[str, tuple[list[MatchRecord], str]] = {
    "cooperation is agreements out of matches": (TALKS, "cooperation: x 3/4, y 3/4, z 3/4"),
    "coordination is by content of the last round": (
        TALKS,
        """
        # z proposed C, which was agreed on in no round.
        coordination_agreed: x 2/3, y 2/3, z 0/3
        coordination: x 2/4, z 0/4
        """,
    ),
    "without agreement": (
        TALKS[3:],
        "cooperation: x 0/1; coordination_agreed: x none; coordination: x 0/1",
    ),
    "a split that stands for a fault is no agent's, which agreed all the same": (
        [negotiation("xyz", [(A, A, C)], A, faults=[(1, 0)])],
        "cooperation: x 1/1; coordination: x none, y 1/1; coordination_agreed: x none",
    ),
    "a fault of an earlier round changes nothing": (
        [negotiation("xyz", [(C, B, C), (A, B, C)], A, faults=[(1, 0)])],
        "coordination: x 1/1",
    ),
    "who proposed only before the round of the agreement has no part in it": (
        [negotiation("xyz", [(C, B, C), (A, B, C)], A, faults=[(2, 0)])],
        "cooperation: x 1/1; coordination: x none, y 0/1; coordination_agreed: x none",
    ),
    "a split that the setting fixed is no agent's": (
        [negotiation("xyz", [(A, B, C)], A, unasked=[(1, 0)])],
        "coordination: x none, y 0/1",
    ),
    "an agent in two seats negotiates once": (
        [negotiation("xxy", [(A, B, C)], B)],
        "cooperation: x 1/1; coordination: x 1/1; cost: x@cost_sharing 25 in 1",
    ),
    "cost is the own share where there was agreement": (
        [*TALKS, ELSEWHERE],
        """
        # x: 20, 25, 25, and 0 under the other setting.
        # what it keeps: 80, 75, 75, nothing, 100
        cost: x@cost_sharing 35/2 in 4, x@cost_sharing (A + B + C) 70/3 in 3
        cost: x@cost_sharing (D + E + F) 0 in 1, z@cost_sharing (A + B + C) 50 in 3
        cooperation: x@cost_sharing (A + B + C) 3/4
        payoff: x@cost_sharing 66 in 5
        """,
    ),
    "no cost without agreement": (TALKS[3:], "cost: x@cost_sharing none"),
}


ROUNDS = ["DCC", "CDC", "DDC", "DDC", "CDC"]
# Player by player the least of each round: 0 and 1; all; 2; 1; 2.
GIFTS = [(5, 5, 9), (0, 0, 0), (10, 9, 8), (3, 2, 4), (8, 9, 2)]
DECISIONS: dict[str, tuple[list[MatchRecord], str]] = {
    "in the dilemma it is rational to defect": (
        [dilemma("xyz", ROUNDS, (16, 20, 0))],
        "rationality: x 3/5, y 4/5, z 0/5, x@prisoners_dilemma (points 3/1/5/5) 3/5",
    ),
    "a choice that was drawn for a fault is nobody's": (
        [dilemma("xyz", ROUNDS, (16, 20, 0), faults=[(1, 0), (2, 0)])],
        "rationality: x 2/3, y 4/5; score: x@prisoners_dilemma 16 in 1",
    ),
    "in the public good it is rational to give the least, ties included": (
        [pooling("xyz", GIFTS, 37)],
        "rationality: x 2/5, y 3/5, z 3/5",
    ),
    "a faulty contribution is nobody's and still the least to the others": (
        [pooling("xyz", GIFTS, 37, faults=[(5, 2), (1, 1)])],
        "rationality: x 2/5, y 2/4, z 2/4",
    ),
    # 1 of 1 and 2 of 5: 3 of 6, not the sum or the mean of the two.
    "rationality pools the decisions of both games": (
        [dilemma("xyz", ["DCC"], (5, 0, 0)), pooling("xyz", GIFTS, 37)],
        "rationality: x 3/6",
    ),
    "always rational in both games": (
        [dilemma("xyz", ["DCC"] * 5, (25, 0, 0)), pooling("xyz", [(0, 1, 1)] * 5, 5)],
        "rationality: x 10/10",
    ),
    "scores are means a match by scoring": (
        [
            dilemma("xyz", ["DCC"], (5, 0, 0)),
            dilemma("yxz", ["CCC"], (3, 3, 3)),
            dilemma("xyz", ["CCC"], (2, 2, 2), setting="points 2/1/4/2"),
        ],
        """
        score: x@prisoners_dilemma 10/3 in 3, x@prisoners_dilemma (points 3/1/5/5) 4 in 2
        score: x@prisoners_dilemma (points 2/1/4/2) 2 in 1
        """,
    ),
    "contribution and payback by multiplier, and contribution by round": (
        [
            pooling("xyz", GIFTS, 37),  # x gives 26
            pooling("xyz", [(4, 0, 2)] * 5, 20, setting="multiplier 2", faults=[(1, 0)]),  # x: 20
        ],
        """
        # the other was a fault
        # 10 and 4
        contribution: x@public_good 23 in 2, x@public_good (multiplier 1.5) 26 in 1
        contribution: x@public_good (multiplier 2) 20 in 1, x@public_good (round 1) 5 in 1
        contribution: x@public_good (round 3) 7 in 2, z@public_good (round 5) 2 in 2
        payback: x@public_good 57/2 in 2, x@public_good (multiplier 2) 20 in 1
        """,
    ),
}


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
WINS: dict[str, tuple[list[MatchRecord], str]] = {
    "the win rate is the mean over seven roles": (
        SEVEN,
        """
        win_rate: x@chameleon (chameleon) 1/2, x@chameleon (non_chameleon) 0/2
        win_rate: x@undercover (undercover) 3/3, x@undercover (civilian) 1/3
        win_rate: x@cost_sharing (airline) 1/2, x@prisoners_dilemma (prisoner) 1/1
        win_rate: x@public_good (contributor) 0/1, x 10/21 in 8
        """,
    ),
    "only roles that were played enter it": (SEVEN[4:], "win_rate: x 1/2 in 4"),
    "an agent in two seats of a payoff game plays one match and wins by half": (
        [dilemma("xxy", ["DCC"], (5, 0, 0))],
        "win_rate: x@prisoners_dilemma (prisoner) 0.5/1, y@prisoners_dilemma (prisoner) 0/1",
    ),
}
WORKED = DEDUCTIONS | AGREEMENTS | DECISIONS | WINS


@pytest.mark.parametrize(("records", "expected"), WORKED.values(), ids=WORKED)
def test_a_measure_worked_by_hand(records: list[MatchRecord], expected: str) -> None:
    shown(measures(numbered(records))).are(expected)


def roles_named(match: Callable[..., MatchRecord], *roles: str | None) -> list[MatchRecord]:
    """One match for each own role that x in seat 0 names; seat 1 is special."""
    return [match("xyy", answers=[own_role(0, role)], ending="caught") for role in roles]


def test_self_awareness_weighs_chameleon_with_six_tenths_whatever_the_counts() -> None:
    in_chameleon = roles_named(chameleon, "ordinary", "ordinary", "ordinary", None)
    in_undercover = roles_named(undercover, "ordinary", "special")
    measured = row(in_chameleon + in_undercover, "self_awareness")
    assert measured.value == pytest.approx(0.6 * 3 / 4 + 0.4 * 1 / 2)
    assert (measured.k, measured.n) == (None, 6)
    # One game alone is all of it.
    for alone, k in ((in_chameleon, 3), (in_undercover, 1)):
        measured, extended = (row(alone, f"self_awareness{end}") for end in ("", "_extended"))
        assert (measured.k, measured.n, measured.value) == (k, len(alone), k / len(alone))
        assert (measured.se, measured.low) == (extended.se, extended.low)


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
    areas = {name: area(tuple(np.array(row) / 100)) for name, row in TABLE_1.items()}
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
WHOLE = numbered(
    [
        chameleon(
            "xyx", answers=[*HELD, vote(0, 1), vote(2, 0), own_role(0, "ordinary")], ending="even"
        ),
        chameleon("yxy", ending="escaped"),
        TALKS[0],
        TALKS[3],
        dilemma("xyz", ["DCC", "CCC", "CCC", "CCC", "CCC"], (17, 12, 12)),
    ]
)
SHOWN = (1 / 2, 2 / 4, 1.0, 1.0, 1 / 2, 1 / 2, 1 / 5)


def test_the_radar_area_is_that_of_the_capabilities_shown() -> None:
    for capability, expected in zip(CAPABILITIES, SHOWN, strict=True):
        assert row(WHOLE, capability).value == pytest.approx(expected), capability
    products = 0.25 + 0.5 + 1 + 0.5 + 0.25 + 0.1 + 0.1  # neighbours, the last with the first
    expected = 0.7818314824680298 / 2 * products
    assert shown(measures(WHOLE)).of("radar_area") == pytest.approx((expected, 5))


@pytest.mark.parametrize("missing", range(5))
def test_there_is_no_radar_area_where_a_capability_is_missing(missing: int) -> None:
    rest = [record for number, record in enumerate(WHOLE) if number != missing]
    shown = {measured.measure for measured in measures(numbered(rest)) if measured.agent == "x"}
    assert ("radar_area" in shown) == set(CAPABILITIES).issubset(shown)
    assert ("radar_area" in shown) == (missing in {2, 3})  # one of the talks can be spared


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


@pytest.mark.parametrize(
    "match",
    [
        dilemma("xyy", ["DDC"], (3, 5, 1)),
        chameleon("xyx", ending="guessed"),
        chameleon("xyx", ending="even"),
    ],
)
def test_equal_payoffs_a_right_guess_and_a_tie_are_level(match: MatchRecord) -> None:
    overall = rate(numbered([match])).overall
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
