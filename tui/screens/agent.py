"""The agent screen: capabilities, results by game and role, and results against each opponent."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import Static

from parlour.tournament.save.reader import Save
from parlour.tui.models.standings import Standings
from parlour.tui.screens.export import export
from parlour.tui.screens.standings_base import StandingsScreen
from parlour.tui.text import BOLD, DIM, cut, one_line
from parlour.tui.views.columns import Columns
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.panes import TextPane
from parlour.tui.widgets.radar import Radar

if TYPE_CHECKING:
    from parlour.ratings.reports.agent import Page
    from parlour.ratings.reports.report import Table

NAME_WIDTH = 24
"""The most columns of the screen that a name takes in a table."""


class AgentScreen(StandingsScreen):
    """The results of one agent: radar chart, values and tables."""

    TITLE = "Agent"
    FIRST = "#details"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-high")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "n", "turn(1)", "Next agent", tooltip="The next one on the leaderboard", id="who.next"
        ),
        Binding(
            "p",
            "turn(-1)",
            "Previous agent",
            tooltip="The previous one on the leaderboard",
            show=False,
            id="who.previous",
        ),
        Binding("e", "export", "Export", tooltip="Export to a file", id="who.export"),
        Binding("escape,b", "back", "Back", tooltip="Go back", id="who.back"),
    ]

    def __init__(self, path: Path, standings: Standings, agent: str) -> None:
        """``standings`` belong to the leaderboard screen below, which keeps them up to date.

        Raises BadSave if the save cannot be read.
        """
        super().__init__(path, standings)
        self._agent = agent
        with Save(path) as save:
            names = [config.name for config in save.tournament.agents]
        self._numbers = {name: number for number, name in enumerate(names, start=1)}
        self._page: Page | None = None

    def compose(self) -> ComposeResult:
        """Yields the chart and its values above, tables below."""
        yield Static(id="status")
        with Container(id="body"):
            yield Radar(id="radar")
            yield TextPane(empty="Computing …", id="values")
            yield TextPane(empty="Computing …", id="details")
        yield KeyFooter()

    def _fill(self) -> None:
        from parlour.ratings.reports.agent import overall_rank, page

        self._board = board = self._standings.board
        title = Text.assemble(("Agent  ", BOLD), (cut(self._agent, 40), "bold underline"))
        if board is not None:
            title.append(
                f"  {overall_rank(board, self._agent)}{self._standings.kind.replace('-', ' ')}"
            )
        title.append(f"   {one_line(str(self._path))}", DIM)
        self.query_one("#status", Static).update(title)
        if board is not None:
            self._page = page(board, self._agent)
            self.query_one(Radar).show(self._page.capabilities)
            self._show()

    def _show(self) -> None:
        if self._page is None:
            return
        from parlour.ratings.reports.agent import notes, tables

        capabilities, places, met = tables(self._page)
        pane = self.query_one("#values", TextPane)
        pane.show(list(_lines(capabilities, pane.scrollable_content_region.width, 1)))
        pane = self.query_one("#details", TextPane)
        width = pane.scrollable_content_region.width
        lines = [
            Text(places.heading, BOLD),
            *_lines(_indented(places), width, 0),
            Text(""),
            Text(met.heading, BOLD),
            *(
                _lines(met, width, 0)
                if met.rows
                else [Text("No match against another agent yet.", DIM)]
            ),
            Text(""),
            *(Text(note, DIM) for note in notes()),
        ]
        pane.show(lines)

    def action_turn(self, by: int) -> None:
        """Goes to the next or previous agent of the leaderboard."""
        if self._board is None:
            return
        agents = [standing.agent for standing in self._board.by("overall")]
        at = agents.index(self._agent) if self._agent in agents else 0
        self._agent = agents[(at + by) % len(agents)] if agents else self._agent
        self._fill()

    def action_export(self) -> None:
        """Asks for a format and writes the page."""
        from parlour.ratings.reports.agent import agent_report

        part = f"agent-{self._numbers.get(self._agent, 0)}{self._standings.kind}"
        export(self, "page", self._path, part, lambda: self._page, agent_report)


def _lines(table: "Table", width: int, names: int) -> Iterator[Text]:
    """Yields the lines of a table, and below them the names of columns that do not fit."""
    rows = []
    for row in table.rows:
        cells = list(row)
        cells[names] = cut(cells[names], NAME_WIDTH)
        rows.append(cells)
    columns = Columns(table.titles, rows, names)
    yield Text(columns.line(table.titles, 0, width), DIM, no_wrap=True)
    for row in rows:
        yield Text(columns.line(row, 0, width), no_wrap=True)
    missing = table.titles[columns.in_sight(0, width)[-1] + 1 :]
    if missing:
        yield Text(f"Columns left out: {', '.join(missing)}. e exports all columns.", DIM)


def _indented(places: "Table") -> "Table":
    """The table with games and roles in one column, each role indented below its game."""
    from parlour.ratings.reports.agent import ALL
    from parlour.ratings.reports.report import Table

    rows = []
    for game, role, *rest in places.rows:
        if game == ALL:
            name = "all games"
        elif role == ALL:
            name = game
        else:
            name = f"└ {role}"
        rows.append([name, *rest])
    return Table(["Game, role", *places.titles[2:]], rows, places.heading)
