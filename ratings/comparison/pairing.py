"""Pairs of two agents: what each of them did under the same circumstances.

A *pair* is what each of the two did in one role on one setting under one condition. In a game
whose clusters are settings, all their matches on the setting go into its pairs, and all pairs of
a setting are one cluster. In a game with few settings a pair is made of two matches that are alike
but for the names of the two: same setting, condition, roles and other agents; the first such match
with the first, the second with the second. All roles of these two matches are one cluster. A match
in which both hold the same roles is its own counterpart.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting.counters import declared_measures
from parlour.ratings.counting.counts import of_match
from parlour.ratings.measures.profile import STRICT, in_strict_profile
from parlour.ratings.statistics.clusters import Clusters


def paired_counters() -> dict[str, tuple[str, ...]]:
    """Returns the counters of each measure that can be compared: one rate or mean of a match."""
    paired = {"win_rate": ("credits", "won"), "self_awareness": ("own_role",)}
    for measure in declared_measures():
        if measure.paired and measure.total and measure.kind in {"rate", "mean"}:
            paired[measure.name] = (measure.counter,)
    return paired


def compared_by_game() -> set[str]:
    """Returns the measures compared game by game, since their units differ between games."""
    means = {measure.name for measure in declared_measures() if measure.kind == "mean"}
    return {"win_rate", *means}


class PairKey(NamedTuple):
    """Common features of the two sides of a pair.

    ``twins`` identifies a pair of matches; it is "" where pairs are of whole settings.
    """

    game: str
    condition: str
    setting: str
    twins: str
    role: str

    @property
    def cluster(self) -> tuple[str, ...]:
        """The cluster of the pair."""
        return self[:4] if self.twins else (self.game, self.setting)


class MatchCount(NamedTuple):
    """Count of an agent in one match: k of n."""

    match: int
    k: float
    n: float


Pair = tuple[list[MatchCount], list[MatchCount]]
"""The counts of the first agent and of the second, match by match."""
MeasurePairs = Mapping[tuple[str, str | None], Mapping[PairKey, Pair]]
"""Pairs by measure and game; game None where pairs of all games count."""


def rate(counts: Sequence[MatchCount]) -> float:
    """Returns k / n of one side of a pair, over all its matches."""
    return sum(count.k for count in counts) / sum(count.n for count in counts)


def pairs_of(
    records: Sequence[MatchRecord],
    first: str,
    second: str,
    family: set[str],
    clusters: Clusters | None = None,
) -> MeasurePairs:
    """Returns every pair in which both agents have a denominator, by measure and game."""
    twins = _Twins(first, second, clusters or Clusters.of(records))
    counters, game_measures = paired_counters(), compared_by_game()
    measures_of: dict[str, list[str]] = defaultdict(list)
    for measure in family:
        for counter in counters[measure]:
            measures_of[counter].append(measure)
    pairs: dict[tuple[str, str | None], dict[PairKey, Pair]] = defaultdict(
        lambda: defaultdict(lambda: ([], []))
    )
    for record in records:
        if not {first, second} & {*record.agents}:
            continue
        twin = twins.name(record)
        for (agent, role, counter), (k, n) in _sums(record, {first, second}).items():
            if not n:
                continue
            key = PairKey(record.game, record.condition, record.setting, twin, role)
            for measure in measures_of.get(counter, ()):
                by_game = measure in game_measures
                if not by_game and counter in STRICT and not in_strict_profile(record.game):
                    continue
                pair = pairs[measure, record.game if by_game else None][key]
                pair[agent == second].append(MatchCount(record.number, k, n))
    complete = {}
    for measured, by_key in pairs.items():
        both = {key: pair for key, pair in sorted(by_key.items()) if all(pair)}
        if both:
            complete[measured] = both
    return complete


def _sums(record: MatchRecord, agents: set[str]) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Returns (k, n) of a match by agent, role and counter, for these agents."""
    sums: dict[tuple[str, str, str], tuple[float, float]] = {}
    for agent, role, counter, k, n in of_match(record):
        if agent in agents:
            sum_k, sum_n = sums.get((agent, role, counter), (0.0, 0.0))
            sums[agent, role, counter] = (sum_k + k, sum_n + n)
    return sums


class _Twins:
    """Names pairs of matches that are alike but for the names of the two agents."""

    def __init__(self, first: str, second: str, clusters: Clusters) -> None:
        self._agents = first, second
        self._clusters = clusters
        self._matches: Counter[tuple[str, ...]] = Counter()

    def name(self, record: MatchRecord) -> str:
        """Returns the name of the pair that a match belongs to; "" where settings are compared.

        The n-th match of one cast belongs with the n-th match of the swapped cast.
        """
        if self._clusters.units[record.game] == "setting":
            return ""
        first, second = self._agents
        cast, swapped = _cast(record, first, second), _cast(record, second, first)
        alike = (record.game, record.condition, record.setting, cast)
        self._matches[alike] += 1
        return f"{min(cast, swapped)} {self._matches[alike]}"


def _cast(record: MatchRecord, first: str, second: str) -> str:
    """Returns every role with its agent, sorted; the two agents under the names 1 and 2."""
    names = {first: (0, "1"), second: (0, "2")}
    held = zip(record.outcome.roles, record.agents, strict=True)
    return str(sorted((role, *names.get(agent, (1, agent))) for role, agent in held))


class PairClusters:
    """Names the cluster of each match as pairs do: a setting, or two matches that are twins."""

    def __init__(self, first: str, second: str, clusters: Clusters) -> None:
        self._agents = {first, second}
        self._clusters = clusters
        self._twins = _Twins(first, second, clusters)

    def name(self, record: MatchRecord) -> str:
        """Returns the name of the cluster, unique over all games."""
        if not self._agents & {*record.agents}:
            return self._clusters.name(record)
        twin = self._twins.name(record)
        return str(PairKey(record.game, record.condition, record.setting, twin, "").cluster)
