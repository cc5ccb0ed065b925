"""The report of an audit of wordings: shares of variance, changes of agents, ranks that flip."""

from dataclasses import asdict
from typing import Any

from parlour.games.common import forms
from parlour.games.common.tables import Column, Table
from parlour.ratings.inference.estimate import Estimate
from parlour.ratings.reliability.wordings import AGREE, Audit, Flips, InWording, Share
from parlour.ratings.reports.report import Record, Report

FIELDS = (
    *("kind", "game", "measure", "wording", "agent", "factor"),
    *("value", "low", "high", "n", "problem", "note"),
)


def _estimate(estimate: Estimate) -> str:
    if estimate.value is None:
        return estimate.problem
    none = forms.NO_SPREAD if estimate.note == AGREE else forms.TOO_FEW
    return forms.with_interval(estimate.value, estimate.low, estimate.high, 2, none=none)


ESTIMATE = forms.Form(_estimate)
SHARES: list[Column[Share]] = [
    Column("Game", lambda each: each.game),
    Column("Measure", lambda each: each.measure),
    Column("Factor", lambda each: each.factor),
    Column("Share", lambda each: each.share, ESTIMATE),
    Column("n", lambda each: each.share.n, forms.COUNT),
]
AGENTS: list[Column[InWording]] = [
    Column("Game", lambda each: each.game),
    Column("Agent", lambda each: each.agent),
    Column("Wording", lambda each: each.wording),
    Column("Mean", lambda each: each.mean, forms.decimals(2)),
    Column("Change", lambda each: each.change, ESTIMATE),
    Column("n", lambda each: each.change.n, forms.COUNT),
    Column("Choices changed", lambda each: each.changed, ESTIMATE),
    Column("n", lambda each: each.changed.n, forms.COUNT),
]
FLIPS: list[Column[Flips]] = [
    Column("Game", lambda each: each.game),
    Column("Wording", lambda each: each.wording),
    Column("Pairs flipped", lambda each: each.flipped, ESTIMATE),
    Column("Pairs", lambda each: each.flipped.n, forms.COUNT),
]
NOTES = (
    "Shares of the variance of what an agent did in one role of a match. The wordings plain and"
    " again count as one; factors that the plan cannot tell apart are left out.",
    "Change: from the mean in the plain wording. Choices changed: of those at the same place of the"
    " same match in the plain wording. Pairs flipped: pairs of agents in another order than there."
    " Of all three, the row of again shows what changes with the same words.",
    "Intervals are over settings, or seeds where there are fewer than 5 settings: of shares and"
    " flips by 300 bootstrap samples, of changes by t, of choices by Wilson. Too few: fewer than 5"
    " of them. No spread: all of them agree.",
)


def audit_report(result: Audit) -> Report:
    """Returns the report of an audit; its records are shares, changes, changed choices, flips."""
    known = [each for each in result.shares if each.share.value is not None]
    tables: list[Table[Any]] = [
        Table(SHARES, known, "Shares of variance"),
        Table(AGENTS, result.agents, "Agents by wording"),
        Table(FLIPS, result.flips, "Ranks"),
    ]
    return Report(FIELDS, _records(result), asdict(result), tables, NOTES)


def _records(result: Audit) -> list[Record]:
    records: list[Record] = []
    for share in result.shares:
        named = {"kind": "share", "game": share.game, "measure": share.measure}
        records.append({**named, "factor": share.factor, **asdict(share.share)})
    for each in result.agents:
        named = {"game": each.game, "measure": each.measure, "agent": each.agent}
        for kind, estimate in (("change", each.change), ("choices changed", each.changed)):
            records.append({"kind": kind, **named, "wording": each.wording, **asdict(estimate)})
    for flips in result.flips:
        named = {"kind": "flips", "game": flips.game, "measure": flips.measure}
        records.append({**named, "wording": flips.wording, **asdict(flips.flipped)})
    return records
