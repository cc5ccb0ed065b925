"""The page of one agent: its place, capabilities, games and roles, and whom it met; its forms."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from parlour.ratings.counting.magic import CAPABILITIES
from parlour.ratings.reports.formats import (
    csv_table,
    in_latex,
    in_markdown,
    latex_table,
    markdown_table,
)
from parlour.ratings.reports.head_to_head import Meeting
from parlour.ratings.reports.leaderboard import Cell, Leaderboard, Standing
from parlour.ratings.reports.matrix import against, matrix, tidy
from parlour.ratings.reports.report import TITLES, cell, counts, number, rank, strength

ALL = "all"
"""What stands for all games, and for all roles of one."""
FIELDS = ("agent", "game", "role", "measure", "value", "k", "n", "low", "high")


@dataclass(frozen=True, slots=True)
class Page:
    """What is known of one agent.

    ``places`` are its standings: over all games, then in each game, followed by its roles there.
    """

    agent: str
    places: tuple[Standing, ...]
    met: tuple[Meeting, ...]

    @property
    def overall(self) -> dict[str, Cell]:
        """Its measures over all games."""
        return self.places[0].measures if self.places else {}

    @property
    def capabilities(self) -> list[float | None]:
        """The seven values for a radar chart, None for what was not measured."""
        found = [self.overall.get(name) for name in CAPABILITIES]
        return [None if each is None else each.value for each in found]


def page(board: Leaderboard, agent: str) -> Page:
    """The page of an agent on a leaderboard."""
    places = [standing for standing in board.standings if standing.agent == agent]
    places.sort(key=lambda each: (each.game or "", each.role or ""))
    return Page(agent, tuple(places), tuple(matrix(board, None).of(agent)))


def place(board: Leaderboard, agent: str) -> str:
    """The ranks that an agent may have among all: ``rank 2–4 of 5``."""
    everybody = board.by("overall")
    found = next((each.strength for each in everybody if each.agent == agent), None)
    return f"rank {rank(found)} of {len(everybody)}"


@dataclass(frozen=True, slots=True)
class Table:
    """A part of the page: its heading, and the titles and rows of a table."""

    heading: str
    titles: tuple[str, ...]
    rows: list[list[str]]


def tables(shown: Page) -> tuple[Table, Table, Table]:
    """Capabilities, games and roles, and head to head."""
    return (
        Table("Capabilities", ("#", "Capability", "Value", "k/n"), _capabilities(shown)),
        Table(
            "Games and roles",
            ("Game", "Role", "Strength", "Win rate", "Faults", "Matches", "#", "Rating", "μ", "σ"),
            [_place(standing) for standing in shown.places],
        ),
        Table(
            "Head to head",
            ("Against", "Share", "Matches", "Won-drawn-lost"),
            [against(meeting) for meeting in shown.met],
        ),
    )


def _capabilities(shown: Page) -> list[list[str]]:
    """The seven, with the number of the spoke; then the area of the chart."""
    numbered = [(str(i), name) for i, name in enumerate(CAPABILITIES, start=1)]
    return [
        [spoke, TITLES[name], cell(shown.overall.get(name)), counts(shown.overall.get(name))]
        for spoke, name in [*numbered, ("", "radar_area")]
    ]


def _place(standing: Standing) -> list[str]:
    """A line of the games and roles."""
    ratings = [number(value, 2) for value in (standing.rating, standing.mu, standing.sigma)]
    won, faults = standing.measures.get("win_rate"), standing.measures.get("fault_rate")
    where = [standing.game or ALL, standing.role or ALL]
    strong = strength(standing.strength)
    numbers = [str(standing.matches), rank(standing.strength), *ratings]
    return [*where, strong, cell(won), counts(faults), *numbers]


def notes() -> list[str]:
    """What a reader must know to read the page."""
    return [
        "In brackets 95 % intervals. Strength: 0 is the mean, # every rank it may mean."
        " Faults: answers that stayed invalid, of all answers due."
        " Share: wins and half the draws, of the matches in which the two met."
    ]


def as_markdown(shown: Page) -> str:
    """The page as Markdown tables below headings."""
    parts = [f"# {in_markdown(shown.agent)}"]
    for table in tables(shown):
        parts += [f"## {table.heading}", markdown_table(table.titles, table.rows)]
    return "\n\n".join([*parts, *notes()]) + "\n"


def as_latex(shown: Page) -> str:
    """The page as LaTeX tabulars below headings."""
    parts = [rf"\section*{{{in_latex(shown.agent)}}}"]
    for table in tables(shown):
        parts += [rf"\subsection*{{{table.heading}}}", latex_table(table.titles, table.rows)]
    return "\n".join([*parts, *map(in_latex, notes()), ""])


def as_csv(shown: Page) -> str:
    """A line for each measure in each game and role, then one for each agent it met."""
    return csv_table([*FIELDS, "other"], (*_measured(shown), *_won(shown)))


def _measured(shown: Page) -> Iterator[list[object]]:
    for each in shown.places:
        where = [shown.agent, each.game, each.role]
        if (found := each.strength) is not None:
            interval = (found.low, found.high)
            yield [*where, "strength", found.value, None, found.matches, *interval, None]
        for name in ("rating", "mu", "sigma"):
            yield [*where, name, getattr(each, name), None, None, None, None, None]
        for name, of in each.measures.items():
            yield [*where, name, of.value, of.k, of.n, of.low, of.high, None]


def _won(shown: Page) -> Iterator[list[object]]:
    for meeting in shown.met:
        row = tidy(meeting)
        values = [row["share"], meeting.wins + meeting.draws / 2, row["n"], row["low"], row["high"]]
        yield [shown.agent, None, None, "share", *values, meeting.other]


def as_json(shown: Page) -> str:
    """The page as pure JSON."""
    body = {
        "agent": shown.agent,
        "standings": [asdict(standing) for standing in shown.places],
        "head_to_head": [tidy(meeting) for meeting in shown.met],
    }
    return json.dumps(body, indent=2, allow_nan=False) + "\n"


FORMS = {"md": as_markdown, "csv": as_csv, "latex": as_latex, "json": as_json}
"""What writes a page in a form."""
