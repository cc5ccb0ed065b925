"""Logistic regression with cluster-robust errors, as odds ratios.

Errors are those of the jackknife over clusters (CRV3) in one step of Newton from the fit, with t
quantiles of clusters - 1 degrees of freedom (MacKinnon, Nielsen and Webb 2023).

A model that cannot be estimated has no terms, and says why in words: with separated outcomes or
an empty cell a library would still return numbers, which mean nothing.
"""

import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

from parlour.games.common.packages import needing
from parlour.ratings.inference.estimate import members, t_test, too_few
from parlour.ratings.statistics.intervals import Floats, Z

CONSTANT = "constant"
"""The name of the intercept."""
MOST_STEPS = 100
ROUNDING = 1e-6
"""Share of the usual error below which a robust one is a rounding error."""
ONE_CLUSTER = "hangs on a single cluster"


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a regression: its coefficient, and the odds ratio with its 95 % interval.

    Without an error, ``note`` says why.
    """

    name: str
    coefficient: float
    odds_ratio: float
    se: float | None = None
    p: float | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Regression:
    """A fitted logit: its terms in the order of the columns, the intercept first.

    ``clusters`` is None where observations count as independent. ``problem`` says in words why
    there are no terms.
    """

    terms: tuple[Term, ...]
    n: int
    successes: int
    clusters: int | None
    problem: str = ""

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
    with needing("statsmodels", "regressions"):
        import statsmodels.api as models
    won = np.asarray(outcomes, dtype=np.float64)
    count = None if clusters is None else len({*clusters})
    names = [CONSTANT, *columns]
    parts = [np.ones(len(won)), *(np.asarray(each, dtype=np.float64) for each in columns.values())]
    design: Floats = np.column_stack(parts)

    def result(terms: Iterable[Term], problem: str = "") -> Regression:
        return Regression(tuple(terms), len(won), int(won.sum()), count, problem)

    if problem := _problem(won, design, names):
        return result((), problem)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said in words below
        fit = models.Logit(won, design).fit(disp=0, maxiter=MOST_STEPS)
    if not fit.mle_retvals["converged"] or not np.all(np.isfinite(fit.bse)):
        return result((), f"the fit did not converge in {MOST_STEPS} steps")
    if clusters is None:
        return result(map(_wald, names, fit.params, fit.bse, fit.pvalues))
    if note := too_few(len({*clusters})):
        terms = zip(names, fit.params, strict=True)
        return result(Term(name, float(each), _odds(each), note=note) for name, each in terms)
    return result(_robust(names, fit, design, won, clusters))


def _odds(coefficient: float) -> float:
    return exp(min(coefficient, 700.0))  # e^700 is still finite


def _wald(name: str, coefficient: float, se: float, p: float, half: float | None = None) -> Term:
    """A term with its interval, by the normal distribution unless half its width is given."""
    half = Z * se if half is None else half
    low, high = _odds(coefficient - half), _odds(coefficient + half)
    return Term(name, float(coefficient), _odds(coefficient), float(se), float(p), low, high)


def _robust(
    names: Sequence[str], fit: Any, design: Floats, won: Floats, clusters: Sequence[Hashable]
) -> Iterator[Term]:
    """Yields the terms with their errors by clusters; see the head of the module."""
    chances = fit.predict()
    rows = members(clusters)
    scores = np.array([(won - chances)[own] @ design[own] for own in rows])
    weighted = (chances * (1 - chances))[:, np.newaxis] * design
    information = np.array([weighted[own].T @ design[own] for own in rows])
    rest = information.sum(axis=0) - information
    inverse = np.linalg.pinv(rest, rcond=1e-10, hermitian=True)
    moves = np.einsum("gij,gj->gi", inverse, scores)
    # Without its only cluster a level has no column, and then some coefficients no value.
    identified = np.abs(inverse @ rest - np.eye(len(names))).max(axis=(0, 1)) < ROUNDING
    df = len(scores) - 1
    errors = np.sqrt((moves**2).sum(axis=0) * df / len(scores))
    for place, (name, usual) in enumerate(zip(names, fit.bse, strict=True)):
        coefficient, error = float(fit.params[place]), float(errors[place])
        if not identified[place] or error < ROUNDING * usual:
            note = "all clusters agree" if identified[place] else ONE_CLUSTER
            yield Term(name, coefficient, _odds(coefficient), note=note)
            continue
        half, p = t_test(coefficient, error, df)
        yield _wald(name, coefficient, error, p, half)


def _problem(won: Floats, design: Floats, names: Sequence[str]) -> str:
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
