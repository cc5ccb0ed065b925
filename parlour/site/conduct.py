"""Section of conduct: faults, repairs, calls, tokens and money."""

from parlour.games.common import forms
from parlour.games.common.tables import Column
from parlour.site.charts import AxisScale
from parlour.site.figures import (
    FOREST,
    PERSON,
    Figure,
    PageCell,
    Section,
    bounds,
    count,
    lines,
    number,
    table_of,
)
from parlour.site.forests import forest_cell, forest_head
from parlour.site.source import SiteSource
from parlour.tournament.reports.conduct import CALLS, NOTES, Conduct


def conduct(source: SiteSource) -> Section:
    """The fault rates with intervals, then calls and money."""
    figures = [_faults(source)]
    words = [NOTES[0]]
    if any(each.calls or each.cached for each in source.conducts):
        figures.append(_money(source))
        words.append(NOTES[1])
    else:
        words.append("No agent called a model, so there are no tokens and no money to report.")
    return Section("conduct", "Conduct, faults and money", "Conduct", words, figures)


def _faults(source: SiteSource) -> Figure:
    highest = max((each.interval.high for each in source.conducts if each.interval), default=1.0)
    scale = AxisScale(0.0, min(1.0, max(0.05, highest)))

    def interval(each: Conduct) -> PageCell:
        low, high = (each.interval.low, each.interval.high) if each.interval else (None, None)
        return forest_cell(scale, each.fault_rate, low, high, source.cast[each.agent])

    columns: list[Column[Conduct]] = [
        AGENT,
        Column(FOREST, interval),
        Column("Fault rate", _rate),
        Column("Of which", lambda each: forms.by_kind(each.faults)),
        Column("Repaired", lambda each: each.repaired, forms.COUNT),
        Column("Repairs", lambda each: each.repairs, forms.COUNT),
    ]
    head = forest_head("Fault rate", scale)
    note = "Answers that stayed invalid after the repairs, of all answers due."
    table = table_of(columns, source.conducts, source.cast, forest=head)
    return Figure("faults", "Faults", note, table)


AGENT: Column[Conduct] = Column("Agent", lambda each: each.agent, PERSON)


def _rate(each: Conduct) -> PageCell:
    if each.fault_rate is None:
        return PageCell(forms.NOTHING)
    low, high = (each.interval.low, each.interval.high) if each.interval else (None, None)
    counts = f"{count(each.faulty)}/{count(each.answers)}"
    return PageCell(forms.percent(each.fault_rate, 1), lines(bounds(low, high, 3), counts))


def _retries(each: Conduct) -> PageCell:
    share = each.retries / each.calls if each.calls else None
    return PageCell(count(each.retries), forms.percent(share))


def _dollars(each: Conduct) -> PageCell:
    price = number(1000 * each.dollars / each.answers if each.answers else None)
    dollars = f"{each.dollars:,.4f}" + ("+" if each.unpriced else "")
    return PageCell(dollars, f"{price} a thousand answers")


MONEY: list[Column[Conduct]] = [
    AGENT,
    *CALLS[:2],
    Column("Retries", _retries),
    *CALLS[3:5],
    Column("Tokens out", CALLS[5].value, CALLS[5].form),
    Column("Dollars", _dollars),
    *CALLS[-2:],
]


def _money(source: SiteSource) -> Figure:
    called = [each for each in source.conducts if each.calls or each.cached]
    spent, budget = source.spent, source.options.budget
    total = f"In all {spent.calls:,} calls for ${spent.dollars:,.4f}"
    note = total + (f" of a budget of ${budget:,.2f}." if budget is not None else ".")
    return Figure("money", "Calls and money", note, table_of(MONEY, called, source.cast))
