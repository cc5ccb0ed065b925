"""Tables of tests and regressions filled from a table of seats, line by line."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np

from parlour.games.common.errors import BadInput
from parlour.ratings.inference.association import (
    Association,
    chi_square,
    cross_table,
    e_value,
    e_value_of_interval,
)
from parlour.ratings.inference.effects import cohens_d, correlation, trimmed_mean
from parlour.ratings.inference.estimate import Estimate
from parlour.ratings.inference.randomised import (
    block_bootstrap,
    intention_to_treat,
    permutation_p,
    uniformity,
)
from parlour.ratings.papers.filling import Missing
from parlour.ratings.papers.inference_tables import (
    Correlated,
    Differences,
    EffectSize,
    Estimand,
    Independence,
    InferenceTable,
    Logit,
    Policy,
    Resampled,
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
from parlour.ratings.papers.seats import Row, SeatTable, Value
from parlour.ratings.statistics.cluster_table import ratios
from parlour.ratings.statistics.corrections import correct
from parlour.ratings.statistics.intervals import Floats

MeasureOf = Callable[[str, str], Mapping[str, float]]
"""From a game and a measure to its value by agent."""


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
                lines += _estimated(estimand, _chosen(estimand, chosen))
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


def _chosen(estimand: Estimand, seats: SeatTable) -> SeatTable:
    chosen = seats.where(estimand.where)
    if not estimand.once_each:
        return chosen
    first: dict[object, Row] = {}
    columns = zip(*map(chosen.column, estimand.once_each), strict=True)
    for row, values in zip(chosen.rows, columns, strict=True):
        first.setdefault(row.match if None in values else values, row)
    return SeatTable(list(first.values()), chosen.meta)


def _title(estimand: Estimand) -> str:
    if isinstance(estimand, Logit):
        shown = [term.title or term.column for term in estimand.terms if not term.fixed]
        return " ".join([estimand.title, *shown]).strip()
    return estimand.title or str(getattr(estimand, "column", ""))


def _independence(estimand: Independence, seats: SeatTable) -> Iterator[Line]:
    whole, note = complete(seats, [estimand.one, estimand.other])
    pairs = zip(whole.column(estimand.one), whole.column(estimand.other), strict=True)
    test = chi_square(cross_table(pairs).counts)
    statistic = {"χ²": test.chi_square} if test.chi_square is not None else {}
    line = _of_test(test, estimand.title, "Cramér's V", test.v, note)
    yield replace(line, details={**statistic, "df": test.df})


def _uniformity(estimand: Uniformity, seats: SeatTable) -> Iterator[Line]:
    whole, note = complete(seats, [estimand.column])
    test = uniformity(whole.column(estimand.column), estimand.levels)
    line = _of_test(test, estimand.title, "χ²", test.chi_square, note)
    yield replace(line, details={"df": test.df})


def _of_test(test: Association, row: str, figure: str, value: float | None, note: str) -> Line:
    notes = "; ".join(filter(None, [test.note, note]))
    return Line(row, figure, value, p=test.p, n=test.n, problem=test.problem, note=notes)


def _policy(estimand: Policy, seats: SeatTable) -> Iterator[Line]:
    whole, note = complete(seats, [estimand.outcome, estimand.column, *estimand.strata])
    assigned = whole.column(estimand.column)
    strata = list(zip(*map(whole.column, estimand.strata), strict=True)) or None
    outcomes = [bool(won) for won in whole.column(estimand.outcome)]
    effect = intention_to_treat(
        outcomes, assigned, estimand.arm, whole.column(estimand.block), strata
    )
    arm = [level in estimand.arm for level in assigned]
    if effect.value is not None and effect.low is None:
        note = "; ".join(filter(None, [note, "too few draws of an order for an interval"]))
    if effect.value is not None and whole.unit(estimand.block) == "seed":
        effect = replace(effect, p=_permuted(outcomes, arm, whole, estimand.block).p)
    line = line_of(effect, estimand.title, "percentage points", note, 100)
    yield replace(line, details={"n of the arm": sum(arm)})


def _levels(
    estimand: Differences | Resampled, seats: SeatTable
) -> Iterator[tuple[str, SeatTable, list[float], list[bool]]]:
    """Yields row, seats, outcomes and arm of each comparison of a level with the base."""
    whole, _note = complete(seats, [estimand.outcome, estimand.column])
    values = whole.column(estimand.column)
    refuse_missing_base(values, estimand.column, estimand.base)
    for level in sorted({*values} - {estimand.base}, key=str):
        pairs = zip(whole.rows, values, strict=True)
        rows = [row for row, value in pairs if value in {level, estimand.base}]
        own = SeatTable(rows, whole.meta)
        arm = [value == level for value in own.column(estimand.column)]
        title = f"{estimand.title or estimand.column} {level} vs {estimand.base}"
        yield title, own, numbers(own, estimand.outcome), arm


def _permuted(
    outcomes: Sequence[float], arm: Sequence[bool], seats: SeatTable, block: str
) -> Estimate:
    """Returns the permutation test of an arm against the others; see ``Differences``."""
    if not block or seats.unit(block) != "seed":
        return permutation_p(outcomes, arm, seats.column(block) if block else [0] * len(arm))
    of_draw: dict[tuple[Value, bool, Value], list[float]] = defaultdict(list)
    for row, own_arm, outcome in zip(seats.rows, arm, outcomes, strict=True):
        of_draw[row.seed, own_arm, row.tier].append(outcome)
    means = list(map(fmean, of_draw.values()))
    arms, tiers = [own for _, own, _ in of_draw], [tier for *_, tier in of_draw]
    return permutation_p(means, arms, tiers)


def _differences(estimand: Differences, seats: SeatTable) -> Iterator[Line]:
    def difference(sums: Floats) -> Floats:
        of_level, of_base = ratios(sums)
        return of_level - of_base

    for row, own, outcomes, arm in _levels(estimand, seats):
        test = _permuted(outcomes, arm, own, estimand.block)
        effect = _bootstrapped(outcomes, arm, own.column(estimand.clusters), difference)
        problem = effect.problem or test.problem
        effect = replace(effect, p=test.p, problem=problem)
        yield line_of(effect, row, "percentage points", times=100)


def _resampled(estimand: Resampled, seats: SeatTable) -> Iterator[Line]:
    def odds_ratio(sums: Floats) -> Floats:
        of_level, of_base = ratios(sums)
        odds, of_others = of_level / (1 - of_level), of_base / (1 - of_base)
        return np.where(odds > 0, odds / of_others, np.nan)

    if not estimand.column:
        outcomes = numbers(seats, estimand.outcome)
        everybody = [True] * len(outcomes)
        rate = _bootstrapped(outcomes, everybody, seats.column(estimand.clusters), _rate)
        yield line_of(rate, estimand.title, "rate, %", times=100)
        return
    for row, own, outcomes, arm in _levels(estimand, seats):
        ratio = _bootstrapped(outcomes, arm, own.column(estimand.clusters), odds_ratio)
        yield line_of(ratio, row, "odds ratio")


def _rate(sums: Floats) -> Floats:
    return ratios(sums)[0]


def _bootstrapped(
    outcomes: Sequence[float],
    arm: Sequence[bool],
    clusters: Sequence[Hashable],
    statistic: Callable[[Floats], Floats],
) -> Estimate:
    """Returns a statistic of the sums (won, played) of the arm and of the others."""
    won, treated = np.asarray(outcomes), np.asarray(arm, dtype=np.float64)
    rows: Floats = np.column_stack([won * treated, treated, won * (1 - treated), 1 - treated])
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(statistic(rows.sum(axis=0, keepdims=True))[0])
        if not np.isfinite(value):
            return Estimate.missing("a cell is empty", len(rows))
        interval = block_bootstrap(list(rows), clusters, statistic)
    if interval is None:
        return Estimate(value, n=len(rows))
    return Estimate(value, interval.low, interval.high, n=len(rows))


def _effect_size(estimand: EffectSize, seats: SeatTable) -> Iterator[Line]:
    whole, note = complete(seats, [estimand.outcome, estimand.column])
    groups: dict[bool, list[float]] = {True: [], False: []}
    pairs = zip(whole.column(estimand.column), numbers(whole, estimand.outcome), strict=True)
    for group, value in pairs:
        groups[bool(group)].append(value)
    yield line_of(cohens_d(groups[True], groups[False]), estimand.title, "Cohen's d", note)


def _trimmed(estimand: Trimmed, seats: SeatTable) -> Iterator[Line]:
    rates = []
    for _cluster, own in seats.each([estimand.clusters]):
        rates.append(float(np.mean(numbers(own, estimand.outcome))))
    mean = trimmed_mean(rates, estimand.share)
    line = line_of(mean, estimand.title, "rate, %", times=100)
    if mean.value is None:
        yield line
        return
    apart = 100 * (mean.value - float(np.mean(rates)))
    yield replace(line, details={"Less the mean, points": apart})


def _correlation(estimand: Correlated, game: str, measure_of: MeasureOf) -> Line:
    one, other = measure_of(game, estimand.one), measure_of(game, estimand.other)
    agents = sorted(one.keys() & other.keys())
    values = [one[agent] for agent in agents], [other[agent] for agent in agents]
    return line_of(correlation(*values, estimand.method), estimand.title, "correlation")


def _with_e_values(line: Line) -> Line:
    if line.figure != "odds ratio" or not line.value or line.low is None or line.high is None:
        return line
    values = {
        "E-value": e_value(line.value),
        "E-value of the interval": e_value_of_interval(line.low, line.high),
    }
    return replace(line, details={**line.details, **values})


def _corrected(lines: Sequence[Line], table: InferenceTable) -> list[Line]:
    """The lines with p values corrected over all that have one."""
    assert table.correction
    of_p = iter(correct([line.p for line in lines if line.p is not None], table.correction))
    return [line if line.p is None else replace(line, corrected=next(of_p)) for line in lines]


LINES: Mapping[str, Callable[[Any, SeatTable], Iterator[Line]]] = {
    "logit": regression_lines,
    "independence": _independence,
    "uniformity": _uniformity,
    "policy": _policy,
    "differences": _differences,
    "bootstrap": _resampled,
    "cohens_d": _effect_size,
    "trimmed_mean": _trimmed,
}
"""The function that makes the lines of each kind of estimate."""
