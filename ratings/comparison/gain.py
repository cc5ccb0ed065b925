"""The profiles of two agents side by side: their seven capabilities, and the gain in radar area.

Each profile is over all matches of its agent, so it is the one of the leaderboard. The interval of
the gain leaves out the clusters of the pairs, so that what both did on one setting goes together.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from parlour.games.engine.record import MatchRecord
from parlour.ratings.comparison.pairing import Counterparts
from parlour.ratings.comparison.sides import Sides
from parlour.ratings.counting.counted import count
from parlour.ratings.counting.counts import Counts, Key, NamesClusters, summed
from parlour.ratings.measures.formulas import CAPABILITIES, Profile, profile
from parlour.ratings.measures.profile import groups_of_profile, is_complete, profile_games
from parlour.ratings.statistics.cluster_table import Sums, cluster_table, ratios
from parlour.ratings.statistics.clusters import Clusters
from parlour.ratings.statistics.intervals import ClusterTable, Floats, jackknife, t_interval


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


@dataclass(frozen=True, slots=True)
class Profiles:
    """The seven capabilities of two agents, and the gain; None if any of the seven is missing."""

    capabilities: tuple[Capability, ...]
    gain: Gain | None

    @property
    def missing(self) -> tuple[str, ...]:
        """The capabilities that one of the agents lacks."""
        return tuple(each.measure for each in self.capabilities if None in (each.one, each.other))


def profiles_of(records: Sequence[MatchRecord], sides: Sides, clusters: Clusters) -> Profiles:
    """Returns the profiles of both sides. The records are in order of their places."""
    counted = _counted(records, sides, Counterparts(records, sides, clusters))
    games = profile_games({record.game for record in records})
    groups = [_groups(counts, agent, games) for counts, agent in counted]
    of_groups = [_sums(counts, keys) for (counts, _), keys in zip(counted, groups, strict=True)]
    table = cluster_table([*of_groups[0], *of_groups[1]])
    if not table.sizes:
        return Profiles(tuple(Capability(name, None, None) for name in CAPABILITIES), None)
    one, other = _both(table.totals)
    capabilities = tuple(
        Capability(name, _value(first_value), _value(second_value))
        for name, first_value, second_value in zip(
            CAPABILITIES, one.capabilities, other.capabilities, strict=True
        )
    )
    gain = _gain(table, one, other) if all(map(is_complete, groups)) else None
    return Profiles(capabilities, gain)


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
    return Gain(
        *areas,
        value,
        interval.low if interval else None,
        interval.high if interval else None,
        len(table.rows),
    )


def _both(sums: Floats) -> tuple[Profile, Profile]:
    """Returns the profiles of both agents by each row of sums."""
    rates = ratios(sums)
    half = len(rates) // 2
    return profile(rates[:half]), profile(rates[half:])


def _groups(counts: Counts, agent: str, games: Collection[str]) -> list[list[Key]]:
    """Returns the keys of the rates behind the profile of an agent."""

    def strict(counter: str) -> list[Key]:
        own = [key for key in counts if key.agent == agent and key.counter == counter]
        return [key for key in own if key.game in games]

    return groups_of_profile(strict)


def _sums(counts: Counts, groups: list[list[Key]]) -> list[Sums]:
    return [summed(counts, keys) for keys in groups]


def _value(values: Floats) -> float | None:
    value = float(np.asarray(values)[0])
    return None if isnan(value) else value


def swapped(profiles: Profiles) -> Profiles:
    """Returns the profiles seen from the other agent."""
    capabilities = tuple(
        Capability(each.measure, each.other, each.one) for each in profiles.capabilities
    )
    return Profiles(capabilities, profiles.gain and _swapped_gain(profiles.gain))


def _swapped_gain(gain: Gain) -> Gain:
    return Gain(
        gain.other,
        gain.one,
        0.0 - gain.value,
        None if gain.high is None else 0.0 - gain.high,
        None if gain.low is None else 0.0 - gain.low,
        gain.clusters,
    )
