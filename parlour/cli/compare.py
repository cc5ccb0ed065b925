"""The command `compare`."""

import json
from dataclasses import asdict, fields
from typing import Annotated, Literal, Optional

import typer

from parlour.cli.console_tables import console, print_table
from parlour.cli.options import Force, NewestSave, OutFile
from parlour.cli.output import find_save, safe_print, write
from parlour.ratings.comparison.comparison import ALPHA, Comparison, Correction, Difference
from parlour.ratings.reports.formats import csv_table, in_markdown, markdown_table
from parlour.ratings.reports.report import NOTHING, number, with_interval
from parlour.results import comparison_of

CORRECTIONS: dict[Correction, str] = {
    "holm": "Holm",
    "bh": "Benjamini and Hochberg",
    "bonferroni": "Bonferroni",
}
"""The authors that a correction is named after."""


def compare(
    save: NewestSave = None,
    one: Annotated[
        str, typer.Argument(metavar="AGENT", help="The agent to compare.", show_default=False)
    ] = ...,  # type: ignore[assignment]
    other: Annotated[
        str,
        typer.Argument(metavar="OTHER", help="The agent compared with it.", show_default=False),
    ] = ...,  # type: ignore[assignment]
    measure: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--measure", metavar="NAME", help="A measure; may be given several times."),
    ] = None,
    correction: Annotated[
        Correction, typer.Option("--correction", help="The correction of p values for the family.")
    ] = "holm",
    format: Annotated[
        Literal["table", "json", "csv", "md"],
        typer.Option("--format", help="The format of the output."),
    ] = "table",
    out: OutFile = None,
    force: Force = False,
) -> int:
    """Compare two agents in the matches that both played alike."""
    compared = comparison_of(find_save(save), one, other, measure or [], correction)
    if format == "table" and out is None:
        safe_print(_headline(compared))
        print_table(TITLES, _rows(compared), right=[1, 2, 3, 4])
        print_table(TITLES_APART, _rows_apart(compared), right=[2, 3, 4, 5])
        for note in _notes(compared):
            console().print(note, markup=False)
        return 0
    formats = {"json": _as_json, "csv": _as_csv}
    write(formats.get(format, _as_markdown)(compared), out, force)
    return 0


def _name(difference: Difference) -> str:
    return ", ".join(filter(None, (difference.measure, difference.game)))


def _headline(compared: Comparison) -> str:
    return f"A is {compared.one}, B is {compared.other}."


TITLES = ("Measure", "A - B", "n", "p", "Detectable")


def _rows(compared: Comparison) -> list[list[str]]:
    return [
        [
            _name(each),
            with_interval(each.value, each.low, each.high),
            str(each.pairs) + (f" ({each.clusters})" if each.clusters != each.pairs else ""),
            "n too small" if each.too_small else f"{each.corrected:.4f}",
            number(each.detectable),
        ]
        for each in compared.differences
    ] + _rows_of_gain(compared)


def _rows_of_gain(compared: Comparison) -> list[list[str]]:
    """The gain in radar area, a row below the differences; it has no p value."""
    gain = compared.gain
    if gain is None:
        return []
    clusters = f"({gain.clusters})"
    shown = with_interval(gain.value, gain.low, gain.high)
    return [["radar_area", shown, clusters, NOTHING, NOTHING]]


TITLES_APART = ("Most apart", "Role or setting", "Match", "A", "Match", "B")


def _rows_apart(compared: Comparison) -> list[list[str]]:
    return [
        [
            _name(each),
            apart.role,
            str(apart.match),
            number(apart.value, 2),
            str(apart.other_match),
            number(apart.other_value, 2),
        ]
        for each in compared.differences
        for apart in each.apart
    ]


def _notes(compared: Comparison) -> list[str]:
    """Notes below the tables: how the numbers are computed and read."""
    count = len(compared.differences)
    clusters = " or ".join(sorted(set(compared.clusters.values())))
    notes = [
        "Mean difference over n pairs of the same setting, condition and role, with a 95 %"
        f" bootstrap interval. In brackets the clusters (each {clusters}), where they are fewer.",
        "p: two-sided, by changing the sign of whole clusters, corrected for a family of"
        f" {count} by {CORRECTIONS[compared.correction]}. Detectable: the difference found with"
        f" power 0.8 at this n and spread, at level {ALPHA} / {count}.",
    ]
    if compared.gain is not None:
        gain = compared.gain
        notes.append(
            f"radar_area: area of A's radar chart minus that of B's ({number(gain.one)} -"
            f" {number(gain.other)}), from the means of the seven capabilities over their pairs."
            " It is not part of the family."
        )
    elif compared.missing:
        names = ", ".join(compared.missing)
        notes.append(f"No gain in radar area: no pairs for {names}.")
    if any(each.too_small for each in compared.differences):
        needed = compared.differences[0].needed
        notes.append(
            f"n too small: fewer than {needed} clusters differ, so no p can reach that level."
        )
    if any(each.apart for each in compared.differences):
        notes.append("Read a match with `parlour replay SAVE MATCH`.")
    return notes


def _as_markdown(compared: Comparison) -> str:
    """Markdown: two tables and the notes."""
    parts = [in_markdown(_headline(compared)), markdown_table(TITLES, _rows(compared))]
    if rows := _rows_apart(compared):
        parts.append(markdown_table(TITLES_APART, rows))
    return "\n\n".join([*parts, *_notes(compared)]) + "\n"


def _as_json(compared: Comparison) -> str:
    return json.dumps(asdict(compared), indent=2, allow_nan=False) + "\n"


def _as_csv(compared: Comparison) -> str:
    """One line a difference, with the matches of the pair that differs most; then the gain."""
    names = [field.name for field in fields(Difference) if field.name != "apart"]
    rows = []
    for each in compared.differences:
        matches = [each.apart[0].match, each.apart[0].other_match] if each.apart else [None] * 2
        cells = [compared.one, compared.other, *(getattr(each, name) for name in names)]
        cells += [compared.correction, *matches]
        rows.append(cells)
    if compared.gain is not None:
        own = {"measure": "radar_area", **asdict(compared.gain)}
        cells = [compared.one, compared.other, *(own.get(name) for name in names)]
        rows.append([*cells, None, None, None])
    return csv_table(["one", "other", *names, "correction", "match", "other_match"], rows)
