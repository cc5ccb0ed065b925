"""Counts of donation, on matches small enough to work by hand."""

from itertools import combinations
from typing import Any

import pytest

from parlour.games.engine.moves import Record
from parlour.games.engine.record import MatchRecord
from parlour.games.families.gossip_counting import gini
from parlour.ratings.measures.measures import Row, measures
from tests.ratings.pairs import both, pair_match, trust
from tests.ratings.records import Shown, donation, met, shown


@pytest.mark.parametrize(
    ("returns", "expected"),
    [
        ((3.0, 3.0, 3.0), 0),
        ((0.0, 0.0), 0),  # all equal, though the sum is 0
        # |1-2| + |1-3| + |2-3| = 4, twice 8; 2 × 3 × 6 = 36.
        ((1.0, 2.0, 3.0), 2 / 9),
        # |-3 - 5| twice is 16; 2 × 2 × 2 is 8: past 1, and shown as it is.
        ((-3.0, 5.0), 2),
        ((-1.0, 1.0), None),
        # |-3 - 1| twice is 8; 2 × 2 × -2 is -8: negative, as the paper's tables print it.
        ((-3.0, 1.0), -1),
        ((), 0),
    ],
)
def test_gini_by_hand(returns: tuple[float, ...], expected: float | None) -> None:
    assert gini(returns) == expected


# Three players and one greedy seat (3). x sits in 0 and 2, y in 1.
WHOLE = [
    met(0, 1, "cooperate", tone="praising"),  # y praises x: true
    met(1, 2, "defect", tone="complaint"),  # x blames y: true
    met(2, 3, "cooperate"),  # x helps the greedy seat, which tells nothing
    met(3, 0, "defect", tone="mocking"),  # x mocks the greedy seat: true
    met(2, 0, "defect", tone="praising"),  # x praises itself: false
    met(3, 1, "defect", tone="neutral"),  # y says nothing either way
]


def rows_of(*matches: MatchRecord) -> list[Row]:
    return measures(matches)


def whole(**keys: Any) -> Shown:
    match = donation("xyx", WHOLE, (-1, 5, 1, 5), greedy=1, **keys)
    rows = measures([match])
    assert {row.agent for row in rows} <= {"x", "y"}  # nothing is said of greedy seats
    return shown(rows, "donation")


def test_every_measure_of_a_match_by_hand() -> None:
    # x decides in encounters 1, 3 and 5, y in 2.
    whole().are("""
        cooperation_ratio: x 2/3, x (toward players) 1/2, x (toward greedy seats) 1/1, y 0/1
        cooperation_ratio: y (toward greedy seats) none
        # Seat 0: +1. Seat 2: +1 - 1. Seat 1: -1.
        image_score: x 1/2 in 2, y -1 in 1
        # Seat 0: -1, 0, 0. Seat 2: 0, -1, 0. Seat 1: 5, 0, 0.
        reward_per_round: x -1/3 in 6, y 5/3 in 3
        discounted_return: x 0 in 2, y 5 in 1
        # Returns -1, 5, 1 without the greedy seat: 2 × (6 + 2 + 4) = 24 over 2 × 3 × 5 = 30.
        gini: x 4/5 in 1, y 4/5 in 1
        tone_praising: x 1/3, x (on defection) 1/2
        tone_complaint: x (on defection) 1/2
        tone_mocking: x (on a greedy seat) 1/1, x (on cooperation) none
        tone_criticism: x 0/3
        tone_praising: y (on cooperation) 1/1
        tone_neutral: y (on a greedy seat) 1/1
        truthful_gossip: x 2/3, x (on defection) 1/2, x (on a greedy seat) 1/1
        # y's neutral word does not count.
        truthful_gossip: y 1/1
        honesty: x none
        # The welfare of the table is that of the three: -1 + 5 + 1.
        welfare: y 5 in 1
        """)


@pytest.mark.parametrize(
    ("kind", "step", "expected"),
    [
        # What it paid is paid; the truth of gossip of it is another answer's.
        ("donate", 1, "cooperation_ratio: x 1/2; image_score: x 0 in 2; truthful_gossip: x 2/3"),
        ("donate", 1, "reward_per_round: x -1/3 in 6"),
        ("gossip", 2, "tone_complaint: x 0/2; fault_rate: x 1/6"),
        ("gossip", 5, "truthful_gossip: x 2/2"),
        ("gossip", 1, "truthful_gossip: y none"),
    ],
)
def test_what_stands_for_a_fault_leaves_numerator_and_denominator(
    kind: str, step: int, expected: str
) -> None:
    whole(faults=[(kind, step)]).are(expected)


def test_honesty_is_the_share_of_true_reports() -> None:
    encounters = [
        met(0, 1, "cooperate", report="cooperate"),
        met(0, 1, "defect", report="cooperate"),
        met(0, 1, "defect", report="defect"),
        met(0, 1, "cooperate", report="defect"),
        met(0, 1, "defect", report="defect"),  # a fault
        met(0, 1, "defect"),  # none was made
    ]
    rows = rows_of(donation("xy", encounters, (0, 0), faults=[("report", 5)]))
    shown(rows, "donation").are("honesty: x 2/4, y none")


def test_signals_are_true_or_false_only_where_their_meaning_is_agreed() -> None:
    encounters = [
        met(0, 1, "cooperate", signal=1),
        met(0, 1, "defect", signal=0),
        met(0, 1, "defect", signal=1),
        met(0, 1, "defect", signal=None),  # not posted
    ]
    # Without a convention nobody laid down what a signal means.
    for condition, share in (("binary_convention", "2/3"), ("binary", "none")):
        rows = rows_of(donation("xy", encounters, (1, 0), condition=f"gossip={condition}"))
        shown(rows, "donation").are(f"truthful_gossip: y {share}; tone_neutral: y none")


def test_a_match_whose_returns_sum_to_nothing_has_no_gini() -> None:
    rows = rows_of(donation("xy", [], (-1, 1)))
    shown(rows, "donation").are("gini: x none")
    rows = rows_of(
        donation("xy", [], (-1, 1)),
        donation("xy", [], (1, 3), number=2),  # 2 × 2 over 2 × 2 × 4
    )
    shown(rows, "donation").are("gini: x 1/4 in 1")


@pytest.mark.parametrize(
    ("odd_one", "flagged"), [((-3, 5), True), ((-5, 3), True), ((-1, 1), True), ((0, 4), False)]
)
def test_coefficients_beyond_a_share_have_no_interval(
    odd_one: tuple[float, float], flagged: bool
) -> None:
    shares = [donation("xy", [], (1, n), number=n) for n in range(1, 9)]
    rows = measures([*shares, donation("xy", [], odd_one, number=9)])
    own = ("x", "donation", None, "all")
    x = {
        each.measure: each
        for each in rows
        if (each.agent, each.game, each.role, each.condition) == own
    }
    assert x["gini_flagged"].k == flagged
    assert (x["gini"].low is None) == flagged


def test_the_interval_of_the_coefficient_ends_where_it_does() -> None:
    one, equal = (9.0, *9 * (0.0,)), 10 * (1.0,)
    payoffs = [equal, one, one, equal, equal, one]
    seats = "x" + 9 * "y"
    rows = measures([donation(seats, [], each, number=n) for n, each in enumerate(payoffs, 1)])
    (gini, *_) = (row for row in rows if (row.agent, row.measure) == ("x", "gini"))
    assert gini.value == pytest.approx(0.45)
    assert gini.se is not None
    assert gini.value < 2.5 * gini.se  # by t it would end below 0
    assert gini.low == 0


def test_only_counted_seats_count() -> None:
    rows = whole(counted=(0, 2))
    assert {row.agent for row in rows.rows} == {"x"}
    rows.are("gini: x 4/5 in 1")  # over all who played


@pytest.mark.parametrize("helps", [0, 9, 36])
def test_image_score_and_reward_follow_from_the_cooperation_ratio(helps: int) -> None:
    # Nine players, four turns as donor each: image score 4(2r - 1), reward per appearance 2r.
    encounters = [
        met(*((a, b) if (b - a) % 9 <= 4 else (b, a)), "cooperate" if step < helps else "defect")
        for step, (a, b) in enumerate(combinations(range(9), 2))
    ]
    rows = rows_of(donation("x" * 9, encounters, (0,) * 9))
    shown(rows, "donation").are(f"""
        cooperation_ratio: x {helps}/36; image_score: x {4 * (2 * helps - 36)}/36 in 9
        reward_per_round: x {2 * helps}/36 in 72
        """)


def tone(word: str) -> Record:
    return {"tone": word, "message": "m"}


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
    rows = reciprocity()
    shown(rows, "reciprocity").are("""
        cooperation_ratio: x 3/3, y 1/2, y (toward players) 0/1, y (toward greedy seats) 1/1
        # x: seat 0 has +2, seat 2 +1; y: -1 + 1.
        image_score: x 1.5 in 2, y 0 in 1
        # x: -1 + 4 and 4 in three appearances; y: 5 - 1 in two.
        reward_per_round: x 7/3 in 3, y 2 in 2
        # Returns 3, 4, 4 without the greedy seat: 2 × (1 + 1) over 2 × 3 × 11.
        gini: y 2/33 in 1
        # x reports truly once and falsely once; y falsely, then truly.
        honesty: x 1/2, y 1/2
        # x mocks a defection (true), praises a cooperation (true); its neutral word does not count.
        truthful_gossip: x 2/2
        # y mocks a cooperation (false), praises the greedy seat (false).
        truthful_gossip: y 0/2, y (on a greedy seat) 0/1
        tone_mocking: x (on defection) 1/1
        tone_neutral: x (on cooperation) 1/2
        investment_ratio: x none
        """)
    assert {row.agent for row in rows} == {"x", "y"}


def test_a_fault_of_one_of_the_pair_leaves_the_others_answer_counted() -> None:
    rows = reciprocity(faults=[("choose", 1, 1), ("gossip", 1, 0), ("report", 1, 1)])
    shown(rows, "reciprocity").are("""
        cooperation_ratio: x 3/3, y 1/1
        image_score: y 1 in 1
        truthful_gossip: x 1/1, y 0/2
        honesty: x 1/2, y 1/1
        """)


@pytest.mark.parametrize("helps", [0, 5, 20])
def test_reward_per_appearance_is_four_times_the_cooperation_ratio(helps: int) -> None:
    # Five players, ten encounters, twenty choices: each help moves 5 - 1 over 20 appearances.
    letters = "C" * helps + "D" * (20 - helps)
    pairs = enumerate(combinations(range(5), 2))
    encounters = [both(a, b, letters[2 * n : 2 * n + 2]) for n, (a, b) in pairs]
    rows = measures([pair_match("reciprocity", "x" * 5, encounters, (0,) * 5)])
    shown(rows, "reciprocity").are(f"""
        cooperation_ratio: x {helps}/20; reward_per_round: x {4 * helps}/20 in 20
        """)


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
    rows = investment()
    # x decides in encounters 1, 2 and 4; y invests in 2 and 3 and returns in 1.
    shown(rows, "investment").are("""
        cooperation_ratio: x 2/3, x (toward greedy seats) 1/1, y 1/3
        investment_ratio: x 3/4 in 2, x (toward players) 1 in 1, x (toward greedy seats) 1/2 in 1
        investment_ratio: y 1/10 in 2
        return_ratio: x 0 in 1, y 1/2 in 1
        # x: +1 - 1 + 1. y: seat 1 has +1 - 1, seat 2 -1.
        image_score: x 1 in 1, y -1/2 in 2
        # x: 2.5 + 3 + 0 - 4 in four appearances. y: 7.5 and 0 in seat 1, -1 and 0 in seat 2.
        reward_per_round: x 3/8 in 4, y 13/8 in 4
        # x reports 5 of 5, 1.5 of 0, 4 of 4. y reports 7 of 7.5, 1 of 1, 0 of 0.
        honesty: x 2/3, y 2/3
        # x: praise of a return, complaint of y's nothing, mockery of the greedy seat, all true.
        truthful_gossip: x 3/3
        # y: blames x's investment (false), complains of x's return (true).
        truthful_gossip: y 1/2
        tone_mocking: y (on a player with nothing to give) 1/1, y 1/4
        """)


def test_a_faulted_payment_counts_in_no_ratio() -> None:
    rows = investment(faults=[("return", 1, 1), ("invest", 4, 0)])
    shown(rows, "investment").are("""
        return_ratio: y none
        investment_ratio: x 1 in 1
        cooperation_ratio: x 1/2, y 0/2
        """)


def test_signals_about_one_that_had_nothing_to_give_are_neither_true_nor_false() -> None:
    encounters = [trust(0, 1, 5.0, 0.0, 0.0, gossip=({"signal": 1}, {"signal": 0}))]
    match = pair_match("investment", "xy", encounters, (0, 0), condition="gossip=binary_convention")
    rows = measures([match])
    shown(rows, "investment").are("truthful_gossip: x none, y 1/1")
