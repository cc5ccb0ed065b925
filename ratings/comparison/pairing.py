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
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.comparison.sides import Sides
from parlour.ratings.counting.counters import declared_measures
from parlour.ratings.counting.counts import of_match
from parlour.ratings.measures.profile import STRICT, profile_games
from parlour.ratings.statistics.clusters import Clusters

CREDITS = ("payoff", "welfare")
"""Measures that say nothing new where payoffs are the credits of the win rate."""


def paired_counters() -> dict[str, tuple[str, ...]]:
    """Returns the counters of each comparable measure, one rate or mean per match."""
    paired = {"win_rate": ("credits", "won"), "self_awareness": ("own_role",)}
    for measure in declared_measures():
        if measure.paired and measure.total and measure.kind in {"rate", "mean"}:
            paired[measure.name] = (measure.counter,)
    return paired


def columns_of_games() -> tuple[str, ...]:
    """Returns the measures that can be compared and are a game's own column of the leaderboard."""
    paired = paired_counters()
    return tuple(m.name for m in declared_measures() if m.title and m.name in paired)


def compared_by_game() -> set[str]:
    """Returns the measures compared game by game, since their units differ between games."""
    means = {measure.name for measure in declared_measures() if measure.kind == "mean"}
    return {"win_rate", *means}


class PairKey(NamedTuple):
    """Identity of a pair: what its two sides have in common.

    ``twins`` identifies a pair of matches; it is "" where pairs are of whole settings.
    """

    game: str
    condition: str
    setting: str
    twins: str
    role: str


class MatchCount(NamedTuple):
    """Count of an agent in one match: k of n."""

    match: int
    k: float
    n: float


@dataclass(frozen=True, slots=True)
class Pair:
    """The counts of the first side and of the second, match by match, and their cluster."""

    cluster: str
    counts: tuple[list[MatchCount], list[MatchCount]]

    @property
    def difference(self) -> float:
        """The rate or mean of the first side over all its matches, minus that of the second."""
        first, second = map(_rate, self.counts)
        return first - second


Measured = tuple[str, str | None]
"""A measure and its game; None where pairs of all games count."""
Pairs = Mapping[PairKey, Pair]


def _rate(counts: Sequence[MatchCount]) -> float:
    return sum(count.k for count in counts) / sum(count.n for count in counts)


class RoleCount(NamedTuple):
    """Count of an agent in one role of a match: k of n of a measure."""

    agent: str
    role: str
    measured: Measured
    k: float
    n: float


class CountedRoles:
    """The counts of a family of measures in each match, for any two sides."""

    def __init__(
        self,
        records: Sequence[MatchRecord],
        family: Collection[str],
        usual: bool = False,
        role: str | None = None,
    ) -> None:
        """``usual`` leaves out what says nothing new, ``role`` takes this role alone."""
        self._family, self._usual = family, usual
        self._measured: dict[tuple[str, str], list[Measured]] = {}
        self._in_profile = profile_games({record.game for record in records})
        self.of = {record.number: list(self._counts(record, role)) for record in records}
        self.measured = set(chain.from_iterable(self._measured.values()))

    def _counts(self, record: MatchRecord, role: str | None) -> Iterator[RoleCount]:
        sums: dict[tuple[str, str, str], tuple[float, float]] = {}
        for agent, of_role, counter, k, n in of_match(record):
            if role in {None, of_role}:
                sum_k, sum_n = sums.get((agent, of_role, counter), (0.0, 0.0))
                sums[agent, of_role, counter] = (sum_k + k, sum_n + n)
        for (agent, of_role, counter), (k, n) in sums.items():
            for measured in self._measures(record.game, counter) if n else ():
                yield RoleCount(agent, of_role, measured, k, n)

    def _measures(self, game: str, counter: str) -> list[Measured]:
        """Returns the measures of the family that a counter of a game enters."""
        if (game, counter) not in self._measured:
            self._measured[game, counter] = list(self._made_of(game, counter))
        return self._measured[game, counter]

    def _made_of(self, game: str, counter: str) -> Iterator[Measured]:
        by_game = compared_by_game()
        pays_credits = any(most is not None for most in find_game(game, "").scoring.roles.values())
        for measure, counters in paired_counters().items():
            if measure not in self._family or counter not in counters:
                continue
            if measure in by_game:
                if not (self._usual and pays_credits and measure in CREDITS):
                    yield measure, game
            elif counter not in STRICT or game in self._in_profile:
                yield measure, None


def pairs_of(
    records: Sequence[MatchRecord], sides: Sides, counted: CountedRoles, clusters: Clusters
) -> dict[Measured, Pairs]:
    """Returns every pair in which both sides have a denominator, by measure and game."""
    counterparts = Counterparts(records, sides, clusters)
    begun: dict[Measured, dict[PairKey, Pair]] = defaultdict(dict)
    for record in counterparts.records:
        twins, cluster = counterparts.twins[record.number], counterparts.name(record)
        condition = sides.condition(record)
        for agent, role, measured, k, n in counted.of[record.number]:
            side = sides.of(record, agent)
            if side is not None:
                key = PairKey(record.game, condition, record.setting, twins, role)
                pair = begun[measured].setdefault(key, Pair(cluster, ([], [])))
                pair.counts[side].append(MatchCount(record.number, k, n))
    complete = {measured: _complete(pairs) for measured, pairs in begun.items()}
    return {measured: pairs for measured, pairs in complete.items() if pairs}


def _complete(pairs: Pairs) -> dict[PairKey, Pair]:
    """Returns the pairs that have both sides, in order."""
    return {key: pair for key, pair in sorted(pairs.items()) if all(pair.counts)}


class Counterparts:
    """The matches of two sides, with the pair and the cluster to which each belongs.

    ``twins`` names by match number the pair of matches; "" where pairs are of whole settings. The
    n-th match of one cast belongs with the n-th match of the swapped cast.
    """

    def __init__(self, records: Sequence[MatchRecord], sides: Sides, clusters: Clusters) -> None:
        self.records = [record for record in records if sides.any(record, record.agents)]
        self.twins: dict[int, str] = {}
        self._clusters = clusters
        played: Counter[tuple[str, ...]] = Counter()
        for record in self.records:
            if clusters.units[record.game] == "setting":
                self.twins[record.number] = ""
                continue
            cast, swapped = _cast(record, sides, ("1", "2")), _cast(record, sides, ("2", "1"))
            place = record.game, sides.condition(record), record.setting, sides.seed(record)
            played[*place, cast] += 1
            alike = f"{place} {min(cast, swapped)} {played[*place, cast]}"
            self.twins[record.number] = f"{record.game} {alike}"
        self._cluster_of_twins = self._linked()

    def _linked(self) -> dict[str, str]:
        """Returns the clusters of twins: those linked by an observation that they share."""
        import networkx as nx  # slow to load

        graph = nx.Graph()
        for record in self.records:
            if twins := self.twins[record.number]:
                graph.add_edge(twins, f"{record.game} {record.setting} {record.observation}")
        clusters: dict[str, str] = {}
        for component in nx.connected_components(graph):
            clusters |= dict.fromkeys(component, min(component))
        return clusters

    def name(self, record: MatchRecord) -> str:
        """Returns the name of the cluster of a match, unique over all games."""
        twins = self.twins.get(record.number)
        return self._cluster_of_twins[twins] if twins else self._clusters.name(record)


def _cast(record: MatchRecord, sides: Sides, names: tuple[str, str]) -> str:
    """Returns every role with its agent, sorted; agents of the two sides under these names."""
    held = []
    for role, agent in zip(record.outcome.roles, record.agents, strict=True):
        side = sides.of(record, agent)
        held.append((role, 1, agent) if side is None else (role, 0, names[side]))
    return str(sorted(held))
