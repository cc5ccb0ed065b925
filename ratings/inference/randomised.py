"""Randomised assignments: checks, intention to treat, and permutation tests.

A *block* is what an assignment was drawn within: an experiment, say. A *draw* is what was assigned
at once: matches that share a seed share their order of speakers.
"""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from parlour.ratings.inference.association import Association, chi_square, cross_table
from parlour.ratings.inference.estimate import Estimate, codes, jackknife, members
from parlour.ratings.statistics.intervals import Floats, ratios

SHUFFLES = 9_999
"""Shuffles of a permutation test beside the observed assignment."""
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


def balance(
    assigned: Sequence[Hashable],
    covariate: Sequence[Hashable],
    draws: Sequence[Hashable],
    shuffles: int = SHUFFLES,
) -> Association:
    """Tests whether a covariate that was there before is alike under every assignment.

    A draw counts once for each value of the covariate that it meets; n is the number of draws.
    Where it meets several, the p value shuffles the assignments over the draws.
    """
    level_of = dict(zip(draws, assigned, strict=True))
    met = sorted({*zip(draws, covariate, strict=True)}, key=str)
    test = chi_square(cross_table((level_of[draw], value) for draw, value in met))
    if len(met) == len(level_of) or test.chi_square is None:
        return test
    order = {draw: place for place, draw in enumerate(level_of)}
    meets: Floats = np.zeros((len(level_of), len({value for _, value in met})))
    meets[[order[draw] for draw, _ in met], codes([value for _, value in met])] = 1
    level = codes(list(level_of.values()))
    if (meets == meets[0]).all():
        problem = "every draw meets every value: there is nothing to check"
        return Association(None, test.df, None, None, len(level_of), problem)
    margins = np.outer(np.bincount(level), meets.sum(axis=0))
    expected: Floats = margins / len(level)

    generator = np.random.Generator(np.random.PCG64(0))
    statistics = []
    for done in range(0, shuffles, batch := max(1, SHUFFLES_AT_ONCE // len(level))):
        drawn = np.tile(level, (min(batch, shuffles - done), 1))
        shuffled = generator.permuted(drawn, axis=1)
        counts = np.stack([(shuffled == own) @ meets for own in range(len(expected))], axis=1)
        statistics.append(((counts - expected) ** 2 / expected).sum(axis=(1, 2)))
    observed = np.stack([(level == own) @ meets for own in range(len(expected))])
    own = float(((observed - expected) ** 2 / expected).sum())
    extreme = int(np.count_nonzero(np.concatenate(statistics) >= own - ROUNDING))
    p = (1 + extreme) / (1 + shuffles)
    return replace(test, p=p, n=len(level_of), note="")


def difference_within(
    outcomes: Sequence[float],
    treated: Sequence[bool],
    blocks: Sequence[Hashable],
    clusters: Sequence[Hashable],
    shuffles: int = SHUFFLES,
) -> Estimate:
    """Returns the mean difference of the treated from the others in their blocks.

    Blocks count by n treated × n others / n, as in a linear fit with an effect of each block. The
    p value is that of this difference if labels are shuffled within blocks: two-sided, with the
    observed labels, so never 0. The interval is by clusters. Seeded.
    """
    values, arm = np.asarray(outcomes, dtype=np.float64), np.asarray(treated, dtype=bool)
    mixed = [rows for rows in members(blocks) if 0 < arm[rows].sum() < len(rows)]
    if not mixed:
        return Estimate.missing("no block has both treated and others", len(values))
    generator = np.random.Generator(np.random.PCG64(0))
    totals, observed = np.zeros(shuffles), 0.0
    cluster = codes(clusters)
    sums: Floats = np.zeros((cluster.max() + 1, len(mixed), 4))
    for block, rows in enumerate(mixed):
        own, count = values[rows], int(arm[rows].sum())
        totals += _shuffled_sums(own, count, shuffles, generator) - count * float(own.mean())
        observed += float(own[arm[rows]].sum()) - count * float(own.mean())
        parts = [np.ones(len(rows)), arm[rows], own, own * arm[rows]]
        np.add.at(sums[:, block], cluster[rows], np.column_stack(parts))
    held = sums[sums.any(axis=(1, 2))]
    effect = jackknife(held.reshape(len(held), -1), range(len(held)), _within_blocks)
    extreme = int(np.count_nonzero(np.abs(totals) >= abs(observed) - ROUNDING))
    n = sum(map(len, mixed))
    return replace(effect, p=(1 + extreme) / (1 + shuffles), n=n)


def _within_blocks(sums: Floats) -> Floats:
    """Returns the difference within blocks of each row of sums.

    Of each block these are all, the treated, the outcomes, and those of the treated.
    """
    n, treated, total, of_treated = sums.reshape(len(sums), -1, 4).transpose(2, 0, 1)
    share = treated / np.maximum(n, 1)
    weights = treated - share * treated
    difference: Floats = (of_treated - share * total).sum(axis=1) / weights.sum(axis=1)
    return difference


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


def intention_to_treat(
    outcomes: Sequence[bool],
    assigned: Sequence[Hashable],
    arm: Collection[Hashable],
    clusters: Sequence[Hashable],
    strata: Sequence[Hashable] | None = None,
) -> Estimate:
    """Returns the effect of a policy that assigns only levels of ``arm``, against the random mix.

    It is the mean over the arm's levels of their rate, less the mean over all levels, in each
    stratum, pooled by the strata's sizes. Interval and p value are by clusters. The assignment
    must have been random: see ``uniformity``.
    """
    strata = strata or [""] * len(outcomes)
    levels = sorted({*assigned}, key=str)
    inside = [level in arm for level in levels]
    if not any(inside) or all(inside):
        return Estimate.missing("the arm has no level, or all", len(outcomes))
    names = sorted({*strata}, key=str)
    place = {key: index for index, key in enumerate(product(names, levels))}
    rows: Floats = np.zeros((len(outcomes), 2 * len(place)))
    for row, won, level, name in zip(rows, outcomes, assigned, strata, strict=True):
        column = 2 * place[name, level]
        row[column : column + 2] = won, 1

    def effect(sums: Floats) -> Floats:
        rates = np.array(ratios(sums)).reshape(len(names), len(levels), len(sums))
        sizes = sums[:, 1::2].T.reshape(len(names), len(levels), len(sums)).sum(axis=1)
        differences = rates[:, inside].mean(axis=1) - rates.mean(axis=1)
        return np.asarray((differences * sizes).sum(axis=0) / sizes.sum(axis=0))

    if np.isnan(effect(rows.sum(axis=0, keepdims=True))[0]):
        return Estimate.missing("a level never occurs in some stratum", len(outcomes))
    return jackknife(rows, clusters, effect)
