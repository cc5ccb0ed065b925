"""Tables as Markdown, LaTeX and CSV, with whatever stands in them made harmless."""

import csv
import io
from collections.abc import Iterable, Sequence

_MARKDOWN = "\\`*_|<>[]"
_SPECIAL = "&%$#_{}~^\\"
_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_SIGNS = {"μ": r"$\mu$", "σ": r"$\sigma$", "–": "--"}


def markdown_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, without an end of line behind it."""
    cells = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(map(in_markdown, row)) + " |" for row in cells)


def latex_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A LaTeX tabular, without an end of line behind it."""
    lines = [" & ".join(map(in_latex, row)) + r" \\" for row in (titles, *rows)]
    return "\n".join(
        [
            r"\begin{tabular}{" + "l" * len(titles) + "}",
            r"\hline",
            lines[0],
            r"\hline",
            *lines[1:],
            r"\hline",
            r"\end{tabular}",
        ]
    )


def in_markdown(text: str) -> str:
    """A text on one line, in which nothing is Markdown."""
    return "".join("\\" + c if c in _MARKDOWN else c for c in " ".join(text.split()))


def in_latex(text: str) -> str:
    """A text on one line, in which nothing is a command of LaTeX."""
    escaped = (
        _LATEX.get(c, "\\" + c) if c in _SPECIAL else _SIGNS.get(c, c)
        for c in " ".join(text.split())
    )
    return "".join(escaped)


def inert(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return "'" + text if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text


def csv_table(titles: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Comma-separated values, an empty cell for None and no text that is a formula."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(titles)
    table.writerows([inert(c) if isinstance(c, str) else c for c in row] for row in rows)
    return text.getvalue()
