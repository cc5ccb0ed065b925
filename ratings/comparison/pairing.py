"""Pairs of two agents, or of two conditions of one agent: what was done in like circumstances.

A *pair* is what each of the two did in one role on one setting under one condition. In a game
whose clusters are settings, all their matches on the setting go into its pairs, and all pairs of
a setting are one cluster. In a game with few settings a pair is made of two matches that are alike
but for the names of the two: same setting, condition, roles and other agents; the first such match
with the first, the second with the second. All roles of these two matches are one cluster. A match
in which both hold the same roles is its own counterpart. Two conditions of one agent are paired in
the same way: by setting, or by matches that are alike but for the condition, seeds included.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from parlour.games.engine.record import MatchRecord
from parlour.ratings.comparison.sides import Sides
from parlour.ratings.counting.counters import declared_measures
from parlour.ratings.counting.counts import of_match
from parlour.ratings.measures.profile import STRICT, in_strict_profile
from parlour.ratings.statistics.clusters import Clusters


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
"""The counts of the first side and of the second, match by match."""
MeasurePairs = Mapping[tuple[str, str | None], Mapping[PairKey, Pair]]
"""Pairs by measure and game; game None where pairs of all games count."""


def rate(counts: Sequence[MatchCount]) -> float:
    """Returns k / n of one side of a pair, over all its matches."""
    return sum(count.k for count in counts) / sum(count.n for count in counts)


def pairs_of(
    records: Sequence[MatchRecord],
    sides: Sides,
    family: set[str],
    clusters: Clusters | None = None,
) -> MeasurePairs:
    """Returns every pair in which both sides have a denominator, by measure and game."""
    twins = _Twins(sides, clusters or Clusters.of(records))
    counters, game_measures = paired_counters(), compared_by_game()
    measures_of: dict[str, list[str]] = defaultdict(list)
    for measure in family:
        for counter in counters[measure]:
            measures_of[counter].append(measure)
    pairs: dict[tuple[str, str | None], dict[PairKey, Pair]] = defaultdict(
        lambda: defaultdict(lambda: ([], []))
    )
    for record in records:
        if not sides.any(record, record.agents):
            continue
        twin = twins.name(record)
        for (side, role, counter), (k, n) in _sums(record, sides).items():
            if not n:
                continue
            key = PairKey(record.game, sides.condition(record), record.setting, twin, role)
            for measure in measures_of.get(counter, ()):
                by_game = measure in game_measures
                if not by_game and counter in STRICT and not in_strict_profile(record.game):
                    continue
                pair = pairs[measure, record.game if by_game else None][key]
                pair[side].append(MatchCount(record.number, k, n))
    complete = {}
    for measured, by_key in pairs.items():
        both = {key: pair for key, pair in sorted(by_key.items()) if all(pair)}
        if both:
            complete[measured] = both
    return complete


def _sums(record: MatchRecord, sides: Sides) -> dict[tuple[int, str, str], tuple[float, float]]:
    """Returns (k, n) of a match by side, role and counter."""
    sums: dict[tuple[int, str, str], tuple[float, float]] = {}
    for agent, role, counter, k, n in of_match(record):
        side = sides.of(record, agent)
        if side is not None:
            sum_k, sum_n = sums.get((side, role, counter), (0.0, 0.0))
            sums[side, role, counter] = (sum_k + k, sum_n + n)
    return sums


class _Twins:
    """Names pairs of matches that are alike but for their sides."""

    def __init__(self, sides: Sides, clusters: Clusters) -> None:
        self._sides = sides
        self._clusters = clusters
        self._matches: Counter[tuple[str, ...]] = Counter()

    def name(self, record: MatchRecord) -> str:
        """Returns the name of the pair that a match belongs to; "" where settings are compared.

        The n-th match of one cast belongs with the n-th match of the swapped cast.
        """
        if self._clusters.units[record.game] == "setting":
            return ""
        sides = self._sides
        cast, swapped = _cast(record, sides, ("1", "2")), _cast(record, sides, ("2", "1"))
        seed = sides.seed(record)
        alike = (record.game, sides.condition(record), record.setting, seed, cast)
        self._matches[alike] += 1
        return f"{min(cast, swapped)} {seed}{self._matches[alike]}"


def _cast(record: MatchRecord, sides: Sides, names: tuple[str, str]) -> str:
    """Returns every role with its agent, sorted; agents of the two sides under these names."""
    held = []
    for role, agent in zip(record.outcome.roles, record.agents, strict=True):
        side = sides.of(record, agent)
        held.append((role, 1, agent) if side is None else (role, 0, names[side]))
    return str(sorted(held))


class PairClusters:
    """Names the cluster of each match as pairs do: a setting, or two matches that are twins."""

    def __init__(self, sides: Sides, clusters: Clusters) -> None:
        self._sides = sides
        self._clusters = clusters
        self._twins = _Twins(sides, clusters)

    def name(self, record: MatchRecord) -> str:
        """Returns the name of the cluster, unique over all games."""
        if not self._sides.any(record, record.agents):
            return self._clusters.name(record)
        condition, twin = self._sides.condition(record), self._twins.name(record)
        return str(PairKey(record.game, condition, record.setting, twin, "").cluster)
