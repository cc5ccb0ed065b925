"""The page of one agent: capabilities, games and roles, and head to head."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from parlour.games.common import forms
from parlour.games.common.tables import Column, ColumnTable, listed, taken
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.reports import cells, leaderboard_report
from parlour.ratings.reports.leaderboard import Cell, Leaderboard, Meeting, Standing, column_titles
from parlour.ratings.reports.matrix import AGAINST, matrix
from parlour.ratings.reports.matrix import record as meeting_record
from parlour.ratings.reports.report import Record, Report

ALL = "all"
"""Text for all games, and for all roles of a game."""
FIELDS = ("agent", "game", "role", "measure", "value", "k", "n", "low", "high", "other")


@dataclass(frozen=True, slots=True)
class Page:
    """The standings of one agent and its meetings.

    ``standings`` are over all games, then in each game, followed by its roles there.
    """

    agent: str
    standings: tuple[Standing, ...]
    meetings: tuple[Meeting, ...]

    @property
    def overall(self) -> dict[str, Cell]:
        """The measures over all games."""
        return self.standings[0].measures if self.standings else {}

    @property
    def capabilities(self) -> list[float | None]:
        """The seven values for a radar chart, None for what was not measured."""
        measured = [self.overall.get(name) for name in CAPABILITIES]
        return [None if cell is None else cell.value for cell in measured]


def page(board: Leaderboard, agent: str) -> Page:
    """Returns the page of an agent on a leaderboard."""
    standings = [standing for standing in board.standings if standing.agent == agent]
    standings.sort(key=lambda standing: (standing.game or "", standing.role or ""))
    return Page(agent, tuple(standings), tuple(matrix(board, None).of(agent)))


def overall_rank(board: Leaderboard, agent: str) -> str:
    """Returns the possible ranks of an agent among all: ``rank 2–4 of 5``."""
    standings = board.by("overall")
    strengths = {standing.agent: standing.strength for standing in standings}
    return f"rank {cells.rank(strengths.get(agent))} of {len(standings)}"


CAPABILITY = {
    "#": forms.COUNT,
    "Capability": forms.TEXT,
    "Value": cells.MEASURE,
    "k/n": cells.COUNTS,
}
"""Columns of the number of a spoke of the chart, the title of its measure, and its cell."""
STANDING: list[Column[Standing]] = [
    Column("Game", lambda standing: standing.game or ALL),
    Column("Role", lambda standing: standing.role or ALL),
    leaderboard_report.STRENGTH,
    leaderboard_report.of_measure("win_rate"),
    Column("Faults", lambda each: each.measures.get("fault_rate"), cells.COUNTS),
    leaderboard_report.MATCHES,
    leaderboard_report.RANKED,
    *leaderboard_report.TRUESKILL,
]


def tables(page: Page) -> list[ColumnTable[Any]]:
    """Returns the tables of capabilities, of games and roles, and head to head."""
    titles = column_titles()
    spokes = [*enumerate(CAPABILITIES, start=1), ("", "radar_area")]
    capabilities = []
    for spoke, name in spokes:
        cell = page.overall.get(name)
        capabilities.append((spoke, titles[name], cell, cell))
    return [
        listed(CAPABILITY, capabilities, "Capabilities"),
        ColumnTable(STANDING, page.standings, "Games and roles"),
        ColumnTable(AGAINST, page.meetings, "Head to head"),
    ]


def notes() -> list[str]:
    """Returns the notes below the page."""
    return [
        "In brackets: 95 % intervals. Strength: 0 is the mean. #: the possible ranks. k/n: where"
        " there is no count, the number of matches (of 12). Faults: answers that stayed invalid, of"
        " all answers due. Share: wins and half the draws, of the matches in which the two met."
    ]


def agent_report(page: Page) -> Report:
    """Returns the report of the page; its records are measures, then meetings."""
    body = {
        "agent": page.agent,
        "standings": [asdict(standing) for standing in page.standings],
        "head_to_head": [meeting_record(meeting) for meeting in page.meetings],
    }
    return Report(
        fields=FIELDS,
        records=[*_measures(page), *_shares(page)],
        body=body,
        tables=tables(page),
        notes=notes(),
        title=page.agent,
    )


def _measures(page: Page) -> Iterator[Record]:
    """Yields strength, rating and measures of each standing."""
    for standing in page.standings:
        group = {"agent": page.agent, "game": standing.game, "role": standing.role}
        if (strength := standing.strength) is not None:
            ends = taken(strength, ("value", "low", "high"))
            yield group | {"measure": "strength", "n": strength.matches} | ends
        for name in ("rating", "mu", "sigma"):
            yield group | {"measure": name, "value": getattr(standing, name)}
        for name, cell in standing.measures.items():
            yield group | {"measure": name} | asdict(cell)


def _shares(page: Page) -> Iterator[Record]:
    """Yields the share won against each other agent."""
    for meeting in page.meetings:
        own = {"measure": "share", "value": meeting.share, "k": meeting.wins + meeting.draws / 2}
        yield {**meeting_record(meeting), **own}
