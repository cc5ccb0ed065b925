"""Writers of reports: Markdown, CSV, LaTeX and JSON."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

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
    parts = _parts(report, "# {}", "## {}", in_markdown, markdown_table)
    return "\n\n".join([*parts, *report.notes]) + "\n"


def as_latex(report: Report) -> str:
    """Returns headings, tabulars and notes; with a label, the first table as a float to paste."""
    if report.label:
        return _as_float(report)
    parts = _parts(report, r"\section*{{{}}}", r"\subsection*{{{}}}", in_latex, latex_table)
    return "\n".join([*parts, *map(in_latex, report.notes), ""])


def _as_float(report: Report) -> str:
    table, notes = report.tables[0], " ".join(map(in_latex, report.notes))
    lines = [
        r"% The preamble needs \usepackage{booktabs}.",
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{in_latex(report.caption)}}}",
        rf"\label{{{report.label}}}",
        latex_table(table.titles, table.rows),
        rf"\par\smallskip\begin{{minipage}}{{\linewidth}}\footnotesize {notes}\end{{minipage}}",
        r"\end{table}",
    ]
    return "\n".join([*lines, ""])


def _parts(
    report: Report,
    title: str,
    heading: str,
    escaped: Callable[[str], str],
    written: Callable[[Sequence[str], Sequence[Sequence[str]]], str],
) -> Iterator[str]:
    """Yields title, caption, and each table below its heading."""
    if report.title:
        yield title.format(escaped(report.title))
    if report.caption:
        yield escaped(report.caption)
    for table in report.tables:
        if table.heading:
            yield heading.format(table.heading)
        yield written(table.titles, table.rows)


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
