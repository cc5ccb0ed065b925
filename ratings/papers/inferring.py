"""Tables of tests and regressions filled from a table of seats, line by line.

A regression has a line for each term that is shown.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from math import log10
from statistics import fmean
from typing import Any, cast

from parlour.games.common import forms
from parlour.games.common.errors import BadInput
from parlour.games.common.tables import Column, ColumnTable
from parlour.ratings.inference import association as associations
from parlour.ratings.inference import randomised
from parlour.ratings.inference.effects import clustered_d, correlation, trimmed_mean
from parlour.ratings.inference.estimate import Estimate, too_few
from parlour.ratings.inference.logit import Regression, indicators, logit
from parlour.ratings.papers import paper
from parlour.ratings.papers.filling import NotMade
from parlour.ratings.papers.seats import SeatTable, Value, agents_without
from parlour.ratings.reports.report import Record, Report
from parlour.ratings.statistics.corrections import correct
from parlour.ratings.statistics.intervals import clustered_wilson

DIGITS = {"percentage points": 2, "rate, %": 1}
"""Decimal digits of a figure, 3 for others."""
CORRECTED = {"holm": "p (Holm)", "bh": "q (Benjamini-Hochberg)", "bonferroni": "p (Bonferroni)"}
NUMBERS = ("value", "low", "high", "p", "corrected")


@dataclass(frozen=True, slots=True)
class EstimateLine:
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

    exhibit: paper.InferenceTable
    lines: Sequence[EstimateLine]
    matches: int

    def report(self) -> Report:
        """The report of the table; a line without a value has the reason in words."""
        exhibit, lines = self.exhibit, self.lines
        details = list(dict.fromkeys(chain.from_iterable(line.details for line in lines)))
        figures = {line.figure for line in lines if line.figure}
        columns: list[Column[EstimateLine]] = [Column("Estimate", lambda line: line.row)]
        if len(figures) > 1:
            columns.append(Column("Figure", lambda line: line.figure))
        one = next(iter(figures)) if len(figures) == 1 else "value"
        interval = " [95 %]" if any(line.low is not None for line in lines) else ""
        columns.append(Column(f"{one[0].upper()}{one[1:]}{interval}", _figure))
        columns.append(Column("p", lambda line: line.p, P_VALUE))
        if exhibit.correction:
            title = CORRECTED[exhibit.correction]
            columns.append(Column(title, lambda line: line.corrected, P_VALUE))
        columns += [Column(name, partial(_detail, name)) for name in details]
        columns.append(Column("n", lambda line: line.n or None, forms.COUNT))
        if any(line.problem or line.note for line in lines):
            columns.append(Column("Remarks", lambda line: line.problem or line.note))
        fields = ["row", "figure", *NUMBERS, *details, "n", "problem", "note"]
        records: list[Record] = []
        for line in lines:
            own = {name: getattr(line, name) for name in ("row", "figure", *NUMBERS)}
            words = {"problem": line.problem, "note": line.note}
            records.append({**own, **words, **line.details, "n": line.n})
        notes = [f"{self.matches} matches."] + [exhibit.note] * bool(exhibit.note)
        title = f"{exhibit.name[0].upper()}{exhibit.name[1:]}: {exhibit.title}"
        return Report(fields, records, records, [ColumnTable(columns, lines)], notes, title)


def _figure(line: EstimateLine) -> str:
    return forms.with_interval(line.value, line.low, line.high, DIGITS.get(line.figure, 3))


P_VALUE = forms.CellForm(lambda p: f"{p:.4f}" if p >= 0.0001 else f"{p:.1e}")


def _detail(title: str, line: EstimateLine) -> object:
    value = line.details.get(title)
    return f"{value:.2f}" if isinstance(value, float) else value


def line_of(
    estimate: Estimate, row: str, figure: str, note: str = "", times: float = 1
) -> EstimateLine:
    """Returns the line of an estimate, whose value and ends are multiplied."""
    ends = (estimate.value, estimate.low, estimate.high)
    value, low, high = (None if end is None else times * end for end in ends)
    notes = "; ".join(filter(None, [estimate.note, note]))
    problem = estimate.problem
    return EstimateLine(
        row, figure, value, low, high, estimate.p, estimate.n, problem=problem, note=notes
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


MeasureOf = Callable[[str, str, int], Mapping[str, float]]
"""From a game, a measure and the matches (0: all, 1 or 2: a half) to its value by agent."""


def infer(
    exhibit: paper.InferenceTable, seats: SeatTable, measure_of: MeasureOf
) -> Inferred | NotMade:
    """Fills one table; it is missing if none of its estimates can be made."""
    chosen = seats.where({"game": exhibit.game})
    if not chosen.rows:
        return NotMade(exhibit, f"no finished match of {exhibit.game}")
    lines = lines_of(exhibit, chosen, measure_of)
    if all(line.value is None for line in lines):
        reasons = dict.fromkeys(line.problem for line in lines)
        return NotMade(exhibit, "; ".join(reasons) or "no match has what it compares")
    return Inferred(exhibit, lines, len({row.match for row in chosen.rows}))


def lines_of(
    table: paper.InferenceTable, seats: SeatTable, measure_of: MeasureOf
) -> list[EstimateLine]:
    """Returns the lines of a table; an estimate that cannot be made has one that says why."""
    chosen = seats.where(table.where)
    lines: list[EstimateLine] = []
    for estimand in table.estimates:
        try:
            if isinstance(estimand, paper.Correlated):
                lines.append(_correlation(estimand, table.game, measure_of))
            else:
                lines += _estimated(estimand, chosen.where(estimand.where))
        except BadInput as error:
            lines.append(EstimateLine(_title(estimand), "", problem=str(error)))
    if table.e_values:
        lines = list(map(_with_e_values, lines))
    return _corrected(lines, table) if table.correction else lines


def _estimated(estimand: paper.Estimand, seats: SeatTable) -> Iterator[EstimateLine]:
    """Yields the lines of an estimate, or of one for each combination of values."""
    for values, own in seats.each(estimand.each):
        group = ", ".join(map(str, values))
        for line in LINES[estimand.kind](estimand, own):
            row = ": ".join(filter(None, [group, line.row]))
            yield replace(line, row=row)


def _title(estimand: paper.Estimand) -> str:
    if isinstance(estimand, paper.Logit):
        shown = [term.title or term.column for term in estimand.terms if not term.fixed]
        return " ".join([estimand.title, *shown]).strip()
    return estimand.title or str(getattr(estimand, "column", ""))


def _association(estimand: paper.Associated, seats: SeatTable) -> Iterator[EstimateLine]:
    whole, note = complete(seats, [estimand.outcome, estimand.column])
    outcomes, levels = whole.column(estimand.outcome), whole.column(estimand.column)
    counts = associations.cross_table(zip(levels, outcomes, strict=True))
    plain = associations.chi_square(counts)
    won = [bool(each) for each in outcomes]
    test, df = associations.equal_rates(won, levels, whole.column(estimand.clusters))
    details: dict[str, float | str] = {"Clusters": whole.unit(estimand.clusters)}
    if plain.chi_square is not None:
        details["χ²"] = plain.chi_square
    if test.value is not None:
        details |= {"F": test.value, "df": ", ".join(map(str, df))}
    problem = test.problem if plain.v is not None else ""
    line = _of_test(plain, estimand.title, "Cramér's V", plain.v, note)
    yield replace(line, p=test.p, details=details, note=problem or note)


def _balance(estimand: paper.Balance, seats: SeatTable) -> Iterator[EstimateLine]:
    whole, note = complete(seats, [estimand.column, estimand.other])
    assigned, covariate = whole.column(estimand.column), whole.column(estimand.other)
    test = randomised.balance(assigned, covariate, whole.column("draw"))
    line = _of_test(test, estimand.title, "Cramér's V", test.v, note)
    statistic = {"χ²": test.chi_square} if test.chi_square is not None else {}
    yield replace(line, details={**statistic, "df": str(test.df)})


def _uniformity(estimand: paper.Uniformity, seats: SeatTable) -> Iterator[EstimateLine]:
    whole, note = complete(seats, [estimand.column])
    of_draw = dict(zip(whole.column("draw"), whole.column(estimand.column), strict=True))
    test = randomised.uniformity(list(of_draw.values()), estimand.levels)
    line = _of_test(test, estimand.title, "χ²", test.chi_square, note)
    yield replace(line, details={"df": str(test.df)})


def _of_test(
    test: associations.Association, row: str, figure: str, value: float | None, note: str
) -> EstimateLine:
    notes = "; ".join(filter(None, [test.note, note]))
    return EstimateLine(row, figure, value, p=test.p, n=test.n, problem=test.problem, note=notes)


def _policy(estimand: paper.Policy, seats: SeatTable) -> Iterator[EstimateLine]:
    whole, note = complete(seats, [estimand.outcome, estimand.column, *estimand.strata])
    assigned = whole.column(estimand.column)
    strata = list(zip(*map(whole.column, estimand.strata), strict=True)) or None
    outcomes = [bool(won) for won in whole.column(estimand.outcome)]
    clusters = whole.column(estimand.clusters)
    effect = randomised.intention_to_treat(outcomes, assigned, estimand.arm, clusters, strata)
    in_arm = sum(level in estimand.arm for level in assigned)
    line = line_of(effect, estimand.title, "percentage points", note, 100)
    yield replace(line, details={"n of the arm": in_arm})


def _differences(estimand: paper.Differences, seats: SeatTable) -> Iterator[EstimateLine]:
    names = [estimand.outcome, estimand.column, estimand.unit, *estimand.block, estimand.clusters]
    whole, _note = complete(seats, names)
    values = whole.column(estimand.column)
    refuse_missing_base(values, estimand.column, estimand.base)
    blocks = map(whole.column, estimand.block)
    units = zip(whole.column(estimand.unit), values, *blocks, strict=True)
    outcomes_of: dict[tuple[Value, ...], list[float]] = defaultdict(list)
    cluster_of: dict[tuple[Value, ...], Value] = {}
    outcomes, clusters = numbers(whole, estimand.outcome), whole.column(estimand.clusters)
    for unit, outcome, cluster in zip(units, outcomes, clusters, strict=True):
        outcomes_of[unit].append(outcome)
        cluster_of[unit] = cluster
    for level in sorted({*values} - {estimand.base}, key=str):
        compared = [unit for unit in outcomes_of if unit[1] in {level, estimand.base}]
        effect = randomised.difference_within(
            [fmean(outcomes_of[unit]) for unit in compared],
            [unit[1] == level for unit in compared],
            [unit[2:] for unit in compared],
            [cluster_of[unit] for unit in compared],
        )
        title = f"{estimand.title or estimand.column} {level} vs {estimand.base}"
        yield line_of(effect, title, "percentage points", times=100)


def _rate(estimand: paper.Rate, seats: SeatTable) -> Iterator[EstimateLine]:
    whole, note = complete(seats, [estimand.outcome])
    sums: dict[Value, tuple[float, int]] = {}
    outcomes = numbers(whole, estimand.outcome)
    for outcome, cluster in zip(outcomes, whole.column(estimand.clusters), strict=True):
        k, n = sums.get(cluster, (0.0, 0))
        sums[cluster] = k + outcome, n + 1
    if not outcomes:
        yield EstimateLine(estimand.title, "rate, %", problem="no seat has it")
        return
    rate = Estimate(fmean(outcomes), n=len(outcomes), note=too_few(len(sums)))
    if interval := clustered_wilson(list(sums.values())):
        rate = replace(rate, low=interval.low, high=interval.high)
    yield line_of(rate, estimand.title, "rate, %", note, 100)


def _effect_size(estimand: paper.EffectSize, seats: SeatTable) -> Iterator[EstimateLine]:
    whole, note = complete(seats, [estimand.outcome, estimand.column])
    first = [bool(each) for each in whole.column(estimand.column)]
    clusters = whole.column(estimand.clusters)
    effect = clustered_d(numbers(whole, estimand.outcome), first, clusters)
    yield line_of(effect, estimand.title, "Cohen's d", note)


def _trimmed(estimand: paper.Trimmed, seats: SeatTable) -> Iterator[EstimateLine]:
    rates = []
    for _cluster, own in seats.each([estimand.clusters]):
        rates.append(fmean(numbers(own, estimand.outcome)))
    mean = trimmed_mean(rates, estimand.share)
    line = line_of(mean, estimand.title, "rate, %", times=100)
    if mean.value is None:
        yield line
        return
    yield replace(line, details={"Less the mean, points": 100 * (mean.value - fmean(rates))})


def _correlation(estimand: paper.Correlated, game: str, measure_of: MeasureOf) -> EstimateLine:
    one = measure_of(game, estimand.one, 1 if estimand.halves else 0)
    other = measure_of(game, estimand.other, 2 if estimand.halves else 0)
    agents = sorted(one.keys() & other.keys())
    values = [one[agent] for agent in agents], [other[agent] for agent in agents]
    estimate = correlation(*values, estimand.method)
    if not estimand.halves:  # both have the chance errors of the same matches
        estimate = replace(estimate, low=None, high=None, p=None)
    return line_of(estimate, estimand.title, "correlation")


def _with_e_values(line: EstimateLine) -> EstimateLine:
    if line.figure != "odds ratio" or not line.value or line.low is None or line.high is None:
        return line
    values = {
        "E-value": associations.e_value(line.value),
        "E-value of the interval": associations.e_value_of_interval(line.low, line.high),
    }
    return replace(line, details={**line.details, **values})


def _corrected(lines: Sequence[EstimateLine], table: paper.InferenceTable) -> list[EstimateLine]:
    """The lines with p values corrected over all that have one."""
    assert table.correction
    of_p = iter(correct([line.p for line in lines if line.p is not None], table.correction))
    return [line if line.p is None else replace(line, corrected=next(of_p)) for line in lines]


def regression_lines(estimand: paper.Logit, seats: SeatTable) -> Iterator[EstimateLine]:
    """Yields a line for each term that is shown, with each kind of errors."""
    names = [estimand.outcome, *(term.column for term in estimand.terms)]
    whole, left_out = complete(seats, names)
    columns: dict[str, list[float]] = {}
    shown: dict[str, str] = {}
    for term in estimand.terms:
        of_term, titles = _columns(term, whole)
        columns |= of_term
        shown |= titles
    outcomes = [bool(won) for won in whole.column(estimand.outcome)]
    for unit in estimand.clusters:
        fitted = logit(outcomes, columns, whole.column(unit) if unit else None)
        clusters = whole.unit(unit) if unit else "none"
        for name, row in shown.items():
            yield _of_term(fitted, name, f"{estimand.title} {row}".strip(), clusters, left_out)


def _of_term(fitted: Regression, name: str, row: str, clusters: str, left_out: str) -> EstimateLine:
    details: dict[str, float | str] = {"Clusters": clusters}
    if fitted.clusters is not None:
        details["Number of clusters"] = fitted.clusters
    line = EstimateLine(row, "odds ratio", n=fitted.n, details=details, problem=fitted.problem)
    if (term := fitted.term(name)) is None:
        return replace(line, note=left_out)
    note = "; ".join(filter(None, [term.note, left_out]))
    return replace(line, value=term.odds_ratio, low=term.low, high=term.high, p=term.p, note=note)


def _columns(
    term: paper.Regressor, seats: SeatTable
) -> tuple[dict[str, list[float]], dict[str, str]]:
    """Returns the columns of a term, and the row of each that is shown."""
    title = term.title or term.column
    if term.base is None and not term.fixed:
        return {title: _scaled(term, numbers(seats, term.column))}, {title: title}
    values = seats.column(term.column)
    if term.fixed:
        columns = indicators(title, values, min(values, key=str)) if values else {}
        return columns, {}
    refuse_missing_base(values, term.column, term.base)
    columns = indicators(title, values, term.base)
    if not columns:
        raise BadInput(term.column, f"is {term.base} everywhere", "nothing compares with it")
    return columns, {name: f"{name} vs {term.base}" for name in columns}


def _scaled(term: paper.Regressor, values: list[float]) -> list[float]:
    if term.scale == "log10":
        if min(values, default=1) <= 0:
            raise BadInput(term.column, "is not above 0 everywhere", "its logarithm is needed")
        values = list(map(log10, values))
    return [value / term.step for value in values]


LINES: Mapping[str, Callable[[Any, SeatTable], Iterator[EstimateLine]]] = {
    "logit": regression_lines,
    "association": _association,
    "balance": _balance,
    "uniformity": _uniformity,
    "policy": _policy,
    "differences": _differences,
    "rate": _rate,
    "cohens_d": _effect_size,
    "trimmed_mean": _trimmed,
}
"""The function that makes the lines of each kind of estimate."""
