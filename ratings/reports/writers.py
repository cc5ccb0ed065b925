"""Writers of reports: Markdown, CSV, LaTeX and JSON."""

import json
from collections.abc import Callable, Mapping

from parlour.ratings.reports.formats import (
    csv_table,
    in_latex,
    in_markdown,
    latex_table,
    markdown_table,
)
from parlour.ratings.reports.report import Record, Report


def as_markdown(report: Report) -> str:
    """Returns headings, tables and notes, with blank lines between them."""
    parts = []
    if report.title:
        parts.append(f"# {in_markdown(report.title)}")
    if report.caption:
        parts.append(in_markdown(report.caption))
    for table in report.tables:
        if table.heading:
            parts.append(f"## {table.heading}")
        parts.append(markdown_table(table.titles, table.rows))
    return "\n\n".join([*parts, *report.notes]) + "\n"


def as_latex(report: Report) -> str:
    """Returns headings, tabulars and notes."""
    parts = []
    if report.title:
        parts.append(rf"\section*{{{in_latex(report.title)}}}")
    if report.caption:
        parts.append(in_latex(report.caption))
    for table in report.tables:
        if table.heading:
            parts.append(rf"\subsection*{{{table.heading}}}")
        parts.append(latex_table(table.titles, table.rows))
    return "\n".join([*parts, *map(in_latex, report.notes), ""])


def as_csv(report: Report) -> str:
    """Returns one line a record; nested values are JSON texts."""

    def row(record: Record) -> list[object]:
        return [_flat(record.get(name)) for name in report.fields]

    return csv_table(report.fields, map(row, report.records))


def as_json(report: Report) -> str:
    """Returns the body, indented."""
    return json.dumps(report.body, indent=2, allow_nan=False) + "\n"


def _flat(value: object) -> object:
    return json.dumps(value) if isinstance(value, dict | list) else value


WRITERS: Mapping[str, Callable[[Report], str]] = {
    "md": as_markdown,
    "csv": as_csv,
    "latex": as_latex,
    "json": as_json,
}
"""The writer of each format, by the name of the format."""
