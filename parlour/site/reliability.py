"""Section of reliability: would the same agents get the same figures again?"""

from parlour.games.common import forms
from parlour.ratings.inference.estimate import Estimate
from parlour.ratings.measures.formulas import CAPABILITIES
from parlour.ratings.reliability.reliability import FEWEST_AGENTS
from parlour.ratings.reports.leaderboard import column_titles
from parlour.site.boards import heat_class
from parlour.site.figures import (
    Entry,
    Figure,
    PageCell,
    PageTable,
    Section,
    bounds,
    entries,
    lines,
    number,
)
from parlour.site.source import SiteSource


def reliability(source: SiteSource) -> list[Section]:
    """The reliabilities over all games, and how capabilities go together; none of few agents."""
    result = source.reliability
    if result.agents < FEWEST_AGENTS:
        return []
    titles = column_titles()
    rows: list[list[Entry]] = [
        [titles[each.measure], _estimate(each.split_half), _estimate(each.retest)]
        for each in result.measures
        if each.game is None and each.measure in titles
    ]
    measures = Figure(
        "reliabilities",
        "Reliability",
        "Split-half: the correlation over agents of two halves of the matches, stepped up by"
        " Spearman and Brown. Test-retest: that of repetitions. Below: 95 % intervals over agents,"
        " and the number of agents.",
        PageTable(entries("", "Split-half", "Test-retest"), rows),
    )
    figures = [measures]
    known = {(each.one, each.other): each.estimate for each in result.correlations}
    named = {row[0] for row in rows}
    shown = [name for name in CAPABILITIES if titles[name] in named]
    if len(shown) > 1:
        table: list[list[Entry]] = []
        for row in shown:
            pairs = [known.get((row, column)) for column in shown]
            table.append([titles[row], *map(_estimate, pairs)])
        note = "Correlations over agents; luck on common settings is part of them."
        heads = entries("", *(titles[name] for name in shown))
        figures.append(
            Figure(
                "capability-correlations", "Capabilities together", note, PageTable(heads, table)
            )
        )
    return [Section("reliability", "How reliable this is", "Reliability", [], figures)]


def _estimate(estimate: Estimate | None) -> PageCell:
    if estimate is None:
        return PageCell("")
    if estimate.value is None:
        return PageCell(forms.NOTHING, estimate.problem)
    small = lines(bounds(estimate.low, estimate.high), f"n {estimate.n}")
    return PageCell(number(estimate.value), small, style=heat_class(max(0.0, estimate.value)))
