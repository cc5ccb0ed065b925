"""The leaderboard screen: rankings overall, by game and by role, conduct, and their export."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

from rich.text import Text
from textual import work
from textual.binding import Binding, BindingType
from textual.widgets import Static

from parlour.tui.models.conduct import ConductTable
from parlour.tui.models.standings import Standings
from parlour.tui.screens.export import export
from parlour.tui.screens.messages import ShowAgent, ShowHeadToHead
from parlour.tui.screens.standings_base import TableScreen
from parlour.tui.text import DIM, one_line
from parlour.tui.views.columns import Columns
from parlour.tui.views.match import tabs
from parlour.tui.widgets.panes import ListPane

Shown = tuple[Sequence[str], Sequence[Sequence[str]], Sequence[str]]
"""Titles, rows and footnotes."""
By = Literal["overall", "game", "role"]

KINDS: tuple[By, ...] = ("overall", "game", "role")
NAMES = ("Overall", "By game", "By role", "Conduct")
CONDUCT = 3
"""The index of the conduct tab, which ranks nothing."""


class LeaderboardScreen(TableScreen):
    """The ranking of the agents with confidence intervals, and their conduct."""

    TITLE = "Leaderboard"
    CHECK_SECONDS = 2.0
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1,o", "by(0)", "Overall", show=False, id="board.overall"),
        Binding("2", "by(1)", "By game", show=False, id="board.game"),
        Binding("3", "by(2)", "By role", show=False, id="board.role"),
        Binding("4,c", "by(3)", "Conduct", show=False, id="board.conduct"),
        Binding("f", "faults", "Without faults", id="board.faults"),
        Binding("left,h", "shift(-1)", "Columns left", show=False, id="board.left"),
        Binding("right,l", "shift(1)", "Columns right", show=False, id="board.right"),
        Binding(
            "m",
            "matrix",
            "Head to head",
            tooltip="Every agent against every other",
            id="board.head_to_head",
        ),
        Binding("e", "export", "Export", id="board.export"),
        Binding("escape,b", "back", "Back", id="board.back"),
    ]

    def __init__(self, path: Path) -> None:
        super().__init__(path, Standings(path))
        # All matches, and those without faults; the latter is computed when first shown.
        self._both = (self._standings, Standings(path, without_faults=True))
        self._without_faults = False
        self._conduct_table = ConductTable(path)
        self._kind = 0

    def on_unmount(self) -> None:
        """Stops the computation."""
        for standings in self._both:
            standings.close()

    def _check(self) -> None:
        self._load()

    @work(thread=True, exclusive=True, exit_on_error=False)
    def _load(self) -> None:
        if self._kind == CONDUCT:
            if self._conduct_table.refresh():
                self.app.call_from_thread(self._fill)
            return
        standings = self._standings
        standings.behind = True
        if standings.due(finished=False) and standings.refresh():
            self.app.call_from_thread(self._fill)

    def _fill(self) -> None:
        titles, rows, notes = self._conduct() if self._kind == CONDUCT else self._ranking()
        cells = [list(map(one_line, row)) for row in rows]
        self._table = Columns(titles, cells, names=titles.index("Agent"))
        title = Text.assemble(("Leaderboard  ", "bold"), tabs(NAMES, self._kind, first=1))
        if self._without_faults and self._kind != CONDUCT:
            title.append("   without faults", "bold")
        title.append(f"   {one_line(str(self._path))}", DIM)
        self.query_one("#status", Static).update(title)
        self.query_one("#notes", Static).update(Text("\n".join(map(one_line, notes)), "dim"))
        self._show()

    def _ranking(self) -> Shown:
        from parlour.ratings.reports.leaderboard_report import footnotes, leaderboard_table

        board, kind = self._standings.board, KINDS[self._kind]
        if board is None:
            return ["#", "Agent"], [], []
        table = leaderboard_table(board, kind)
        return table.titles, table.rows, footnotes(board)

    def _conduct(self) -> Shown:
        from parlour.tournament.reports.conduct_report import NOTES, conduct_table

        rows = self._conduct_table.rows or []
        table = conduct_table(rows)
        return table.titles, table.rows, NOTES if rows else []

    def _empty(self) -> str:
        if self._kind == CONDUCT:
            if self._conduct_table.trouble or self._conduct_table.rows is None:
                return self._conduct_table.trouble or "Computing …"
            return "No answer is stored yet. Esc goes back."
        board = self._standings.board
        if self._standings.trouble or board is None:
            return self._standings.trouble or "Computing …"
        from parlour.ratings.reports.leaderboard_report import empty_message

        return f"{empty_message(board)} Esc goes back."

    def action_by(self, kind: int) -> None:
        """Shows another ranking, or conduct."""
        self._kind, self._first = kind, 0
        self._fill()
        self._load()

    def action_faults(self) -> None:
        """Leaves out the matches with a fault, or includes them again."""
        self._without_faults = not self._without_faults
        self._standings = self._both[self._without_faults]
        self._fill()
        self._load()

    def action_matrix(self) -> None:
        """Opens the matrix of all agents against all."""
        self.app.post_message(ShowHeadToHead(self._path, self._standings))

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Opens the page of the agent under the cursor."""
        board = self._standings.board
        if board is None:
            return
        if self._kind == CONDUCT:
            agent = (self._conduct_table.rows or [])[message.row].agent
            if agent not in {standing.agent for standing in board.by("overall")}:
                self.say("This agent has finished no match yet.")
                return
        else:
            agent = board.by(KINDS[self._kind])[message.row].agent
        self.app.post_message(ShowAgent(self._path, self._standings, agent))

    def action_export(self) -> None:
        """Asks for a format and writes the table."""
        if self._kind == CONDUCT:
            from parlour.tournament.reports.conduct_report import conduct_report

            conduct = self._conduct_table
            export(self, "table", self._path, "conduct", lambda: conduct.rows, conduct_report)
            return
        from parlour.ratings.reports.leaderboard_report import leaderboard_report

        kind = KINDS[self._kind]
        export(
            self,
            "leaderboard",
            self._path,
            f"leaderboard-{kind}{self._standings.kind}",
            lambda: self._standings.board,
            partial(leaderboard_report, by=kind),
        )
