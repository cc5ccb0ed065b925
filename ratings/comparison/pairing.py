"""Pairs of two agents, or of two conditions of one agent: what was done in like circumstances.

A *pair* is what each of the two did in one role on one setting under one condition. In a game
whose clusters are settings, all their matches on the setting go into its pairs, and all pairs of
a setting are one cluster. In a game with few settings a pair is made of two matches that are alike
but for the names of the two: same setting, condition, roles and other agents; the first such match
with the first, the second with the second. A match in which both hold the same roles is its own
counterpart. Two conditions of one agent are paired in the same way: by setting, or by matches that
are alike but for the condition, seeds included. Pairs of such matches are one cluster where they
are of the same matches, or of matches that are one observation.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from parlour.games.engine.record import MatchRecord
from parlour.ratings.measures.conditions import is_condition
from parlour.ratings.measures.role_counts import Measured, RoleCount
from parlour.ratings.statistics.clusters import Clusters


@dataclass(frozen=True, slots=True)
class Sides:
    """Two agents, or with ``agent`` the two conditions under which it played.

    Matches under other conditions than these two have no side.
    """

    first: str
    second: str
    agent: str | None = None

    def of(self, record: MatchRecord, agent: str) -> int | None:
        """0 for the first side, 1 for the second, None for an agent on neither."""
        names = self.first, self.second
        if self.agent is None:
            return names.index(agent) if agent in names else None
        if agent == self.agent:
            for side, text in enumerate(names):
                if is_condition(text, record.game, record.condition):
                    return side
        return None

    def condition(self, record: MatchRecord) -> str:
        """The condition that both sides of a pair share, or both where conditions are compared."""
        return record.condition if self.agent is None else f"{self.first} / {self.second}"


class PairKey(NamedTuple):
    """Identity of a pair: what its two sides have in common.

    ``twins`` identifies a pair of matches; it is "" where pairs are of whole settings.
    """

    game: str
    condition: str
    setting: str
    twins: str
    role: str


class SideCount(NamedTuple):
    """Count of a side in one match: k of n."""

    match: int
    k: float
    n: float


@dataclass(frozen=True, slots=True)
class PairedCounts:
    """The counts of the first side and of the second, match by match, and their cluster."""

    cluster: str
    counts: tuple[list[SideCount], list[SideCount]]

    @property
    def difference(self) -> float:
        """The rate or mean of the first side over all its matches, minus that of the second."""
        (first, n), (second, m) = map(_totals, self.counts)
        return first / n - second / m


Pairs = Mapping[PairKey, PairedCounts]


def _totals(counts: Sequence[SideCount]) -> tuple[float, float]:
    return sum(count.k for count in counts), sum(count.n for count in counts)


class Counterparts:
    """The matches of two sides, with the pair and the cluster to which each belongs.

    ``twins`` names by match number the pair of matches; "" where pairs are of whole settings.
    """

    def __init__(self, records: Sequence[MatchRecord], sides: Sides, clusters: Clusters) -> None:
        self.records: list[MatchRecord] = []
        self.twins: dict[int, str] = {}
        self._clusters = clusters
        played: Counter[tuple[str, ...]] = Counter()
        linked = []
        for record in records:
            held = [sides.of(record, agent) for agent in record.agents]
            if held.count(None) == len(held):
                continue
            self.records.append(record)
            if clusters.units[record.game] == "setting":
                self.twins[record.number] = ""
                continue
            # Two agents meet the same others in other repetitions, too, so their seeds may differ;
            # two conditions are played with the same seeds.
            by_seed = sides.agent is not None and record.seed is not None
            seed = f"{record.seed} " if by_seed else ""
            place = record.game, sides.condition(record), record.setting, seed
            # The n-th match of one cast belongs with the n-th match of the swapped cast.
            cast, swapped = _cast(record, held, ("1", "2")), _cast(record, held, ("2", "1"))
            played[*place, cast] += 1
            twins = f"{record.game} {place} {min(cast, swapped)} {played[*place, cast]}"
            self.twins[record.number] = twins
            linked.append((twins, f"{record.game} {record.setting} {record.observation}"))
        self._cluster_of_twins = _components(linked)

    def name(self, record: MatchRecord) -> str:
        """Returns the name of the cluster of a match, unique over all games."""
        twins = self.twins.get(record.number)
        return self._cluster_of_twins[twins] if twins else self._clusters.name(record)


def _cast(record: MatchRecord, held: Sequence[int | None], names: tuple[str, str]) -> str:
    """Returns every role with its agent, sorted; the agents of both sides under these names."""
    cast = []
    for role, agent, side in zip(record.outcome.roles, record.agents, held, strict=True):
        cast.append((role, 1, agent) if side is None else (role, 0, names[side]))
    return str(sorted(cast))


def _components(linked: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Returns the cluster of twins: of all that are linked by observations which they share."""
    import networkx as nx  # slow to load

    clusters: dict[str, str] = {}
    for component in nx.connected_components(nx.Graph(linked)):
        clusters |= dict.fromkeys(component, min(component))
    return clusters


def pairs_of(
    records: Sequence[MatchRecord],
    sides: Sides,
    counts: Mapping[int, Sequence[RoleCount]],
    clusters: Clusters,
) -> dict[Measured, Pairs]:
    """Returns every pair in which both sides have a denominator, in order, by measure and game."""
    counterparts = Counterparts(records, sides, clusters)
    begun: dict[Measured, dict[PairKey, PairedCounts]] = defaultdict(dict)
    for record in counterparts.records:
        twins, cluster = counterparts.twins[record.number], counterparts.name(record)
        condition = sides.condition(record)
        for agent, role, measured, k, n in counts[record.number]:
            side = sides.of(record, agent)
            if side is not None:
                key = PairKey(record.game, condition, record.setting, twins, role)
                pair = begun[measured].setdefault(key, PairedCounts(cluster, ([], [])))
                pair.counts[side].append(SideCount(record.number, k, n))
    complete: dict[Measured, Pairs] = {}
    for measured, pairs in begun.items():
        if whole := {key: pair for key, pair in sorted(pairs.items()) if all(pair.counts)}:
            complete[measured] = whole
    return complete
