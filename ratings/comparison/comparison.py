"""Comparison of two agents or conditions: mean paired differences, intervals and p values.

``pairing.py`` defines pairs and their clusters. The bootstrap behind an interval resamples whole
clusters, and the permutation test behind a p value flips the sign of whole clusters, since the
pairs of a cluster are correlated.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, log2, nan

import numpy as np

from parlour.games.engine.record import MatchRecord
from parlour.ratings.comparison.gain import Capability, Gain, profiles_of, swapped
from parlour.ratings.comparison.pairing import (
    MatchCount,
    Pair,
    PairKey,
    columns_of_games,
    pairs_of,
    rate,
)
from parlour.ratings.comparison.sides import Sides
from parlour.ratings.measures.conditions import condition_name
from parlour.ratings.measures.formulas import CAPABILITIES
from parlour.ratings.statistics.clusters import Clusters
from parlour.ratings.statistics.corrections import Correction, correct
from parlour.ratings.statistics.intervals import Floats, bootstrap, standard_error

ALPHA, POWER = 0.05, 0.8
"""The significance level of corrected p values, and the power behind ``detectable``."""
SIGN_FLIPS = 9_999
"""Random sign flips behind a p value where not all can be tried."""
MOST_CONTRASTS = 2
"""Contrasting matches that are named for each difference."""
ZERO = 1e-12
"""Differences up to this are rounding errors, such as those of thirds."""


@dataclass(frozen=True, slots=True)
class ContrastingMatches:
    """Two matches of a pair that show its difference best: one agent did well, the other badly."""

    game: str
    condition: str
    setting: str
    role: str
    match: int
    value: float
    other_match: int
    other_value: float


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of both sides in one measure: the mean over their pairs.

    ``game`` is None where pairs of all games count. ``low`` and ``high`` are the ends of the 95 %
    interval (None with a single cluster). ``p`` is two-sided, ``corrected`` over the family.
    ``detectable`` is the difference that would be significant with power .8 at this spread and n.
    ``too_small``: with so few ``differing`` clusters no p value could pass the first step of the
    correction, which takes ``needed``. ``apart`` are the pairs that differ most.
    """

    measure: str
    game: str | None
    value: float
    low: float | None
    high: float | None
    pairs: int
    clusters: int
    differing: int
    needed: int
    p: float
    corrected: float
    detectable: float | None
    too_small: bool
    apart: tuple[ContrastingMatches, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences of a family of measures, ``one`` minus ``other``.

    These are agents, or conditions of ``agent`` where that is given. ``clusters`` has the unit of
    the clusters of each game. Where the default family is compared, ``capabilities`` has those of
    both sides over all their matches, and ``gain`` the difference in radar area; None if any
    capability is ``missing``.
    """

    one: str
    other: str
    correction: Correction
    differences: tuple[Difference, ...]
    clusters: dict[str, str]
    gain: Gain | None = None
    missing: tuple[str, ...] = ()
    capabilities: tuple[Capability, ...] = ()
    agent: str | None = None


def compare(
    records: Sequence[MatchRecord],
    one: str,
    other: str,
    measures: Sequence[str] = (),
    correction: Correction = "holm",
    agent: str | None = None,
) -> Comparison:
    """Compares two agents, or two conditions of ``agent``, by measures or the default family.

    Measures are keys of ``pairing.paired_counters``. The default family is the win rate in each
    game and the seven capabilities; of conditions also the games' own columns of the leaderboard,
    since ablations are of single games. A measure without a pair is left out. The order of the
    records does not matter, and swapping the sides changes nothing but signs.
    """
    # In one order of the sides, so that both orders draw the same.
    first, second = sorted((one, other))
    columns = () if agent is None else columns_of_games()
    family = measures or ("win_rate", *CAPABILITIES, *columns)
    clusters = Clusters.of(records)
    in_order = sorted(records, key=lambda record: record.order)
    pairs = pairs_of(in_order, Sides(first, second, agent), set(family), clusters)
    keys = sorted(pairs, key=lambda key: (family.index(key[0]), key[1] or ""))
    single = [_difference(measure, game, pairs[measure, game]) for measure, game in keys]
    corrected = correct([difference.p for difference in single], correction)
    differences = tuple(
        _in_family(difference, p, len(single))
        for difference, p in zip(single, corrected, strict=True)
    )
    if one != first:
        differences = tuple(_swapped(difference) for difference in differences)
    comparison = Comparison(one, other, correction, differences, {**clusters.units}, agent=agent)
    if measures:
        return comparison
    profiles = profiles_of(in_order, Sides(first, second, agent), clusters)
    if one != first:
        profiles = swapped(profiles)
    return replace(
        comparison,
        gain=profiles.gain,
        missing=profiles.missing,
        capabilities=profiles.capabilities,
    )


def _difference(measure: str, game: str | None, pairs: Mapping[PairKey, Pair]) -> Difference:
    """Returns the difference without the fields that depend on the family."""
    by_pair = {key: rate(first) - rate(second) for key, (first, second) in pairs.items()}
    sums: dict[tuple[str, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for key, difference in by_pair.items():
        cell = sums[key.cluster]
        cell[0] += difference
        cell[1] += 1
    # One row a cluster: the sum of its differences, and its number of pairs.
    table = np.array([sums[cluster] for cluster in sorted(sums)])
    table[np.abs(table[:, 0]) < ZERO, 0] = 0.0  # a rounding error must not get a sign
    value = float(table[:, 0].sum() / len(pairs))
    interval = bootstrap(table, lambda draws: draws[:, 0] / draws[:, 1])
    return Difference(
        measure=measure,
        game=game,
        value=value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        pairs=len(pairs),
        clusters=len(table),
        differing=int(np.count_nonzero(table[:, 0])),
        needed=0,
        p=sign_flip(table[:, 0]),
        corrected=nan,
        detectable=standard_error(table),
        too_small=False,
        apart=tuple(_contrasts(by_pair, pairs)),
    )


def sign_flip(sums: Floats) -> float:
    """Returns the two-sided p value of the total of these sums under random signs.

    Exact where all sign flips can be tried, else by ``SIGN_FLIPS`` seeded ones, the observed one
    among them. Zeros have no sign and do not count.
    """
    from scipy.stats import permutation_test

    nonzero = sums[sums != 0]
    if len(nonzero) < 2:  # as likely with the other sign
        return 1.0
    test = permutation_test(
        (nonzero,),
        np.sum,
        permutation_type="samples",
        vectorized=True,
        n_resamples=SIGN_FLIPS,
        batch=500,
        random_state=np.random.default_rng(0),
    )
    return float(test.pvalue)


def least_p(clusters: int) -> float:
    """Returns the smallest p value possible with so many differing clusters."""
    return max(2.0 ** (1 - clusters), 2 / (SIGN_FLIPS + 1)) if clusters else 1.0


def _in_family(difference: Difference, corrected: float, family: int) -> Difference:
    """Returns the difference with the fields that depend on the size of its family."""
    from scipy.stats import t

    alpha = ALPHA / family
    error = difference.detectable  # the standard error until here
    quantiles = float(sum(t.ppf([1 - alpha / 2, POWER], difference.clusters - 1)))
    # Agents that never differed have no p value for which n could be too small.
    n = difference.differing or difference.clusters
    return replace(
        difference,
        corrected=corrected,
        needed=1 + ceil(log2(1 / alpha)),
        detectable=None if not error else quantiles * error,
        too_small=least_p(n) > alpha and corrected >= ALPHA,
    )


def _contrasts(
    by_pair: Mapping[PairKey, float], pairs: Mapping[PairKey, Pair]
) -> Iterator[ContrastingMatches]:
    """Yields the pairs that differ most, either way, each with its best and its worst match."""
    differing = [key for key, difference in by_pair.items() if abs(difference) > ZERO]
    differing.sort(key=lambda key: (-abs(by_pair[key]), key))
    for key in differing[:MOST_CONTRASTS]:
        sign = 1 if by_pair[key] > 0 else -1
        first, second = pairs[key]
        # Of equals the earliest match.
        best = max(first, key=lambda count: (sign * count.k / count.n, -count.match))
        worst = max(second, key=lambda count: (-sign * count.k / count.n, -count.match))
        yield ContrastingMatches(
            key.game,
            condition_name(key.condition),
            key.setting,
            key.role,
            best.match,
            _value(best),
            worst.match,
            _value(worst),
        )


def _value(count: MatchCount) -> float:
    return count.k / count.n


def _swapped(difference: Difference) -> Difference:
    """Returns the difference seen from the other agent."""
    return replace(
        difference,
        value=0.0 - difference.value,
        low=None if difference.high is None else 0.0 - difference.high,
        high=None if difference.low is None else 0.0 - difference.low,
        apart=tuple(map(_swapped_matches, difference.apart)),
    )


def _swapped_matches(matches: ContrastingMatches) -> ContrastingMatches:
    return replace(
        matches,
        match=matches.other_match,
        value=matches.other_value,
        other_match=matches.match,
        other_value=matches.value,
    )
