"""The head-to-head screen: each agent's win share against each other, in all games or in one."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from parlour.tui.look.cast import Cast
from parlour.tui.models.sorting import UNSORTED, Sorting
from parlour.tui.models.standings import Standings, read_entrants
from parlour.tui.models.tiles import TileTable, family, game_title, head_to_head
from parlour.tui.screens.messages import ShowAgent
from parlour.tui.screens.standings_base import StandingsScreen
from parlour.tui.views.heat_tables import HeatTable, legend
from parlour.tui.views.standings_table import SHOWS
from parlour.tui.widgets.drawn import DrawnLines
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.panes import ListPane
from parlour.tui.widgets.table import TablePane

NOTE = (
    "Share of matches that the row agent won against the column agent, half the 95 % interval and"
    " the matches; a draw is half a win. v: intervals or counts alone."
)


class HeadToHeadScreen(StandingsScreen):
    """The matrix of all agents against all."""

    TITLE = "Head to head"
    FIRST = "#table"
    CSS = "HeadToHeadScreen #notes { color: $look-soft; }"
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
        Binding("s", "sort", "Sort by this column", show=False, id="meetings.sort"),
        Binding("S", "reverse", "Reverse the order", show=False, id="meetings.reverse"),
        Binding("v", "value", "Share, interval or count", show=False, id="meetings.value"),
        Binding("e", "export", "Export", tooltip="Export to a file", id="meetings.export"),
        Binding("escape,b", "back", "Back", tooltip="To the leaderboard", id="meetings.back"),
    ]

    def __init__(self, path: Path, standings: Standings) -> None:
        """``standings`` belong to the leaderboard screen below, which keeps them up to date.

        Raises BadSave if the save cannot be read.
        """
        super().__init__(path, standings)
        self._entrants = read_entrants(path)
        self._game: str | None = None
        self._tiles = TileTable()
        self._table: HeatTable | None = None
        self._column, self._sorting, self._shows = 0, UNSORTED, SHOWS[0]

    def compose(self) -> ComposeResult:
        """Yields the header, the matrix and its notes."""
        yield DrawnLines(id="header")
        yield TablePane(self._row, self._headings, empty="Computing …", id="table")
        yield Static(id="notes")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Lets the cells show the cursor."""
        self.query_one("#table", TablePane).marks_row = False

    def _fill(self) -> None:
        self._board = board = self._standings.board
        if board is not None:
            self._tiles = head_to_head(board, self._game)
            games = "all games with winners" if self._game is None else game_title(self._game)
            self.query_one("#notes", Static).update(Text(f"{NOTE} Games: {games}."))
        self.paint()

    def paint(self) -> None:
        """Shows the game in sight and its matrix."""
        if self.size.width and self.is_attached:
            kind = self._standings.kind.replace("-", " ").strip()
            self._paint_header(self._subject(), Text(kind, self.look.palette.warn))
            self.call_after_refresh(self._show_table)

    def _subject(self) -> Text:
        """The game in sight and its place among those with meetings."""
        from parlour.ratings.reports.matrix import games_met

        look, palette, line = self.look, self.look.palette, Text(no_wrap=True)
        games = games_met(self._board) if self._board is not None else []
        at = games.index(self._game) + 1 if self._game in games else 0
        suit = look.signs.suits.get(family(self._game or ""), "")
        title = "all games" if self._game is None else f"{suit} {game_title(self._game)}".strip()
        line.append(title, f"bold {palette.text}")
        return line.append(f"  {at}/{len(games)}", palette.soft)

    def _show_table(self) -> None:
        if not self.is_attached:
            return
        pane, look = self.query_one("#table", TablePane), self.look
        size = pane.scrollable_content_region
        cast = Cast(self._entrants.agents, look.palette)
        self._table = table = HeatTable(
            self._tiles,
            cast,
            look,
            size.width,
            size.height,
            self._column,
            self._sorting,
            self._shows,
        )
        pane.empty = self._empty()
        pane.fill(len(table.agents), table.tall)
        hidden = table.hidden
        note = Text(hidden, look.palette.soft).append("   " if hidden else "")
        pane.border_subtitle = note.append_text(legend(look)) if table.agents else Text()

    def _headings(self, width: int) -> Sequence[Text]:
        return self._table.headings if self._table is not None else ()

    def _row(self, index: int, width: int) -> Sequence[Text]:
        if self._table is None or index >= len(self._table.agents):
            return ()
        cursor = index == self.query_one("#table", TablePane).cursor
        return self._table.row(index, cursor=cursor)

    def _empty(self) -> str:
        if self._board is None or self._standings.trouble:
            return self._standings.trouble or "Computing …"
        from parlour.ratings.reports.matrix import empty_message

        return f"{empty_message(self._game)} Esc goes back."

    # --- Keys

    def action_turn(self, by: int) -> None:
        """Shows the next or previous game, or all games together."""
        from parlour.ratings.reports.matrix import games_met

        games = games_met(self._board) if self._board is not None else []
        if len(games) < 2:
            self.say("There is no other game with meetings.")
        else:
            at = games.index(self._game) if self._game in games else 0
            self._game, self._column = games[(at + by) % len(games)], 0
            self._sorting = UNSORTED
            self._fill()

    def action_shift(self, by: int) -> None:
        """Moves the cursor to another column."""
        column = max(0, min(self._column + by, len(self._tiles.columns) - 1))
        if column == self._column:
            self.say("There is no further column.")
        self._column = column
        self.paint()

    def action_sort(self) -> None:
        """Orders by the column under the cursor, then by name, then by strength again."""
        if self._tiles.columns:
            key = self._tiles.columns[self._column].key
            following = {key: "agent", "agent": None}
            self._sorting = Sorting(following.get(self._sorting.column or "", key))
            self.paint()
        else:
            self.say("There is nothing to sort yet.")

    def action_reverse(self) -> None:
        """Orders the rows from the other end."""
        self._sorting = self._sorting.reversed()
        self.paint()

    def action_value(self) -> None:
        """Shows shares, intervals or counts."""
        self._shows = SHOWS[(SHOWS.index(self._shows) + 1) % len(SHOWS)]
        self.paint()
        self.say(f"Cells show the {self._shows}.")

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Opens the page of the agent under the cursor."""
        if self._table is not None and message.row < len(self._table.agents):
            agent = self._table.agents[message.row]
            self.app.post_message(ShowAgent(self._path, self._standings, agent))

    def action_export(self) -> None:
        """Asks for a format and writes the matrix."""
        from parlour.ratings.reports.matrix import matrix, matrix_report

        board = self._standings.board
        shown = None if board is None else matrix(board, self._game)
        part = f"head-to-head-{self._game or 'all'}{self._standings.kind}"
        self._export("matrix", part, lambda: shown, matrix_report)
