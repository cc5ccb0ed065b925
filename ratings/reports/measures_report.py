"""The report of measures: tidy rows, and a table of them for people."""

from collections.abc import Sequence
from dataclasses import asdict, fields

from parlour.games.common import forms
from parlour.games.common.tables import Column, ColumnTable
from parlour.ratings.measures.measures import Row
from parlour.ratings.reports.report import Record, Report

COLUMNS: list[Column[Row]] = [
    Column("Game", lambda row: row.game or "all"),
    Column("Condition", lambda row: row.condition),
    Column("Agent", lambda row: row.agent),
    Column("Role", lambda row: row.role or "all"),
    Column("Measure", lambda row: row.measure),
    Column("Value", lambda row: (row.value, row.low, row.high), forms.interval()),
    Column("n", lambda row: _whole(row.n), forms.COUNT),
]


def measures_report(rows: Sequence[Row]) -> Report:
    """Returns the report of rows of measures. Whole numbers are written without a fraction."""
    records = [_record(row) for row in rows]
    names = [field.name for field in fields(Row)]
    empty = "No match is finished."
    return Report(names, records, records, [ColumnTable(COLUMNS, rows)], empty=empty)


def _record(row: Row) -> Record:
    return {name: _whole(value) for name, value in asdict(row).items()}


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value
