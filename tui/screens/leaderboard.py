"""The leaderboard screen: standings, games, roles, race, networks and conduct."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.containers import Container, Horizontal
from textual.timer import Timer
from textual.widgets import Static

from parlour.games.common.errors import ParlourError
from parlour.tournament.save.finished import newest_matches
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.models.save_view import LocalState
from parlour.tui.models.standings import Entrants, Standings, read_entrants
from parlour.tui.models.tiles import TileColumn
from parlour.tui.screens.leaderboard_keys import LeaderboardKeys
from parlour.tui.views.board_table import BoardTable
from parlour.tui.views.header import tabs_line, word_line
from parlour.tui.views.heat_tables import HeatTable
from parlour.tui.views.leaderboard import CONDUCT, HEAT, NAMES, NETWORKS, OVERALL, RACE
from parlour.tui.views.leaderboard_layout import (
    BORDER,
    Arrangement,
    arrangement,
    shown_pictures,
)
from parlour.tui.views.leaderboard_words import (
    COMPUTING,
    computing_lines,
    empty_words,
    header_note,
    table_title,
    warnings,
)
from parlour.tui.views.tile_details import OpenedCell
from parlour.tui.widgets.drawn import ChartPane
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.panes import ListPane
from parlour.tui.widgets.table import TablePane

if TYPE_CHECKING:
    from parlour.ratings.reports.leaderboard import Leaderboard

MOST_MATCHES = 60
"""Matches of an opened cell that are read."""
SETTLE_SECONDS = 0.1
"""Seconds that the cursor rests before the matches of its cell are read."""


class LeaderboardScreen(LeaderboardKeys):
    """The ranking of the agents with confidence intervals, and the pictures behind it."""

    TITLE = "Leaderboard"
    FIRST = "#table"
    CHECK_SECONDS = 2.0
    CSS = """
    LeaderboardScreen #status, LeaderboardScreen #tabs { height: 1; padding: 0; }
    LeaderboardScreen #status { background: $look-panel; }
    LeaderboardScreen #warnings { height: auto; max-height: 3; padding: 0 1; }
    LeaderboardScreen #body { height: 1fr; }
    LeaderboardScreen #below { height: 1fr; }
    LeaderboardScreen #one, LeaderboardScreen #two { height: 1fr; width: 1fr; }
    """

    def __init__(self, path: Path, local: LocalState | None = None) -> None:
        super().__init__(path, Standings(path))
        self._local = local or LocalState()
        self._before = self._local.seen_order
        self._entrants = Entrants()
        self._settling: Timer | None = None
        self._places = Arrangement(0, None, False)
        self._table: BoardTable[Any] | HeatTable | None = None

    def compose(self) -> ComposeResult:
        """Yields the header, the table, and two panes below it."""
        yield Static(id="status")
        yield Static(id="tabs")
        with Container(id="body"):
            yield TablePane(self._row, self._headings, empty="Computing …", id="table")
            with Horizontal(id="below"):
                yield ChartPane(id="one")
                yield ChartPane(id="two")
        yield Static(id="warnings")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Shows the current standings, and again in each new theme."""
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self._fill())
        super().on_mount()

    def on_unmount(self) -> None:
        """Stops the computations, and remembers the order that was seen."""
        for standings in self._both:
            standings.close()
        self._history.close()
        if self.state.board is not None:
            order = tuple(each.agent for each in self.state.board.by("overall"))
            self._local.seen_order = order

    # --- Data

    def _check(self) -> None:
        self._load()
        if self.state.view in (OVERALL, RACE, NETWORKS):
            self._count()
            if self._history.shown is None:
                self.state.counting = self._history.progress
                self._show_pictures()

    @work(thread=True, exclusive=True, group="standings", exit_on_error=False)
    def _load(self) -> None:
        if not self._entrants.agents:
            with suppress(ParlourError):  # the standings say why
                self._entrants = read_entrants(self._path)
        changed = False
        if self.state.view == CONDUCT:
            changed = self._conduct_table.refresh()
        standings = self._standings
        standings.behind = True
        if standings.due(finished=False):
            changed |= standings.refresh()
        if changed:
            self.app.call_from_thread(self._fill)

    @work(thread=True, exclusive=True, group="history", exit_on_error=False)
    def _count(self) -> None:
        if self._history.refresh():
            self.app.call_from_thread(self._fill)

    @work(thread=True, exclusive=True, group="cell", exit_on_error=False)
    def _read_cell(self, agent: str, column: TileColumn) -> None:
        """Reads the matches of the cell under the cursor."""
        try:
            with Save(self._path) as save:
                matches = newest_matches(save, column.game, agent, MOST_MATCHES)
        except ParlourError:
            return  # the standings say why
        if column.role is not None:
            matches = [match for match in matches if _has_role(match, agent, column.role)]
        cell = OpenedCell(agent, column, matches)
        self.app.call_from_thread(self._open_cell, cell)

    def _open_cell(self, cell: OpenedCell) -> None:
        self.state.opened = cell
        self._show_pictures()

    # --- Drawing

    def _fill(self) -> None:
        """Takes the newest data and draws everything."""
        state, look = self.state, self._look()
        self._board = state.board = self._standings.board
        state.look = look
        agents = self._entrants.agents or _agents_of(state.board)
        state.cast = Cast(agents, look.palette)
        state.conduct, state.shown = self._conduct_table.rows or [], self._history.shown
        state.moves, state.alarms = self._moves(), self._standings.alarms
        state.remarks, state.decided = self._standings.remarks, self._standings.decided
        self._show()

    def _look(self) -> Look:
        app = self.app
        return getattr(app, "look", Look())

    def _moves(self) -> dict[str, int]:
        """The places that each agent has won since the board was last seen."""
        if self.state.board is None:
            return {}
        now = [each.agent for each in self.state.board.by("overall")]
        self._before = self._before or tuple(now)
        before = {agent: place for place, agent in enumerate(self._before)}
        return {agent: before.get(agent, place) - place for place, agent in enumerate(now)}

    def _show(self) -> None:
        """Draws the view in sight at the size of the screen."""
        state, (width, height) = self.state, self.size
        if not width or not self.is_attached:
            return
        name = self._entrants.name or str(self._path)
        note = header_note(state, without_faults=self._without_faults)
        lines = warnings(state, width - 2)
        self._set("#status", word_line(state.look, str(self.TITLE), name, note, width))
        self._set("#tabs", tabs_line(state.look, NAMES, state.view, width))
        self._set("#warnings", Text("\n").join(lines))
        self.query_one("#warnings").display = bool(lines)
        self._places = arrangement(state, width, height, len(lines))
        self._arrange(self._places)
        self.call_after_refresh(self._show_panes)

    def _set(self, selector: str, text: Text) -> None:
        self.query_one(selector, Static).update(text)

    def _arrange(self, places: Arrangement) -> None:
        """Gives the panes their places."""
        table, one = self.query_one("#table"), self.query_one("#one")
        table.display, table.styles.height = places.table > 0, places.table
        self.query_one("#below").display = places.below
        one.display, self.query_one("#two").display = places.one != 0, places.two
        one.styles.width = "1fr" if places.one is None else places.one
        if not table.display and table.has_focus:
            self.query_one("#one" if one.display else "#two").focus()
        elif table.display and not (self.focused and self.focused.display):
            table.focus()

    def _show_panes(self) -> None:
        """Draws the table and the pictures, once they have their sizes."""
        if self.is_attached:
            pane = self.query_one("#table", TablePane)
            if pane.display:
                self._show_table(pane)
            self._show_pictures()

    def _show_table(self, pane: TablePane) -> None:
        state, look = self.state, self.state.look
        size = pane.scrollable_content_region
        before, self._table = self._table, state.table(size.width, self._places.table - BORDER)
        table, agents = self._table, self._table.agents
        same = before is not None and list(before.agents) == list(agents)
        # In the same order the cursor counts: its last move may not have been told yet.
        if (same or state.agent not in agents) and agents:
            state.agent = agents[min(pane.cursor, len(agents) - 1)]
        elif not agents:
            state.agent = None
        pane.empty = empty_words(state, self._standings, self._conduct_table)
        computing = pane.empty == COMPUTING
        pane.shape = computing_lines(look, size.width) if computing else ()
        pane.marks_row = state.view not in HEAT
        if state.agent is not None:
            pane.cursor = agents.index(state.agent)
        pane.fill(len(agents), table.tall)
        note = Text(table.hidden, look.palette.soft)
        if state.view in HEAT and agents:
            note.append("   " if table.hidden else "").append_text(state.heat_legend())
        pane.border_subtitle = note
        pane.set_title(table_title(state))

    def _headings(self, width: int) -> Sequence[Text]:
        return self._table.headings if self._table is not None else ()

    def _row(self, index: int, width: int) -> Sequence[Text]:
        if self._table is None or index >= len(self._table.agents):
            return ()
        cursor = index == self.query_one("#table", TablePane).cursor
        return self._table.row(index, cursor=cursor)

    def _show_pictures(self) -> None:
        pictures = shown_pictures(self.state, self._places)
        for selector, picture in zip(("#one", "#two"), pictures, strict=True):
            pane = self.query_one(selector, ChartPane)
            if picture is not None and pane.display:
                pane.set_title(picture.title)
                pane.set_hint(picture.note)
                pane.show(picture.draw)

    # --- The cursor

    def on_list_pane_moved(self, message: ListPane.Moved) -> None:
        """Shows the agent of the row under the cursor."""
        agents = self.state.agents()
        if message.row < len(agents):
            self.state.agent = agents[message.row]
            self._follow_cursor()

    def _follow_cursor(self) -> None:
        """Draws the pictures of the cell or agent under the cursor."""
        self._show_pictures()
        column, agent = self.state.tile_column, self.state.agent
        if self._settling is not None:
            self._settling.stop()
        if self.state.view in HEAT and column is not None and agent is not None:
            self._settling = self.set_timer(SETTLE_SECONDS, lambda: self._read_cell(agent, column))

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Opens the page of the agent under the cursor."""
        agents = self.state.agents()
        if message.row < len(agents):
            self._open(agents[message.row])


def _agents_of(board: "Leaderboard | None") -> tuple[str, ...]:
    """The agents of a leaderboard, where the tournament cannot be read."""
    return tuple(sorted(each.agent for each in board.by("overall"))) if board else ()


def _has_role(match: StoredMatch, agent: str, role: str) -> bool:
    """True if an agent had a role in a match."""
    roles = match.outcome.roles if match.outcome else ()
    return (agent, role) in zip(match.agents, roles, strict=False)
