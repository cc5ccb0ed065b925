"""The matrix of all agents against all, and its forms."""

import json
from dataclasses import dataclass

from parlour.games.engine.registry import games
from parlour.ratings.reports.formats import csv_table, in_latex, latex_table, markdown_table
from parlour.ratings.reports.head_to_head import Meeting, seen_by_all
from parlour.ratings.reports.leaderboard import Leaderboard
from parlour.ratings.reports.report import NOTHING, number

FIELDS = ("game", "agent", "other", "wins", "draws", "losses", "n", "share", "low", "high")
SELF = "·"
"""What stands where an agent would meet itself."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Who met whom in a game, or in all of them (game None): best agents first."""

    game: str | None
    agents: tuple[str, ...]
    met: dict[tuple[str, str], Meeting]

    def of(self, agent: str) -> list[Meeting]:
        """The meetings of one agent."""
        return [self.met[agent, other] for other in self.agents if (agent, other) in self.met]


def games_met(board: Leaderboard) -> list[str | None]:
    """What a matrix can be of: all games together (None), then each in which anybody met."""
    met = {meeting.game for meeting in board.meetings}
    return [None, *(game for game in sorted(games()) if game in met)]


def matrix(board: Leaderboard, game: str | None) -> Matrix:
    """The matrix of a game; its agents in the order of the leaderboard."""
    met = seen_by_all(board.meetings, game)
    there = {agent for agent, _ in met}
    order = [s.agent for s in board.standings if s.game == game and s.role is None]
    return Matrix(game, tuple(agent for agent in order if agent in there), met)


def nobody(game: str | None) -> str:
    """What to say of a matrix of a game, or of all, in which no two agents have met."""
    if game is not None and games()[game].scoring.rated == "none":
        return f"{game} has no winner, so nobody meets there: see docs/measures.md"
    which = "that has winners" if game is None else f"of {game}"
    return f"No two agents have met in a match {which}."


def share(found: Meeting) -> str:
    """The share won and the matches behind it: ``0.62 (34)``."""
    return f"{number(found.share, 2)} ({found.n})"


def titles(shown: Matrix) -> list[str]:
    """The column titles: a number for each agent, as in the rows, and its name."""
    return ["#", "Agent", *(f"{i} {agent}" for i, agent in enumerate(shown.agents, start=1))]


def lines(shown: Matrix) -> list[list[str]]:
    """One line of cells an agent: what it won against each."""
    return [
        [str(i), agent, *(_cell(shown, agent, other) for other in shown.agents)]
        for i, agent in enumerate(shown.agents, start=1)
    ]


def _cell(shown: Matrix, agent: str, other: str) -> str:
    if agent == other:
        return SELF
    found = shown.met.get((agent, other))
    return NOTHING if found is None else share(found)


def notes(shown: Matrix) -> list[str]:
    """What a reader must know to read the matrix."""
    where = "all games that have winners" if shown.game is None else shown.game
    return [
        f"Share of matches that the agent of the line won against that of the column, a draw half;"
        f" in brackets how many: {where}."
    ]


PAIR_TITLES = ("Agent", "Against", "Share", "Matches", "Won-drawn-lost")


def pair_lines(shown: Matrix) -> list[list[str]]:
    """A line a pair, both ways, with the interval of its share."""
    return [[agent, *against(meeting)] for agent in shown.agents for meeting in shown.of(agent)]


def against(meeting: Meeting) -> list[str]:
    """Whom an agent met, its share with interval, how many matches, and what they came to."""
    low, high = meeting.interval.low, meeting.interval.high
    won = f"{number(meeting.share)} [{number(low)}, {number(high)}]"
    return [
        meeting.other,
        won,
        str(meeting.n),
        f"{meeting.wins}-{meeting.draws}-{meeting.losses}",
    ]


def pairs(shown: Matrix) -> list[dict[str, object]]:
    """Every pair both ways, as tidy rows."""
    return [tidy(meeting) for agent in shown.agents for meeting in shown.of(agent)]


def tidy(meeting: Meeting) -> dict[str, object]:
    """A meeting with its share and the ends of the share's 95 % interval, by field."""
    low, high = meeting.interval.low, meeting.interval.high
    counts = (meeting.wins, meeting.draws, meeting.losses, meeting.n, meeting.share, low, high)
    values = (meeting.game, meeting.agent, meeting.other, *counts)
    return dict(zip(FIELDS, values, strict=True))


def as_csv(shown: Matrix) -> str:
    """A line a pair, both ways, with wins, draws, losses and interval."""
    return csv_table(FIELDS, (row.values() for row in pairs(shown)))


def as_json(shown: Matrix) -> str:
    """The same rows as pure JSON."""
    body = {"game": shown.game, "agents": shown.agents, "pairs": pairs(shown)}
    return json.dumps(body, indent=2, allow_nan=False) + "\n"


def as_markdown(shown: Matrix) -> str:
    """The matrix as a Markdown table."""
    table = markdown_table(titles(shown), lines(shown))
    return "\n\n".join([table, *notes(shown)]) + "\n"


def as_latex(shown: Matrix) -> str:
    """The matrix as a LaTeX tabular."""
    table = latex_table(titles(shown), lines(shown))
    return "\n".join([table, *map(in_latex, notes(shown)), ""])


FORMS = {"md": as_markdown, "csv": as_csv, "latex": as_latex, "json": as_json}
"""What writes a matrix in a form."""
