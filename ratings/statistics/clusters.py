"""Clusters of matches: the independent parts of a tournament.

Answers of one match, matches that share a seed, copies of a match, and matches on one setting (a
word pair, say) are correlated. Therefore every interval, rank and test is over clusters: settings
where a game has enough of them, else observations.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from parlour.games.engine.record import MatchRecord

Unit = Literal["setting", "observation", "match"]

Cluster = tuple[str, int]
"""A cluster within its game: its setting and 0, or "" and the key of its observation."""

FEWEST_SETTINGS = 5
"""Settings a game needs for its settings to be the clusters. With fewer, results hold for these
settings only."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """The cluster of every match. ``units`` has the kind of cluster of each game, by name."""

    units: Mapping[str, Unit]

    @classmethod
    def of(cls, records: Iterable[MatchRecord]) -> "Clusters":
        """Returns the clusters of these matches: the unit depends on all matches of a game."""
        return cls.of_settings((record.game, record.setting) for record in records)

    @classmethod
    def of_settings(cls, played: Iterable[tuple[str, str]]) -> "Clusters":
        """Returns the clusters of matches with these games and settings."""
        settings: dict[str, set[str]] = defaultdict(set)
        for game, setting in played:
            settings[game].add(setting)
        return cls(
            {
                game: "setting" if len(keys) >= FEWEST_SETTINGS else "observation"
                for game, keys in sorted(settings.items())
            }
        )

    def name(self, record: MatchRecord) -> str:
        """Returns the name of the cluster of a match, unique over all games."""
        setting, key = self.key(record)
        return f"{record.game} {setting or key}"

    def key(self, record: MatchRecord) -> Cluster:
        """Returns the cluster of a match within its game."""
        unit = self.units[record.game]
        if unit == "setting":
            return record.setting, 0
        return "", record.observation if unit == "observation" else record.order


class ClusterType(NamedTuple):
    """Clusters of a game in which the same happened, named by one: ``times`` is their number."""

    game: str
    name: str
    times: int = 1


Sums = dict[ClusterType, tuple[float, float]]
"""(k, n) in a cluster of each type."""
