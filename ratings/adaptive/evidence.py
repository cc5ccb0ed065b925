"""Evidence on the scores of agents and the order it decides, valid whenever it is looked at.

The score of an agent is its mean score against all others, each other agent with equal weight.
A round plays some pairs of agents ("streams"), each at least once. In it, the mean score of an
agent that met everybody is an unbiased estimate of its score, whatever was played before. Each
bout is bet on: the products of the factors 1 + bet · (score - expected), corrected for what was
expected, are e-processes, supermartingales that begin at 1 as long as a hypothesis is true. By
Ville's inequality they ever reach 1/α with probability α at most.

The correction: bouts of a round are independent, so the mean of the product of their factors is
the product of 1 + bet · (mean - expected), which is at most exp(Σ bet · (mean - expected)). The
sum of the means is (agents - 1) · score, which the hypothesis bounds.

Sources: Waudby-Smith and Ramdas (2024) for bets on means of bounded outcomes; mixtures over bets
as in Ramdas, Grünwald, Vovk and Shafer (2023).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parlour.ratings.adaptive.until import ERROR
from parlour.ratings.statistics.intervals import Floats

Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]
MOST_BET = 0.49
"""The largest bet on a bout. The bet on a bout of two agents with each other is twice as large,
and must be below 1 so that no factor is negative."""
BETS = np.geomspace(0.006, MOST_BET, 12)
"""Bets on one bout that the e-processes mix: large ones decide within few rounds, small ones find
small differences."""


@dataclass(frozen=True, slots=True)
class BoutRound:
    """The bouts of one round, for each ordered pair of agents.

    ``bouts`` (..., agents, agents) counts them and is symmetric; ``scores`` (most bouts of a pair,
    ..., agents, agents) are the first agent's in [0, 1], those beyond the number of bouts anything.
    """

    bouts: Counts
    scores: Floats


@dataclass(frozen=True, slots=True)
class BoutsPlayed:
    """All bouts so far by ordered pair of agents (..., agents, agents).

    ``bouts`` counts them, ``points`` sums the first agent's scores.
    """

    bouts: Counts
    points: Floats


class RankEvidence:
    """The evidence of all rounds so far on the order of agents; leading axes are tournaments.

    ``above`` (..., agents, agents) has the logarithm of the e-process against "the first agent's
    score is at most the second's", ``rounds`` and ``totals`` (..., agents) the rounds in which an
    agent met everybody and the sum of its mean scores in them. ``played`` are all bouts.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        """``shape`` ends with the number of agents, which is at least 2."""
        self.agents = shape[-1]
        square = (*shape, self.agents)
        self._pairs: Floats = np.zeros((len(BETS), *square))
        # Logarithms of the products of each agent by itself, for a score that is higher and lower
        # than a given one, and the sums of its bets, by which that score is multiplied.
        self._higher, self._lower, self._stakes = np.zeros((3, len(BETS), *shape))
        self.totals: Floats = np.zeros(shape)
        self.rounds: Counts = np.zeros(shape, dtype=np.int64)
        self.played = BoutsPlayed(np.zeros(square, dtype=np.int64), np.zeros(square))
        self.above: Floats = np.zeros(square)

    def add(self, played: BoutRound, expected: Floats) -> None:
        """Adds a round. ``expected`` (..., agents, agents) are the scores expected before it.

        An agent counts if it met all others, a pair if both did. Expected scores may be anything
        in [0, 1] that was known before the round: good ones make the evidence grow faster, bad
        ones never make it false.
        """
        others = self.agents - 1
        different = ~np.eye(self.agents, dtype=np.bool_)
        met = (played.bouts > 0).sum(axis=-1) == others
        both = met[..., :, np.newaxis] & met[..., np.newaxis, :] & different
        # A round of more bouts knows more, and bets more.
        scale = played.bouts.max(axis=(-2, -1), keepdims=True)
        bets = np.minimum(np.multiply.outer(BETS, scale), MOST_BET)
        share = 1 / np.maximum(played.bouts, 1)
        single, double = np.zeros(self._pairs.shape), np.zeros(self._pairs.shape)
        points = np.zeros(self.above.shape)
        for number, scores in enumerate(played.scores):
            is_bout = played.bouts > number
            gains = bets * np.where(is_bout, share * (scores - expected), 0.0)
            single += np.log1p(gains)
            double += np.log1p(2 * gains)
            points += np.where(is_bout, scores, 0.0)
        prior = np.where(different, expected, 0.0)
        stakes = bets[..., 0]
        higher = single.sum(axis=-1) + stakes * prior.sum(axis=-1)
        lower = single.sum(axis=-2) + stakes * (prior.sum(axis=-2) - others)
        # The bouts of the two with each other count for both: one bet of twice the size.
        pairs = higher[..., :, np.newaxis] + lower[..., np.newaxis, :] + double - 2 * single
        self._pairs += np.where(both, pairs, 0.0)
        self._higher += np.where(met, higher, 0.0)
        self._lower += np.where(met, lower, 0.0)
        self._stakes += np.where(met, others * stakes, 0.0)
        self.totals += np.where(met, (share * points).sum(axis=-1) / others, 0.0)
        self.rounds += met
        np.add(self.played.bouts, played.bouts, out=self.played.bouts)
        np.add(self.played.points, points, out=self.played.points)
        self.above = _mixed(self._pairs)

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        """Returns both ends of the confidence sequence of each agent's score (..., agents).

        It holds at all times together with probability ``level``, for each agent by itself.
        """
        least = np.log(2 / (1 - level))
        ends = []
        for sign, products in ((1.0, self._higher), (-1.0, self._lower)):
            low, high = np.zeros(self.totals.shape), np.ones(self.totals.shape)
            for _ in range(40):  # halves until the ends are exact to 12 digits
                middle = (low + high) / 2
                refused = _mixed(products - sign * self._stakes * middle) >= least
                # The lower end lies above every refused value, the upper end below.
                move = refused if sign > 0 else ~refused
                low, high = np.where(move, middle, low), np.where(move, high, middle)
            ends.append(low if sign > 0 else high)
        return ends[0], ends[1]


def _mixed(logarithms: Floats) -> Floats:
    """Returns the logarithm of the mean of e-processes along the first axis."""
    most = logarithms.max(axis=0)
    mixed: Floats = most + np.log(np.exp(logarithms - most).mean(axis=0))
    return mixed


@dataclass(slots=True)
class Order:
    """The decided pairs of tournaments (leading axes) and what follows from them.

    ``beaten`` (..., agents, agents) is True once the first agent was decided to be above the
    second; decisions stay. One error probability holds for all of them together.

    Partitioning principle (Finner and Strassburger 2002): each order of the agents is a hypothesis,
    and it is given up once the mean of the e-processes against its adjacent pairs reaches 1/α. The
    mean is an e-process while the order is the true one, so the true order is ever given up with
    probability α at most, and no correction for the number of pairs is needed. One agent is decided
    to be above another if every order that has them the other way round was given up. With ties two
    orders are true, one with all ties reversed; therefore each gets α/2.

    An order is given up at the latest when one adjacent pair reaches (agents - 1) · 2/α, and that
    is what is used. The orders that remain are then the paths through the graph of pairs that may
    follow each other. It has an edge between any two agents, so its strongly connected components
    stand in one order, and in a component every two agents occur in both orders (Camion 1959): the
    components are the places that are decided, neither more nor less.
    """

    beaten: Flags

    @classmethod
    def of(cls, shape: tuple[int, ...]) -> "Order":
        """The order before the first bout; ``shape`` ends with the number of agents."""
        return cls(np.zeros((*shape, shape[-1]), dtype=np.bool_))

    def update(self, evidence: RankEvidence) -> None:
        """Adds the pairs that the evidence decides."""
        least = np.log(2 * (evidence.agents - 1) / ERROR)
        self.beaten |= (evidence.above >= least) & ~self.beaten.swapaxes(-1, -2)

    def open_pairs(self, ranks: int) -> Flags:
        """Returns the pairs (..., agents, agents) that have to be decided for the first ranks.

        Two agents that are each below as many others as ranks are asked for need no order.
        """
        agents = self.beaten.shape[-1]
        undecided = ~(self.beaten | self.beaten.swapaxes(-1, -2))
        undecided &= ~np.eye(agents, dtype=np.bool_)
        out = self.beaten.sum(axis=-2) >= ranks
        return np.asarray(undecided & ~(out[..., :, np.newaxis] & out[..., np.newaxis, :]))

    def cuts(self) -> tuple[Counts, Flags]:
        """Returns the agents from the first (..., agents), and where they fall into two (...,
        agents): after place r, all agents so far are above all others.
        """
        agents = self.beaten.shape[-1]
        # An agent before a cut beats all after it, so it beats more than any of them.
        order = np.argsort(-self.beaten.sum(axis=-1), axis=-1, kind="stable")
        sorted_rows = np.take_along_axis(self.beaten, order[..., :, np.newaxis], axis=-2)
        beaten = np.take_along_axis(sorted_rows, order[..., np.newaxis, :], axis=-1)
        cuts = np.empty(order.shape, dtype=np.bool_)
        for place in range(agents):
            cuts[..., place] = beaten[..., : place + 1, place + 1 :].all(axis=(-2, -1))
        return order, cuts

    def is_decided(self, ranks: int) -> Flags:
        """True (...) where the first ranks are decided: each has one agent."""
        _, cuts = self.cuts()
        return np.asarray(cuts[..., :ranks].all(axis=-1))


def ranges(order: Order) -> Counts:
    """Returns the first and the last rank that each agent may have (..., agents, 2), from 1."""
    sequence, cuts = order.cuts()
    agents = cuts.shape[-1]
    firsts, lasts = np.empty_like(sequence), np.empty_like(sequence)
    begin = np.zeros(sequence.shape[:-1], dtype=np.int64)
    for place in range(agents):
        firsts[..., place] = begin + 1
        begin = np.where(cuts[..., place], place + 1, begin)
    end = np.full(sequence.shape[:-1], agents, dtype=np.int64)
    for place in range(agents - 1, -1, -1):
        end = np.where(cuts[..., place], place + 1, end)
        lasts[..., place] = end
    both = np.stack([firsts, lasts], axis=-1)
    by_agent = np.empty_like(both)
    np.put_along_axis(by_agent, sequence[..., np.newaxis], both, axis=-2)
    return by_agent
