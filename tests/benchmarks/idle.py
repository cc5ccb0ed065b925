"""Idle places of an adaptive run: the next decision waits for the slowest match of the last one."""

import heapq
from collections.abc import Iterator

import numpy as np

from parlour.ratings.adaptive.standing import ROUNDS_A_DECISION
from tests.benchmarks.measuring import Reading, bench, sized

AGENTS, MATCHES_OF_A_PAIR = 12, 2
SPREADS = (0.3, 0.6, 1.0)
"""Standard deviations of the logarithm of how long a match takes."""


@bench
def adaptive_idle(runs: int) -> Iterator[Reading]:
    """The share of places for matches that are idle until 20,000 matches are over."""
    for at_once in (16, 64):
        for spread in SPREADS:
            for ahead in (0, 1):
                shares = tuple(idle_share(at_once, spread, ahead, seed) for seed in range(runs))
                title = f"{at_once} at once, spread {spread}, decided {ahead} ahead"
                yield Reading(title, "idle share", shares)


def idle_share(at_once: int, spread: float, ahead: int, seed: int) -> float:
    """The idle share of one simulated run; each round has all pairs once.

    A decision waits for all but the last ``ahead`` decisions.
    """
    rng = np.random.default_rng(seed)
    of_a_round = MATCHES_OF_A_PAIR * AGENTS * (AGENTS - 1) // 2
    free = [0.0] * at_once
    matches, rounds, work, ends = 0, 0, 0.0, [0.0] * (ahead + 1)
    while matches < sized(20_000, 500):
        planned = 1 + rounds // ROUNDS_A_DECISION
        begin = end = ends[-1 - ahead]
        for length in rng.lognormal(0.0, spread, planned * of_a_round).tolist():
            over = max(heapq.heappop(free), begin) + length
            heapq.heappush(free, over)
            end, work = max(end, over), work + length
        ends.append(max(end, ends[-1]))
        rounds += planned
        matches += planned * of_a_round
    return 1 - work / (at_once * ends[-1])
