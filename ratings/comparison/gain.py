"""The profiles of two agents side by side: their seven capabilities, and the gain in radar area.

Each profile is over all matches of its agent, so it is the one of the leaderboard. The interval of
the gain leaves out the clusters of the pairs, so that what both did on one setting goes together.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from parlour.games.engine.record import MatchRecord
from parlour.ratings.comparison.pairing import Counterparts, Sides
from parlour.ratings.counting.counted import count
from parlour.ratings.counting.counts import CountKey, Counts, NamesClusters, summed
from parlour.ratings.measures.formulas import CAPABILITIES, Profile, profile
from parlour.ratings.measures.profile import groups_of_profile, is_complete, profile_games
from parlour.ratings.statistics.clusters import Clusters
from parlour.ratings.statistics.intervals import (
    ClusterTable,
    Floats,
    Sums,
    cluster_table,
    jackknife,
    mean_interval,
    ratios,
)


@dataclass(frozen=True, slots=True)
class Gain:
    """The radar areas of ``one`` and ``other``, and ``value``, their difference.

    ``low`` and ``high`` are the ends of the 95 % interval, None with fewer than five clusters in a
    game.
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
    interval = mean_interval(value, jackknife(table, difference))
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
