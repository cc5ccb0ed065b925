"""The standing of one adaptive tournament: its evidence, what it decides, and what comes next.

Next come the bouts that add most to the evidence on open pairs. The strength model, with one skill
for each agent, says what they are expected to show. It steers only; no decision rests on it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from parlour.ratings.adaptive.evidence import (
    BoutRound,
    BoutsPlayed,
    Counts,
    Flags,
    Order,
    RankEvidence,
    ranges,
)
from parlour.ratings.adaptive.until import LEVEL, DecidedPlace, Until
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

    def expected(self, played: BoutsPlayed) -> Floats:
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


def next_bouts(open_pairs: Flags, played: BoutsPlayed, expected: Floats) -> Counts:
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


ROUNDS_A_DECISION = 20
"""A decision plans one round, and one more for so many rounds before it: then at most one in
twenty matches is played after the ranks were decided, and workers wait rarely for a decision."""
Bout = tuple[int, int]
"""The places of two agents in the tournament, the lower one first."""


@dataclass(frozen=True, slots=True)
class Allotment:
    """The bouts of a decision: those of one round, and the number of equal rounds."""

    rounds: int
    bouts: tuple[Bout, ...]


class AdaptiveStanding:
    """Takes the scores of decided bouts in order, and gives ranks and the next bouts."""

    def __init__(self, agents: Sequence[str], before: BoutsPlayed | None = None) -> None:
        """``before`` are bouts of the first agents that say which ones come next, and no more."""
        size = (1, len(agents))
        self.agents = tuple(agents)
        self._evidence, self._order = RankEvidence(size), Order.of(size)
        self._model = Model(len(agents))
        self._rounds = 0
        if before is not None:
            known = (..., *[slice(before.bouts.shape[-1])] * 2)
            for each in fields(before):
                getattr(self.played, each.name)[known] += getattr(before, each.name)

    @property
    def played(self) -> BoutsPlayed:
        """All bouts, those before the evidence began among them."""
        return self._evidence.played

    def add(self, allotment: Allotment, scores: Sequence[float]) -> None:
        """Adds a decision; ``scores`` are those of the first agents, round by round, by bout."""
        expected = self._model.expected(self.played)
        for begin in range(0, len(scores), len(allotment.bouts)):
            self._evidence.add(self._round(allotment.bouts, scores[begin:]), expected)
            self._order.update(self._evidence)
            self._rounds += 1

    def _round(self, bouts: Sequence[Bout], scores: Sequence[float]) -> BoutRound:
        shape = (1, len(self.agents), len(self.agents))
        most = max(Counter(bouts).values())
        counts, played = np.zeros(shape, dtype=np.int64), np.zeros((most, *shape))
        for (first, second), score in zip(bouts, scores, strict=False):
            for one, other, its in ((first, second, score), (second, first, 1 - score)):
                played[counts[0, one, other], 0, one, other] = its
                counts[0, one, other] += 1
        return BoutRound(counts, played)

    def is_reached(self, until: Until) -> bool:
        """True if the rule for the end holds."""
        if until.kind == "rank":
            return bool(self._order.is_decided(until.ranks_of(len(self.agents)))[0])
        low, high = self._evidence.intervals(LEVEL)
        return until.kind == "interval" and bool((high - low).max() < until.width)

    def next(self, until: Until) -> Allotment:
        """The bouts that add most to the evidence that the rule asks for."""
        shape = (1, len(self.agents), len(self.agents))
        open_pairs = self._order.open_pairs(until.ranks_of(len(self.agents)))
        if until.kind == "interval":
            low, high = self._evidence.intervals(LEVEL)
            wide = high - low >= until.width
            open_pairs = wide[:, :, np.newaxis] & ~np.eye(shape[1], dtype=np.bool_)
            open_pairs |= open_pairs.swapaxes(-1, -2)
        if not open_pairs.any():  # all is decided, and the rule asks for more matches
            open_pairs = ~np.eye(shape[1], dtype=np.bool_)[np.newaxis]
        counts = next_bouts(open_pairs, self.played, self._model.expected(self.played))[0]
        bouts: list[Bout] = []
        for first, second in np.argwhere(np.triu(counts)).tolist():
            bouts += [(first, second)] * int(counts[first, second])
        return Allotment(1 + self._rounds // ROUNDS_A_DECISION, tuple(bouts))

    def places(self) -> list[DecidedPlace]:
        """All agents, the first first; those of undecided order by score."""
        ranks, (low, high) = ranges(self._order)[0].tolist(), self._evidence.intervals(LEVEL)
        rounds, totals = self._evidence.rounds[0].tolist(), self._evidence.totals[0].tolist()
        places = [
            DecidedPlace(
                agent,
                ranks[index][0],
                ranks[index][1],
                totals[index] / rounds[index] if rounds[index] else None,
                float(low[0, index]),
                float(high[0, index]),
                rounds[index],
            )
            for index, agent in enumerate(self.agents)
        ]
        return sorted(places, key=lambda place: (place.rank, -(place.score or 0.0)))

    def decided_pairs(self) -> tuple[int, int]:
        """The number of pairs of agents whose order is decided, and of all pairs."""
        ranks = ranges(self._order)[0]
        same = (ranks[:, np.newaxis] == ranks[np.newaxis]).all(axis=-1).sum()
        agents = len(self.agents)
        pairs = agents * (agents - 1) // 2
        return pairs - (int(same) - agents) // 2, pairs
