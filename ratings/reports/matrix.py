"""The head-to-head matrix of all agents, and its report."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import itemgetter

from parlour.games.common import forms
from parlour.games.common.tables import Column, ColumnTable, taken
from parlour.games.engine.registry import games
from parlour.ratings.counting.counts import AgentFaults
from parlour.ratings.reports.faults import faults_notes, faults_of
from parlour.ratings.reports.head_to_head import both_ways
from parlour.ratings.reports.leaderboard import Leaderboard, Meeting
from parlour.ratings.reports.report import Record, Report

FIELDS = ("game", "agent", "other", "wins", "draws", "losses", "n", "share", "low", "high")
SELF = "·"
"""Text of the cell of an agent against itself."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The meetings in one game, or in all of them (game None); best agents first."""

    game: str | None
    agents: tuple[str, ...]
    meetings: dict[tuple[str, str], Meeting]
    faults: Sequence[AgentFaults] = ()

    def of(self, agent: str) -> list[Meeting]:
        """Returns the meetings of one agent, in the order of the others' strength."""
        pairs = [(agent, other) for other in self.agents]
        return [self.meetings[pair] for pair in pairs if pair in self.meetings]

    def all(self) -> list[Meeting]:
        """Returns every meeting, each pair both ways."""
        return list(chain.from_iterable(map(self.of, self.agents)))


def matrix(board: Leaderboard, game: str | None) -> Matrix:
    """Returns the matrix of a game; its agents in the order of the leaderboard."""
    pairs = both_ways(board.meetings, game)
    met = {agent for agent, _ in pairs}
    standings = [each for each in board.standings if each.game == game and each.role is None]
    in_order = tuple(each.agent for each in standings if each.agent in met)
    return Matrix(game, in_order, pairs, faults_of(standings))


def empty_message(game: str | None) -> str:
    """Returns the text that replaces a matrix without meetings."""
    if game is not None and games()[game].scoring.rated == "none":
        return f"{game} has no winners, so agents do not meet in it: see docs/measures.md"
    which = "that has winners" if game is None else f"of {game}"
    return f"No two agents have met in a match {which}."


AGAINST: list[Column[Meeting]] = [
    Column("Against", lambda meeting: meeting.other),
    Column("Share", lambda each: (each.share, *each.ends), forms.interval(none=forms.TOO_FEW)),
    Column("Matches", lambda meeting: meeting.n, forms.COUNT),
    Column("Won-drawn-lost", lambda m: f"{m.wins}-{m.draws}-{m.losses}", forms.COUNT),
]
"""The columns of the meetings of one agent."""
PAIR: list[Column[Meeting]] = [Column("Agent", lambda meeting: meeting.agent), *AGAINST]
"""Those of the narrow table: one row a pair, both ways, with the interval of its share."""


def matrix_table(matrix: Matrix) -> ColumnTable[tuple[int, str]]:
    """Returns the square table: one row and one numbered column an agent."""

    def share(other: str, row: tuple[int, str]) -> str | None:
        """The share won, the number of matches and the interval: ``0.62 (34) [0.45, 0.77]``."""
        if row[1] == other:
            return SELF
        meeting = matrix.meetings.get((row[1], other))
        if meeting is None:
            return None
        value = forms.number(meeting.share, 2)
        shown = forms.with_interval(meeting.share, *meeting.ends, 2, none=forms.TOO_FEW)
        return shown.replace(value, f"{value} ({meeting.n})", 1)

    items = list(enumerate(matrix.agents, start=1))
    columns: list[Column[tuple[int, str]]] = [
        Column("#", itemgetter(0), forms.COUNT),
        Column("Agent", itemgetter(1)),
        *(Column(f"{i} {agent}", partial(share, agent), forms.COUNT) for i, agent in items),
    ]
    return ColumnTable(columns, items, narrow=ColumnTable(PAIR, matrix.all()))


def notes(matrix: Matrix) -> list[str]:
    """Returns the notes below the matrix."""
    which = "all games with winners" if matrix.game is None else matrix.game
    return [
        "Share of matches that the row agent won against the column agent; a draw is half a win."
        f" In brackets: matches, and 95 % intervals by Wilson. Games: {which}."
        " Too few: fewer than five clusters in a game.",
        *faults_notes(matrix.faults),
    ]


def record(meeting: Meeting) -> Record:
    """Returns a meeting with its share and the ends of the share's 95 % interval, by field."""
    low, high = meeting.ends
    return taken(meeting, FIELDS[:-2]) | {"low": low, "high": high}


def matrix_report(matrix: Matrix) -> Report:
    """Returns the report of a matrix; its records are the pairs, both ways."""
    records = [record(meeting) for meeting in matrix.all()]
    return Report(
        fields=FIELDS,
        records=records,
        body={"game": matrix.game, "agents": matrix.agents, "pairs": records},
        tables=[matrix_table(matrix)],
        notes=notes(matrix),
        empty=empty_message(matrix.game),
    )
