"""The report of measures: tidy rows, and a table of them for people."""

from collections.abc import Sequence
from dataclasses import asdict, fields

from parlour.games.common import forms
from parlour.games.common.tables import Column, ColumnTable
from parlour.ratings.counting.counts import AgentFaults
from parlour.ratings.measures.conditions import ALL_CONDITIONS
from parlour.ratings.measures.measures import Row
from parlour.ratings.reports import cells
from parlour.ratings.reports.faults import faults_notes
from parlour.ratings.reports.report import Record, Report

COLUMNS: list[Column[Row]] = [
    Column("Game", lambda row: row.game or "all"),
    Column("Condition", lambda row: row.condition),
    Column("Agent", lambda row: row.agent),
    Column("Role", lambda row: row.role or "all"),
    Column("Measure", lambda row: row.measure),
    Column("Value", lambda row: row, cells.MEASURE),
    Column("n", lambda row: _whole(row.n), forms.COUNT),
]


def measures_report(rows: Sequence[Row]) -> Report:
    """Returns the report of rows of measures. Whole numbers are written without a fraction."""
    records = [_record(row) for row in rows]
    names = [field.name for field in fields(Row)]
    empty = "No match is finished."
    faults: dict[str, AgentFaults] = {}
    for row in rows:
        if (row.measure, row.condition, row.role) == ("fault_rate", ALL_CONDITIONS, None):
            faults.setdefault(row.agent, (row.agent, row.k or 0, row.n))  # first of all games
    notes = [cells.NO_INTERVAL] * any(row.low is None for row in rows)
    notes += faults_notes(faults.values())
    return Report(names, records, records, [ColumnTable(COLUMNS, rows)], notes, empty=empty)


def _record(row: Row) -> Record:
    return {name: _whole(value) for name, value in asdict(row).items()}


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value
