"""Tables of standings with a forest: overall, and of any game, role or condition."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from parlour.games.common import forms
from parlour.games.common.forms import percent
from parlour.games.common.tables import Column
from parlour.games.engine.transcript import counted
from parlour.ratings.reports.leaderboard import Standing, column_titles
from parlour.ratings.reports.leaderboard_report import (
    MATCHES,
    RANKED,
    STRENGTH,
    copies_sentences,
    faulty_agents,
    matches_in_words,
    of_measure,
)
from parlour.ratings.reports.matrix import SELF, Matrix, matrix
from parlour.site.boards import heat_class
from parlour.site.charts import SHARES, AxisScale, axis_cell, interval_cell, scale_of
from parlour.site.figures import (
    FOREST,
    PERSON,
    Entry,
    Figure,
    PageCell,
    PageTable,
    Section,
    bounds,
    by_agent,
    lines,
    number,
    of_strength,
    table_of,
)
from parlour.site.source import SiteSource
from parlour.tui.look.cast import ShownIdentity
from parlour.tui.models.game_names import game_title

MET_NOBODY = "Nobody met another agent in a match that has winners, so nothing ranks them."


def measured(standings: Sequence[Standing]) -> list[str]:
    """The measures that any of the standings has, in the order of the leaderboard."""
    names = set(chain.from_iterable(standing.measures for standing in standings))
    return [name for name in column_titles() if name in names]


def _ranks(standings: Sequence[Standing]) -> bool:
    """True if any of the standings has a strength."""
    return any(standing.strength for standing in standings)


def _forest_of(standings: Sequence[Standing]) -> tuple[Column[Standing], bool]:
    """The column of estimates of a forest, and True if they are shares.

    These are the strengths, or the first measure where nobody is ranked.
    """
    if _ranks(standings):
        return STRENGTH, False
    names = measured(standings)
    first = next((name for name in names if name not in {"payoff", "welfare"}), None)
    first = first or next(iter(names), "payoff")
    values = [standing.measures.get(first) for standing in standings]
    shares = all(cell is None or (cell.k is not None and 0 <= cell.value <= 1) for cell in values)
    return of_measure(first), shares


def forest_cell(
    scale: AxisScale, value: float | None, low: float | None, high: float | None, who: ShownIdentity
) -> PageCell:
    """The estimate of an agent with the ends of its interval, drawn on a scale."""
    return PageCell(picture=interval_cell(scale, value, low, high, who.colour), style="forest")


def forest_head(title: str, scale: AxisScale, *, plain: bool = True) -> PageCell:
    """The head of a column of intervals; ``plain``: without a plus sign."""
    return PageCell(title, picture=axis_cell(scale, plain=plain), style="forest")


def forest_table(
    source: SiteSource,
    standings: Sequence[Standing],
    names: Sequence[str] | None = None,
    more: Sequence[Column[Standing]] = (),
) -> PageTable:
    """A table with a forest: rank, agent, interval, strength, and the measures that it has.

    ``more`` are columns after the measures.
    """
    shown, shares = _forest_of(standings)
    estimates: list[Any] = list(map(shown.value, standings))
    present = [each for each in estimates if each is not None]
    ends = list(chain.from_iterable((each.low, each.high, each.value) for each in present))
    scale = SHARES if shares else scale_of(ends)
    ranked = _ranks(standings)

    def interval(standing: Standing) -> PageCell:
        one: Any = shown.value(standing)
        if one is None:
            return PageCell(forms.NOTHING, style="forest")
        return forest_cell(scale, one.value, one.low, one.high, source.cast[standing.agent])

    columns: list[Column[Standing]] = [
        *([Column("Rank", RANKED.value, RANKED.form)] if ranked else []),
        Column("Agent", lambda standing: standing.agent, PERSON),
        Column(FOREST, interval),
        *([STRENGTH] if ranked else []),
        *map(of_measure, measured(standings) if names is None else names),
        *more,
        MATCHES,
    ]
    head = forest_head(shown.title, scale, plain=shares)
    return table_of(columns, standings, source.cast, 1 + ranked, head)


def overall(source: SiteSource) -> Section:
    """The leaderboard with a forest, and strength by game."""
    standings = source.board.by("overall")
    names = [name for name in ("win_rate",) if name in measured(standings)]
    table = forest_table(source, standings, names=names, more=[Column("TrueSkill", _rating)])
    board = Figure(
        "leaderboard",
        "Leaderboard",
        "Dots are estimates, lines their 95 % intervals; 0 is the mean agent. An agent that"
        " shares its rank with others is not significantly apart from them. Below each number:"
        " its interval and its n.",
        table,
    )
    words = [] if _ranks(standings) else [MET_NOBODY]
    if len(standings) == 1:
        words = ["There is one agent only, so there is nobody to compare it with."]
    notes = [*words, *_notes(source)]
    figures = [board, *strength_by_game(source)]
    return Section("standings", "Who leads", "Standings", notes, figures)


def _notes(source: SiteSource) -> list[str]:
    """The sentences about intervals and about what is not as usual."""
    board = source.board
    units = " or ".join(sorted(set(board.clusters.values()))) or "observation"
    notes = [
        f"{matches_in_words(board)}. Intervals are at 95 %, clustered by {units}: strength"
        " by t, means by t less their skewness, shares by Wilson.",
        *copies_sentences(board),
    ]
    if board.skipped:
        skipped = counted(board.skipped, "match")
        notes.append(f"{skipped} not rated by TrueSkill: too unlikely for its arithmetic.")
    if faulty := faulty_agents(board):
        names = ", ".join(faulty)
        notes.append(f"Many invalid answers: {names}. Other figures of these agents say little.")
    return notes + [f"{each.sentence}." for each in source.remarks if each.level == "note"]


def _rating(standing: Standing) -> PageCell:
    if standing.mu is None or standing.sigma is None:
        return PageCell(forms.NOTHING)
    return PageCell(number(standing.mu, 1), f"σ {number(standing.sigma, 1)}")


def head_to_head(source: SiteSource) -> list[Figure]:
    """The matrix of the shares that agents won against each other, with intervals."""
    met: Matrix = matrix(source.board, None)
    if not met.agents:
        return []

    def cell(agent: str, other: str) -> Entry:
        meeting = met.meetings.get((agent, other))
        if meeting is None:
            return SELF if agent == other else forms.NOTHING
        record = f"{meeting.wins}-{meeting.draws}-{meeting.losses}"
        small = lines(bounds(*meeting.ends), record)
        return PageCell(percent(meeting.share), small, style=heat_class(meeting.share))

    note = (
        "Share of their meetings that the agent of the row won against that of the column; a draw"
        " is half a win. Below: the 95 % interval, and matches won, drawn and lost."
    )
    titles = {agent: PageCell(person=source.cast[agent]) for agent in met.agents}
    table = by_agent(source.cast, met.agents, titles, cell)
    return [Figure("head-to-head", "Head to head", note, table)]


def strength_by_game(source: SiteSource) -> list[Figure]:
    """Strength in each game as a heat table; none of a single game."""
    known = {(each.agent, each.game): each.strength for each in source.board.by("game")}
    most = max((abs(each.value) for each in known.values() if each), default=0.0) or 1.0

    def cell(agent: str, game: str) -> Entry:
        strength = known.get((agent, game))
        shown = of_strength(strength)
        if strength is None:
            return shown
        step = min(6, int((strength.value / most + 1) / 2 * 7))
        return PageCell(shown.text, shown.small, style=f"d{max(0, step)}")

    ranked = {game for (_, game), strength in known.items() if strength}
    titles: dict[str, Entry] = {game: game_title(game) for game in source.games if game in ranked}
    if len(titles) < 2:
        return []
    note = "Strength in each game from its own matches alone; 0 is the mean agent of the game."
    table = by_agent(source.cast, source.agents, titles, cell)
    return [Figure("strength-by-game", "Strength by game", note, table)]
