"""The head-to-head screen: each agent's win share against each other, in all games or in one."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import Static

from parlour.tui.models.standings import Standings
from parlour.tui.screens.export import export
from parlour.tui.screens.messages import ShowAgent
from parlour.tui.screens.standings_base import TableScreen
from parlour.tui.text import BOLD, DIM, cut, one_line
from parlour.tui.views.columns import Columns
from parlour.tui.widgets.panes import ListPane

if TYPE_CHECKING:
    from parlour.ratings.reports.matrix import Matrix

NAME_WIDTH, TITLE_WIDTH = 24, 12
"""The most columns of the screen that a name takes at the left, and above a column."""


class HeadToHeadScreen(TableScreen):
    """The matrix of all agents against all."""

    TITLE = "Head to head"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "turn(1)", "Next game", tooltip="The next game", id="meetings.next"),
        Binding(
            "p",
            "turn(-1)",
            "Previous game",
            show=False,
            tooltip="The previous game, or all games",
            id="meetings.previous",
        ),
        Binding("left,h", "shift(-1)", "Columns left", show=False, id="meetings.left"),
        Binding("right,l", "shift(1)", "Columns right", show=False, id="meetings.right"),
        Binding("e", "export", "Export", tooltip="Export to a file", id="meetings.export"),
        Binding("escape,b", "back", "Back", tooltip="To the leaderboard", id="meetings.back"),
    ]

    def __init__(self, path: Path, standings: Standings) -> None:
        """``standings`` belong to the leaderboard screen below, which keeps them up to date."""
        super().__init__(path, standings)
        self._game: str | None = None
        self._matrix: Matrix | None = None

    def _fill(self) -> None:
        from parlour.ratings.reports.matrix import games_met, matrix, matrix_table, notes

        self._board = board = self._standings.board
        title = Text("Head to head  ", BOLD)
        if board is not None:
            self._matrix = shown = matrix(board, self._game)
            games = games_met(board)
            where = "all games" if self._game is None else self._game
            at = games.index(self._game) + 1 if self._game in games else 0
            title.append(f"{where}  {at}/{len(games)}", "bold underline")
            table = matrix_table(shown)
            heads = [cut(text, TITLE_WIDTH) for text in table.titles]
            rows = [[i, cut(name, NAME_WIDTH), *cells] for i, name, *cells in table.rows]
            self._table = Columns(heads, rows, names=1) if rows else Columns()
            self.query_one("#notes", Static).update(Text("\n".join(notes(shown)), "dim"))
        title.append(self._standings.kind.replace("-", " "), BOLD)
        title.append(f"   {one_line(str(self._path))}", DIM)
        self.query_one("#status", Static).update(title)
        self._show()

    def _empty(self) -> str:
        if self._board is None or self._standings.trouble:
            return self._standings.trouble or "Computing …"
        from parlour.ratings.reports.matrix import empty_message

        return f"{empty_message(self._game)} Esc goes back."

    def action_turn(self, by: int) -> None:
        """Shows the next or previous game, or all games together."""
        from parlour.ratings.reports.matrix import games_met

        if self._board is not None:
            games = games_met(self._board)
            at = games.index(self._game) if self._game in games else 0
            self._game, self._first = games[(at + by) % len(games)], 0
            self._fill()

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Opens the page of the agent under the cursor."""
        if self._matrix is not None:
            agent = self._matrix.agents[message.row]
            self.app.post_message(ShowAgent(self._path, self._standings, agent))

    def action_export(self) -> None:
        """Asks for a format and writes the matrix."""
        from parlour.ratings.reports.matrix import matrix_report

        part = f"head-to-head-{self._game or 'all'}{self._standings.kind}"
        export(self, "matrix", self._path, part, lambda: self._matrix, matrix_report)
