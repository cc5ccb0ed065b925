"""Comparison of agents or conditions in pairs: mean differences, intervals and p values.

``pairing.py`` defines pairs and their clusters. The jackknife behind an interval leaves out whole
clusters, and the permutation test behind a p value flips the sign of whole clusters, since the
pairs of a cluster are correlated.

Two agents also come with their profiles. Each is over all matches of its agent, so it is the one of
the leaderboard. The interval of the gain in radar area leaves out the clusters of the pairs, so
that what both did on one setting goes together.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import ceil, isnan, log2, nan
from typing import TypeVar

import numpy as np

from parlour.games.engine.record import MatchRecord
from parlour.ratings.comparison.pairing import Counterparts, Pairs, Sides, pairs_of
from parlour.ratings.counting.counted import count
from parlour.ratings.counting.counts import (
    AgentFaults,
    CountKey,
    Counts,
    NamesClusters,
    declared_measures,
    summed,
)
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.measures.conditions import condition_name
from parlour.ratings.measures.formulas import Profile, profile
from parlour.ratings.measures.profile import groups_of_profile, is_complete, profile_games
from parlour.ratings.measures.role_counts import (
    CREDITS,
    Measured,
    columns_of_games,
    faulty_answers,
    role_counts,
)
from parlour.ratings.statistics.clusters import Clusters, Sums
from parlour.ratings.statistics.corrections import Correction, correct
from parlour.ratings.statistics.intervals import (
    ClusterTable,
    Floats,
    cluster_table,
    jackknife,
    ratio,
    ratios,
    t_interval,
)


@dataclass(frozen=True, slots=True)
class Gain:
    """The radar areas of ``one`` and ``other``, and ``value``, their difference.

    ``low`` and ``high`` are the ends of the 95 % interval, None with too few clusters.
    """

    one: float
    other: float
    value: float
    low: float | None
    high: float | None
    clusters: int


@dataclass(frozen=True, slots=True)
class Capability:
    """A capability of both agents, None where an agent has none."""

    measure: str
    one: float | None
    other: float | None


def profiles_of(
    records: Sequence[MatchRecord], sides: Sides, clusters: Clusters
) -> tuple[list[Capability], Gain | None]:
    """Returns the seven capabilities of both sides, and the gain; None if any is missing.

    The records are in order of their places.
    """
    games = profile_games({record.game for record in records})
    groups, sums = [], list[Sums]()
    for counts, agent in _counted(records, sides, Counterparts(records, sides, clusters)):
        own: dict[str, list[CountKey]] = defaultdict(list)
        for key in counts:
            if key.agent == agent and key.game in games:
                own[key.counter].append(key)
        groups.append(groups_of_profile(own.__getitem__))
        sums += [summed(counts, keys) for keys in groups[-1]]
    table = cluster_table(sums)
    if not table.sizes:
        return [Capability(name, None, None) for name in CAPABILITIES], None
    one, other = _both(table.totals)
    values = zip(CAPABILITIES, one.capabilities, other.capabilities, strict=True)
    capabilities = [
        Capability(name, _value(first), _value(second)) for name, first, second in values
    ]
    return capabilities, _gain(table, one, other) if all(map(is_complete, groups)) else None


def _counted(
    records: Sequence[MatchRecord], sides: Sides, clusters: NamesClusters
) -> list[tuple[Counts, str]]:
    """Returns the counts of each side, and its agent; a condition has its own matches alone."""
    agent = sides.agent
    if agent is None:
        counts = count(records, clusters, details=False)
        return [(counts, sides.first), (counts, sides.second)]
    counted = []
    for side in (0, 1):
        own = [record for record in records if sides.of(record, agent) == side]
        counted.append((count(own, clusters, details=False), agent))
    return counted


def _gain(table: ClusterTable, one: Profile, other: Profile) -> Gain:
    """Returns the gain; a cluster is left out of all capabilities of both agents together."""

    def difference(sums: Floats) -> Floats:
        first, second = _both(sums)
        return first.radar_area - second.radar_area

    areas = float(one.radar_area[0]), float(other.radar_area[0])
    value = areas[0] - areas[1]
    interval = t_interval(value, jackknife(table, difference))
    low, high = (interval.low, interval.high) if interval else (None, None)
    return Gain(*areas, value, low, high, len(table.rows))


def _both(sums: Floats) -> tuple[Profile, Profile]:
    """Returns the profiles of both agents by each row of sums."""
    rates = ratios(sums)
    half = len(rates) // 2
    return profile(rates[:half]), profile(rates[half:])


def _value(values: Floats) -> float | None:
    value = float(np.asarray(values)[0])
    return None if isnan(value) else value


ALPHA, POWER = 0.05, 0.8
"""The significance level of corrected p values, and the power behind ``detectable``."""
SIGN_FLIPS, FLIPS_IN_FAMILY = 9_999, 100
"""Random sign flips behind a p value where not all can be tried, and so many for each difference
of a large family, so that its correction can be passed."""
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
    interval (None with too few clusters, where all agree, or if a value has no
    bound). ``p`` is two-sided, ``corrected`` over the family. ``error`` and ``freedom`` are the
    standard error and its degrees of freedom (None with a single cluster). ``detectable`` is the
    difference that would be significant with power .8 at this spread and n.
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
    error: float | None
    freedom: float | None
    detectable: float | None
    too_small: bool
    apart: tuple[ContrastingMatches, ...]


Figure = TypeVar("Figure", Difference, Gain)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences of two sides, ``one`` minus ``other``.

    These are agents, or conditions of ``agent`` where that is given. ``family`` is the number of
    differences that p values are corrected for, those of other pairs of agents included.
    ``clusters`` has the unit of the clusters of each game, ``faults`` the faulty answers of the
    agents; ``seeded``: matches of several agents and conditions share seeds. Where the default
    family is compared, ``capabilities`` has those of both sides over all their matches, and
    ``gain`` the difference in radar area; None if any capability is ``missing``.
    """

    one: str
    other: str
    correction: Correction
    differences: tuple[Difference, ...]
    clusters: dict[str, str]
    family: int
    gain: Gain | None = None
    missing: tuple[str, ...] = ()
    capabilities: tuple[Capability, ...] = ()
    agent: str | None = None
    faults: tuple[AgentFaults, ...] = ()
    seeded: bool = False


def compare(
    records: Sequence[MatchRecord],
    one: str,
    other: str,
    measures: Sequence[str] = (),
    correction: Correction = "holm",
    agent: str | None = None,
) -> Comparison:
    """Compares two agents, or two conditions of ``agent``; see ``compare_pairs``."""
    (comparison,) = compare_pairs(records, [(one, other)], measures, correction, agent)
    return comparison


def compare_pairs(
    records: Sequence[MatchRecord],
    pairs: Sequence[tuple[str, str]],
    measures: Sequence[str] = (),
    correction: Correction = "holm",
    agent: str | None = None,
    role: str | None = None,
) -> list[Comparison]:
    """Compares pairs of agents, or of conditions of ``agent``, as one family.

    Measures are keys of ``pairing.paired_counters``. The default family is the win rate in each
    game, payoff and welfare where payoffs are no credits, and the seven capabilities; of
    conditions also the games' own columns of the leaderboard, since ablations are of single games.
    ``role`` takes what was done in this role alone. A measure without a pair is left out. A single
    pair compared by the default family, in all roles, comes with its capabilities. The order of
    the records does not matter, and swapping the sides changes nothing but signs.
    """
    columns = () if agent is None else columns_of_games()
    family = [*dict.fromkeys(measures or ("win_rate", *CREDITS, *CAPABILITIES, *columns))]
    clusters = Clusters.of(records)
    in_order = sorted(records, key=lambda record: record.order)
    counts = role_counts(in_order, family, usual=not measures, role=role)
    measured = {count.measured for count in chain.from_iterable(counts.values())}
    flips = max(SIGN_FLIPS, FLIPS_IN_FAMILY * len(pairs) * len(measured))
    with_profiles = not measures and role is None and len(pairs) == 1
    # All is computed in one order of the sides, so that both orders give the same figures.
    all_sides = [Sides(min(pair), max(pair), agent) for pair in pairs]
    of_sides: list[list[Difference]] = []
    for sides in all_sides:
        by_measure = pairs_of(in_order, sides, counts, clusters)
        keys = sorted(by_measure, key=lambda key: (family.index(key[0]), key[1] or ""))
        of_sides.append([_difference(key, by_measure[key], flips) for key in keys])
    every = list(chain.from_iterable(of_sides))
    faults = faulty_answers(records)
    p_values = iter(correct([difference.p for difference in every], correction))
    comparisons = []
    for (one, other), sides, own in zip(pairs, all_sides, of_sides, strict=True):
        comparison = Comparison(
            sides.first,
            sides.second,
            correction,
            tuple(_in_family(each, next(p_values), len(every), flips) for each in own),
            dict[str, str](clusters.units),
            len(every),
            agent=agent,
            seeded=any(record.seed is not None for record in records),
            faults=tuple(each for each in faults if each[0] in {agent or one, agent or other}),
        )
        if with_profiles:
            capabilities, gain = profiles_of(in_order, sides, clusters)
            missing = tuple(each.measure for each in capabilities if None in (each.one, each.other))
            comparison = replace(
                comparison, gain=gain, missing=missing, capabilities=tuple(capabilities)
            )
        comparisons.append(comparison if one == sides.first else _swapped(comparison))
    return comparisons


def _difference(measured: Measured, pairs: Pairs, flips: int) -> Difference:
    """Returns the difference without the fields that depend on the family."""
    sums: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for key, pair in pairs.items():
        cell = sums[key.game][pair.cluster]
        cell[0] += pair.difference
        cell[1] += 1
    table = ClusterTable.of(*(np.array([*of_game.values()]) for of_game in sums.values()))
    table.distinct[np.abs(table.distinct[:, 0]) < ZERO, 0] = (
        0.0  # a rounding error must not get a sign
    )
    value = float(ratio(table.totals)[0])
    spread = jackknife(table, ratio)
    interval = None if _unbounded(measured[0], pairs) else t_interval(value, spread)
    return Difference(
        measure=measured[0],
        game=measured[1],
        value=value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        pairs=len(pairs),
        clusters=len(table.rows),
        differing=int(np.count_nonzero(table.rows[:, 0])),
        needed=0,
        p=sign_flip(table.rows[:, 0], flips),
        corrected=nan,
        error=spread and spread.se,
        freedom=spread and spread.df,
        detectable=None,
        too_small=False,
        apart=tuple(_contrasts(pairs)),
    )


def _unbounded(measure: str, pairs: Pairs) -> bool:
    """True if the measure of a match has no bound: no share, as its denominator was near 0.

    The mean of such values need not exist, so no interval holds it.
    """
    if not any(each.name == measure and each.unbounded for each in declared_measures()):
        return False
    counts = chain.from_iterable(chain(*pair.counts) for pair in pairs.values())
    return any(not 0 <= count.k <= count.n for count in counts)


def sign_flip(sums: Floats, flips: int = SIGN_FLIPS) -> float:
    """Returns the two-sided p value of the total of these sums under random signs.

    Exact where all sign flips can be tried, else by so many seeded ones, the observed one among
    them. Zeros have no sign and do not count.
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
        n_resamples=flips,
        batch=500,
        random_state=np.random.default_rng(0),
    )
    return float(test.pvalue)


def least_p(clusters: int, flips: int = SIGN_FLIPS) -> float:
    """Returns the smallest p value possible with so many differing clusters and flips."""
    return max(2.0 ** (1 - clusters), 2 / (flips + 1)) if clusters else 1.0


def _in_family(difference: Difference, corrected: float, family: int, flips: int) -> Difference:
    """Returns the difference with the fields that depend on the size of its family."""
    alpha = ALPHA / family
    detectable = None
    if difference.error and difference.freedom:
        detectable = detectable_difference(difference.error, difference.freedom, alpha)
    return replace(
        difference,
        corrected=corrected,
        needed=1 + ceil(log2(1 / alpha)),
        detectable=detectable,
        # Agents that never differed have no p value for which n could be too small.
        too_small=difference.differing > 0
        and least_p(difference.differing, flips) > alpha
        and corrected >= ALPHA,
    )


def detectable_difference(error: float, freedom: float, alpha: float = ALPHA) -> float:
    """Returns the difference that is significant with power .8, given its standard error."""
    from scipy.special import stdtrit

    return error * float(stdtrit(freedom, 1 - alpha / 2) + stdtrit(freedom, POWER))


def _contrasts(pairs: Pairs) -> Iterator[ContrastingMatches]:
    """Yields the pairs that differ most, either way, each with its best and its worst match."""
    differing = [key for key, pair in pairs.items() if abs(pair.difference) > ZERO]
    differing.sort(key=lambda key: (-abs(pairs[key].difference), key))
    for key in differing[:MOST_CONTRASTS]:
        sign = 1 if pairs[key].difference > 0 else -1
        first, second = pairs[key].counts
        # Of equals the earliest match.
        best = max(first, key=lambda count: (sign * count.k / count.n, -count.match))
        worst = max(second, key=lambda count: (-sign * count.k / count.n, -count.match))
        yield ContrastingMatches(
            *(key.game, condition_name(key.condition), key.setting, key.role),
            *(best.match, best.k / best.n, worst.match, worst.k / worst.n),
        )


def _swapped(comparison: Comparison) -> Comparison:
    """Returns the comparison seen from the other side."""
    differences = [
        replace(_negated(each), apart=tuple(map(_swapped_matches, each.apart)))
        for each in comparison.differences
    ]
    gain = comparison.gain and _negated(comparison.gain)
    return replace(
        comparison,
        one=comparison.other,
        other=comparison.one,
        differences=tuple(differences),
        gain=gain and replace(gain, one=gain.other, other=gain.one),
        capabilities=tuple(
            Capability(each.measure, each.other, each.one) for each in comparison.capabilities
        ),
    )


def _negated(figure: Figure) -> Figure:
    low, high = (None if end is None else 0.0 - end for end in (figure.high, figure.low))
    return replace(figure, value=0.0 - figure.value, low=low, high=high)


def _swapped_matches(matches: ContrastingMatches) -> ContrastingMatches:
    return replace(
        matches,
        match=matches.other_match,
        value=matches.other_value,
        other_match=matches.match,
        other_value=matches.value,
    )
