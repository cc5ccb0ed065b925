"""What one agent gains on another in the area of the radar chart, over the pairs of both.

Each capability of either is its mean over their pairs, as its difference is in a comparison; so
what only one of them did has no part in it. The area is that of all seven, and there is none
where one is missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from parlour.ratings.comparison.pairing import Pair, Place, rate
from parlour.ratings.counting import magic
from parlour.ratings.statistics.intervals import Floats, bootstrap

CAPABILITIES = tuple(
    "deception_base" if name == "deception" else name for name in magic.CAPABILITIES
)
"""Those of the usual family, in the order of the chart. Deception is its first term here: the
second is of other roles."""


@dataclass(frozen=True, slots=True)
class Gain:
    """The radar areas ``one`` and ``other``, and ``value``, the first less the second.

    ``low`` and ``high`` end the 95 % interval; None where it cannot be given.
    """

    one: float
    other: float
    value: float
    low: float | None
    high: float | None
    clusters: int


Found = Mapping[tuple[str, str | None], Mapping[Place, Pair]]
"""Pairs by measure and game."""


def missing(found: Found) -> tuple[str, ...]:
    """The capabilities in which there is no pair."""
    return tuple(name for name in CAPABILITIES if (name, None) not in found)


def gain_in_area(found: Found) -> Gain | None:
    """The gain of the first of the pairs over the second; None if a capability is missing.

    The interval is by bootstrap over the clusters of all seven together.
    """
    if missing(found):
        return None
    sums: dict[tuple[str, ...], list[float]] = {}
    for i, name in enumerate(CAPABILITIES):
        for place, (mine, theirs) in found[name, None].items():
            row = sums.setdefault(place.cluster, [0.0] * 3 * len(CAPABILITIES))
            row[3 * i] += rate(mine)
            row[3 * i + 1] += rate(theirs)
            row[3 * i + 2] += 1
    table = np.array([sums[cluster] for cluster in sorted(sums)])
    whole = table.sum(axis=0, keepdims=True)
    one, other = float(_area(whole, 0)[0]), float(_area(whole, 1)[0])
    interval = bootstrap(table, lambda draws: _area(draws, 0) - _area(draws, 1))
    return Gain(
        one,
        other,
        one - other,
        interval.low if interval else None,
        interval.high if interval else None,
        len(table),
    )


def _area(draws: Floats, side: int) -> Floats:
    """The radar area of one of the two in each draw; nan where a draw lacks a capability."""
    rates = []
    for i in range(len(CAPABILITIES)):
        pairs = draws[:, 3 * i + 2]
        total = draws[:, 3 * i + side]
        rates.append(np.divide(total, pairs, out=np.full(len(draws), np.nan), where=pairs > 0))
    return magic.radar_area(rates)


def swapped(gain: Gain) -> Gain:
    """The same, seen from the other agent."""
    return Gain(
        gain.other,
        gain.one,
        0.0 - gain.value,
        None if gain.high is None else 0.0 - gain.high,
        None if gain.low is None else 0.0 - gain.low,
        gain.clusters,
    )
