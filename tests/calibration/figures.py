"""Figures of a study: shares with Wilson intervals, p values against the uniform law, verdicts."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from math import sqrt
from statistics import fmean
from typing import Any, NamedTuple

from scipy.stats import kstest, norm

from tests.calibration.plans import Plan
from tests.calibration.playing import Result

Row = dict[str, Any]
"""The figures of a plan, as stored."""
MOST_FALSE = 0.05
"""Boards with a false rank, and p values up to .05, that are allowed."""
COVERAGE = (0.93, 0.98)
"""Share of 95 % intervals that contain the truth."""
DOUBT = 0.99
"""A share is outside only if its Wilson interval of this level is: a study has some 500 shares."""
LEAST_KOLMOGOROV_P = 0.001


class Share(NamedTuple):
    """A share k / n. ``trials`` is the effective n: what one tournament prints hangs together."""

    k: int
    n: int
    trials: float

    @classmethod
    def of(cls, flags: Iterable[Sequence[bool]]) -> "Share":
        """Returns the share of true flags, which come tournament by tournament."""
        counts = [(sum(each), len(each)) for each in flags if each]
        k, n = sum(true for true, _ in counts), sum(every for _, every in counts)
        if k in (0, n):  # no variance to see between tournaments
            return cls(k, n, len(counts))
        between = sum((true - k / n * every) ** 2 for true, every in counts)
        effect = between * len(counts) / max(1, len(counts) - 1) / (k * (1 - k / n))
        return cls(k, n, n / max(1.0, effect))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Returns Wilson's interval."""
        z, p, n = float(norm.ppf((1 + level) / 2)), self.k / self.n, self.trials
        middle, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        low, high = (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)
        return max(0.0, low), min(1.0, high)

    def __str__(self) -> str:
        low, high = self.interval()
        return f"{100 * self.k / self.n:.1f} [{100 * low:.0f}, {100 * high:.0f}]"


def row_of(results: Sequence[Result], plan: Plan) -> Row:
    """Returns the figures of the tournaments of one plan.

    Shares are "board" (has a false rank) and "strength" (contains 0) by kind of board, "measure"
    (contains the mean over all agents and tournaments) and "difference" (contains 0) by measure,
    "small p" (up to .05) by measure, and "rated" by game.
    """
    flags: dict[str, list[list[bool]]] = defaultdict(list)
    for result in results:
        for name, kinds in (("board", "boards"), ("strength", "strength")):
            for kind, each in result.get(kinds, {}).items():
                flags[f"{name}, {kind}"].append(each)
        for game, covered in result.get("rated", {}).items():
            flags[f"rated, {game}"].append([covered])
    if plan.measured:
        for measure, tournaments in _covered(results).items():
            flags[f"measure, {measure}"] += tournaments
    p_values: dict[str, list[float]] = defaultdict(list)
    for result in results:
        for key, differences in result.get("differences", {}).items():
            measure = key.partition("|")[2]
            intervals = [(low, high) for low, high, _ in differences if low is not None]
            flags[f"difference, {measure}"].append([low <= 0 <= high for low, high in intervals])
            flags[f"small p, {measure}"].append([p <= 0.05 for *_, p in differences])
            p_values[measure] += [p for *_, p in differences]
    shares = {name: Share.of(each) for name, each in flags.items()}
    return {
        "plan": plan.name,
        "drawn": plan.drawn is not None,
        "tournaments": len(results),
        "matches": round(fmean(result["matches"] for result in results)),
        "seconds": round(sum(result["seconds"] for result in results), 1),
        "shares": {name: [*share] for name, share in shares.items() if share.n},
        "kolmogorov": {measure: _kolmogorov(values) for measure, values in p_values.items()},
    }


def _covered(results: Sequence[Result]) -> dict[str, list[list[bool]]]:
    """Returns by measure, for each tournament, which of its intervals contain the truth.

    The truth in a game and role is the mean over all agents and tournaments, weighted by n. Where
    that never differs there is nothing to contain.
    """
    covered: dict[str, list[list[bool]]] = defaultdict(list)
    keys = dict.fromkeys(chain.from_iterable(result.get("cells", {}) for result in results))
    for key in keys:
        by_tournament = [result["cells"].get(key, []) for result in results]
        cells = [*chain.from_iterable(by_tournament)]
        truth = sum(value * n for value, n, *_ in cells) / sum(n for _, n, *_ in cells)
        if all(abs(value - truth) < 1e-9 for value, *_ in cells):
            continue
        for each in by_tournament:
            ends = [(low, high) for *_, low, high in each if low is not None]
            covered[key.rpartition("|")[2]].append([low <= truth <= high for low, high in ends])
    return covered


def _kolmogorov(values: Sequence[float]) -> list[float]:
    """Returns the greatest excess of the share of p values up to x over x, and its p value.

    One-sided: the p values of few clusters are discrete, and so larger than uniform ones.
    """
    test = kstest(values, "uniform", alternative="greater")
    return [round(float(test.statistic), 4), round(float(test.pvalue), 6)]


def shares_of(row: Row, kind: str) -> dict[str, Share]:
    """Returns the shares of one kind of a row by what they are of."""
    parted = ((name.partition(", "), share) for name, share in row["shares"].items())
    return {of: Share(*share) for (first, _, of), share in parted if first == kind}


def pooled(shares: Iterable[Share]) -> Share | None:
    """Returns one share of several; None of none."""
    every = [*shares]
    return Share(*map(sum, zip(*every, strict=True))) if every else None


def problems(row: Row) -> list[str]:
    """Returns in words what is outside in a row.

    Intervals of measures allow for other settings. Where all tournaments have the same ones, that
    cannot be seen, so none is called too wide. Nor is one of a strength where the truth is 0, to
    which the prior pulls. Of a second study only the figures count that were outside in the first.
    """
    outside = dict(_outside(row))
    return [words for name, words in outside.items() if name in row.get("doubtful", outside)]


def doubtful(row: Row) -> list[str]:
    """Returns the names of the figures that are outside in a row."""
    return [name for name, _ in _outside(row)]


def _outside(row: Row) -> list[tuple[str, str]]:
    """Returns the name of each figure that is outside, and how."""
    outside = []
    two_sided = ("rated", "difference", *(["measure"] if row["drawn"] else []))
    for name, counts in row["shares"].items():
        share = Share(*counts)
        low, high = share.interval(DOUBT)
        said = f"{name}: {100 * share.k / share.n:.1f} %"
        if name.startswith(("board", "small p")):
            if low > MOST_FALSE:
                outside.append((name, f"{said}, too many"))
        elif high < COVERAGE[0]:
            outside.append((name, f"{said}, too narrow"))
        elif low > COVERAGE[1] and name.startswith(two_sided):
            outside.append((name, f"{said}, too wide"))
    for measure, (distance, p) in row["kolmogorov"].items():
        if p < LEAST_KOLMOGOROV_P:
            outside.append((f"p, {measure}", f"p, {measure}: {distance:.2f} above uniform"))
    return outside
