"""Simulated tournaments of known strength, played adaptively or by the balanced plan."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from parlour.ratings.adaptive.evidence import BoutRound, Counts, Flags, Order, RankEvidence
from parlour.ratings.adaptive.standing import Model, next_bouts
from parlour.ratings.statistics.intervals import Floats

SETTINGS = 20
MATCHES = 2
"""Matches of a bout: the sides are swapped."""
REFIT = 1.1
"""Growth of the number of rounds after which a simulation fits the strength model again."""
SMALL_AND_LARGE = (0.5, 0.15, 0.5, 0.3, 0.7, 0.2, 0.5, 0.15, 0.4, 0.3, 0.6)


@dataclass(frozen=True, slots=True)
class World:
    """The truth of simulated tournaments: skills that lie ``gaps`` apart, in a random order.

    ``cycles`` is the standard deviation of what one agent has against another one beyond skill,
    ``of_settings`` that of what an agent has on one setting; ``draws`` is the share of draws.
    """

    gaps: tuple[float, ...] = SMALL_AND_LARGE
    cycles: float = 0.0
    of_settings: float = 0.0
    draws: float = 0.0

    def drawn(self, rng: np.random.Generator, tournaments: int) -> Floats:
        """Returns P(first wins) by tournament, setting and ordered pair of agents."""
        agents = len(self.gaps) + 1
        gaps = np.stack([rng.permutation(self.gaps) for _ in range(tournaments)])
        skills = np.concatenate([np.zeros((tournaments, 1)), gaps.cumsum(axis=1)], axis=1)
        on_settings = rng.normal(size=(tournaments, SETTINGS, agents)) * self.of_settings
        on_settings += skills[:, np.newaxis]
        cycles = np.triu(rng.normal(size=(tournaments, agents, agents)) * self.cycles, 1)
        cycles -= cycles.swapaxes(1, 2)
        advantages = on_settings[..., :, np.newaxis] - on_settings[..., np.newaxis, :]
        return np.asarray(ndtr(advantages + cycles[:, np.newaxis]))


EQUAL, TIED = (0.25,) * 11, (0.0, 0.4) * 5 + (0.0,)
WORLDS: Mapping[str, World] = {
    "small and large gaps": World(),
    "one small gap": World((0.1, *(0.5,) * 10)),
    "equal gaps": World(EQUAL),
    "intransitive": World(tuple(0.8 * gap for gap in SMALL_AND_LARGE), cycles=0.15),
    "draws and clustered settings": World(of_settings=0.3, draws=0.2),
}


@dataclass(frozen=True, slots=True)
class Simulated:
    """The end of each tournament: matches, whether its ranks were decided, and falsely."""

    matches: Counts
    decided: Flags
    false: Flags
    missed: Flags
    """True for each agent whose score its 95 % confidence sequence has missed at some time."""


def simulated(
    world: World, tournaments: int, ranks: int, *, adaptive: bool, rounds: int, seed: int = 1
) -> Simulated:
    """Plays tournaments until the first ``ranks`` are decided, or some ``rounds`` are over.

    The adaptive ones end at the matches of so many balanced rounds at the latest.
    """
    rng = np.random.default_rng(seed)
    chances = world.drawn(rng, tournaments)
    agents = chances.shape[-1]
    means = world.draws / 2 + (1 - world.draws) * chances.mean(axis=1)
    scores = (means.sum(axis=-1) - 0.5) / (agents - 1)
    not_above = scores[:, :, np.newaxis] <= scores[:, np.newaxis, :] + 1e-12
    evidence, order = RankEvidence((tournaments, agents)), Order.of((tournaments, agents))
    model, everybody = Model(agents), 1 - np.eye(agents, dtype=np.int64)
    decided = np.zeros(tournaments, dtype=np.bool_)
    missed = np.zeros((tournaments, agents), dtype=np.bool_)
    refit = 0.0
    for number in range(rounds):
        if number >= refit:
            expected = model.expected(evidence.played)
            refit = max(number * REFIT, number + 1)
            low, high = evidence.intervals(0.95)
            missed |= (scores < low) | (scores > high)
        if adaptive:
            bouts = next_bouts(order.open_pairs(ranks), evidence.played, expected)
        else:
            bouts = np.broadcast_to(everybody, (tournaments, agents, agents))
        is_over = decided | (evidence.played.bouts.sum(axis=(-2, -1)) >= rounds * everybody.sum())
        bouts = np.where(is_over[:, np.newaxis, np.newaxis], 0, bouts)
        evidence.add(_played(chances, bouts, world.draws, rng), expected)
        order.update(evidence)
        decided = order.is_decided(ranks)
        if (decided | is_over).all():
            break
    matches = MATCHES * evidence.played.bouts.sum(axis=(-2, -1)) // 2
    return Simulated(matches, decided, (order.beaten & not_above).any(axis=(-2, -1)), missed)


def _played(chances: Floats, bouts: Counts, draws: float, rng: np.random.Generator) -> BoutRound:
    """Returns the outcome of a round; the matches of a bout are on one setting."""
    tournaments, agents = bouts.shape[:2]
    first, second = np.triu_indices(agents, 1)
    scores = np.zeros((int(bouts.max()), *bouts.shape))
    which = np.arange(tournaments)[:, np.newaxis]
    for its in scores:
        setting = rng.integers(SETTINGS, size=(tournaments, len(first)))
        chance = chances[which, setting, first, second]
        total = np.zeros(chance.shape)
        for _ in range(MATCHES):
            is_draw = rng.random(chance.shape) < draws
            total += np.where(is_draw, 0.5, rng.random(chance.shape) < chance)
        its[:, first, second] = total / MATCHES
        its[:, second, first] = 1 - total / MATCHES
    return BoutRound(bouts, scores)
