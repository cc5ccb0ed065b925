"""Two agents compared: differences of what they did in the same place, with interval and p.

``pairing.py`` says what a pair is, and what hangs together as a cluster: that is drawn as
a whole for the interval, and changes its sign as a whole for the p value.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, log2, nan, sqrt
from typing import Literal

import numpy as np

from parlour.games.engine.record import MatchRecord
from parlour.ratings.comparison.gain import CAPABILITIES, Gain, gain_in_area, missing, swapped
from parlour.ratings.comparison.pairing import Pair, Place, pairs_of, rate
from parlour.ratings.counting.counts import cluster_unit
from parlour.ratings.statistics.intervals import Floats, bootstrap

Correction = Literal["holm", "bh", "bonferroni"]
ALPHA, POWER = 0.05, 0.8
"""A corrected p value below the first counts as found; ``detectable`` is found this often."""
FLIPS = 9_999
"""Changes of sign behind a p value where not all can be tried."""
MOST_APART = 2
"""Pairs of matches that are named for each difference."""


@dataclass(frozen=True, slots=True)
class Apart:
    """Two matches of a pair in which one of the agents did well and the other badly."""

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
    """A measure of the one agent less that of the other: the mean over their pairs.

    ``game`` is None where pairs of all games count. ``low`` and ``high`` end the 95 % interval
    (None with a single cluster). ``p`` is two-sided, ``corrected`` over the family.
    ``detectable`` is the difference that would be found with power .8 at this spread and n.
    ``too_small``: with so few ``differing`` clusters no p value could pass a first step of the
    correction, which takes ``needed``.
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
    apart: tuple[Apart, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences of a family, the one agent less the other.

    ``gain`` is what the one gains in radar area, where the usual family is compared; None for
    want of the capabilities that are ``missing``.
    """

    one: str
    other: str
    correction: Correction
    differences: tuple[Difference, ...]
    clusters: dict[str, str]
    gain: Gain | None = None
    missing: tuple[str, ...] = ()


def compare(
    records: Sequence[MatchRecord],
    one: str,
    other: str,
    measures: Sequence[str] = (),
    correction: Correction = "holm",
) -> Comparison:
    """Compares two agents by the given measures (of ``pairing.paired_counters``) or the usual ones.

    Those are the win rate in each game and the seven capabilities; a measure without a pair has
    no part in it. The order of the records does not matter, and swapping the agents gives the
    same with the signs changed.
    """
    first, second = sorted((one, other))
    family = measures or ("win_rate", *CAPABILITIES)
    found = pairs_of(sorted(records, key=lambda record: record.number), first, second, set(family))
    wanted = sorted(found, key=lambda key: (family.index(key[0]), key[1] or ""))
    ready = [_difference(measure, game, found[measure, game]) for measure, game in wanted]
    corrected = correct([difference.p for difference in ready], correction)
    differences = tuple(
        _judged(difference, p, len(ready)) for difference, p in zip(ready, corrected, strict=True)
    )
    gain = None if measures else gain_in_area(found)
    if one != first:
        differences = tuple(_swapped(difference) for difference in differences)
        gain = gain and swapped(gain)
    lacking = () if measures else missing(found)
    units = cluster_unit(records)
    return Comparison(one, other, correction, differences, units, gain, lacking)


def _difference(measure: str, game: str | None, pairs: Mapping[Place, Pair]) -> Difference:
    """The difference with all but what depends on the family."""
    by_pair = {place: rate(mine) - rate(theirs) for place, (mine, theirs) in pairs.items()}
    sums: dict[tuple[str, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for place, difference in by_pair.items():
        cell = sums[place.cluster]
        cell[0] += difference
        cell[1] += 1
    table = np.array([sums[cluster] for cluster in sorted(sums)])
    table[np.abs(table[:, 0]) < 1e-12, 0] = 0.0  # what thirds leave behind is no difference
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
        detectable=_standard_error(table, value),
        too_small=False,
        apart=tuple(_apart(by_pair, pairs)),
    )


def _standard_error(table: Floats, mean: float) -> float | None:
    """Of the mean over pairs, by clusters: the paired spread over √n where each has one pair."""
    clusters = len(table)
    if clusters < 2:
        return None
    off = table[:, 0] - mean * table[:, 1]
    spread = float((off * off).sum()) * clusters / (clusters - 1)
    return sqrt(spread) / float(table[:, 1].sum())


def sign_flip(sums: Floats) -> float:
    """The two-sided p value of the sum of these, had each its sign by a fair coin.

    Exact where all changes of sign can be tried, else by ``FLIPS`` seeded ones, itself among them.
    """
    from scipy.stats import permutation_test

    telling = sums[sums != 0]
    if len(telling) < 2:  # which may as well have the other sign
        return 1.0
    tested = permutation_test(
        (telling,),
        np.sum,
        permutation_type="samples",
        vectorized=True,
        n_resamples=FLIPS,
        batch=500,
        random_state=np.random.default_rng(0),
    )
    return float(tested.pvalue)


def least_p(clusters: int) -> float:
    """The smallest p value that so many differing clusters can come to."""
    return max(2.0 ** (1 - clusters), 2 / (FLIPS + 1)) if clusters else 1.0


def correct(p: Sequence[float], correction: Correction) -> list[float]:
    """p values corrected over their family, in the order given."""
    count = len(p)
    if not count:
        return []
    if correction == "bonferroni":
        return [min(1.0, count * each) for each in p]
    if correction == "bh":
        from scipy.stats import false_discovery_control

        return [float(each) for each in false_discovery_control(p)]
    result, highest = [1.0] * count, 0.0
    for rank, index in enumerate(sorted(range(count), key=lambda index: p[index])):
        highest = max(highest, min(1.0, (count - rank) * p[index]))
        result[index] = highest
    return result


def _judged(difference: Difference, corrected: float, family: int) -> Difference:
    """The difference as one of so many."""
    from scipy.stats import t

    alpha = ALPHA / family
    error = difference.detectable
    reach = float(sum(t.ppf([1 - alpha / 2, POWER], difference.clusters - 1)))
    # Where the two never differed there is nothing for which n could be too small.
    n = difference.differing or difference.clusters
    return replace(
        difference,
        corrected=corrected,
        needed=1 + ceil(log2(1 / alpha)),
        detectable=None if not error else reach * error,
        too_small=least_p(n) > alpha and corrected >= ALPHA,
    )


def _apart(by_pair: Mapping[Place, float], pairs: Mapping[Place, Pair]) -> Iterator[Apart]:
    """The pairs that differ most, either way, each with its best and its worst match."""
    order = sorted(by_pair, key=lambda place: (-abs(by_pair[place]), place))
    for place in [place for place in order if abs(by_pair[place]) > 1e-12][:MOST_APART]:
        sign = 1 if by_pair[place] > 0 else -1
        mine, theirs = pairs[place]
        # The first of the best and the first of the worst.
        best = max(mine, key=lambda done: (sign * done.k / done.n, -done.match))
        worst = max(theirs, key=lambda done: (-sign * done.k / done.n, -done.match))
        where = (place.game, place.condition, place.setting, place.role)
        yield Apart(*where, best.match, best.k / best.n, worst.match, worst.k / worst.n)


def _swapped(of: Difference) -> Difference:
    """The same, seen from the other agent."""
    return replace(
        of,
        value=0.0 - of.value,
        low=None if of.high is None else 0.0 - of.high,
        high=None if of.low is None else 0.0 - of.low,
        apart=tuple(
            replace(
                apart,
                match=apart.other_match,
                value=apart.other_value,
                other_match=apart.match,
                other_value=apart.value,
            )
            for apart in of.apart
        ),
    )
