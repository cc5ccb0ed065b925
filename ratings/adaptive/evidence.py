"""Evidence on the scores of agents, valid whenever it is looked at.

The score of an agent is its mean score against all others, each other agent with equal weight.
A round plays some pairs of agents ("streams"), each at least once. In it, the mean score of an
agent that met everybody is an unbiased estimate of its score, whatever was played before. Sums of
these estimates over rounds, with a bound on their variance from the bouts themselves, give
e-processes: supermartingales that begin at 1 as long as a hypothesis is true. By Ville's
inequality they ever reach 1/α with probability α at most.

Sources: Howard, Ramdas, McAuliffe and Sekhon (2021), the empirical-Bernstein supermartingale of
theorem 4, after Fan, Grama and Liu (2015); Waudby-Smith and Ramdas (2024); mixtures over bets as
in Ramdas, Grünwald, Vovk and Shafer (2023).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parlour.ratings.statistics.intervals import Floats

Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]
BETS = np.geomspace(0.006, 0.45, 12)
"""Bets on one bout that the e-processes mix: large ones decide within few rounds, small ones find
small differences. A bet on the bouts of two agents is twice as large, and must be below 1."""
MOST_BOUTS = 2
"""Bouts of one pair in a round, at most."""


@dataclass(frozen=True, slots=True)
class Round:
    """The bouts of one round, summed over each ordered pair of agents (..., agents, agents).

    ``bouts`` counts them and is symmetric; ``points`` and ``squares`` are the sums of the first
    agent's scores in [0, 1] and of their squares.
    """

    bouts: Counts
    points: Floats
    squares: Floats


class Evidence:
    """The evidence of all rounds so far on the order of agents; leading axes are tournaments.

    ``above`` (..., agents, agents) has the logarithm of the e-process against "the first agent's
    score is at most the second's", ``rounds`` and ``totals`` (..., agents) the rounds in which an
    agent met everybody and the sum of its mean scores in them. ``played`` are all bouts.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        """``shape`` ends with the number of agents, which is at least 2."""
        agents = shape[-1]
        self.agents = agents
        self.first, self.second = np.triu_indices(agents, 1)
        pairs = (*shape[:-1], len(self.first))
        self._sums: Floats = np.zeros(pairs)
        self._costs: Floats = np.zeros((len(BETS), *pairs))
        self._own_costs: Floats = np.zeros((len(BETS), *shape))
        self.totals: Floats = np.zeros(shape)
        self.rounds: Counts = np.zeros(shape, dtype=np.int64)
        square = (*shape, agents)
        zeros = np.zeros(square)
        self.played = Round(zeros.astype(np.int64), zeros.copy(), zeros.copy())
        self.above: Floats = np.zeros(square)

    def add(self, played: Round, expected: Floats) -> None:
        """Adds a round. ``expected`` (..., agents, agents) are the scores expected before it.

        An agent counts if it met all others, a pair if both did. Expected scores may be anything
        that was known before the round: good ones make the evidence grow faster, bad ones never
        make it false.
        """
        others = self.agents - 1
        bouts = np.maximum(played.bouts, 1)
        met = (played.bouts > 0).sum(axis=-1) == others
        both = met[..., self.first] & met[..., self.second]
        means = np.where(met, (played.points / bouts).sum(axis=-1) / others, 0.0)
        spread = played.squares - 2 * expected * played.points + played.bouts * expected**2
        own = (_COST[:, played.bouts] * spread).sum(axis=-1)
        direct = spread[..., self.first, self.second]
        n = played.bouts[..., self.first, self.second]
        costs = own[..., self.first] + own[..., self.second]
        costs += (_DOUBLE_COST[:, n] - 2 * _COST[:, n]) * direct
        self._costs += np.where(both, costs, 0.0)
        self._own_costs += np.where(met, own, 0.0)
        self._sums += np.where(both, means[..., self.first] - means[..., self.second], 0.0)
        self.totals += means
        self.rounds += met
        np.add(self.played.bouts, played.bouts, out=self.played.bouts)
        np.add(self.played.points, played.points, out=self.played.points)
        np.add(self.played.squares, played.squares, out=self.played.squares)
        gains = (others * BETS).reshape(-1, *[1] * self._sums.ndim) * self._sums
        self.above[..., self.first, self.second] = _mixed(gains - self._costs)
        self.above[..., self.second, self.first] = _mixed(-gains - self._costs)

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        """Returns both ends of the confidence sequence of each agent's score (..., agents).

        It holds at all times together with probability ``level``, for each agent by itself.
        """
        least = np.log(2 / (1 - level))
        ends = []
        for sign in (1.0, -1.0):
            low, high = np.zeros(self.totals.shape), np.ones(self.totals.shape)
            for _ in range(40):  # halves until the ends are exact to 12 digits
                middle = (low + high) / 2
                excess = sign * (self.totals - self.rounds * middle)
                bets = (BETS * (self.agents - 1)).reshape(-1, *[1] * excess.ndim)
                refused = _mixed(bets * excess - self._own_costs) >= least
                # The lower end lies above every refused value, the upper end below.
                move = refused if sign > 0 else ~refused
                low, high = np.where(move, middle, low), np.where(move, high, middle)
            ends.append(low if sign > 0 else high)
        return ends[0], ends[1]


def _cost(bet: Floats) -> Floats:
    """ψ of the empirical-Bernstein bound: the cost of a bet for each unit of squared error."""
    cost: Floats = -np.log1p(-bet) - bet
    return cost


_SHARES = np.concatenate([[0.0], 1 / np.arange(1, MOST_BOUTS + 1)])
"""The share of one bout in the mean of its pair, by the number of bouts of the pair."""
_COST = _cost(BETS[:, np.newaxis] * _SHARES)
_DOUBLE_COST = _cost(2 * BETS[:, np.newaxis] * _SHARES)


def _mixed(logarithms: Floats) -> Floats:
    """Returns the logarithm of the mean of e-processes along the first axis."""
    most = logarithms.max(axis=0)
    mixed: Floats = most + np.log(np.exp(logarithms - most).mean(axis=0))
    return mixed
