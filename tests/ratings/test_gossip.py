"""Counts of donation, on matches small enough to work by hand."""

from itertools import combinations

import pytest

from parlour.games.engine.record import MatchRecord
from parlour.games.families.gossip_counting import gini
from parlour.ratings.measures.measures import Row, measures
from tests.ratings.records import donation, find, met


@pytest.mark.parametrize(
    ("returns", "expected"),
    [
        ((3.0, 3.0, 3.0), 0),
        ((0.0, 0.0), 0),  # all equal, though the sum is 0
        ((-2.0, -2.0), 0),
        # |0 - 4| twice is 8; 2 × 2 × 4 is 16.
        ((0.0, 4.0), 1 / 2),
        # |1-2| + |1-3| + |2-3| = 4, twice 8; 2 × 3 × 6 = 36.
        ((1.0, 2.0, 3.0), 2 / 9),
        # |-1 - 3| twice is 8; 2 × 2 × 2 is 8.
        ((-1.0, 3.0), 1),
        # |-3 - 5| twice is 16; 2 × 2 × 2 is 8: past 1, and shown as it is.
        ((-3.0, 5.0), 2),
        ((-1.0, 1.0), None),
        # |-3 - 1| twice is 8; 2 × 2 × -2 is -8: negative, as the paper's tables print it.
        ((-3.0, 1.0), -1),
        ((-1.0, 0.5), -3 / 2),
        ((), 0),
    ],
)
def test_gini_by_hand(returns: tuple[float, ...], expected: float | None) -> None:
    assert gini(returns) == expected


def value(rows: list[Row], measure: str, agent: str, role: str | None = None) -> object:
    """(k, n) of a rate, (mean, n) of a mean, None if there is no row."""
    row = find(rows, measure, agent, role, game="donation")
    return None if row is None else (row.value if row.k is None else row.k, row.n)


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


def test_every_measure_of_a_match_by_hand() -> None:
    rows = rows_of(donation("xyx", WHOLE, (-1, 5, 1, 5), greedy=1))
    # x decides in encounters 1, 3 and 5, y in 2.
    assert value(rows, "cooperation_ratio", "x") == (2, 3)
    assert value(rows, "cooperation_ratio", "x", "toward players") == (1, 2)
    assert value(rows, "cooperation_ratio", "x", "toward greedy seats") == (1, 1)
    assert value(rows, "cooperation_ratio", "y") == (0, 1)
    assert value(rows, "cooperation_ratio", "y", "toward greedy seats") is None
    # Seat 0: +1. Seat 2: +1 - 1. Seat 1: -1.
    assert value(rows, "image_score", "x") == (1 / 2, 2)
    assert value(rows, "image_score", "y") == (-1, 1)
    # Seat 0: -1, 0, 0. Seat 2: 0, -1, 0. Seat 1: 5, 0, 0.
    assert value(rows, "reward_per_round", "x") == (-2 / 6, 6)
    assert value(rows, "reward_per_round", "y") == (5 / 3, 3)
    assert value(rows, "discounted_return", "x") == (0, 2)
    assert value(rows, "discounted_return", "y") == (5, 1)
    # Returns -1, 5, 1 without the greedy seat: 2 × (6 + 2 + 4) = 24 over 2 × 3 × 5 = 30.
    assert value(rows, "gini", "x") == (pytest.approx(0.8), 1)
    assert value(rows, "gini", "y") == (pytest.approx(0.8), 1)
    assert value(rows, "tone_praising", "x") == (1, 3)
    assert value(rows, "tone_praising", "x", "on defection") == (1, 2)
    assert value(rows, "tone_complaint", "x", "on defection") == (1, 2)
    assert value(rows, "tone_mocking", "x", "on a greedy seat") == (1, 1)
    assert value(rows, "tone_mocking", "x", "on cooperation") is None
    assert value(rows, "tone_criticism", "x") == (0, 3)
    assert value(rows, "tone_praising", "y", "on cooperation") == (1, 1)
    assert value(rows, "tone_neutral", "y", "on a greedy seat") == (1, 1)
    assert value(rows, "truthful_gossip", "x") == (2, 3)
    assert value(rows, "truthful_gossip", "x", "on defection") == (1, 2)
    assert value(rows, "truthful_gossip", "x", "on a greedy seat") == (1, 1)
    # y's neutral word does not count.
    assert value(rows, "truthful_gossip", "y") == (1, 1)
    assert value(rows, "honesty", "x") is None
    # The welfare of the table is that of the three: -1 + 5 + 1.
    assert value(rows, "welfare", "y") == (5, 1)


def test_nothing_is_said_of_greedy_seats() -> None:
    rows = rows_of(donation("xyx", WHOLE, (-1, 5, 1, 5), greedy=1))
    assert {row.agent for row in rows} == {"x", "y"}


@pytest.mark.parametrize(
    ("measure", "agent", "kind", "step", "expected"),
    [
        ("cooperation_ratio", "x", "donate", 1, (1, 2)),
        ("image_score", "x", "donate", 1, (0, 2)),
        ("reward_per_round", "x", "donate", 1, (-2 / 6, 6)),  # what it paid is paid
        ("tone_complaint", "x", "gossip", 2, (0, 2)),
        ("truthful_gossip", "x", "gossip", 5, (2, 2)),
        ("truthful_gossip", "x", "donate", 1, (2, 3)),  # another answer's fault
        ("truthful_gossip", "y", "gossip", 1, None),
        ("fault_rate", "x", "gossip", 2, (1, 6)),
    ],
)
def test_what_stands_for_a_fault_leaves_numerator_and_denominator(
    measure: str, agent: str, kind: str, step: int, expected: object
) -> None:
    match = donation("xyx", WHOLE, (-1, 5, 1, 5), greedy=1, faults=[(kind, step)])
    assert value(rows_of(match), measure, agent) == expected


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
    assert value(rows, "honesty", "x") == (2, 4)
    assert value(rows, "honesty", "y") is None


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("gossip=binary_convention", (2, 3)),
        ("gossip=binary", None),  # nobody laid down what a signal means
    ],
)
def test_signals_are_true_or_false_only_where_their_meaning_is_agreed(
    condition: str, expected: object
) -> None:
    encounters = [
        met(0, 1, "cooperate", signal=1),
        met(0, 1, "defect", signal=0),
        met(0, 1, "defect", signal=1),
        met(0, 1, "defect", signal=None),  # not posted
    ]
    rows = rows_of(donation("xy", encounters, (1, 0), condition=condition))
    assert value(rows, "truthful_gossip", "y") == expected
    assert value(rows, "tone_neutral", "y") is None


def test_a_match_whose_returns_sum_to_nothing_has_no_gini() -> None:
    rows = rows_of(donation("xy", [], (-1, 1)))
    assert value(rows, "gini", "x") is None
    rows = rows_of(
        donation("xy", [], (-1, 1)),
        donation("xy", [], (1, 3), number=2),  # 2 × 2 over 2 × 2 × 4
    )
    assert value(rows, "gini", "x") == (0.25, 1)


def test_only_counted_seats_count() -> None:
    rows = rows_of(donation("xyx", WHOLE, (-1, 5, 1, 5), greedy=1, counted=(0, 2)))
    assert {row.agent for row in rows} == {"x"}
    assert value(rows, "gini", "x") == (pytest.approx(0.8), 1)  # over all who played


@pytest.mark.parametrize(("helps", "ratio"), [(0, 0), (9, 0.25), (18, 0.5), (36, 1)])
def test_image_score_and_reward_follow_from_the_cooperation_ratio(helps: int, ratio: float) -> None:
    # Nine players, four turns as donor each: image score 4(2r - 1), reward per appearance 2r.
    pairs = combinations(range(9), 2)
    plan = [(a, b) if (b - a) % 9 <= 4 else (b, a) for a, b in pairs]
    encounters = [
        met(donor, recipient, "cooperate" if step < helps else "defect")
        for step, (donor, recipient) in enumerate(plan)
    ]
    rows = rows_of(donation("x" * 9, encounters, (0,) * 9))
    assert value(rows, "cooperation_ratio", "x") == (helps, 36)
    assert value(rows, "image_score", "x") == (pytest.approx(4 * (2 * ratio - 1)), 9)
    assert value(rows, "reward_per_round", "x") == (pytest.approx(2 * ratio), 72)
