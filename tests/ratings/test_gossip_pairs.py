"""Counts of reciprocity and investment, on matches small enough to work by hand."""

from itertools import combinations

import pytest

from parlour.games.engine.moves import Record
from parlour.ratings.measures.measures import Row, measures
from tests.ratings.pairs import both, pair_match, trust
from tests.ratings.records import find


def tone(word: str) -> Record:
    return {"tone": word, "message": "m"}


def value(rows: list[Row], game: str, measure: str, agent: str, role: str | None = None) -> object:
    """(k, n) of a rate, (mean, n) of a mean, None if there is no row."""
    row = find(rows, measure, agent, role, game=game)
    return None if row is None else (row.value if row.k is None else row.k, row.n)


# x in seats 0 and 2, y in 1, a greedy seat is 3.
RECIPROCITY = [
    both(0, 1, "CD", ("cooperate", "cooperate"), (tone("mocking"), tone("mocking"))),
    both(0, 2, "CC", ("defect", None), (tone("praising"), tone("neutral"))),
    both(1, 3, "CD", ("cooperate", None), (tone("praising"), {})),
]


def reciprocity(**keys: object) -> list[Row]:
    keys = {"greedy": 1, **keys}
    return measures([pair_match("reciprocity", "xyx", RECIPROCITY, (3, 4, 4, 5), **keys)])


def test_every_measure_of_a_match_of_reciprocity_by_hand() -> None:
    def of(measure: str, agent: str, role: str | None = None) -> object:
        return value(rows, "reciprocity", measure, agent, role)

    rows = reciprocity()
    assert of("cooperation_ratio", "x") == (3, 3)
    assert of("cooperation_ratio", "y") == (1, 2)
    assert of("cooperation_ratio", "y", "toward players") == (0, 1)
    assert of("cooperation_ratio", "y", "toward greedy seats") == (1, 1)
    # x: seat 0 has +2, seat 2 +1; y: -1 + 1.
    assert of("image_score", "x") == (1.5, 2)
    assert of("image_score", "y") == (0, 1)
    # x: -1 + 4 and 4 in three appearances; y: 5 - 1 in two.
    assert of("reward_per_round", "x") == (7 / 3, 3)
    assert of("reward_per_round", "y") == (2, 2)
    # Returns 3, 4, 4 without the greedy seat: 2 × (1 + 1) over 2 × 3 × 11.
    assert of("gini", "y") == (pytest.approx(4 / 66), 1)
    # x reports truly once and falsely once; y falsely, then truly.
    assert of("honesty", "x") == (1, 2)
    assert of("honesty", "y") == (1, 2)
    # x mocks a defection (true), praises a cooperation (true); its neutral word does not count.
    assert of("truthful_gossip", "x") == (2, 2)
    # y mocks a cooperation (false), praises the greedy seat (false).
    assert of("truthful_gossip", "y") == (0, 2)
    assert of("truthful_gossip", "y", "on a greedy seat") == (0, 1)
    assert of("tone_mocking", "x", "on defection") == (1, 1)
    assert of("tone_neutral", "x", "on cooperation") == (1, 2)
    assert of("investment_ratio", "x") is None
    assert {row.agent for row in rows} == {"x", "y"}


def test_a_fault_of_one_of_the_pair_leaves_the_others_answer_counted() -> None:
    def of(measure: str, agent: str) -> object:
        return value(rows, "reciprocity", measure, agent)

    rows = reciprocity(faults=[("choose", 1, 1), ("gossip", 1, 0), ("report", 1, 1)])
    assert of("cooperation_ratio", "x") == (3, 3)
    assert of("cooperation_ratio", "y") == (1, 1)
    assert of("image_score", "y") == (1, 1)
    assert of("truthful_gossip", "x") == (1, 1)
    assert of("truthful_gossip", "y") == (0, 2)
    assert of("honesty", "x") == (1, 2)
    assert of("honesty", "y") == (1, 1)


@pytest.mark.parametrize(("helps", "ratio"), [(0, 0), (5, 0.25), (10, 0.5), (20, 1)])
def test_reward_per_appearance_is_four_times_the_cooperation_ratio(
    helps: int, ratio: float
) -> None:
    # Five players, ten encounters, twenty choices: each help moves 5 - 1 over 20 appearances.
    pairs = combinations(range(5), 2)
    letters = "C" * helps + "D" * (20 - helps)
    encounters = [both(a, b, letters[2 * n : 2 * n + 2]) for n, (a, b) in enumerate(pairs)]
    rows = measures([pair_match("reciprocity", "x" * 5, encounters, (0,) * 5)])
    assert value(rows, "reciprocity", "cooperation_ratio", "x") == (helps, 20)
    assert value(rows, "reciprocity", "reward_per_round", "x") == (pytest.approx(4 * ratio), 20)


# x in seat 0, y in 1 and 2, a greedy seat is 3.
INVESTMENT = [
    # x sends all, y returns half of 15: both help. x praises truly, y blames falsely.
    trust(0, 1, 5.0, 5.0, 7.5, (5.0, 7.0), (tone("praising"), tone("criticism"))),
    # y sends 1 of 5, x returns nothing of 3: neither helps.
    trust(2, 0, 5.0, 1.0, 0.0, (1.0, 1.5), (tone("complaint"), tone("neutral"))),
    # y sends nothing: x has nothing to decide, and what y says of it is neither true nor false.
    trust(1, 0, 2.0, 0.0, 0.0, (0.0, None), (tone("mocking"), tone("complaint"))),
    # x sends 4 of 8 to the greedy seat, which keeps all: half is enough to help.
    trust(0, 3, 8.0, 4.0, 0.0, (4.0, None), (tone("mocking"), {})),
    # y holds nothing to invest.
    trust(2, 3, 0.0, 0.0, 0.0, (None, None), (tone("neutral"), {})),
]


def investment(**keys: object) -> list[Row]:
    keys = {"greedy": 1, **keys}
    return measures([pair_match("investment", "xyy", INVESTMENT, (1, 2, 3, 4), **keys)])


def test_every_measure_of_a_match_of_investment_by_hand() -> None:
    def of(measure: str, agent: str, role: str | None = None) -> object:
        return value(rows, "investment", measure, agent, role)

    rows = investment()
    # x decides in encounters 1, 2 and 4; y invests in 2 and 3 and returns in 1.
    assert of("cooperation_ratio", "x") == (2, 3)
    assert of("cooperation_ratio", "x", "toward greedy seats") == (1, 1)
    assert of("cooperation_ratio", "y") == (1, 3)
    assert of("investment_ratio", "x") == ((1 + 1 / 2) / 2, 2)
    assert of("investment_ratio", "x", "toward players") == (1, 1)
    assert of("investment_ratio", "x", "toward greedy seats") == (1 / 2, 1)
    assert of("investment_ratio", "y") == ((1 / 5 + 0) / 2, 2)
    assert of("return_ratio", "x") == (0, 1)
    assert of("return_ratio", "y") == (1 / 2, 1)
    # x: +1 - 1 + 1. y: seat 1 has +1 - 1, seat 2 -1.
    assert of("image_score", "x") == (1, 1)
    assert of("image_score", "y") == (-1 / 2, 2)
    # x: 2.5 + 3 + 0 - 4 in four appearances. y: 7.5 and 0 in seat 1, -1 and 0 in seat 2.
    assert of("reward_per_round", "x") == (1.5 / 4, 4)
    assert of("reward_per_round", "y") == (6.5 / 4, 4)
    # x reports 5 of 5, 1.5 of 0, 4 of 4. y reports 7 of 7.5, 1 of 1, 0 of 0.
    assert of("honesty", "x") == (2, 3)
    assert of("honesty", "y") == (2, 3)
    # x: praise of a return, complaint of y's nothing, mockery of the greedy seat, all true.
    assert of("truthful_gossip", "x") == (3, 3)
    # y: blames x's investment (false), complains of x's return (true).
    assert of("truthful_gossip", "y") == (1, 2)
    assert of("tone_mocking", "y", "on a player with nothing to give") == (1, 1)
    assert of("tone_mocking", "y") == (1, 4)


def test_a_faulted_payment_counts_in_no_ratio() -> None:
    rows = investment(faults=[("return", 1, 1), ("invest", 4, 0)])
    assert value(rows, "investment", "return_ratio", "y") is None
    assert value(rows, "investment", "investment_ratio", "x") == (1, 1)
    assert value(rows, "investment", "cooperation_ratio", "x") == (1, 2)
    assert value(rows, "investment", "cooperation_ratio", "y") == (0, 2)


def test_signals_about_one_that_had_nothing_to_give_are_neither_true_nor_false() -> None:
    encounters = [trust(0, 1, 5.0, 0.0, 0.0, gossip=({"signal": 1}, {"signal": 0}))]
    match = pair_match("investment", "xy", encounters, (0, 0), condition="gossip=binary_convention")
    rows = measures([match])
    assert value(rows, "investment", "truthful_gossip", "x") is None
    assert value(rows, "investment", "truthful_gossip", "y") == (1, 1)
