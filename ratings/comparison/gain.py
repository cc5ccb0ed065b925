"""The difference of two agents' radar areas, over the pairs that both have.

Each capability of either agent is the mean over their pairs, as in the differences of a
comparison, so matches of only one of them do not enter. The area is that of all seven
capabilities; it does not exist if one is missing.
"""

from dataclasses import dataclass

import numpy as np

from parlour.ratings.comparison.pairing import MeasurePairs, rate
from parlour.ratings.measures import formulas
from parlour.ratings.statistics.intervals import Floats, bootstrap

CAPABILITIES = tuple(
    "deception_base" if name == "deception" else name for name in formulas.CAPABILITIES
)
"""The capabilities that are compared, in the order of the chart. ``deception_base`` stands for
Deception, since the other term of Deception comes from other roles."""


@dataclass(frozen=True, slots=True)
class Gain:
    """The radar areas of ``one`` and ``other``, and ``value``, their difference.

    ``low`` and ``high`` are the ends of the 95 % interval, None with a single cluster.
    """

    one: float
    other: float
    value: float
    low: float | None
    high: float | None
    clusters: int


def missing(pairs: MeasurePairs) -> tuple[str, ...]:
    """Returns the capabilities without a pair."""
    return tuple(name for name in CAPABILITIES if (name, None) not in pairs)


def gain_in_area(pairs: MeasurePairs) -> Gain | None:
    """Returns the gain of the first agent over the second; None if a capability is missing.

    The bootstrap resamples the clusters of all seven capabilities together, since one match
    informs several of them.
    """
    if missing(pairs):
        return None
    # Three columns a capability: the sum of the rates of either agent, and the number of pairs.
    sums: dict[tuple[str, ...], list[float]] = {}
    for i, name in enumerate(CAPABILITIES):
        for key, (first, second) in pairs[name, None].items():
            row = sums.setdefault(key.cluster, [0.0] * 3 * len(CAPABILITIES))
            row[3 * i] += rate(first)
            row[3 * i + 1] += rate(second)
            row[3 * i + 2] += 1
    table = np.array([sums[cluster] for cluster in sorted(sums)])
    total = table.sum(axis=0, keepdims=True)
    one, other = float(_area(total, 0)[0]), float(_area(total, 1)[0])
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
    """Returns the radar area of one agent (0 or 1) in each draw; nan without some capability."""
    rates = []
    for i in range(len(CAPABILITIES)):
        pairs = draws[:, 3 * i + 2]
        total = draws[:, 3 * i + side]
        rates.append(np.divide(total, pairs, out=np.full(len(draws), np.nan), where=pairs > 0))
    return formulas.radar_area(rates)


def swapped(gain: Gain) -> Gain:
    """Returns the gain of the other agent."""
    return Gain(
        gain.other,
        gain.one,
        0.0 - gain.value,
        None if gain.high is None else 0.0 - gain.high,
        None if gain.low is None else 0.0 - gain.low,
        gain.clusters,
    )
