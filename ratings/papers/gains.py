"""The gains of agents that analyse the game over the same agents that do not."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from statistics import fmean

from parlour.games.common import forms
from parlour.games.common.tables import Column, Table, taken
from parlour.ratings.comparison.comparison import Comparison, Difference
from parlour.ratings.measures.formulas import CAPABILITIES
from parlour.ratings.papers.filling import Cell, Filled
from parlour.ratings.reports.report import Record, Report

FIELDS = ("one", "other", "measure", "value", "low", "high", "pairs", "clusters", "p", "corrected")
AVERAGE, IMPROVEMENT = "Average", "Average improvement"
NOTE = (
    "Differences in percentage points over the pairs of matches on one setting and seat, with 95 %"
    " intervals; p of a sign-flip test, corrected by Holm over the measures of a pair of agents"
    " (the paper has t-tests). Radar area: the gain in percent of the area without analysis."
)


def with_improvement(filled: Filled, pairs: Sequence[tuple[str, str]]) -> Filled:
    """Returns the rows of pairs of agents, then the mean difference in each column."""
    rows = filled.of_rows([*dict.fromkeys(chain.from_iterable(pairs))])
    value_of = {(cell.row, cell.column): cell.value for cell in rows.cells}
    average = []
    for column in filled.columns:
        gains = []
        for pair in pairs:
            one, other = (value_of.get((agent, column)) for agent in pair)
            if one is not None and other is not None:
                gains.append(one - other)
        value = fmean(gains) if gains else None
        average.append(Cell(IMPROVEMENT, column, filled.exhibit.show, value, len(gains)))
    return replace(rows, cells=[*rows.cells, *average])


def gains_report(title: str, comparisons: Sequence[Comparison]) -> Report:
    """The report of pairs of agents: ``one`` analyses the game, ``other`` is the same without."""

    def ability(measure: str) -> Column[Comparison | None]:
        def text(pair: Comparison | None) -> str | None:
            if pair is None:
                values = [d.value for each in comparisons if (d := _of(each, measure)) is not None]
                return forms.number(100 * fmean(values), 1) if values else None
            return _text(_of(pair, measure))

        return Column(measure.replace("_", " ").capitalize(), text, forms.COUNT)

    def area(pair: Comparison | None) -> str | None:
        shares = [_share(each) for each in (comparisons if pair is None else [pair])]
        known = [share for share in shares if share is not None]
        return f"{100 * fmean(known):+.1f} %" if known else None

    columns: list[Column[Comparison | None]] = [
        Column("Agent", lambda pair: AVERAGE if pair is None else pair.one),
        Column("Without", lambda pair: "" if pair is None else pair.other),
        *map(ability, CAPABILITIES),
        Column("Radar area", area, forms.COUNT),
    ]
    records: list[Record] = []
    for pair in comparisons:
        records += [_record(pair, each) for each in pair.differences]
    shown = Table(columns, [*comparisons, None])
    return Report(FIELDS, records, records, [shown], [NOTE], title)


def _of(pair: Comparison, measure: str) -> Difference | None:
    """The difference of a pair in a capability; None where it has none."""
    return next((each for each in pair.differences if each.measure == measure), None)


def _text(difference: Difference | None) -> str | None:
    if difference is None:
        return None
    low, high = (None if e is None else 100 * e for e in (difference.low, difference.high))
    value = forms.with_interval(100 * difference.value, low, high, 1)
    p = "n too small" if difference.too_small else f"p {difference.corrected:.3f}"
    return f"{value}, n {difference.pairs}, {p}"


def _share(pair: Comparison) -> float | None:
    """The gain in radar area as a share of the area without analysis."""
    return pair.gain.value / pair.gain.other if pair.gain is not None and pair.gain.other else None


def _record(pair: Comparison, difference: Difference) -> Record:
    own = taken(difference, FIELDS[3:])
    game = f", {difference.game}" if difference.game else ""
    return {"one": pair.one, "other": pair.other, "measure": difference.measure + game, **own}
