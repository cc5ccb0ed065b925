"""The report of reliability: variance components, reliabilities, correlations of capabilities."""

from collections.abc import Iterator
from dataclasses import asdict

from parlour.games.common import forms
from parlour.games.common.forms import CellForm
from parlour.games.common.tables import Column, ColumnTable
from parlour.ratings.inference.estimate import Estimate
from parlour.ratings.reliability.reliability import (
    FEWEST_AGENTS,
    CapabilityCorrelation,
    Component,
    MeasureReliability,
    Reliability,
)
from parlour.ratings.reports.report import Record, Report

FIELDS = ("kind", "game", "measure", "of", "value", "share", "low", "high", "n", "problem")


def _estimate(estimate: Estimate) -> str:
    if estimate.value is None:
        return estimate.problem
    return forms.with_interval(estimate.value, estimate.low, estimate.high, 2)


ESTIMATE = CellForm(_estimate)


def _named(game: str | None, measure: str) -> str:
    return measure if game is None else f"{measure}, {game}"


COMPONENT: list[Column[Component]] = [
    Column("Measure", lambda each: _named(each.game, each.measure)),
    Column("Factor", lambda each: each.factor),
    Column("Variance", lambda each: each.variance, forms.decimals(4)),
    Column("Share", lambda each: each.share, CellForm("{:.0%}".format)),
    Column("n", lambda each: each.n, forms.COUNT),
]
MEASURE: list[Column[MeasureReliability]] = [
    Column("Measure", lambda each: _named(each.game, each.measure)),
    Column("Split-half", lambda each: each.split_half, ESTIMATE),
    Column("Test-retest", lambda each: each.retest, ESTIMATE),
    Column("Agents", lambda each: each.split_half.n, forms.COUNT),
]
CORRELATION: list[Column[CapabilityCorrelation]] = [
    Column("Capability", lambda each: each.one),
    Column("With", lambda each: each.other),
    Column("r", lambda each: each.estimate, ESTIMATE),
    Column("Agents", lambda each: each.estimate.n, forms.COUNT),
]


def notes() -> list[str]:
    """Returns the notes that explain the numbers."""
    return [
        "Split-half: the correlation over agents of two halves of the matches, stepped up by"
        " Spearman and Brown. Test-retest: that of repetitions with the same agents, settings and"
        " seats. Intervals by Fisher's z over agents."
        f" Too few: fewer than {FEWEST_AGENTS} agents have both.",
        "Variance: of what an agent did in one role of a match, by the method of moments"
        " (Henderson I), all factors random; 0 stands for estimates below it, a dash for what the"
        " plan cannot tell.",
    ]


def reliability_report(result: Reliability) -> Report:
    """Returns the report of reliability; its records are components, reliabilities, correlations.

    The table of components leaves out those that cannot be told.
    """
    known = [each for each in result.components if each.variance is not None]
    correlated = [each for each in result.correlations if each.estimate.n]
    return Report(
        fields=FIELDS,
        records=list(_records(result)),
        body=asdict(result),
        tables=[
            ColumnTable(MEASURE, result.measures, "Reliability of measures"),
            ColumnTable(COMPONENT, known, "Variance components"),
            ColumnTable(CORRELATION, correlated, "Correlations of capabilities over agents"),
        ],
        notes=notes(),
    )


def _records(result: Reliability) -> Iterator[Record]:
    for part in result.components:
        own = {"kind": "component", "game": part.game, "measure": part.measure, "of": part.factor}
        yield {**own, "value": part.variance, "share": part.share, "n": part.n}
    for each in result.measures:
        for kind, estimate in (("split_half", each.split_half), ("retest", each.retest)):
            named = {"kind": kind, "game": each.game, "measure": each.measure}
            yield {**named, **asdict(estimate)}
    for pair in result.correlations:
        own = {"kind": "correlation", "measure": pair.one, "of": pair.other}
        yield {**own, **asdict(pair.estimate)}
