"""The leaderboard screen: standings, games, roles, race, networks, conduct, head to head."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.timer import Timer
from textual.widgets import Static

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.tournament.save.finished import newest_matches
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.look.palette import NIGHT
from parlour.tui.models.save_view import LocalState
from parlour.tui.models.standings import (
    COMPUTING,
    Computation,
    ConductTable,
    Entrants,
    MatchHistory,
    Standings,
    read_entrants,
)
from parlour.tui.models.tiles import TileColumn
from parlour.tui.screens.messages import ADD, AGENT, Show
from parlour.tui.screens.standings_base import Exported, StandingsScreen
from parlour.tui.text import following
from parlour.tui.views.header import tabs_line
from parlour.tui.views.heat_tables import HeatTable
from parlour.tui.views.leaderboard import (
    BORDER,
    BY_GAME,
    BY_ROLE,
    CONDUCT,
    HEAT,
    KEYS,
    MET,
    NAMES,
    NETWORKS,
    OVERALL,
    RACE,
    BoardPlaces,
    LeaderboardState,
    arrangement,
    empty_words,
    header_note,
    shown_pictures,
    table_title,
    warnings,
)
from parlour.tui.views.standing_details import OpenedCell
from parlour.tui.views.standings import skeleton
from parlour.tui.views.standings_table import SHOWS, BoardTable
from parlour.tui.widgets.drawn import ChartPane, DrawnLines
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.panes import ListPane, TablePane

MOST_MATCHES = 60
"""Matches of an opened cell that are read."""
SETTLE_SECONDS = 0.1
"""Seconds that the cursor rests before the matches of its cell are read."""


By = Literal["overall", "game", "role"]
BY: dict[int, By] = {OVERALL: "overall", BY_GAME: "game", BY_ROLE: "role"}
TABLES = (OVERALL, BY_GAME, BY_ROLE, CONDUCT, MET)
ACTIONS: dict[str, tuple[int, ...]] = {
    "faults": (OVERALL, BY_GAME, BY_ROLE, MET),
    "compare": (OVERALL,),
    "value": (OVERALL, BY_GAME, BY_ROLE, NETWORKS, MET),
    "shift": TABLES,
    "sort": (*TABLES, NETWORKS),
    "reverse": (*TABLES, NETWORKS),
    "game": (RACE,),
    "ranks": (RACE,),
    "ring": (NETWORKS,),
    "network": (NETWORKS,),
    "ties": (NETWORKS,),
    "pick": (RACE, NETWORKS),
    "open_picked": (RACE, NETWORKS),
}
"""The views in which an action does anything; all others work in every view."""
LEAST_TIES, MOST_TIES, TIES_STEP = 2, 60, 4


class LeaderboardScreen(StandingsScreen):
    """The ranking of the agents with confidence intervals, and the pictures behind it."""

    TITLE = "Leaderboard"
    FIRST = "#table"
    CHECK_SECONDS = 2.0

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "by(0)", "Overall", show=False, id="board.overall"),
        Binding("2", "by(1)", "By game", show=False, id="board.game"),
        Binding("3", "by(2)", "By role", show=False, id="board.role"),
        Binding("4", "by(3)", "Race", show=False, id="board.race"),
        Binding("5", "by(4)", "Networks", show=False, id="board.networks"),
        Binding("6", "by(5)", "Conduct", show=False, id="board.conduct"),
        Binding("c", "compare", "Compare", tooltip="With this agent", id="board.compare"),
        Binding("f", "faults", "Without faults", id="board.faults"),
        Binding("g", "game", "Game", tooltip="The race in the next game", id="board.race_game"),
        Binding("r", "ranks", "As ranks", tooltip="Ranks or values", id="board.ranks"),
        Binding("r", "ring", "Ring or matrix", show=False, id="board.ring"),
        Binding("a", "network('accused')", "Accused", id="board.accused"),
        Binding("h", "network('helped')", "Helped", id="board.helped"),
        Binding("plus", "ties(1)", "More ties", show=False, id="board.more_ties"),
        Binding("minus", "ties(-1)", "Fewer ties", show=False, id="board.fewer_ties"),
        Binding("s", "sort", "Sort by the next column", show=False, id="board.sort"),
        Binding("S", "reverse", "Reverse the order", show=False, id="board.reverse"),
        Binding("v", "value", "Value, interval or count", show=False, id="board.value"),
        Binding("left,h", "shift(-1)", "Columns left", show=False, id="board.left"),
        Binding("right,l", "shift(1)", "Columns right", show=False, id="board.right"),
        Binding("up,k", "pick(-1)", "Agent before", show=False, id="board.pick_before"),
        Binding("down,j", "pick(1)", "Agent after", show=False, id="board.pick_after"),
        Binding("enter", "open_picked", "Its page", show=False, id="board.open"),
        Binding("m", "by(6)", "Head to head", show=False, id="board.head_to_head"),
        Binding("A", "add", "Add agents", show=False, id="board.add"),
        Binding("e", "export", "Export", id="board.export"),
        Binding("escape,b", "back", "Back", id="board.back"),
    ]

    def __init__(self, path: Path, local: LocalState | None = None) -> None:
        # All matches, and those without faults; the latter is computed when first shown.
        self._both = (Standings(path), Standings(path, without_faults=True))
        super().__init__(path, self._both[0])
        self._without_faults = False
        self._conduct_table, self._history = ConductTable(path), MatchHistory(path)
        self.state = LeaderboardState(Cast((), NIGHT), Look())
        self._local = local or LocalState()
        self._before = self._local.seen_order
        self._entrants = Entrants()
        self._settling: Timer | None = None
        self._places = BoardPlaces(0, None, False)
        self._table: BoardTable[Any] | HeatTable | None = None

    def compose(self) -> ComposeResult:
        """Yields the header, the table, and two panes below it."""
        yield DrawnLines(id="header", height=2)
        with Container(id="body"):
            yield TablePane(
                self._row,
                lambda width: self._table.headings if self._table is not None else (),
                empty=COMPUTING,
                id="table",
            )
            with Horizontal(id="below"):
                yield ChartPane(id="one")
                yield ChartPane(id="two")
        yield Static(id="warnings")
        yield KeyFooter()

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
        if self._standings.board is None or self._history.shown is None:
            self.state.counting = self._history.trouble or self._history.progress
            self.paint()

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
        state = self.state
        self._board = state.board = self._standings.board
        state.conduct, state.shown = self._conduct_table.rows or [], self._history.shown
        state.moves, state.alarms = self._moves(), self._standings.alarms
        state.remarks, state.decided = self._standings.remarks, self._standings.decided
        self.paint()

    def _moves(self) -> dict[str, int]:
        """The places that each agent has won since the board was last seen."""
        if self.state.board is None:
            return {}
        now = [each.agent for each in self.state.board.by("overall")]
        self._before = self._before or tuple(now)
        before = {agent: place for place, agent in enumerate(self._before)}
        return {agent: before.get(agent, place) - place for place, agent in enumerate(now)}

    def paint(self) -> None:
        """Draws the view in sight at the size of the screen."""
        state, (width, height) = self.state, self.size
        if not width or not self.is_attached:
            return
        state.look = self.look
        standings = state.board.by("overall") if state.board else ()  # the save may be unreadable
        agents = self._entrants.agents or sorted(each.agent for each in standings)
        state.cast = Cast(agents, self.look.palette)
        name = self._entrants.name or str(self._path)
        note = header_note(state, without_faults=self._without_faults)
        lines = warnings(state, width - 2)
        subject = Text(one_line(name), f"bold {state.look.palette.text}")
        tabs = tabs_line(state.look, NAMES[:MET], state.view, width)
        self._paint_header(subject, note, [tabs])
        below = self.query_one("#warnings", Static)
        below.update(Text("\n").join(lines))
        below.display = bool(lines)
        self._places = arrangement(state, width, height, len(lines))
        self._arrange(self._places)
        self.call_after_refresh(self._show_panes)

    def _arrange(self, places: BoardPlaces) -> None:
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
        waited: Computation = self._standings
        made: object = state.board
        if state.view == CONDUCT:
            waited, made = self._conduct_table, self._conduct_table.rows
        computing = made is None and not waited.trouble
        pane.shape = skeleton(look, pane.empty, size.width) if computing else ()
        pane.marks_row = state.view not in HEAT
        if state.agent is not None:
            pane.cursor = agents.index(state.agent)
        pane.fill(len(agents), table.tall)
        note = Text(table.hidden, look.palette.soft)
        if state.view in HEAT and agents:
            legend = look.ramp("weaker", look.palette.strength, "stronger")
            note.append("   " if table.hidden else "").append_text(legend)
        pane.border_subtitle = note
        pane.set_title(table_title(state))

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
        if self.state.view in (BY_GAME, BY_ROLE) and column is not None and agent is not None:
            self._settling = self.set_timer(SETTLE_SECONDS, lambda: self._read_cell(agent, column))

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Opens the page of the agent under the cursor."""
        agents = self.state.agents()
        if message.row < len(agents):
            self._open(agents[message.row])

    # --- Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """False for a key that does nothing in the view in sight."""
        views = ACTIONS.get(action)
        return True if views is None else self.state.view in views

    def why_not(self, action: str) -> str:
        """The views in which a key does something."""
        views = ACTIONS.get(action.partition("(")[0], ())
        if self.state.view in views or not views:
            return ""
        return "Only in " + ", ".join(f"{KEYS[view]} {NAMES[view]}" for view in views)

    def _is_ready(self) -> bool:
        """True if the view has its data; else says what is still being done."""
        if self.state.view in (RACE, NETWORKS) and self.state.shown is None:
            self.say("The matches are still being counted.")
            return False
        if self.state.view == NETWORKS and not self.state.agents():
            self.say("There is nobody in this network.")
            return False
        if self.state.view not in (RACE, NETWORKS, CONDUCT) and self.state.board is None:
            self.say("The standings are still being computed.")
            return False
        return True

    def action_by(self, view: int) -> None:
        """Shows another view."""
        self.state.view = view
        self._fill()
        self._check()
        self.refresh_bindings()
        self._follow_cursor()

    def action_compare(self) -> None:
        """Compares with the agent under the cursor, or with the mean again."""
        state = self.state
        if state.agent is None:
            self.say("There is no agent to compare with yet.")
            return
        state.against = None if state.against == state.agent else state.agent
        if state.against is not None:
            self.say(f"Compared with {state.cast[state.against].name}: move to another agent.")
        self.paint()

    def action_faults(self) -> None:
        """Leaves out the matches with a fault, or includes them again."""
        self._without_faults = not self._without_faults
        self._standings = self._both[self._without_faults]
        self._fill()
        self._check()

    def action_game(self) -> None:
        """Shows the race in the next game, or in all games again."""
        if self._is_ready() and self.state.shown is not None:
            games = [None, *sorted(game for game in self.state.shown.races if game)]
            self.state.race_game = following(games, self.state.race_game)
            self.paint()

    def action_ranks(self) -> None:
        """Shows the race as ranks, or as values again."""
        self.state.as_ranks = not self.state.as_ranks
        self.paint()

    def action_ring(self) -> None:
        """Shows the ring in place of the matrix, where there is no room for both."""
        if self.query_one("#two").display:
            self.say("Ring and matrix are both in sight.")
            return
        self.state.as_ring = not self.state.as_ring
        self.paint()

    def action_network(self, kind: str) -> None:
        """Shows who accuses or who helps whom."""
        self.state.kind = "helped" if kind == "helped" else "accused"
        self.paint()

    def action_ties(self, by: int) -> None:
        """Shows more or fewer of the strongest ties."""
        ties = self.state.ties + by * TIES_STEP
        self.state.ties = max(LEAST_TIES, min(MOST_TIES, ties))
        self.paint()
        self.say(f"At most {self.state.ties} ties are shown.")

    def action_sort(self) -> None:
        """Orders the table by the next column."""
        if self._is_ready():
            self.state.sort()
            self.paint()

    def action_reverse(self) -> None:
        """Orders the table from the other end."""
        if self._is_ready():
            self.state.reverse()
            self.paint()

    def action_value(self) -> None:
        """Shows values, intervals or counts in the cells."""
        if self._is_ready():
            self.state.shows = following(SHOWS, self.state.shows)
            self.paint()
            self.say(f"Cells show the {self.state.shows}.")

    def action_shift(self, by: int) -> None:
        """Moves the cursor of a heat table, or scrolls the columns."""
        if not self._is_ready():
            return
        state = self.state
        before = state.column, state.firsts.get(state.view, 0)
        width = self.query_one("#table").scrollable_content_region.width
        if state.view in HEAT:
            state.columns[state.view] = state.column + by
            state.columns[state.view] = state.column
        else:
            table = state.table(width, 1)
            if isinstance(table, BoardTable):
                state.firsts[state.view] = table.shifted(by)
        if before == (state.column, state.firsts.get(state.view, 0)):
            self.say("There is no further column.")
        self.paint()
        self._follow_cursor()

    def action_pick(self, by: int) -> None:
        """Lets another agent stand out in the race or the networks."""
        if self._is_ready():
            self.state.pick(by)
            self.paint()

    def action_open_picked(self) -> None:
        """Opens the page of the agent that stands out."""
        if self.state.picked is not None:
            self._open(self.state.picked)
        else:
            self.say("No agent stands out yet: up and down choose one.")

    def _open(self, agent: str) -> None:
        """Opens the page of an agent, unless it has finished no match."""
        board = self._standings.board
        if board is None or agent not in {each.agent for each in board.by("overall")}:
            self.say("This agent has finished no match yet.")
            return
        self.app.post_message(Show(AGENT, self._path, self._standings, agent, self.state.against))

    def action_back(self) -> None:
        """Goes back to the screen before; from head to head to the standings."""
        if self.state.view == MET:
            self.action_by(OVERALL)
        else:
            super().action_back()

    def action_add(self) -> None:
        """Opens the form that adds agents to the save."""
        self.app.post_message(Show(ADD, self._path))

    def exported(self) -> Exported:
        """The view in sight."""
        state, standings = self.state, self._standings
        if state.view == CONDUCT:
            from parlour.tournament.reports.conduct import conduct_report

            return Exported("table", "conduct", lambda: self._conduct_table.rows, conduct_report)
        if state.view == MET:
            from parlour.ratings.reports.matrix import matrix, matrix_report

            met = None if state.board is None else matrix(state.board, None)
            part = f"head-to-head{standings.kind}"
            return Exported("matrix", part, lambda: met, matrix_report)
        if state.view == RACE:
            from parlour.ratings.reports.history_report import race_report

            chart = state.race() if state.shown else None
            part = f"race-{state.race_game or 'all'}"
            return Exported("race", part, lambda: chart, race_report)
        if state.view == NETWORKS:
            from parlour.ratings.reports.history_report import network_report

            network = state.network().network if state.shown else None
            report = partial(network_report, kind=state.kind)
            return Exported("network", f"network-{state.kind}", lambda: network, report)
        from parlour.ratings.reports.leaderboard_report import leaderboard_report

        by = BY[state.view]
        return Exported(
            "leaderboard",
            f"leaderboard-{by}{standings.kind}",
            lambda: standings.board,
            lambda board: leaderboard_report(
                board, by, list(map(asdict, standings.remarks)), standings.decided
            ),
        )


def _has_role(match: StoredMatch, agent: str, role: str) -> bool:
    """True if an agent had a role in a match."""
    roles = match.outcome.roles if match.outcome else ()
    return (agent, role) in zip(match.agents, roles, strict=False)
