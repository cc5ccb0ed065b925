"""The report of the checks of a leaderboard: matches to drop, cycles, fit, ties, faults, clones."""

from collections.abc import Iterator
from dataclasses import asdict, fields
from math import log
from typing import Any

from parlour.games.common import forms
from parlour.games.common.tables import Column, ColumnTable, listed
from parlour.games.engine.transcript import counted
from parlour.ratings.counting.counted import Finished
from parlour.ratings.reports.head_to_head import both_ways, meetings
from parlour.ratings.reports.report import Record, Report
from parlour.ratings.sensitivity.drop import Drop
from parlour.ratings.sensitivity.held_out import Bin, HeldOut
from parlour.ratings.sensitivity.refits import Clone, TiePolicy
from parlour.ratings.sensitivity.sensitivity import (
    FaultDependence,
    FaultySeats,
    Sensitivity,
    sensitivity,
)

POLICIES = {
    "as_played": "as played",
    "draws": "a draw",
    "left_out": "left out",
    "to_special": "to the special role",
    "to_others": "to the others",
}
NAMED = 5
"""Matches to drop that a table names."""


def checked(matches: Finished, faulty: FaultySeats) -> Sensitivity:
    """Makes all checks of finished matches; ``faulty`` has the seats with faulty answers."""
    met = both_ways(meetings(matches), None)
    ahead = {pair: meeting for pair, meeting in met.items() if meeting.share > 0.5}
    surely = [pair for pair, m in ahead.items() if (m.ends[0] or 0) > 0.5]
    return sensitivity(matches, faulty, ahead, surely)


def _of(share: float | None, n: int) -> str | None:
    return None if share is None else f"{share:.3f} of {n}"


def _some(drop: Drop) -> str | None:
    """Returns the first matches to drop, with dots where there are more."""
    if drop.needed is None:
        return None
    more = ["…"] if drop.needed > NAMED else []
    return ", ".join([*map(str, drop.matches[:NAMED]), *more])


YES: dict[bool | None, str] = {True: "yes", False: "no"}
DROP: list[Column[Drop]] = [
    Column("Leader", lambda drop: drop.leader),
    Column("Passed by", lambda drop: drop.other),
    Column("Gap", lambda drop: drop.gap, forms.decimals(2)),
    Column("Predicted", lambda drop: drop.predicted, forms.COUNT),
    Column("Needed", lambda drop: drop.needed, forms.COUNT),
    Column("Share", lambda drop: drop.share, forms.percents(1)),
    Column("Matches", _some),
]
BIN: list[Column[Bin]] = [
    Column("Chance", lambda each: f"{each.low:.1f}–{each.high:.1f}", forms.COUNT),
    Column("n", lambda each: each.n, forms.decimals(0)),
    Column("Predicted", lambda each: each.predicted, forms.decimals()),
    Column(
        "Observed",
        lambda each: (each.observed, each.observed_low, each.observed_high),
        forms.interval(),
    ),
]
POLICY: list[Column[TiePolicy]] = [
    Column("Ties count", lambda each: POLICIES[each.policy]),
    Column("τ", lambda each: each.tau, forms.decimals(2)),
    Column("Most places", lambda each: each.moved, forms.COUNT),
    Column("Leader", lambda each: next(iter(each.order), None)),
]
FAULT: list[Column[FaultDependence]] = [
    Column("Agent", lambda each: each.agent),
    Column("Won, no fault", lambda each: _of(each.share, each.clean), forms.COUNT),
    Column("Won, with fault", lambda each: _of(each.share_with, each.faulty), forms.COUNT),
    Column("Of its wins", lambda each: each.of_wins, forms.percents(1)),
    Column("#", lambda each: each.rank, forms.COUNT),
    Column("# without", lambda each: each.clean_rank, forms.COUNT),
]
CLONE: list[Column[Clone]] = [
    Column("Entered twice", lambda each: each.agent),
    Column("Apart", lambda each: each.apart, forms.decimals(2)),
    Column("Others move", lambda each: each.moved, forms.decimals()),
    Column("In errors", lambda each: each.errors, forms.decimals(2)),
    Column("Reordered", lambda each: YES.get(each.reordered)),
]


SCORES = {"Predicted by": forms.TEXT, "Log loss": forms.decimals(), "Brier": forms.decimals()}
COIN = ("a coin", log(2), 0.25)
"""The scores of a fair coin."""


def _scores(held: HeldOut) -> Iterator[tuple[str, float, float]]:
    """Yields the scores of the model, of positions alone and of a fair coin."""
    for name, scores in (("strength", held.model), ("positions alone", held.positions)):
        if scores is not None:
            yield name, scores.log_loss, scores.brier
    if held.model:
        yield COIN


def tables(checks: Sensitivity) -> list[ColumnTable[Any]]:
    """Returns a table for each check that has something to show."""
    if not checks.order:
        return []
    beaten = [[" > ".join((*cycle, cycle[0]))] for cycle in checks.cycles.surviving]
    made: list[ColumnTable[Any]] = [
        ColumnTable(DROP, checks.drops, "Matches to drop until another agent leads"),
        listed({"Cycle": forms.TEXT}, beaten, "Cycles that survive the intervals"),
        listed(SCORES, _scores(checks.held_out), "Held-out fit"),
        ColumnTable(BIN, checks.held_out.bins, "Calibration"),
        ColumnTable(POLICY, checks.ties.policies, "Ties"),
        ColumnTable(FAULT, checks.faults.agents, "Faults of opponents"),
        ColumnTable(CLONE, checks.clones, "Clones"),
    ]
    return [each for each in made if each.items]


def notes(checks: Sensitivity) -> list[str]:
    """Returns the notes that explain the figures, and what could not be checked."""
    if not checks.order:
        return ["No two agents have met in a finished match: there is nothing to check."]
    return list(_notes(checks))


def _notes(checks: Sensitivity) -> Iterator[str]:
    yield (
        f"{counted(checks.matches, 'finished match')}. Needed: the fewest matches, in the order of"
        " their effect, without which a new fit has another leader; predicted: by the closed form."
    )
    observed, survive = checks.cycles.observed, len(checks.cycles.surviving)
    yield (
        f"Cycles of at most four agents: {observed} as observed, {survive} in which every interval"
        " of the share excludes one half."
    )
    if checks.held_out.problem:
        yield f"No held-out fit: {checks.held_out.problem}."
    else:
        yield (
            f"Held-out fit: {checks.held_out.folds} folds of clusters. A draw is half a win for"
            " both. Calibration: the favourite's chance and how often it won."
        )
    yield (
        f"Tied: {checks.ties.tied} of {checks.ties.n}. τ: Kendall's rank correlation with the order"
        " as played."
    )
    yield f"With a fault of any seat: {checks.faults.faulty} of {checks.faults.n}."
    yield (
        "Clones: a random half of the agent's matches is under a second name. In errors: the move"
        " of another agent in its standard errors."
    )


FIELDS = ("check", "agent", "other", "quantity", "value", "low", "high", "n")


def sensitivity_report(checks: Sensitivity) -> Report:
    """Returns the report of all checks; a record is one figure."""
    return Report(
        fields=FIELDS,
        records=list(_records(checks)),
        body=asdict(checks),
        tables=tables(checks),
        notes=notes(checks),
    )


def _records(checks: Sensitivity) -> Iterator[Record]:
    for drop in checks.drops:
        names: dict[str, object] = {"check": "drop", "agent": drop.leader, "other": drop.other}
        for quantity in ("gap", "predicted", "needed", "share"):
            yield names | {"quantity": quantity, "value": getattr(drop, quantity), "n": drop.n}
    yield {"check": "cycles", "quantity": "observed", "value": checks.cycles.observed}
    yield {"check": "cycles", "quantity": "surviving", "value": len(checks.cycles.surviving)}
    held = checks.held_out
    for name, scores in (("strength", held.model), ("positions", held.positions)):
        if scores is not None:
            for quantity, value in asdict(scores).items():
                first = {"check": "held_out", "other": name, "quantity": quantity}
                yield first | {"value": value, "n": held.n}
    for each in held.bins:
        chance: dict[str, object] = {"check": "calibration", "n": each.n}
        chance["other"] = f"{each.low:.1f}-{each.high:.1f}"
        yield chance | {"quantity": "predicted", "value": each.predicted}
        ends = {"low": each.observed_low, "high": each.observed_high}
        yield chance | {"quantity": "observed", "value": each.observed} | ends
    for policy in checks.ties.policies:
        for rank, agent in enumerate(policy.order, start=1):
            named = {"check": "ties", "agent": agent, "other": policy.policy}
            yield named | {"quantity": "rank", "value": rank, "n": checks.ties.tied}
    for check, rows in (("faults", checks.faults.agents), ("clones", checks.clones)):
        for row in rows:
            for field in fields(row):
                if field.name != "agent":
                    value = getattr(row, field.name)
                    of_agent = {"check": check, "agent": row.agent}
                    yield of_agent | {"quantity": field.name, "value": value}
