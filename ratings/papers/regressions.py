"""Regressions of a paper: the columns of their terms, and a line for each term that is shown."""

from collections.abc import Iterator
from dataclasses import replace
from math import log10

from parlour.games.common.errors import BadInput
from parlour.ratings.inference.logit import Regression, indicators, logit
from parlour.ratings.papers.inference_tables import Logit, Term
from parlour.ratings.papers.lines import Line, complete, numbers, refuse_missing_base
from parlour.ratings.papers.seats import SeatTable


def regression_lines(estimand: Logit, seats: SeatTable) -> Iterator[Line]:
    """Yields a line for each term that is shown, with each kind of errors."""
    names = [estimand.outcome, *(term.column for term in estimand.terms)]
    whole, left_out = complete(seats, names)
    columns: dict[str, list[float]] = {}
    shown: dict[str, str] = {}
    for term in estimand.terms:
        of_term, titles = _columns(term, whole)
        columns |= of_term
        shown |= titles
    outcomes = [bool(won) for won in whole.column(estimand.outcome)]
    for unit in estimand.clusters:
        fitted = logit(outcomes, columns, whole.column(unit) if unit else None)
        clusters = whole.unit(unit) if unit else "none"
        for name, row in shown.items():
            yield _of_term(fitted, name, f"{estimand.title} {row}".strip(), clusters, left_out)


def _of_term(fitted: Regression, name: str, row: str, clusters: str, left_out: str) -> Line:
    details: dict[str, float | str] = {"Clusters": clusters}
    if fitted.clusters is not None:
        details["Number of clusters"] = fitted.clusters
    line = Line(row, "odds ratio", n=fitted.n, details=details, problem=fitted.problem)
    if (term := fitted.term(name)) is None:
        return replace(line, note=left_out)
    note = "; ".join(filter(None, [term.note, left_out]))
    return replace(line, value=term.odds_ratio, low=term.low, high=term.high, p=term.p, note=note)


def _columns(term: Term, seats: SeatTable) -> tuple[dict[str, list[float]], dict[str, str]]:
    """Returns the columns of a term, and the row of each that is shown."""
    title = term.title or term.column
    if term.base is None and not term.fixed:
        return {title: _scaled(term, numbers(seats, term.column))}, {title: title}
    values = seats.column(term.column)
    if term.fixed:
        columns = indicators(title, values, min(values, key=str)) if values else {}
        return columns, {}
    refuse_missing_base(values, term.column, term.base)
    columns = indicators(title, values, term.base)
    if not columns:
        raise BadInput(term.column, f"is {term.base} everywhere", "nothing compares with it")
    return columns, {name: f"{name} vs {term.base}" for name in columns}


def _scaled(term: Term, values: list[float]) -> list[float]:
    if term.scale == "log10":
        if min(values, default=1) <= 0:
            raise BadInput(term.column, "is not above 0 everywhere", "its logarithm is needed")
        values = list(map(log10, values))
    return [value / term.step for value in values]
