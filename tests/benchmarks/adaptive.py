"""Adaptive pairing on simulated tournaments of known strength, beside the balanced plan."""

from collections.abc import Iterator
from time import process_time

import numpy as np

from parlour.ratings.adaptive.evidence import BoutRound, Order, RankEvidence
from parlour.ratings.adaptive.standing import Model, next_bouts
from parlour.ratings.adaptive.until import ERROR
from parlour.ratings.statistics.intervals import wilson
from tests.benchmarks.measuring import Reading, bench, sized
from tests.ratings.bouts import TIED, WORLDS, World, simulated

ROUNDS = 1500
AT_ONCE = 100
"""Tournaments that are simulated together: more would not fit into the processor's caches."""


@bench
def adaptive_pairing(runs: int) -> Iterator[Reading]:
    """Matches until ranks are decided, as shares of those of the balanced plan."""
    for name, world in WORLDS.items():
        for ranks in (12, 3, 1) if name == "small and large gaps" else (12,):
            shares = []
            for seed in range(min(runs, 3)):
                adaptive, balanced = (
                    simulated(
                        world,
                        sized(30, 2),
                        ranks,
                        adaptive=is_adaptive,
                        rounds=sized(ROUNDS, 4),
                        seed=seed,
                    )
                    for is_adaptive in (True, False)
                )
                shares.append(float(adaptive.matches.sum() / balanced.matches.sum()))
            title = "all ranks" if ranks == 12 else f"top {ranks}"
            yield Reading(f"{name}, {title}: matches", "of balanced", tuple(shares), 0.5, "less")


@bench
def false_decisions(runs: int) -> Iterator[Reading]:
    """Tournaments of 1,000 in which any decided order of two agents is false."""
    for name, world in {**WORLDS, "ties": World(TIED)}.items():
        parts = [
            simulated(
                world, sized(AT_ONCE, 2), 12, adaptive=True, rounds=sized(ROUNDS, 4), seed=seed
            )
            for seed in range(sized(10, 1))
        ]
        false = np.concatenate([part.false for part in parts])
        missed = np.concatenate([part.missed for part in parts])
        high = wilson(int(false.sum()), len(false)).high
        yield Reading(f"{name}: false", "share", (float(false.mean()),), ERROR, "less")
        yield Reading(f"{name}: false, Wilson's upper end", "share", (high,), ERROR, "less")
        yield Reading(f"{name}: missed scores", "share", (float(missed.mean()),), ERROR, "less")


@bench
def adaptive_decision(runs: int) -> Iterator[Reading]:
    """The time of a decision among 12 agents after a hundred rounds."""
    rng, model, size = np.random.default_rng(1), Model(12), (1, 12, 12)
    evidence, order, everybody = RankEvidence((1, 12)), Order.of((1, 12)), 1 - np.eye(12, dtype=int)
    times = []
    for number in range(100 + max(runs, 20)):
        points = np.triu(rng.random(size), 1)
        points += np.tril(1 - points.swapaxes(1, 2), -1)
        begin = process_time()
        expected = model.expected(evidence.played)
        evidence.add(BoutRound(everybody[np.newaxis], points[np.newaxis]), expected)
        order.update(evidence)
        next_bouts(order.open_pairs(12), evidence.played, model.expected(evidence.played))
        if number >= 100:
            times.append(1000 * (process_time() - begin))
    yield Reading("decision among 12 agents", "ms", tuple(times), 20, "less")
