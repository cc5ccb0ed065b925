"""Power of a plan: the difference of two agents that it can detect, and the matches for another.

The model is that of `compare`: in a game with enough settings the difference on each setting is
2 × (agent × setting) + 2 × (match) / (matches on it) of variance, and settings are the clusters.
With fewer settings clusters are pairs of matches, and the settings are fixed.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import ceil, sqrt

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.comparison.comparison import detectable_difference
from parlour.ratings.measures.role_counts import role_counts
from parlour.ratings.reliability.components import RESIDUAL, variance_components
from parlour.ratings.statistics.clusters import FEWEST_SETTINGS
from parlour.ratings.statistics.intervals import FEWEST_CLUSTERS

BETWEEN_SETTINGS, WITHIN_SETTINGS = 0.01, 0.25
"""Variances of a win rate without a pilot: agent × setting (a standard deviation of 0.1), and
matches that are won as often as lost."""
MOST_TIMES = 10_000
"""The most times of a plan's repetitions or settings that are tried."""


@dataclass(frozen=True, slots=True)
class Variances:
    """The variances of an agent's outcomes between settings and between matches on one."""

    between: float = BETWEEN_SETTINGS
    within: float = WITHIN_SETTINGS


@dataclass(frozen=True, slots=True)
class Design:
    """The planned matches of an agent in a role of a game, on so many settings."""

    game: str
    role: str
    settings: int
    matches: float

    def detectable(self, variances: Variances) -> float | None:
        """Returns the difference found with power .8 at level .05; None with too few clusters."""
        by_setting = self.settings >= FEWEST_SETTINGS
        clusters = self.settings if by_setting else int(self.matches)
        if clusters < FEWEST_CLUSTERS:
            return None
        variance = 2 * variances.within / self.matches
        if by_setting:
            variance += 2 * variances.between / self.settings
        return detectable_difference(sqrt(variance), clusters - 1)


@dataclass(frozen=True, slots=True)
class Power:
    """Differences that a design can detect in a measure, and the size for a ``wanted`` one.

    ``needed_matches`` are those of an agent in the role, on the planned settings. Where no number
    of matches is enough, ``needed_settings`` are with the planned matches on each. None is more
    than ``MOST_TIMES`` times the plan, or that nothing is wanted. ``from_pilot`` False stands for
    default variances.
    """

    design: Design
    measure: str
    variances: Variances
    from_pilot: bool
    detectable: float | None
    wanted: float | None = None
    needed_matches: int | None = None
    needed_settings: int | None = None


Pilot = Mapping[tuple[str, str], Variances]
"""Variances by game and role."""


def measure_of(game: str) -> str:
    """Returns the measure in which power is given: the win rate, or payoff in other games."""
    scoring = find_game(game, "power").scoring
    has_rate = scoring.wins or any(most is not None for most in scoring.roles.values())
    return "win_rate" if has_rate else "payoff"


def pilot_variances(records: Sequence[MatchRecord]) -> dict[tuple[str, str], Variances]:
    """Returns the variances in finished matches; a game with one setting has none between."""
    counts = role_counts(records, ("win_rate", "payoff"))
    outcomes: dict[tuple[str, str], list[tuple[float, str, str]]] = {}
    for record in records:
        for agent, role, measured, k, n in counts[record.number]:
            if measured[0] == measure_of(record.game):
                values = outcomes.setdefault((record.game, role), [])
                values.append((k / n, agent, record.setting))
    pilot = {}
    for place, values in outcomes.items():
        factors: dict[str, Sequence[Hashable]] = {
            "agent": [agent for _, agent, _ in values],
            "setting": [setting for *_, setting in values],
            "both": [(agent, setting) for _, agent, setting in values],
        }
        components = variance_components([value for value, *_ in values], factors)
        within = components[RESIDUAL]
        if within is not None:
            pilot[place] = Variances(components["both"] or 0.0, within)
    return pilot


def power_of(
    designs: Sequence[Design], pilot: Pilot | None = None, wanted: float | None = None
) -> list[Power]:
    """Returns the power of designs that have variances: payoffs have no default ones."""
    return list(chain.from_iterable(_power(design, pilot, wanted) for design in designs))


def _power(design: Design, pilot: Pilot | None, wanted: float | None) -> list[Power]:
    measure = measure_of(design.game)
    variances = (pilot or {}).get((design.game, design.role))
    if variances is None and measure != "win_rate":
        return []
    used = variances or Variances()
    detectable = design.detectable(used)
    own = (design, measure, used, variances is not None, detectable)
    if wanted is None:
        return [Power(*own)]

    def least(sizes: range, resized: Callable[[int], Design]) -> int | None:
        """Returns the least of some sizes of the design that finds the wanted difference."""

        def is_enough(size: int) -> bool:
            detectable_there = resized(size).detectable(used)
            return detectable_there is not None and detectable_there <= wanted

        place = bisect_left(sizes, True, key=is_enough)
        return sizes[place] if place < len(sizes) else None

    more_matches = range(1, ceil(MOST_TIMES * design.matches) + 1)
    matches = least(more_matches, lambda matches: replace(design, matches=matches))
    if matches is not None:
        return [Power(*own, wanted, matches)]
    on_each = design.matches / design.settings
    settings = least(
        range(FEWEST_SETTINGS, MOST_TIMES),
        lambda settings: replace(design, settings=settings, matches=on_each * settings),
    )
    return [Power(*own, wanted, None, settings)]
