"""Comparing two agents of a save: the table, in every form that it has."""

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Literal

from parlour.cli.console_tables import console, print_table
from parlour.cli.read import write
from parlour.cli.safe_print import print
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.ratings.comparison.comparison import ALPHA, Comparison, Correction, Difference, compare
from parlour.ratings.comparison.pairing import paired_counters
from parlour.ratings.reports.formats import csv_table, in_markdown, markdown_table
from parlour.ratings.reports.report import NOTHING, number, with_interval
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import raise_if_damaged

Format = Literal["table", "json", "csv", "md"]
NAMES: dict[Correction, str] = {
    "holm": "Holm",
    "bh": "Benjamini and Hochberg",
    "bonferroni": "Bonferroni",
}


def compare_agents(
    path: Path,
    one: str,
    other: str,
    measures: Sequence[str],
    correction: Correction,
    format: Format,
    out: Path | None,
) -> int:
    """How two agents differ in what both did; BadInput if there is nothing of the kind."""
    known = paired_counters()
    unknown = [measure for measure in measures if measure not in known]
    if unknown:
        fix = suggestion(unknown[0], known)
        raise BadInput("--measure", f"{unknown[0]!r} cannot be compared", fix)
    with Save(path) as save, raise_if_damaged(save):
        names = [agent.name for agent in save.tournament.agents]
        for name in (one, other):
            if name not in names:
                fix = f"the save has {', '.join(names)}"
                raise BadInput(str(path), f"there is no agent {name!r}", fix)
        if one == other:
            raise BadInput(str(path), f"{one!r} is one agent", "name two to compare")
        found = compare(save.records(), one, other, [*dict.fromkeys(measures)], correction)
    if not found.differences:
        problem = f"{one!r} and {other!r} have nothing that was measured in the same place"
        fix = "only counted seats of finished matches are: see `parlour plan` and docs/measures.md"
        raise BadInput(str(path), problem, fix)
    if format == "table" and out is None:
        print(_headline(found))
        print_table(TITLES, _rows(found), right=[1, 2, 3, 4])
        print_table(TITLES_APART, _rows_apart(found), right=[2, 3, 4, 5])
        for note in _notes(found):
            console().print(note, markup=False)
        return 0
    forms = {"json": _as_json, "csv": _as_csv}
    write(forms.get(format, _as_markdown)(found), out)
    return 0


def _name(difference: Difference) -> str:
    return ", ".join(filter(None, (difference.measure, difference.game)))


def _headline(found: Comparison) -> str:
    return f"A is {found.one}, B is {found.other}."


TITLES = ("Measure", "A - B", "n", "p", "Detectable")


def _rows(found: Comparison) -> list[list[str]]:
    return [
        [
            _name(each),
            with_interval(each.value, each.low, each.high),
            str(each.pairs) + (f" ({each.clusters})" if each.clusters != each.pairs else ""),
            "n too small" if each.too_small else f"{each.corrected:.4f}",
            number(each.detectable),
        ]
        for each in found.differences
    ] + _rows_of_gain(found)


def _rows_of_gain(found: Comparison) -> list[list[str]]:
    """The gain in radar area, a row below the differences; it has no p value."""
    gain = found.gain
    if gain is None:
        return []
    clusters = f"({gain.clusters})"
    shown = with_interval(gain.value, gain.low, gain.high)
    return [["radar_area", shown, clusters, NOTHING, NOTHING]]


TITLES_APART = ("Most apart", "Role or setting", "Match", "A", "Match", "B")


def _rows_apart(found: Comparison) -> list[list[str]]:
    return [
        [
            _name(each),
            apart.role,
            str(apart.match),
            number(apart.value, 2),
            str(apart.other_match),
            number(apart.other_value, 2),
        ]
        for each in found.differences
        for apart in each.apart
    ]


def _notes(found: Comparison) -> list[str]:
    """What a reader must know to trust the numbers."""
    count = len(found.differences)
    clusters = " or ".join(sorted(set(found.clusters.values())))
    notes = [
        f"Mean difference over n pairs, each of the same setting, condition and role (in brackets"
        f" clusters, by {clusters}, where they are fewer), with a 95 % bootstrap interval.",
        f"p: two-sided, by changes of sign of whole clusters, corrected over a family of {count}"
        f" by {NAMES[found.correction]}. Detectable: the difference that would be found four times"
        f" in five at this n and spread, at a level of {ALPHA} / {count}.",
    ]
    if found.gain is not None:
        gain = found.gain
        notes.append(
            f"radar_area: what A gains in the area of the radar chart, {number(gain.one)} less"
            f" {number(gain.other)}, each of the seven capabilities being the mean over their"
            " pairs. It is not one of the family."
        )
    elif found.missing:
        names = ", ".join(found.missing)
        notes.append(f"No gain in radar area: no pair tells of {names}.")
    if any(each.too_small for each in found.differences):
        needed = found.differences[0].needed
        notes.append(
            f"n too small: with fewer than {needed} clusters that differ no p can pass that level."
        )
    if any(each.apart for each in found.differences):
        notes.append("Read a match with `parlour replay SAVE MATCH`.")
    return notes


def _as_markdown(found: Comparison) -> str:
    """Two tables and the notes."""
    parts = [in_markdown(_headline(found)), markdown_table(TITLES, _rows(found))]
    if rows := _rows_apart(found):
        parts.append(markdown_table(TITLES_APART, rows))
    return "\n\n".join([*parts, *_notes(found)]) + "\n"


def _as_json(found: Comparison) -> str:
    return json.dumps(asdict(found), indent=2, allow_nan=False) + "\n"


def _as_csv(found: Comparison) -> str:
    """One line a difference, with the matches of the pair that differs most; then the gain."""
    names = [field.name for field in fields(Difference) if field.name != "apart"]
    rows = []
    for each in found.differences:
        matches = [each.apart[0].match, each.apart[0].other_match] if each.apart else [None] * 2
        cells = [found.one, found.other, *(getattr(each, name) for name in names)]
        cells += [found.correction, *matches]
        rows.append(cells)
    if found.gain is not None:
        own = {"measure": "radar_area", **asdict(found.gain)}
        cells = [found.one, found.other, *(own.get(name) for name in names)]
        rows.append([*cells, None, None, None])
    return csv_table(["one", "other", *names, "correction", "match", "other_match"], rows)
