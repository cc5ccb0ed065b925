"""The figure of a test or an effect with its uncertainty, and the jackknife over clusters."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from parlour.ratings.statistics.intervals import FEWEST_CLUSTERS, Floats

ROUNDING = 1e-9
"""Share of a value below which its error is a rounding error: all clusters agree."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with the ends of its 95 % interval, its p value and its n.

    ``problem`` says in words why there is no figure; then the value is None. ``note`` says what
    limits it.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int = 0
    problem: str = ""
    note: str = ""

    @classmethod
    def missing(cls, problem: str, n: int = 0) -> "Estimate":
        """Returns an estimate without a figure."""
        return cls(None, n=n, problem=problem)


def codes(values: Sequence[Hashable]) -> NDArray[np.int64]:
    """Returns the number of each value, from 0 in order of appearance."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)


def members(values: Sequence[Hashable]) -> list[NDArray[np.int64]]:
    """Returns the places of each value, the values in order of appearance."""
    of_value = codes(values)
    order = np.argsort(of_value, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(of_value[order])) + 1) if len(order) else []


def summed(rows: Floats, clusters: Sequence[Hashable]) -> Floats:
    """Returns the sums of rows by cluster."""
    of_cluster = codes(clusters)
    sums: Floats = np.zeros((int(of_cluster.max(initial=-1)) + 1, rows.shape[1]))
    np.add.at(sums, of_cluster, rows)
    return sums


def too_few(clusters: int) -> str:
    """Returns the note that there are too few clusters, "" if there are enough."""
    return f"too few clusters: {clusters}" if clusters < FEWEST_CLUSTERS else ""


def left_out(sums: Floats, statistic: Callable[[Floats], Floats]) -> tuple[Floats, str]:
    """Returns a statistic without each cluster in turn, and why its errors cannot be used.

    ``statistic`` maps sums of shape (sets, columns) to one value, or a row of values, a set.
    """
    values: Floats = statistic(sums.sum(axis=0) - sums)
    if problem := too_few(len(sums)):
        return values, problem
    return values, "" if np.all(np.isfinite(values)) else "hangs on a single cluster"


def jackknife(
    rows: Floats, clusters: Sequence[Hashable], statistic: Callable[[Floats], Floats]
) -> Estimate:
    """Returns a statistic of summed rows with its cluster-robust interval, and p against 0.

    Each cluster is left out in turn (CRV3), with t quantiles of clusters - 1 degrees of freedom
    (MacKinnon, Nielsen and Webb 2023). ``statistic`` is as for ``left_out``.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = summed(rows, clusters)
        value = float(statistic(sums.sum(axis=0, keepdims=True))[0])
        if not np.isfinite(value):
            return Estimate.missing("a cell is empty", len(rows))
        values, note = left_out(sums, statistic)
    plain = Estimate(value, n=len(rows), note=note)
    if note:
        return plain
    moves = values - value
    error = sqrt(float(moves @ moves) * (len(sums) - 1) / len(sums))
    if error <= ROUNDING * abs(value):
        return replace(plain, note="all clusters agree")
    half, p = t_test(value, error, len(sums) - 1)
    return replace(plain, low=value - half, high=value + half, p=p)


def t_test(value: float, error: float, df: int) -> tuple[float, float]:
    """Returns half the width of a 95 % interval by Student's t, and the p value against 0."""
    from scipy.stats import t

    return float(t.ppf(0.975, df)) * error, float(2 * t.sf(abs(value) / error, df))
