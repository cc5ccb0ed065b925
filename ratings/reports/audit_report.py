"""The report of an audit of wordings: a table of each kind of figure."""

from collections.abc import Iterable
from dataclasses import asdict
from operator import attrgetter

from parlour.games.common import forms
from parlour.games.common.tables import Column, ColumnTable
from parlour.ratings.counting.counts import AgentFaults
from parlour.ratings.inference.estimate import Estimate
from parlour.ratings.reliability.wordings import AGREE, Finding
from parlour.ratings.reports.faults import faults_notes
from parlour.ratings.reports.report import Report

FIELDS = (
    *("kind", "game", "measure", "factor", "agent", "wording"),
    *("value", "low", "high", "n", "problem", "note"),
)
TABLES = {
    "share": ("Shares of variance", ["factor"], "Outcomes"),
    "change": ("Changes of means", ["agent", "wording"], "Matches"),
    "choices": ("Choices changed", ["agent", "wording"], "Choices"),
    "flips": ("Pairs of agents in another order", ["wording"], "Pairs"),
}
"""The heading of each kind of figure, what its rows are named by, and what its n counts."""
NOTES = (
    "Shares of the variance of outcomes, each of an agent in a role of a match. The wordings plain"
    " and again count as one; factors that the plan cannot tell apart are left out.",
    "Changes, changed choices and other orders are from the plain wording: of choices at the same"
    " place of the same match. The row of again shows what changes with the same words.",
    "Intervals are over settings, or seeds where there are fewer than 5 settings: of shares and"
    " orders by 300 bootstrap samples, of changes by t, of choices by Wilson. Too few: fewer than 5"
    " of them. No spread: all of them agree.",
)


def _estimate(estimate: Estimate) -> str:
    none = forms.NO_SPREAD if estimate.note == AGREE else forms.TOO_FEW
    return forms.with_interval(estimate.value, estimate.low, estimate.high, 2, none=none)


def _columns(names: Iterable[str], counted: str) -> list[Column[Finding]]:
    texts: list[Column[Finding]] = [
        Column(name.capitalize(), attrgetter(name)) for name in ("game", *names)
    ]
    return [
        *texts,
        Column("Value", lambda each: each.estimate, forms.CellForm(_estimate)),
        Column(counted, lambda each: each.estimate.n, forms.COUNT),
    ]


def audit_report(findings: Iterable[Finding], faults: Iterable[AgentFaults] = ()) -> Report:
    """Returns the report of an audit; its tables leave out what cannot be told.

    ``faults`` are the faulty answers of the agents.
    """
    every = list(findings)
    records = [{**asdict(each), **asdict(each.estimate)} for each in every]
    for record in records:
        del record["estimate"], record["p"]
    tables = []
    for kind, (heading, names, counted) in TABLES.items():
        known = [each for each in every if each.kind == kind and each.estimate.value is not None]
        tables.append(ColumnTable(_columns(names, counted), known, heading))
    return Report(FIELDS, records, records, tables, [*NOTES, *faults_notes(faults)])
