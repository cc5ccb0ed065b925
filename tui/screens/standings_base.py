"""The bases of the screens that show standings, and keep up to date with them."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Static

from parlour.tui.models.standings import Standings
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.views.columns import Columns
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.panes import ListPane

if TYPE_CHECKING:
    from parlour.ratings.reports.leaderboard import Leaderboard


class StandingsScreen(ParlourScreen):
    """Refills itself when the standings change; ``FIRST`` is the pane with the focus."""

    FIRST: ClassVar[str]
    CHECK_SECONDS: ClassVar[float] = 1.0
    """Seconds between two checks for newer standings."""

    def __init__(self, path: Path, standings: Standings) -> None:
        super().__init__()
        self._path, self._standings = path, standings
        self._board: Leaderboard | None = None

    def _fill(self) -> None:
        """Takes the current leaderboard and shows it."""
        raise NotImplementedError

    def _show(self) -> None:
        """Shows the columns for which there is room."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Shows the current standings and starts checking for newer ones."""
        self.query_one(self.FIRST).focus()
        self._fill()
        self._check()
        self.set_interval(self.CHECK_SECONDS, self._check)

    def _check(self) -> None:
        """Shows newer standings if there are any."""
        if self._board is None or self._board is not self._standings.board:
            self._fill()

    def on_resize(self) -> None:
        """Lays the columns out for the new width."""
        self.call_after_refresh(self._show)


class TableScreen(StandingsScreen):
    """Shows one table, whose columns scroll sideways."""

    FIRST = "#table"

    def __init__(self, path: Path, standings: Standings) -> None:
        super().__init__(path, standings)
        self._table = Columns()
        self._first = 0

    def compose(self) -> ComposeResult:
        """Yields the column titles, the table and its notes."""
        yield Static(id="status")
        yield Static(id="headings")
        yield ListPane(self._row, empty="Computing …", id="table")
        yield Static(id="notes")
        yield KeyFooter()

    def _empty(self) -> str:
        """The text of a table without rows."""
        raise NotImplementedError

    def _show(self) -> None:
        pane = self.query_one("#table", ListPane)
        pane.empty = self._empty()
        width = pane.scrollable_content_region.width
        head = self._table.line(self._table.titles, self._first, width)
        self.query_one("#headings", Static).update(Text(head, "bold", no_wrap=True))
        pane.border_subtitle = self._table.hidden(self._first, width)
        pane.show(len(self._table.rows))

    def _row(self, index: int, width: int) -> Text:
        return Text(self._table.line(self._table.rows[index], self._first, width), no_wrap=True)

    def action_shift(self, by: int) -> None:
        """Scrolls the columns."""
        width = self.query_one("#table", ListPane).scrollable_content_region.width
        self._first = self._table.shifted(self._first, by, width)
        self._show()
