"""Syntax of Markdown, LaTeX and CSV: tables, and escaping of what stands in them."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

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
    begin = r"\begin{tabular}{" + "l" * len(titles) + "}"
    return "\n".join(
        [begin, r"\toprule", head, r"\midrule", *lines, r"\bottomrule", r"\end{tabular}"],
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
