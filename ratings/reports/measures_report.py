"""The report of measures: tidy rows for programs, without tables for people."""

from collections.abc import Sequence
from dataclasses import asdict, fields

from parlour.ratings.measures.measures import Row
from parlour.ratings.reports.report import Record, Report


def measures_report(rows: Sequence[Row]) -> Report:
    """Returns the report of rows of measures. Whole numbers are written without a fraction."""
    records = [_record(row) for row in rows]
    return Report(fields=[field.name for field in fields(Row)], records=records, body=records)


def _record(row: Row) -> Record:
    return {name: _whole(value) for name, value in asdict(row).items()}


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value
