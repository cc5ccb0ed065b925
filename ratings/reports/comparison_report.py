"""The report of a comparison: differences, contrasting matches, and how to read them."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from itertools import chain
from typing import Any

from parlour.games.common import forms
from parlour.games.common.tables import Column, ColumnTable, listed, taken
from parlour.ratings.comparison.comparison import ALPHA, Comparison, ContrastingMatches, Difference
from parlour.ratings.reports.cells import NO_INTERVAL
from parlour.ratings.reports.faults import faults_notes
from parlour.ratings.reports.report import Record, Report
from parlour.ratings.statistics.corrections import Correction

CORRECTIONS: dict[Correction, str] = {
    "holm": "Holm",
    "bh": "Benjamini and Hochberg",
    "bonferroni": "Bonferroni",
}
DIFFERENCE_FIELDS = [field.name for field in fields(Difference) if field.name != "apart"]


def _name(difference: Difference) -> str:
    """Returns the measure, with its game if it is compared within one."""
    return ", ".join(filter(None, (difference.measure, difference.game)))


def _pairs(difference: Difference) -> str:
    """Returns the number of pairs, with that of clusters in brackets where they are fewer."""
    if difference.clusters == difference.pairs:
        return str(difference.pairs)
    return f"{difference.pairs} ({difference.clusters})"


def _value(difference: Difference) -> str:
    none = forms.NO_SPREAD if difference.error == 0 else forms.TOO_FEW
    return forms.with_interval(difference.value, difference.low, difference.high, none=none)


def _p(difference: Difference) -> str:
    if difference.too_small:
        return f"n too small ({difference.differing} < {difference.needed})"
    return f"{difference.corrected:.4f}"


DIFFERENCE = {
    "Measure": forms.TEXT,
    "A - B": forms.COUNT,
    "n": forms.COUNT,
    "p": forms.COUNT,
    "Detectable": forms.decimals(),
}
CONTRAST: list[Column[tuple[str, ContrastingMatches]]] = [
    Column("Most apart", lambda row: row[0]),
    Column("Role or setting", lambda row: row[1].role),
    Column("Match", lambda row: row[1].match, forms.COUNT),
    Column("A", lambda row: row[1].value, forms.decimals(2)),
    Column("Match", lambda row: row[1].other_match, forms.COUNT),
    Column("B", lambda row: row[1].other_value, forms.decimals(2)),
]
"""Columns of the name of a difference and two of its matches."""


def _row(difference: Difference) -> list[object]:
    value, p = _value(difference), _p(difference)
    return [_name(difference), value, _pairs(difference), p, difference.detectable]


def tables(comparison: Comparison) -> list[ColumnTable[Any]]:
    """Returns the table of differences, and that of contrasting matches if there are any."""
    rows = list(map(_row, comparison.differences))
    if (gain := comparison.gain) is not None:  # in the last row, without a p value
        value = forms.with_interval(gain.value, gain.low, gain.high, none=forms.TOO_FEW)
        rows.append(["radar_area", value, f"({gain.clusters})", None, None])
    contrasts = []
    for difference in comparison.differences:
        contrasts += [(_name(difference), matches) for matches in difference.apart]
    made: list[ColumnTable[Any]] = [listed(DIFFERENCE, rows)]
    return [*made, ColumnTable(CONTRAST, contrasts)] if contrasts else made


def notes(comparisons: Sequence[Comparison]) -> list[str]:
    """Returns the notes that explain the numbers of a family."""
    first = comparisons[0]
    differences = list(_differences(comparisons))
    compared = {difference.game for difference in differences}
    units = {unit for game, unit in first.clusters.items() if {game, None} & compared}
    alike = "setting, condition and role"
    if first.agent is not None:
        few = bool(units - {"setting"})  # else all matches of a setting are paired
        alike = "setting, seed and role" if few and first.seeded else "setting and role"
    lines = [
        f"A - B: mean difference over n pairs of the same {alike} (in brackets: clusters, by"
        f" {' or '.join(sorted(units))}, where they are fewer), with a 95 % interval by t and"
        f" cluster-robust errors. {NO_INTERVAL}",
        "p: two-sided, by sign flips of whole clusters, corrected for a family of"
        f" {first.family} by {CORRECTIONS[first.correction]}. Detectable: the difference that"
        f" would be significant with power 0.8 at this n and spread, at level {ALPHA} /"
        f" {first.family}.",
    ]
    if (gain := first.gain) is not None:
        lines.append(
            f"radar_area: the difference in radar area, {forms.number(gain.one)} for A and"
            f" {forms.number(gain.other)} for B, each over all matches of the agent. It is not"
            " part of the family."
        )
    elif first.missing:
        lines.append(f"No difference in radar area: no pairs for {', '.join(first.missing)}.")
    if any(difference.too_small for difference in differences):
        lines.append(
            "n too small: in brackets the clusters that differ, and how many must so that a p value"
            " can reach that level."
        )
    if units - {"setting"}:
        lines.append("Where clusters are no settings, the result holds for these settings only.")
    faults = dict.fromkeys(chain.from_iterable(each.faults for each in comparisons))
    return lines + faults_notes(faults)


def _differences(comparisons: Sequence[Comparison]) -> Iterator[Difference]:
    for comparison in comparisons:
        yield from comparison.differences


def comparison_report(comparisons: Sequence[Comparison]) -> Report:
    """Returns the report of a family of comparisons; its records are the differences, then gains.

    Contrasting matches are named where two sides alone are compared.
    """
    fields = ["one", "other", "agent", *DIFFERENCE_FIELDS, "correction", "match", "other_match"]
    records = list(chain.from_iterable(map(_records, comparisons)))
    shown, body = _family_table(comparisons), {"comparisons": list(map(asdict, comparisons))}
    single, lines = len(comparisons) == 1, notes(comparisons)
    if single:
        shown, body = tables(comparisons[0]), asdict(comparisons[0])
    return Report(
        fields=fields,
        records=records,
        body=body,
        tables=shown,
        notes=lines,
        caption=_caption(comparisons[0]) if single else "A and B are agents of one tournament.",
        label="tab:comparison",
    )


def _family_table(comparisons: Sequence[Comparison]) -> list[ColumnTable[Any]]:
    rows = []
    for each in comparisons:
        rows += [[each.one, each.other, *_row(difference)] for difference in each.differences]
    return [listed({"A": forms.TEXT, "B": forms.TEXT, **DIFFERENCE}, rows)]


def _caption(comparison: Comparison) -> str:
    agent = f" {comparison.agent} under both" if comparison.agent is not None else ""
    return f"A is {comparison.one}, B is {comparison.other}{agent and f';{agent}'}."


def _records(comparison: Comparison) -> Sequence[Record]:
    sides = {"one": comparison.one, "other": comparison.other, "agent": comparison.agent}
    records: list[Record] = []
    for difference in comparison.differences:
        record = taken(difference, DIFFERENCE_FIELDS)
        record |= sides | {"correction": comparison.correction}
        if difference.apart:
            first = difference.apart[0]
            record |= {"match": first.match, "other_match": first.other_match}
        records.append(record)
    if comparison.gain is not None:
        records.append(asdict(comparison.gain) | sides | {"measure": "radar_area"})
    return records
