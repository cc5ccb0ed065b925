"""Randomised assignments: checks, intention to treat, permutation tests and block bootstrap.

A *block* is what the assignment was drawn within, and what is resampled as a whole: an experiment,
say, whose matches share agents and words.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from parlour.ratings.inference.association import Association, chi_square, cross_table
from parlour.ratings.inference.estimate import Estimate
from parlour.ratings.statistics.cluster_table import ratios
from parlour.ratings.statistics.intervals import Floats, Interval, bootstrap

BOOTSTRAP_DRAWS, SHUFFLES = 10_000, 9_999
"""Draws of a block bootstrap, and shuffles of a permutation test beside the observed one."""
SHUFFLES_AT_ONCE = 1_000_000
"""Values that are shuffled together, which bounds the memory."""
ROUNDING = 1e-9


def uniformity(assigned: Sequence[Hashable], levels: Sequence[Hashable]) -> Association:
    """Tests whether an assignment gave each level equally often: chi-square against equal counts.

    Cramer's V is none here. Raises ValueError for a value that is no level.
    """
    times = dict.fromkeys(levels, 0)
    for value in assigned:
        if value not in times:
            raise ValueError(f"{value!r} is no level")
        times[value] += 1
    n, df = len(assigned), len(times) - 1
    if not n or df < 1:
        return Association(None, df, None, None, n, "nothing was assigned")
    from scipy.stats import chisquare

    test = chisquare(list(times.values()))
    return Association(float(test.statistic), df, float(test.pvalue), None, n)


def balance(assigned: Sequence[Hashable], covariate: Sequence[Hashable]) -> Association:
    """Tests whether a covariate that was there before is alike under every assignment."""
    return chi_square(cross_table(zip(assigned, covariate, strict=True)).counts)


def permutation_p(
    outcomes: Sequence[float],
    treated: Sequence[bool],
    blocks: Sequence[Hashable],
    shuffles: int = SHUFFLES,
) -> Estimate:
    """Returns the mean outcome of the treated less its expectation, with its permutation p value.

    Labels are shuffled within blocks, so that only differences within blocks count. The p value
    is two-sided and includes the observed labels: it is never 0. Seeded.
    """
    values, arm = np.asarray(outcomes, dtype=np.float64), np.asarray(treated, dtype=bool)
    members = _members(blocks)
    mixed = [rows for rows in members if 0 < arm[rows].sum() < len(rows)]
    if not mixed:
        return Estimate.missing("no block has both treated and others", len(values))
    generator = np.random.Generator(np.random.PCG64(0))
    observed = expected = 0.0
    totals = np.zeros(shuffles)
    for rows in mixed:
        block, count = values[rows], int(arm[rows].sum())
        observed += float(block[arm[rows]].sum())
        expected += count * float(block.mean())
        totals += _shuffled_sums(block, count, shuffles, generator)
    size = int(sum(arm[rows].sum() for rows in mixed))
    apart = abs(observed - expected) - ROUNDING
    extreme = int(np.count_nonzero(np.abs(totals - expected) >= apart))
    p = (1 + extreme) / (1 + shuffles)
    return Estimate((observed - expected) / size, p=p, n=sum(map(len, mixed)))


def _shuffled_sums(
    block: Floats, count: int, shuffles: int, generator: np.random.Generator
) -> Floats:
    """Returns the sum of the treated in each shuffle of one block."""
    if np.all((block == 0) | (block == 1)):
        won = int(block.sum())  # of wins and losses the sum is hypergeometric: no need to shuffle
        drawn = generator.hypergeometric(won, len(block) - won, count, size=shuffles)
        return drawn.astype(np.float64)
    sums = []
    batch = max(1, SHUFFLES_AT_ONCE // len(block))
    for done in range(0, shuffles, batch):
        keys = generator.random((min(batch, shuffles - done), len(block)))
        taken = np.argpartition(keys, count - 1, axis=1)[:, :count]
        sums.append(block[taken].sum(axis=1))
    return np.concatenate(sums)


def _members(blocks: Sequence[Hashable]) -> list[NDArray[np.int64]]:
    """Returns the indices of each block."""
    of_block: dict[Hashable, list[int]] = defaultdict(list)
    for index, block in enumerate(blocks):
        of_block[block].append(index)
    return [np.array(rows, dtype=np.int64) for rows in of_block.values()]


def block_bootstrap(
    rows: Sequence[Floats],
    blocks: Sequence[Hashable],
    statistic: Callable[[Floats], Floats],
    draws: int = BOOTSTRAP_DRAWS,
) -> Interval | None:
    """Returns the percentile interval of a statistic of summed rows, resampling whole blocks.

    ``statistic`` maps sums (draws, columns) to a value each. None with fewer than two blocks.
    """
    table: Floats = np.asarray(rows, dtype=np.float64)
    sums = [table[members].sum(axis=0) for members in _members(blocks)]
    return bootstrap(np.array(sums), statistic, draws) if sums else None


def intention_to_treat(
    outcomes: Sequence[bool],
    assigned: Sequence[Hashable],
    arm: Collection[Hashable],
    blocks: Sequence[Hashable],
    strata: Sequence[Hashable] | None = None,
    draws: int = BOOTSTRAP_DRAWS,
) -> Estimate:
    """Returns the effect of a policy that assigns only levels of ``arm``, against the random mix.

    It is the mean over the arm's levels of their rate, less the mean over all levels, in each
    stratum, pooled by the strata's sizes. The interval resamples blocks, the p value shuffles
    within blocks and strata. The assignment must have been random: see ``uniformity``.
    """
    strata = strata or [""] * len(outcomes)
    levels = sorted({*assigned}, key=str)
    inside = [level in arm for level in levels]
    if not any(inside) or all(inside):
        return Estimate.missing("the arm has no level, or all", len(outcomes))
    names = sorted({*strata}, key=str)
    place = {key: index for index, key in enumerate(product(names, levels))}
    sums_of: dict[Hashable, Floats] = defaultdict(lambda: np.zeros(2 * len(place)))
    for block, won, level, name in zip(blocks, outcomes, assigned, strata, strict=True):
        column = 2 * place[name, level]
        sums_of[block][column : column + 2] += won, 1
    table = np.array(list(sums_of.values()))

    def effect(sums: Floats) -> Floats:
        rates = np.array(ratios(sums)).reshape(len(names), len(levels), len(sums))
        sizes = sums[:, 1::2].T.reshape(len(names), len(levels), len(sums)).sum(axis=1)
        differences = rates[:, inside].mean(axis=1) - rates.mean(axis=1)
        return np.asarray((differences * sizes).sum(axis=0) / sizes.sum(axis=0))

    total: Floats = table.sum(axis=0)
    value = float(effect(total[np.newaxis])[0])
    if np.isnan(value):
        return Estimate.missing("a level never occurs in some stratum", len(outcomes))
    interval = bootstrap(table, effect, draws)
    treated = [level in arm for level in assigned]
    within = list(zip(blocks, strata, strict=True))
    p = permutation_p(list(map(float, outcomes)), treated, within, draws - 1).p
    low, high = (interval.low, interval.high) if interval else (None, None)
    return Estimate(value, low, high, p, len(outcomes))


def pooled(values: Sequence[float], sizes: Sequence[float]) -> float:
    """Returns the mean of effects in cells, weighted by the sizes of the cells."""
    return float(np.average(values, weights=sizes))
