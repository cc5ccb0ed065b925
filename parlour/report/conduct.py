"""Section of conduct: faults, repairs, calls, tokens and money."""

from parlour.ratings.reports import cells
from parlour.report.charts import Scale, axis_cell, interval_cell
from parlour.report.figures import (
    Cell,
    Entry,
    Figure,
    Section,
    Table,
    bounds,
    count,
    entries,
    lines,
    number,
    percent,
)
from parlour.report.source import Source
from parlour.tournament.reports.conduct import NOTES, Conduct


def conduct(source: Source) -> Section:
    """The fault rates with intervals, then calls and money."""
    figures = [_faults(source)]
    words = [NOTES[0]]
    if any(each.calls or each.cached for each in source.conducts):
        figures.append(_money(source))
        words.append(NOTES[1])
    else:
        words.append("No agent called a model, so there are no tokens and no money to report.")
    return Section("conduct", "Conduct, faults and money", "Conduct", words, figures)


def _faults(source: Source) -> Figure:
    highest = max((each.interval.high for each in source.conducts if each.interval), default=1.0)
    scale = Scale(0.0, min(1.0, max(0.05, highest)))
    rows: list[list[Entry]] = []
    for each in source.conducts:
        who = source.cast[each.agent]
        low, high = (each.interval.low, each.interval.high) if each.interval else (None, None)
        picture = interval_cell(scale, each.fault_rate, low, high, who.colour)
        rate = Cell(cells.NOTHING)
        if each.fault_rate is not None:
            rate = Cell(
                f"{100 * each.fault_rate:.1f} %", lines(bounds(low, high, 3), _counts(each))
            )
        kinds = ", ".join(f"{kind} {number_of}" for kind, number_of in each.faults.items())
        row: list[Entry] = [Cell(person=who), Cell(picture=picture, style="forest"), rate]
        rows.append([*row, kinds or cells.NOTHING, count(each.repaired), count(each.repairs)])
    head = Cell("Fault rate", picture=axis_cell(scale, plain=True), style="forest")
    titles = entries("Agent", head, "Fault rate", "Of which", "Repaired", "Repairs")
    note = "Answers that stayed invalid after the repairs, of all answers due."
    return Figure("faults", "Faults", note, Table(titles, rows))


def _counts(each: Conduct) -> str:
    return f"{count(each.faulty)}/{count(each.answers)}"


def _money(source: Source) -> Figure:
    rows: list[list[Entry]] = []
    for each in source.conducts:
        if not each.calls and not each.cached:
            continue
        median, tail = each.latency or (None, None)
        dollars = f"{each.dollars:,.4f}" + ("+" if each.unpriced else "")
        price = number(1000 * each.dollars / each.answers, 2) if each.answers else cells.NOTHING
        share = percent(each.retries / each.calls) if each.calls else cells.NOTHING
        rows.append([
            Cell(person=source.cast[each.agent]),
            *(count(each.calls), count(each.cached), Cell(count(each.retries), share)),
            *(count(each.refused), count(each.prompt_tokens), count(each.completion_tokens)),
            *(Cell(dollars, f"{price} a thousand answers"), number(median), number(tail)),
        ])  # fmt: skip
    spent, budget = source.spent, source.options.budget
    total = f"In all {spent.calls:,} calls for ${spent.dollars:,.4f}"
    note = total + (f" of a budget of ${budget:,.2f}." if budget is not None else ".")
    titles = ["Agent", "Calls", "Cached", "Retries", "Refusals", "Tokens in", "Tokens out",
              "Dollars", "Median s", "95 % s"]  # fmt: skip
    return Figure("money", "Calls and money", note, Table(titles, rows))
