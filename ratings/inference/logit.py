"""Logistic regression with cluster-robust errors, as odds ratios.

A model that cannot be estimated has no terms, and says why in words: with separated outcomes or
an empty cell a library would still return numbers, which mean nothing.
"""

import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlour.ratings.inference.extra import regressions
from parlour.ratings.statistics.intervals import Floats, Z

CONSTANT = "constant"
"""The name of the intercept."""
MOST_STEPS = 100
ROUNDING = 1e-6
"""Share of the usual error below which a robust one is a rounding error."""
FEW_CLUSTERS = 20
"""Clusters below which a note says that robust intervals are too narrow."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a regression: its coefficient, and the odds ratio with its 95 % Wald interval."""

    name: str
    coefficient: float
    se: float
    p: float
    odds_ratio: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Regression:
    """A fitted logit: its terms in the order of the columns, the intercept first.

    ``clusters`` is None where observations count as independent. ``problem`` says in words why
    there are no terms, ``note`` what limits them.
    """

    terms: tuple[Term, ...]
    n: int
    successes: int
    clusters: int | None
    problem: str = ""
    note: str = ""

    def term(self, name: str) -> Term | None:
        """Returns the term of a column, None if the model has a problem."""
        return next((term for term in self.terms if term.name == name), None)


def indicators(name: str, values: Sequence[Hashable], base: Hashable) -> dict[str, list[float]]:
    """Returns a column of 0 and 1 for each value of a factor but the base.

    Columns are named "name value". Raises ValueError if nothing has the base.
    """
    levels = sorted({*values} - {base}, key=str)
    if base not in values:
        raise ValueError(f"nothing has the base {base!r} of {name}")

    def column(level: Hashable) -> list[float]:
        return [float(value == level) for value in values]

    return {f"{name} {level}": column(level) for level in levels}


def logit(
    outcomes: Sequence[bool],
    columns: Mapping[str, Sequence[float]],
    clusters: Sequence[Hashable] | None = None,
) -> Regression:
    """Fits P(outcome) on columns and an intercept, with errors robust to correlation in clusters.

    BadInput if the package is not installed.
    """
    models = regressions()
    won = np.asarray(outcomes, dtype=np.float64)
    codes = None if clusters is None else _codes(clusters)
    count = None if codes is None else len(set(codes.tolist()))
    names = [CONSTANT, *columns]
    parts = [np.ones(len(won)), *(np.asarray(each, dtype=np.float64) for each in columns.values())]
    design: Floats = np.column_stack(parts)

    def result(terms: Sequence[Term], problem: str = "", note: str = "") -> Regression:
        return Regression(tuple(terms), len(won), int(won.sum()), count, problem, note)

    if problem := _problem(won, design, names, count):
        return result((), problem)
    robust: dict[str, Any] = {}
    if codes is not None:
        robust = {"cov_type": "cluster", "cov_kwds": {"groups": codes}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said in words below
        fit = models.Logit(won, design).fit(disp=0, maxiter=MOST_STEPS, **robust)
    if not fit.mle_retvals["converged"] or not np.all(np.isfinite(fit.bse)):
        return result((), f"the fit did not converge in {MOST_STEPS} steps")
    usual = np.sqrt(np.diag(fit.normalized_cov_params))
    if np.any(fit.bse < ROUNDING * usual):
        return result((), f"the robust error is 0 with only {count} clusters")
    note = ""
    if count is not None and count < FEW_CLUSTERS:
        note = f"only {count} clusters: the intervals are too narrow"
    return result(list(_terms(names, fit)), note=note)


def _terms(names: Sequence[str], fit: Any) -> Iterator[Term]:
    for name, coefficient, se, p in zip(names, fit.params, fit.bse, fit.pvalues, strict=True):
        ends = coefficient - Z * se, coefficient, coefficient + Z * se
        low, odds_ratio, high = np.exp(np.minimum(ends, 700.0)).tolist()  # e^700 is still finite
        yield Term(name, float(coefficient), float(se), float(p), odds_ratio, low, high)


def _codes(values: Sequence[Hashable]) -> NDArray[np.int64]:
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)


def _problem(won: Floats, design: Floats, names: Sequence[str], clusters: int | None) -> str:
    """Returns in words why a model cannot be estimated, "" if it can."""
    if not len(won):
        return "no observations"
    if won.min() == won.max():
        return f"all {len(won)} outcomes are the same"
    for name, column in zip(names[1:], design.T[1:], strict=True):
        if not np.all(np.isfinite(column)):
            return f"{name} has missing values"
        if column.min() == column.max():
            return f"{name} has one value only"
    if clusters == 1:
        return "one cluster only: there is no robust error"
    if np.linalg.matrix_rank(design) < len(names):
        return "columns are combinations of each other"
    if separating := _separating(won, design, names):
        return f"separated: {', '.join(separating)} predicts outcomes with certainty"
    return ""


def _separating(won: Floats, design: Floats, names: Sequence[str]) -> list[str]:
    """Returns the columns along which a likelihood has no maximum.

    Outcomes are separated, wholly or in part, if some weighted sum of the columns is never on the
    wrong side of 0 and somewhere on the right one: a linear program finds it (Konis 2007).
    """
    from scipy.optimize import linprog

    rows = np.unique((2 * won - 1)[:, np.newaxis] * design, axis=0)
    program = linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=(-1, 1))
    if program.status != 0 or -program.fun < 1e-7:
        return []
    weights = dict(zip(names, np.abs(program.x), strict=True))
    named = [name for name in names[1:] if weights[name] > 1e-7]
    return named or [CONSTANT]
