"""Lines of tables of tests and regressions, and the columns of seats that they are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import cast

from parlour.games.common import forms
from parlour.games.common.errors import BadInput
from parlour.games.common.tables import Column, Table, taken
from parlour.ratings.inference.estimate import Estimate
from parlour.ratings.papers.inference_tables import InferenceTable
from parlour.ratings.papers.seats import SeatTable, Value, agents_without
from parlour.ratings.reports.report import Record, Report

DIGITS = {"percentage points": 2, "rate, %": 1}
"""Decimal digits of a figure, 3 for others."""
CORRECTED = {"holm": "p (Holm)", "bh": "q (Benjamini-Hochberg)", "bonferroni": "p (Bonferroni)"}
NUMBERS = ("value", "low", "high", "p", "corrected")


@dataclass(frozen=True, slots=True)
class Line:
    """One estimate: ``figure`` says of what kind. ``details`` are further figures, by title.

    ``problem`` says in words why there is no value, ``note`` what limits it.
    """

    row: str
    figure: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int = 0
    corrected: float | None = None
    details: Mapping[str, float | str] = field(default_factory=dict)
    problem: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Inferred:
    """A table of tests and regressions with its lines, and the number of its matches."""

    exhibit: InferenceTable
    lines: Sequence[Line]
    matches: int

    def report(self) -> Report:
        """The report of the table; a line without a value has the reason in words."""
        exhibit, lines = self.exhibit, self.lines
        details = list(dict.fromkeys(chain.from_iterable(line.details for line in lines)))
        figures = {line.figure for line in lines if line.figure}
        columns: list[Column[Line]] = [Column("Estimate", lambda line: line.row)]
        if len(figures) > 1:
            columns.append(Column("Figure", lambda line: line.figure))
        one = next(iter(figures)) if len(figures) == 1 else "value"
        interval = " [95 %]" if any(line.low is not None for line in lines) else ""
        columns.append(Column(f"{one[0].upper()}{one[1:]}{interval}", _value, forms.COUNT))
        columns.append(Column("p", lambda line: line.p, P_VALUE))
        if exhibit.correction:
            title = CORRECTED[exhibit.correction]
            columns.append(Column(title, lambda line: line.corrected, P_VALUE))
        columns += [Column(name, partial(_detail, name)) for name in details]
        columns.append(Column("n", lambda line: line.n or None, forms.COUNT))
        if any(line.problem or line.note for line in lines):
            columns.append(Column("Remarks", lambda line: line.problem or line.note))
        fields = ["row", "figure", *NUMBERS, *details, "n", "problem", "note"]
        records = [_record(line) for line in lines]
        notes = [f"{self.matches} matches."] + [exhibit.note] * bool(exhibit.note)
        title = f"{exhibit.name[0].upper()}{exhibit.name[1:]}: {exhibit.title}"
        return Report(fields, records, records, [Table(columns, lines)], notes, title)


def _record(line: Line) -> Record:
    own = taken(line, ("row", "figure", *NUMBERS, "problem", "note"))
    return {**own, **line.details, "n": line.n}


def _value(line: Line) -> str:
    return forms.with_interval(line.value, line.low, line.high, DIGITS.get(line.figure, 3))


P_VALUE = forms.Form(lambda p: f"{p:.4f}" if p >= 0.0001 else f"{p:.1e}")


def _detail(title: str, line: Line) -> object:
    value = line.details.get(title)
    return f"{value:.2f}" if isinstance(value, float) else value


def line_of(estimate: Estimate, row: str, figure: str, note: str = "", times: float = 1) -> Line:
    """Returns the line of an estimate, whose value and ends are multiplied."""

    def scaled(end: float | None) -> float | None:
        return None if end is None else times * end

    return Line(
        row,
        figure,
        value=scaled(estimate.value),
        low=scaled(estimate.low),
        high=scaled(estimate.high),
        p=estimate.p,
        n=estimate.n,
        problem=estimate.problem,
        note="; ".join(filter(None, [estimate.note, note])),
    )


def complete(seats: SeatTable, names: Sequence[str]) -> tuple[SeatTable, str]:
    """Returns the seats that have values in all of these columns, and a note of who has none."""
    columns = list(map(seats.column, names))
    whole = [None not in values for values in zip(*columns, strict=True)]
    if all(whole):
        return seats, ""
    missing = [name for name, column in zip(names, columns, strict=True) if None in column]
    parts = [f"{name}: {', '.join(agents_without(seats, name))}" for name in missing]
    rows = [row for row, is_whole in zip(seats.rows, whole, strict=True) if is_whole]
    note = f"{len(whole) - len(rows)} seats left out, without {'; '.join(parts)}"
    return SeatTable(rows, seats.meta), note


def numbers(seats: SeatTable, name: str) -> list[float]:
    """Returns a column of numbers. BadInput for anything else."""
    values = seats.column(name)
    for value, row in zip(values, seats.rows, strict=True):
        if not isinstance(value, int | float):
            raise BadInput(name, f"{value!r} of {row.agent} is no number", "write a number")
    return [float(cast("float", value)) for value in values]


def refuse_missing_base(values: Sequence[Value], column: str, base: Value) -> None:
    """Raises BadInput if no seat has the level with which the others are compared."""
    if base not in values:
        raise BadInput(column, f"nothing has {base}", "the others would be compared with it")
