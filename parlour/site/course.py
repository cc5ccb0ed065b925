"""Figures of what changes: strength over the matches, and cooperation over the rounds."""

from parlour.games.common import forms
from parlour.site.charts import LINES, SHARES, CourseLine, lines, scale_of
from parlour.site.figures import (
    Chart,
    Entry,
    Figure,
    PageCell,
    PageTable,
    Section,
    bounds,
    count,
    number,
    signed,
)
from parlour.site.source import SiteSource

ROWS = 12
"""The most rows of the table behind a race."""
SIZE = (560.0, 240.0)


def race(source: SiteSource) -> Section:
    """TrueSkill over the matches in the order in which they were over."""
    chart = source.races.get(None)
    if chart is None or not chart.points:
        words = ["A line begins with the third match that rates an agent, and there is none yet."]
        return Section("race", "Strength over matches", "Over matches", words, [])
    agents = sorted(chart.above, key=lambda agent: -(chart.above[agent][-1] or 0.0))
    courses = [
        CourseLine(source.cast[agent], list(zip(chart.points, chart.above[agent], strict=True)))
        for agent in agents
    ]
    values: list[float | None] = []
    for agent in agents:
        values += chart.above[agent]
    body = lines(courses, scale_of(values), "matches that were over")
    ends = ", ".join(f"{source.cast[each].name} {signed(chart.above[each][-1] or 0.0)}"
                     for each in agents)  # fmt: skip
    picture = Chart("Strength over matches", f"At the end: {ends}.", *LINES, body, 560)
    last = len(chart.points) - 1
    steps = sorted({last * step // (ROWS - 1) for step in range(ROWS)})
    rows: list[list[Entry]] = []
    for index in steps:
        shown = [chart.above[agent][index] for agent in agents]
        rows.append([count(chart.points[index]), *(
            forms.NOTHING if value is None else signed(value) for value in shown)])  # fmt: skip
    rows.append(["σ now", *(number(chart.sigma.get(agent)) for agent in agents)])
    rows.append(["n", *(count(chart.matches.get(agent, 0)) for agent in agents)])
    table = PageTable(["Matches", *(PageCell(person=source.cast[agent]) for agent in agents)], rows)
    note = (
        "TrueSkill's μ less the mean of the field. The order of matches matters here, unlike in the"
        " leaderboard; σ is the uncertainty of μ at the end, so that about 95 % lie within ±1.96 σ."
    )
    figure = Figure("race-overall", "Strength over matches", note, table, (picture,))
    return Section("race", "Strength over matches", "Over matches", [], [figure])


def cooperation(source: SiteSource, game: str) -> list[Figure]:
    """The share of cooperation by round; no figure for a game without such decisions."""
    if game not in source.rounds.games():
        return []
    courses, rows = [], []
    for agent in source.rounds.agents(game):
        who = source.cast[agent]
        points, intervals = [], []
        for first, end, k, n, interval in source.rounds.course(game, agent):
            _, low, high = interval or (None, k / n, k / n)
            points.append(((first + end) / 2, k / n))
            intervals.append((low, high))
            words = str(first) if first == end else f"{first}–{end}"
            row: list[Entry] = [PageCell(person=who), words, f"{100 * k / n:.0f} %"]
            ends = bounds(low if interval else None, high)
            rows.append([*row, ends, f"{count(k)}/{count(n)}"])
        courses.append(CourseLine(who, points, intervals))
    unit = source.rounds.unit(game)
    body = lines(courses, SHARES, unit, size=SIZE, percent=True)
    words = f"Share of decisions to cooperate by {unit}; the table has every number."
    picture = Chart("Cooperation", words, *SIZE, body, 420)
    table = PageTable(("Agent", unit.capitalize(), "Cooperates", "95 % interval", "k/n"), rows, 2)
    note = (
        "Share of decisions to cooperate, with 95 % intervals (Wilson, by match). Fallbacks are"
        " left out; an amount counts as help from one half on."
    )
    return [Figure("cooperation", f"Cooperation over the {unit}s", note, table, (picture,))]
