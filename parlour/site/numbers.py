"""The pages of all numbers: tables with intervals and n, files of data, and how they are made."""

from collections.abc import Callable, Iterator
from functools import partial

from parlour.games.common import forms
from parlour.games.common.tables import Column
from parlour.games.engine.transcript import counted
from parlour.ratings.adaptive.until import DecidedPlace
from parlour.ratings.counting.ties import KINDS, Kind
from parlour.ratings.inference.estimate import Estimate
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.reliability.reliability import FEWEST_AGENTS
from parlour.ratings.reports import cells
from parlour.ratings.reports.decided_ranks import decided_note
from parlour.ratings.reports.history_report import network_report
from parlour.ratings.reports.leaderboard import By, column_titles
from parlour.ratings.reports.leaderboard_report import leaderboard_report
from parlour.ratings.reports.matrix import matrix, matrix_report
from parlour.ratings.reports.measures_report import measures_report
from parlour.ratings.reports.never_met import never_met_sentences
from parlour.ratings.reports.report import Report
from parlour.ratings.reports.writers import as_csv, as_json
from parlour.site.boards import heat_class
from parlour.site.charts import LINES, SHARES, AxisScale, CourseLine, scale_of
from parlour.site.charts import lines as lines_chart
from parlour.site.figures import (
    FOREST,
    PERSON,
    Chart,
    Entry,
    Figure,
    PageCell,
    PageTable,
    Section,
    bounds,
    by_agent,
    count,
    entries,
    lines,
    number,
    of_measure,
    signed,
    table_of,
)
from parlour.site.forests import forest_cell, forest_head, measured, overall
from parlour.site.frame import PageFrame, render
from parlour.site.methods import methods
from parlour.site.repeat import stored_text
from parlour.site.source import SiteSource
from parlour.tournament.reports.conduct import CALLS, NOTES, Conduct, conduct_report

FILES = {
    "standings": "ranks, strengths and measures of each agent over all games",
    "by-game": "the same in each game",
    "by-role": "the same in each role",
    "head-to-head": "matches won, drawn and lost by each pair",
    "measures": "every measure by game, role and condition, with its interval and n",
    "accused": "who accuses whom, of the ballots both sat at",
    "helped": "who helps whom, of their meetings",
    "conduct": "faults, repairs, calls, tokens and money of each agent",
}
"""Each table that is a CSV and a JSON file, and its content."""


def data_page(source: SiteSource, frame: PageFrame) -> bytes:
    """The page of all tables."""
    sections = [
        overall(source),
        *decided(source),
        capabilities(source),
        *reliability(source),
        race(source),
        conduct(source),
    ]
    files = list(FILES.items())
    return render("data.html.j2", frame, "data/", "", "All tables", sections=sections, files=files)


def method_page(source: SiteSource, frame: PageFrame) -> bytes:
    """The page of methods, provenance, and the way to repeat the tournament."""
    remarks = [(each.level, f"{each.sentence}.") for each in source.remarks]
    remarks += [("note", sentence) for sentence in state_sentences(source)]
    return render(
        "method.html.j2",
        frame,
        "method/",
        "",
        "How every number is made",
        section=methods(source),
        remarks=remarks,
        save=source.path.name,
    )


def state_sentences(source: SiteSource) -> list[str]:
    """Sentences about what is not as usual in a save."""
    sentences = []
    if source.count.frozen:
        sentences.append(f"{counted(source.count.frozen, 'match')} could not be replayed.")
    if source.tournament.other_versions():
        sentences.append(f"Versions of games: {source.tournament.other_versions()}.")
    return sentences + never_met_sentences(source.board.never_met)


def data_files(source: SiteSource) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Yields the address of each file of data with its maker."""
    kinds: dict[str, By] = {"standings": "overall", "by-game": "game", "by-role": "role"}
    reports: dict[str, Callable[[], Report]] = {
        name: partial(leaderboard_report, source.board, by) for name, by in kinds.items()
    }
    reports["head-to-head"] = lambda: matrix_report(matrix(source.board, None))
    reports["measures"] = lambda: measures_report(source.rows)
    for kind in KINDS:
        reports[kind] = partial(_ties, source, kind)
    reports["conduct"] = lambda: conduct_report(source.conducts)
    for name, report in reports.items():
        for ending, write in (("csv", as_csv), ("json", as_json)):
            yield f"data/{name}.{ending}", partial(_written, write, report)
    yield "data/tournament.json", lambda: stored_text(source.tournament).encode()


def _ties(source: SiteSource, kind: Kind) -> Report:
    return network_report(source.networks[kind], kind)


def _written(write: Callable[[Report], str], report: Callable[[], Report]) -> bytes:
    return write(report()).encode()


# --- Sections of the page of all tables besides the standings


def decided(source: SiteSource) -> list[Section]:
    """The ranks and scores that hold at all times; no section for another schedule."""
    ranks = source.decided
    if ranks is None:
        return []
    cast = source.cast

    def interval(place: DecidedPlace) -> PageCell:
        return forest_cell(SHARES, place.score, place.low, place.high, cast[place.agent])

    columns: list[Column[DecidedPlace]] = [
        Column("Rank", lambda place: place, cells.RANK),
        Column("Agent", lambda place: place.agent, PERSON),
        Column(FOREST, interval),
        Column("Score", _score),
    ]
    figure = Figure(
        "decided-ranks",
        "Decided ranks",
        "Dots are mean scores against all others, lines the intervals that hold at all times. An"
        " agent that shares its rank with others is not decided against them. Below each score:"
        " its interval and its n, the rounds in which the agent met everybody.",
        table_of(columns, ranks.places, cast, 2, forest_head("Score", SHARES)),
    )
    words = [
        "The schedule was adaptive: it chose matches by outcomes, so ranks are read from here."
        " Strengths and win rates describe what was played.",
        decided_note(ranks),
    ]
    return [Section("decided", "Decided ranks", "Decided", words, [figure])]


def _score(place: DecidedPlace) -> PageCell:
    small = f"{bounds(place.low, place.high)}\nn {count(place.rounds)}"
    return PageCell(number(place.score), small)


def capabilities(source: SiteSource) -> Section:
    """The seven capabilities over all games as a heat table."""
    known = {each.agent: each.measures for each in source.board.by("overall")}
    present = measured(source.board.by("overall"))
    names = [name for name in (*CAPABILITIES, "radar_area") if name in present]
    if not names:
        words = ["The capabilities are those of the MAGIC paper; none of its games was played."]
        return Section("capabilities", "Seven capabilities", "Capabilities", words, [])

    def entry(agent: str, name: str) -> Entry:
        cell = known[agent].get(name)
        share = cell is not None and name in CAPABILITIES
        return of_measure(cell, style=heat_class(cell.value) if cell and share else "")

    heads: dict[str, Entry] = {name: column_titles()[name] for name in names}
    heat = Figure(
        "heat",
        "Capabilities",
        "Each from 0 to 1, the more the darker. Below each value: its 95 % interval, and k/n or n.",
        by_agent(source.cast, list(known), heads, entry),
    )
    words = [source.board.definitions]
    return Section("capabilities", "Seven capabilities", "Capabilities", words, [heat])


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


# --- What changes

ROWS = 12
"""The most rows of the table behind a race."""


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
    body = lines_chart(courses, scale_of(values), "matches that were over")
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


# --- Conduct


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
