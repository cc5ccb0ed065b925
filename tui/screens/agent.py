"""The screen of one agent: its capabilities, its games and roles, and how it did against others."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import Footer, Static

from parlour.tournament.save.reader import Save
from parlour.tui.models.standings import Standings
from parlour.tui.screens.export import export
from parlour.tui.screens.standings_base import OfStandingsScreen
from parlour.tui.views.match import BOLD, DIM, cut, one_line
from parlour.tui.widgets.columns import Columns
from parlour.tui.widgets.panes import TextPane
from parlour.tui.widgets.radar import Radar

if TYPE_CHECKING:
    from parlour.ratings.reports.agent import Page
    from parlour.ratings.reports.report import Table

WIDEST = 24
"""Columns of the screen that a name may take in a table."""


class AgentScreen(OfStandingsScreen):
    """What one agent is good at, and against whom."""

    TITLE = "Agent"
    FIRST = "#details"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-high")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "turn(1)", "Next agent", tooltip="The next of the leaderboard", id="who.next"),
        Binding(
            "p",
            "turn(-1)",
            "Agent before",
            tooltip="The one before on the leaderboard",
            show=False,
            id="who.previous",
        ),
        Binding("e", "export", "Export", tooltip="Write it to a file", id="who.export"),
        Binding("escape,b", "back", "Back", tooltip="To where you came from", id="who.back"),
    ]

    def __init__(self, path: Path, standings: Standings, agent: str) -> None:
        """``standings`` belong to the leaderboard below, which keeps them fresh.

        Raises BadSave if the save cannot be read.
        """
        super().__init__(path, standings)
        self._agent = agent
        with Save(path) as save:
            names = [config.name for config in save.tournament.agents]
        self._numbers = {name: number for number, name in enumerate(names, start=1)}
        self._page: Page | None = None

    def compose(self) -> ComposeResult:
        """The chart and its values above, tables below."""
        yield Static(id="status")
        with Container(id="body"):
            yield Radar(id="radar")
            yield TextPane(empty="Computing …", id="values")
            yield TextPane(empty="Computing …", id="details")
        yield Footer(show_command_palette=False)

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
            *_lines(_set_in(places), width, 0),
            Text(""),
            Text(met.heading, BOLD),
            *(_lines(met, width, 0) if met.rows else [Text("It has met nobody.", DIM)]),
            Text(""),
            *(Text(note, DIM) for note in notes()),
        ]
        pane.show(lines)

    def action_turn(self, by: int) -> None:
        """Goes to another agent of the leaderboard."""
        if self._board is None:
            return
        agents = [standing.agent for standing in self._board.by("overall")]
        at = agents.index(self._agent) if self._agent in agents else 0
        self._agent = agents[(at + by) % len(agents)] if agents else self._agent
        self._fill()

    def action_export(self) -> None:
        """Asks for the form and writes the page as shown."""
        from parlour.ratings.reports.agent import agent_report

        part = f"agent-{self._numbers.get(self._agent, 0)}{self._standings.kind}"
        export(self, "page", self._path, part, lambda: self._page, agent_report)


def _lines(table: "Table", width: int, names: int) -> Iterator[Text]:
    """A table's lines; columns for which there is no room are named below it."""
    rows = [
        [cut(cell, WIDEST) if i == names else cell for i, cell in enumerate(row)]
        for row in table.rows
    ]
    columns = Columns(table.titles, rows, names)
    yield Text(columns.line(table.titles, 0, width), DIM, no_wrap=True)
    for row in rows:
        yield Text(columns.line(row, 0, width), no_wrap=True)
    missing = table.titles[columns.in_sight(0, width)[-1] + 1 :]
    if missing:
        yield Text(f"No room here for: {', '.join(missing)}. e exports everything.", DIM)


def _set_in(places: "Table") -> "Table":
    """Games and roles in one column: a role is set in below its game."""
    from parlour.ratings.reports.agent import ALL
    from parlour.ratings.reports.report import Table

    rows = [
        ["all games" if game == ALL else game if role == ALL else f"└ {role}", *rest]
        for game, role, *rest in places.rows
    ]
    return Table(["Game, role", *places.titles[2:]], rows, places.heading)
