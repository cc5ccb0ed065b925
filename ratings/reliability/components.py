"""Variance components of unbalanced data, by the method of moments.

Henderson's method I (1953): for each factor the sum T = Σ (group's sum)² / (group's size) is set
equal to its expectation, which is linear in the components. All factors are random.
"""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from parlour.ratings.inference.estimate import codes
from parlour.ratings.statistics.intervals import Floats

RESIDUAL = "residual"
"""Names what no factor accounts for."""
Codes = NDArray[np.int64]


def variance_components(
    values: Sequence[float], factors: Mapping[str, Sequence[Hashable]]
) -> dict[str, float | None]:
    """Returns the variance by factor, and the residual one.

    ``factors`` have the level of each value. Estimates below 0 are shown as 0. A component is None
    where the data cannot tell it from others: its factor has one level, one for each value, or
    the groups of an earlier factor. All are None for fewer than two values.
    """
    y = np.asarray(values, dtype=np.float64)
    known: dict[str, Codes] = {}
    for name, of_values in factors.items():
        own = codes(of_values)
        levels = len(np.unique(own))
        # The same groups as those of an earlier factor: both have as many, and as many cells.
        alike = (
            len(_crossed(own, other)[1]) == levels == len(np.unique(other))
            for other in known.values()
        )
        if 1 < levels < len(y) and not any(alike):
            known[name] = own
    components: dict[str, float | None] = dict.fromkeys([*factors, RESIDUAL])
    if len(y) < 2:
        return components
    solved = _solved(y - y.mean(), list(known.values()))
    for name, value in zip([*known, RESIDUAL], solved, strict=True):
        components[name] = max(0.0, float(value))
    return components


def _solved(y: Floats, factors: Sequence[Codes]) -> Floats:
    """Returns the components of centred values, the residual last.

    Each factor gives an equation, and so do the single values, whose groups have one member.
    """
    whole = np.zeros(len(y), dtype=np.int64)
    groupings = [*factors, np.arange(len(y))]
    means = np.array([_weight(whole, other) for other in groupings])
    rows, sums = [], []
    for own in groupings:
        rows.append(np.array([_weight(own, other) for other in groupings]) - means)
        sums.append(float(np.sum(np.bincount(own, y) ** 2 / np.bincount(own))))
    solution: Floats = np.linalg.lstsq(np.array(rows), np.array(sums), rcond=None)[0]
    return solution


def _weight(own: Codes, other: Codes) -> float:
    """Returns the factor of the component of ``other`` in the expectation of T of ``own``."""
    first, counts = _crossed(own, other)
    return float(np.sum(counts**2 / np.bincount(own)[first]))


def _crossed(own: Codes, other: Codes) -> tuple[Codes, Codes]:
    """Returns the group of ``own`` and the size of each cell of two groupings."""
    width = int(other.max()) + 1
    cells, counts = np.unique(own * width + other, return_counts=True)
    return cells // width, counts
