"""The bouts of the next round: those that add most to the evidence on open pairs.

The strength model, with one skill for each agent, says what bouts are expected to show. It steers
only; no decision rests on it.
"""

import numpy as np

from parlour.ratings.adaptive.evidence import Counts, Flags, Played
from parlour.ratings.skill.strength_model import AGENT_SD
from parlour.ratings.statistics.intervals import Floats
from parlour.ratings.statistics.probit import Probit

TRUST = 3.0
"""Bouts of a pair that weigh as much as the strength model in what is expected of the next one."""
FIRST_ROUNDS = 5
"""Rounds that play each pair once, since little is known of who is close to whom."""
MOST_BOUTS = 4
"""Bouts of one pair in a round, at most."""
BOUTS_A_BOUT = 20
"""Bouts of the pair that was played most for each of its bouts in the next round: a close
pair can have more bouts than a one-sided one only in long rounds, and a long round must not make
up much of a tournament."""
TOLERANCE = 1e-3
"""The skills have converged when none moves by more than this."""


class Model:
    """The strength model of the bouts of some agents: P = Φ(first's skill - second's skill)."""

    def __init__(self, agents: int) -> None:
        self._first, self._second = np.triu_indices(agents, 1)
        pairs = zip(self._first.tolist(), self._second.tolist(), strict=True)
        rows = [{first: 1.0, second: -1.0} for first, second in pairs]
        self._probit = Probit(rows, np.ones(len(rows)), np.full(agents, AGENT_SD**-2))
        self._start = np.zeros(agents)

    def expected(self, played: Played) -> Floats:
        """Returns the score expected in each ordered pair (tournaments, agents, agents).

        It is the mean of the bouts that were ``played``, drawn towards the model.
        """
        from scipy.special import ndtr

        bouts = played.bouts[:, self._first, self._second]
        won = played.points[:, self._first, self._second]
        points = np.stack([won, bouts - won], axis=-1).reshape(len(bouts), -1)
        skills, _ = self._probit.mode(points, self._start, TOLERANCE)
        chances = ndtr(skills[:, :, np.newaxis] - skills[:, np.newaxis, :])
        expected: Floats = (played.points + TRUST * chances) / (played.bouts + TRUST)
        return expected


def next_bouts(open_pairs: Flags, played: Played, expected: Floats) -> Counts:
    """Returns the number of bouts of each pair in the next round (..., agents, agents).

    Every agent of an open pair meets all others, at least once: after the first rounds at most
    twice, later up to ``MOST_BOUTS`` times. The variance of the difference of
    an open pair is the sum over bouts of (share of the bout)² · (its variance) / (number of such
    bouts); for a given number of all bouts the sum over open pairs is least where the number is
    proportional to the root of what the pair adds. The open pairs of one agent weigh as much as
    the one pair of another.
    """
    agents = open_pairs.shape[-1]
    degrees = np.maximum(open_pairs.sum(axis=-1), 1)
    weights = open_pairs / np.maximum(degrees[..., :, np.newaxis], degrees[..., np.newaxis, :])
    of_agents = weights.sum(axis=-1)
    # A bout of the two agents of an open pair counts for both: twice the share.
    needs = of_agents[..., :, np.newaxis] + of_agents[..., np.newaxis, :] + 2 * weights
    needs = np.where(np.eye(agents, dtype=np.bool_), 0.0, needs)
    worth = np.sqrt(expected * (1 - expected) * needs)
    best = worth.max(axis=(-2, -1), keepdims=True)
    longest = played.bouts.max(axis=(-2, -1), keepdims=True)
    most = np.clip(longest // BOUTS_A_BOUT, 2, MOST_BOUTS)
    most = np.where(longest < FIRST_ROUNDS, 1, most)
    bouts = np.clip(np.round(most * worth / np.maximum(best, 1e-9)), 1, most)
    return np.where(needs > 0, bouts, 0).astype(np.int64)
