"""Writers of reports: Markdown, LaTeX, CSV and JSON, and the escaping of what stands in them."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from parlour.games.common.tables import Column, ColumnTable
from parlour.ratings.reports.report import Record, Report

_MARKDOWN = "\\`*_|<>[]"
_LATEX = {
    **{character: "\\" + character for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "μ": r"$\mu$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
    "–": "--",
    "−": "$-$",
    "…": r"\ldots{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}


def markdown_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a Markdown table, without a final newline."""
    cells = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(map(in_markdown, row)) + " |" for row in cells)


def latex_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a LaTeX tabular with the rules of booktabs, without a final newline."""
    head, *lines = [" & ".join(map(in_latex, row)) + r" \\" for row in (titles, *rows)]
    # After \\ or a rule, a bracket would begin an argument: a length.
    head, *lines = ["{}" + line if line.startswith("[") else line for line in (head, *lines)]
    begin = r"\begin{tabular}{" + "l" * len(titles) + "}"
    return "\n".join(
        [begin, r"\toprule", head, r"\midrule", *lines, r"\bottomrule", r"\end{tabular}"]
    )


def in_markdown(text: str) -> str:
    """Returns the text on one line, with Markdown's characters escaped."""
    return "".join("\\" + c if c in _MARKDOWN else c for c in " ".join(text.split()))


def in_latex(text: str) -> str:
    """Returns the text on one line, with LaTeX's special characters escaped and true minus signs.

    A hyphen is a minus before a number, and between blanks.
    """
    signed = re.sub(r"(?<![\w.)-])-(?=\.?\d)|(?<= )-(?= )", "−", " ".join(text.split()))
    return "".join(_LATEX.get(c, c) for c in signed)


def inert(text: str) -> str:
    """Returns the cell, prefixed if a spreadsheet would take it for a formula."""
    return "'" + text if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


def csv_table(titles: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Returns comma-separated values, with None as an empty cell and every text inert."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(titles)
    for row in rows:
        lines.writerow([inert(cell) if isinstance(cell, str) else cell for cell in row])
    return text.getvalue()


def as_markdown(report: Report) -> str:
    """Returns headings, tables and notes, with blank lines between them."""
    parts = _parts(report, "# {}", "## {}", in_markdown, markdown_table)
    return "\n\n".join([*parts, *report.notes]) + "\n"


def as_latex(report: Report) -> str:
    """Returns headings, tabulars and notes; with a label, as a float to paste."""
    if report.label:
        return _as_float(report)
    parts = _parts(report, r"\section*{{{}}}", r"\subsection*{{{}}}", in_latex, latex_table)
    return "\n".join([*parts, *map(in_latex, report.notes), ""])


LINE = 90
"""Characters of a line of a LaTeX table, in the size of footnotes."""


def _as_float(report: Report) -> str:
    """Returns the first table and those with a heading; the first note may be the caption."""
    caption, *others = filter(None, (report.caption, *report.notes))
    notes = " ".join(map(in_latex, others))
    tables = list(map(_tabular, _page_wide(report.tables[0])))
    for table in report.tables[1:]:
        if table.heading:
            tables += [in_latex(table.heading), _tabular(table)]
    lines = [
        r"% The preamble needs \usepackage{booktabs}.",
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{in_latex(caption)}}}",
        rf"\label{{{report.label}}}",
        r"\footnotesize",
        "\n\\par\\medskip\n".join(tables),
    ]
    if others:
        lines.append(rf"\par\smallskip\begin{{minipage}}{{\linewidth}}{notes}\end{{minipage}}")
    return "\n".join([*lines, r"\end{table}", ""])


def _tabular(table: ColumnTable[Any]) -> str:
    return latex_table(table.titles, table.rows)


def _page_wide(table: ColumnTable[Any]) -> Iterator[ColumnTable[Any]]:
    """Yields a table in parts as wide as a page, each with the columns of words."""
    names = [column for column in table.columns if not column.form.numeric]
    parts: list[list[Column[Any]]] = [[]]
    for column in (each for each in table.columns if each not in names):
        width = sum(_width(each, table) for each in (*names, *parts[-1], column))
        parts += [[]] if parts[-1] and width > LINE else []
        parts[-1].append(column)
    for part in parts:
        own = [column for column in table.columns if column in names or column in part]
        yield ColumnTable(own, table.items)


def _width(column: Column[Any], table: ColumnTable[Any]) -> int:
    texts = [column.title, *map(column.text, table.items)]
    return max(map(len, texts)) + 2


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
