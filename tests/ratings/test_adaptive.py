"""Adaptive evidence: ranks are decided rightly and early, intervals hold whenever looked at."""

from itertools import pairwise, permutations

import numpy as np
import pytest

from parlour.ratings.adaptive.evidence import BETS, BoutRound, Flags, Order, RankEvidence, ranges
from parlour.ratings.adaptive.standing import Model, next_bouts
from parlour.ratings.adaptive.until import ERROR
from parlour.ratings.statistics.intervals import wilson
from tests.ratings.bouts import TIED, WORLDS, World, simulated

study = pytest.mark.study("ratings/adaptive", "ratings/statistics", "tests/ratings/bouts.py")


def round_of(points: list[list[float]], bouts: int = 1) -> BoutRound:
    """A round of one tournament in which every pair has the same number of equal bouts."""
    scores = np.array([points])
    each = np.full(scores.shape, bouts) * (1 - np.eye(len(points), dtype=np.int64))
    return BoutRound(each, np.stack([scores] * bouts))


@study
def test_adaptive_pairing_needs_less_than_half_of_the_matches() -> None:
    world = WORLDS["small and large gaps"]
    adaptive = simulated(world, 8, 12, adaptive=True, rounds=900)
    balanced = simulated(world, 8, 12, adaptive=False, rounds=900)
    assert 2 * adaptive.matches.sum() < balanced.matches.sum()
    assert adaptive.decided.all()
    assert balanced.decided.all()


@study
@pytest.mark.parametrize("world", [*WORLDS.values(), World(TIED)])
def test_few_decisions_are_false_and_few_intervals_miss(world: World) -> None:
    played = simulated(world, 30, 12, adaptive=True, rounds=100)
    assert played.false.mean() <= ERROR
    assert played.missed.mean() <= 0.05


@study
def test_tied_agents_stay_undecided() -> None:
    played = simulated(World(TIED), 20, 12, adaptive=True, rounds=150)
    assert not played.decided.any()


@study
def test_the_first_rank_needs_fewer_matches_than_all() -> None:
    first, every = (
        simulated(WORLDS["equal gaps"], 10, ranks, adaptive=True, rounds=300) for ranks in (1, 12)
    )
    assert first.decided.all()
    assert every.decided.all()
    assert 2 * first.matches.sum() < every.matches.sum()


def test_an_e_process_has_the_mean_of_its_formula() -> None:
    evidence = RankEvidence((1, 3))
    half = np.full((1, 3, 3), 0.5)
    evidence.add(round_of([[0, 1.0, 0.75], [0, 0, 0.5], [0.25, 0.5, 0]]), half)
    # The first beat the second and did better against the third; nothing else was expected.
    worth = np.log1p(2 * BETS * 0.5) + np.log1p(BETS * 0.25)
    assert evidence.above[0, 0, 1] == pytest.approx(np.log(np.exp(worth).mean()))
    back = np.log1p(-2 * BETS * 0.5) + np.log1p(-BETS * 0.25)
    assert evidence.above[0, 1, 0] == pytest.approx(np.log(np.exp(back).mean()))


def test_what_was_expected_is_taken_from_an_e_process() -> None:
    evidence = RankEvidence((1, 3))
    expected = np.array([[[0.5, 0.9, 0.8], [0.1, 0.5, 0.3], [0.2, 0.7, 0.5]]])
    evidence.add(round_of([[0, 1.0, 0.75], [0, 0, 0.5], [0.25, 0.5, 0]]), expected)
    worth = np.log1p(2 * BETS * 0.1) + np.log1p(-BETS * 0.05) + np.log1p(-BETS * 0.2)
    worth += BETS * (0.9 + 0.8 - 0.1 - 0.3)
    assert evidence.above[0, 0, 1] == pytest.approx(np.log(np.exp(worth).mean()))


PAIRS = ((0, 1), (0, 2), (1, 2))
COUNTS = [(1, 1, 1), (2, 2, 2), (4, 1, 1), (1, 3, 1)]
CHANCES = [(0.5, 0.5, 0.5), (0.5, 0.9, 0.9), (0.8, 0.2, 0.8), (0.1, 0.8, 0.0)]


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("chances", CHANCES)
def test_e_processes_are_at_most_one_on_average(
    counts: tuple[int, int, int], chances: tuple[float, float, float]
) -> None:
    """The mean over all outcomes of a round of three agents, the first two of them tied or worse.

    ``chances`` are those of the first against the second and of both against the third.
    """
    expected = np.array([[0, 0.9, 0.2], [0.1, 0, 0.6], [0.8, 0.4, 0]])
    wins = np.array(list(np.ndindex(*(2,) * sum(counts))))
    each, chance = np.zeros((len(wins), 3, 3), dtype=np.int64), np.ones(len(wins))
    scores, begin = np.zeros((max(counts), *each.shape)), 0
    for (one, other), count, likely in zip(PAIRS, counts, chances, strict=True):
        won = wins[:, begin : begin + count]
        scores[:count, :, one, other], scores[:count, :, other, one] = won.T, 1 - won.T
        each[:, one, other] = each[:, other, one] = count
        chance *= np.where(won, likely, 1 - likely).prod(axis=1)
        begin += count
    evidence = RankEvidence((len(wins), 3))
    evidence.add(BoutRound(each, scores), np.broadcast_to(expected, each.shape))
    low, high = evidence.intervals(0.5)
    score, second = (chances[0] + chances[1]) / 2, (1 - chances[0] + chances[2]) / 2
    assert score <= second + 1e-12
    assert chance.sum() == pytest.approx(1)
    assert chance @ np.exp(evidence.above[:, 0, 1]) <= 1 + 1e-12
    assert chance @ ((score < low[:, 0]) | (score > high[:, 0])) <= 0.5


def test_an_agent_counts_only_in_rounds_in_which_it_met_everybody() -> None:
    evidence = RankEvidence((1, 3))
    bouts = np.array([[[0, 1, 1], [1, 0, 0], [1, 0, 0]]])
    scores = np.array([[[[0, 1.0, 1.0], [0, 0, 0], [0, 0, 0]]]])
    evidence.add(BoutRound(bouts, scores), np.full((1, 3, 3), 0.5))
    assert evidence.rounds.tolist() == [[1, 0, 0]]
    assert not evidence.above.any()


def contradicted(order: tuple[int, ...], beaten: Flags) -> bool:
    """True if an agent stands right before one that beats it."""
    return any(beaten[later, earlier] for earlier, later in pairwise(order))


def test_decided_places_are_those_that_no_other_order_contradicts() -> None:
    """All graphs of decided pairs of four agents, against a search through all orders."""
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    for states in np.ndindex(*(3,) * 6):
        beaten = np.zeros((4, 4), dtype=np.bool_)
        for (one, other), state in zip(pairs, states, strict=True):
            beaten[one, other], beaten[other, one] = state == 1, state == 2
        orders = [order for order in permutations(range(4)) if not contradicted(order, beaten)]
        places = np.array([np.argsort(order) + 1 for order in orders])
        decided = ranges(Order(beaten))
        assert decided[:, 0].tolist() == places.min(axis=0).tolist()
        assert decided[:, 1].tolist() == places.max(axis=0).tolist()


def test_open_pairs_of_the_first_rank_leave_out_two_that_are_beaten() -> None:
    beaten = np.zeros((4, 4), dtype=np.bool_)
    beaten[0, 2] = beaten[1, 3] = True
    pairs = np.argwhere(np.triu(Order(beaten).open_pairs(1))).tolist()
    assert pairs == [[0, 1], [0, 3], [1, 2]]


def test_the_next_bouts_leave_out_pairs_without_an_open_agent() -> None:
    open_pairs = np.zeros((1, 4, 4), dtype=np.bool_)
    open_pairs[0, 0, 1] = open_pairs[0, 1, 0] = True
    played = RankEvidence((1, 4)).played
    bouts = next_bouts(open_pairs, played, Model(4).expected(played))
    assert bouts[0].tolist() == [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]]


def test_close_pairs_have_more_bouts_than_one_sided_ones() -> None:
    open_pairs = np.ones((1, 3, 3), dtype=np.bool_) & ~np.eye(3, dtype=np.bool_)
    evidence, model = RankEvidence((1, 3)), Model(3)
    for _ in range(20):
        evidence.add(
            round_of([[0, 0.5, 1], [0.5, 0, 1], [0, 0, 0]]), model.expected(evidence.played)
        )
    bouts = next_bouts(open_pairs, evidence.played, model.expected(evidence.played))
    assert bouts[0, 0, 1] == 2
    assert bouts[0, 0, 2] == bouts[0, 1, 2] == 1


def test_rounds_become_longer_with_the_bouts_that_were_played() -> None:
    open_pairs = ~np.eye(3, dtype=np.bool_)[np.newaxis]
    evidence, half = RankEvidence((1, 3)), np.full((1, 3, 3), 0.5)
    most = []
    for _ in range(100):
        evidence.add(round_of([[0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]]), half)
        most.append(int(next_bouts(open_pairs, evidence.played, half).max()))
    assert most == [1] * 4 + [2] * 55 + [3] * 20 + [4] * 21


def test_intervals_shrink_and_hold_the_mean() -> None:
    evidence, half = RankEvidence((1, 3)), np.full((1, 3, 3), 0.5)
    widths = []
    for _ in range(60):
        evidence.add(round_of([[0, 0.75, 0.75], [0.25, 0, 0.5], [0.25, 0.5, 0]]), half)
        low, high = evidence.intervals(0.95)
        widths.append((high - low)[0, 0])
    assert low[0, 0] < 0.75 < high[0, 0]
    assert widths[-1] < widths[9] < widths[0]
    # Anytime-valid intervals are wider than those for a number of bouts that was fixed before.
    fixed = wilson(90, 120)
    assert widths[-1] > fixed.high - fixed.low
