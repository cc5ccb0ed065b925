"""Clusters of matches, which are resampled as a whole.

Answers of one match, and matches on one setting (a word pair, say), are correlated. To resample
single answers would make intervals too narrow, so whole clusters are resampled: settings where a
game has enough of them, else matches.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from parlour.games.engine.record import MatchRecord

Unit = Literal["setting", "match"]

Cluster = tuple[str, int]
"""A cluster within its game: its setting and 0, or "" and the place of its only match."""

FEWEST_SETTINGS = 20
"""Settings a game needs for its settings to be the clusters. The percentile bootstrap is too
narrow with fewer clusters."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """The cluster of every match. ``units`` has the kind of cluster of each game, by name."""

    units: Mapping[str, Unit]

    @classmethod
    def of(cls, records: Sequence[MatchRecord]) -> "Clusters":
        """Returns the clusters of these matches: the unit depends on all matches of a game."""
        settings: dict[str, set[str]] = defaultdict(set)
        for record in records:
            settings[record.game].add(record.setting)
        return cls(
            {
                game: "setting" if len(keys) >= FEWEST_SETTINGS else "match"
                for game, keys in sorted(settings.items())
            }
        )

    def name(self, record: MatchRecord) -> str:
        """Returns the name of the cluster of a match, unique over all games."""
        if self.units[record.game] == "setting":
            return f"{record.game} {record.setting}"
        return f"{record.game} match {record.order}"

    def key(self, record: MatchRecord) -> Cluster:
        """Returns the cluster of a match within its game; clusters sort by setting or place."""
        by_setting = self.units[record.game] == "setting"
        return (record.setting, 0) if by_setting else ("", record.order)
