"""Tables of tests and regressions filled from a table of seats, line by line."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from parlour.games.common.errors import BadInput
from parlour.ratings.inference import association as associations
from parlour.ratings.inference.effects import clustered_d, correlation, trimmed_mean
from parlour.ratings.inference.estimate import Estimate, too_few
from parlour.ratings.inference.randomised import (
    balance,
    difference_within,
    intention_to_treat,
    uniformity,
)
from parlour.ratings.papers.filling import Missing
from parlour.ratings.papers.inference_tables import (
    Association,
    Balance,
    Correlated,
    Differences,
    EffectSize,
    Estimand,
    InferenceTable,
    Logit,
    Policy,
    Rate,
    Trimmed,
    Uniformity,
)
from parlour.ratings.papers.lines import (
    Inferred,
    Line,
    complete,
    line_of,
    numbers,
    refuse_missing_base,
)
from parlour.ratings.papers.regressions import regression_lines
from parlour.ratings.papers.seats import SeatTable, Value
from parlour.ratings.statistics.corrections import correct
from parlour.ratings.statistics.intervals import clustered_wilson

MeasureOf = Callable[[str, str, int], Mapping[str, float]]
"""From a game, a measure and the matches (0: all, 1 or 2: a half) to its value by agent."""


def infer(exhibit: InferenceTable, seats: SeatTable, measure_of: MeasureOf) -> Inferred | Missing:
    """Fills one table; it is missing if none of its estimates can be made."""
    chosen = seats.where({"game": exhibit.game})
    if not chosen.rows:
        return Missing(exhibit, f"no finished match of {exhibit.game}")
    lines = lines_of(exhibit, chosen, measure_of)
    if all(line.value is None for line in lines):
        reasons = dict.fromkeys(line.problem for line in lines)
        return Missing(exhibit, "; ".join(reasons) or "no match has what it compares")
    return Inferred(exhibit, lines, len({row.match for row in chosen.rows}))


def lines_of(table: InferenceTable, seats: SeatTable, measure_of: MeasureOf) -> list[Line]:
    """Returns the lines of a table; an estimate that cannot be made has one that says why."""
    chosen = seats.where(table.where)
    lines: list[Line] = []
    for estimand in table.estimates:
        try:
            if isinstance(estimand, Correlated):
                lines.append(_correlation(estimand, table.game, measure_of))
            else:
                lines += _estimated(estimand, chosen.where(estimand.where))
        except BadInput as error:
            lines.append(Line(_title(estimand), "", problem=str(error)))
    if table.e_values:
        lines = list(map(_with_e_values, lines))
    return _corrected(lines, table) if table.correction else lines


def _estimated(estimand: Estimand, seats: SeatTable) -> Iterator[Line]:
    """Yields the lines of an estimate, or of one for each combination of values."""
    for values, own in seats.each(estimand.each):
        group = ", ".join(map(str, values))
        for line in LINES[estimand.kind](estimand, own):
            row = ": ".join(filter(None, [group, line.row]))
            yield replace(line, row=row)


def _title(estimand: Estimand) -> str:
    if isinstance(estimand, Logit):
        shown = [term.title or term.column for term in estimand.terms if not term.fixed]
        return " ".join([estimand.title, *shown]).strip()
    return estimand.title or str(getattr(estimand, "column", ""))


def _association(estimand: Association, seats: SeatTable) -> Iterator[Line]:
    whole, note = complete(seats, [estimand.outcome, estimand.column])
    outcomes, levels = whole.column(estimand.outcome), whole.column(estimand.column)
    counts = associations.cross_table(zip(levels, outcomes, strict=True)).counts
    plain = associations.chi_square(counts)
    won = [bool(each) for each in outcomes]
    test = associations.equal_rates(won, levels, whole.column(estimand.clusters))
    details: dict[str, float | str] = {"Clusters": whole.unit(estimand.clusters)}
    if plain.chi_square is not None:
        details["χ²"] = plain.chi_square
    if test.f is not None:
        details |= {"F": test.f, "df": ", ".join(map(str, test.df))}
    problem = test.problem if plain.v is not None else ""
    line = _of_test(plain, estimand.title, "Cramér's V", plain.v, note)
    yield replace(line, p=test.p, details=details, note=problem or note)


def _balance(estimand: Balance, seats: SeatTable) -> Iterator[Line]:
    whole, note = complete(seats, [estimand.column, estimand.other])
    assigned, covariate = whole.column(estimand.column), whole.column(estimand.other)
    test = balance(assigned, covariate, whole.column("draw"))
    line = _of_test(test, estimand.title, "Cramér's V", test.v, note)
    statistic = {"χ²": test.chi_square} if test.chi_square is not None else {}
    yield replace(line, details={**statistic, "df": str(test.df)})


def _uniformity(estimand: Uniformity, seats: SeatTable) -> Iterator[Line]:
    whole, note = complete(seats, [estimand.column])
    of_draw = dict(zip(whole.column("draw"), whole.column(estimand.column), strict=True))
    test = uniformity(list(of_draw.values()), estimand.levels)
    line = _of_test(test, estimand.title, "χ²", test.chi_square, note)
    yield replace(line, details={"df": str(test.df)})


def _of_test(
    test: associations.Association, row: str, figure: str, value: float | None, note: str
) -> Line:
    notes = "; ".join(filter(None, [test.note, note]))
    return Line(row, figure, value, p=test.p, n=test.n, problem=test.problem, note=notes)


def _policy(estimand: Policy, seats: SeatTable) -> Iterator[Line]:
    whole, note = complete(seats, [estimand.outcome, estimand.column, *estimand.strata])
    assigned = whole.column(estimand.column)
    strata = list(zip(*map(whole.column, estimand.strata), strict=True)) or None
    outcomes = [bool(won) for won in whole.column(estimand.outcome)]
    clusters = whole.column(estimand.clusters)
    effect = intention_to_treat(outcomes, assigned, estimand.arm, clusters, strata)
    in_arm = sum(level in estimand.arm for level in assigned)
    line = line_of(effect, estimand.title, "percentage points", note, 100)
    yield replace(line, details={"n of the arm": in_arm})


def _differences(estimand: Differences, seats: SeatTable) -> Iterator[Line]:
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
        effect = difference_within(
            [fmean(outcomes_of[unit]) for unit in compared],
            [unit[1] == level for unit in compared],
            [unit[2:] for unit in compared],
            [cluster_of[unit] for unit in compared],
        )
        title = f"{estimand.title or estimand.column} {level} vs {estimand.base}"
        yield line_of(effect, title, "percentage points", times=100)


def _rate(estimand: Rate, seats: SeatTable) -> Iterator[Line]:
    whole, note = complete(seats, [estimand.outcome])
    sums: dict[Value, tuple[float, int]] = {}
    outcomes = numbers(whole, estimand.outcome)
    for outcome, cluster in zip(outcomes, whole.column(estimand.clusters), strict=True):
        k, n = sums.get(cluster, (0.0, 0))
        sums[cluster] = k + outcome, n + 1
    if not outcomes:
        yield Line(estimand.title, "rate, %", problem="no seat has it")
        return
    rate = Estimate(fmean(outcomes), n=len(outcomes), note=too_few(len(sums)))
    if interval := clustered_wilson(list(sums.values())):
        rate = replace(rate, low=interval.low, high=interval.high)
    yield line_of(rate, estimand.title, "rate, %", note, 100)


def _effect_size(estimand: EffectSize, seats: SeatTable) -> Iterator[Line]:
    whole, note = complete(seats, [estimand.outcome, estimand.column])
    first = [bool(each) for each in whole.column(estimand.column)]
    clusters = whole.column(estimand.clusters)
    effect = clustered_d(numbers(whole, estimand.outcome), first, clusters)
    yield line_of(effect, estimand.title, "Cohen's d", note)


def _trimmed(estimand: Trimmed, seats: SeatTable) -> Iterator[Line]:
    rates = []
    for _cluster, own in seats.each([estimand.clusters]):
        rates.append(fmean(numbers(own, estimand.outcome)))
    mean = trimmed_mean(rates, estimand.share)
    line = line_of(mean, estimand.title, "rate, %", times=100)
    if mean.value is None:
        yield line
        return
    yield replace(line, details={"Less the mean, points": 100 * (mean.value - fmean(rates))})


def _correlation(estimand: Correlated, game: str, measure_of: MeasureOf) -> Line:
    one = measure_of(game, estimand.one, 1 if estimand.halves else 0)
    other = measure_of(game, estimand.other, 2 if estimand.halves else 0)
    agents = sorted(one.keys() & other.keys())
    values = [one[agent] for agent in agents], [other[agent] for agent in agents]
    estimate = correlation(*values, estimand.method)
    if not estimand.halves:  # both have the chance errors of the same matches
        estimate = replace(estimate, low=None, high=None, p=None)
    return line_of(estimate, estimand.title, "correlation")


def _with_e_values(line: Line) -> Line:
    if line.figure != "odds ratio" or not line.value or line.low is None or line.high is None:
        return line
    values = {
        "E-value": associations.e_value(line.value),
        "E-value of the interval": associations.e_value_of_interval(line.low, line.high),
    }
    return replace(line, details={**line.details, **values})


def _corrected(lines: Sequence[Line], table: InferenceTable) -> list[Line]:
    """The lines with p values corrected over all that have one."""
    assert table.correction
    of_p = iter(correct([line.p for line in lines if line.p is not None], table.correction))
    return [line if line.p is None else replace(line, corrected=next(of_p)) for line in lines]


LINES: Mapping[str, Callable[[Any, SeatTable], Iterator[Line]]] = {
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
