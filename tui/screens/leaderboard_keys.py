"""Keys of the leaderboard: its views, their columns and orders, and what can be chosen in them."""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

from textual.binding import Binding, BindingType

from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.look.palette import NIGHT
from parlour.tui.models.history import History
from parlour.tui.models.standings import ConductTable, Standings
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.screens.messages import ShowAgent, ShowHeadToHead
from parlour.tui.screens.standings_base import StandingsScreen, export
from parlour.tui.views.board_table import BoardTable
from parlour.tui.views.leaderboard import (
    BY_GAME,
    BY_ROLE,
    CONDUCT,
    HEAT,
    NAMES,
    NETWORKS,
    OVERALL,
    RACE,
    LeaderboardState,
)
from parlour.tui.views.standings_table import SHOWS

By = Literal["overall", "game", "role"]
BY: dict[int, By] = {OVERALL: "overall", BY_GAME: "game", BY_ROLE: "role"}


def export_shown(
    screen: ParlourScreen,
    path: Path,
    state: LeaderboardState,
    standings: Standings,
    conduct: ConductTable,
) -> None:
    """Asks for a format and writes the view in sight."""
    if state.view == CONDUCT:
        from parlour.tournament.reports.conduct import conduct_report

        export(screen, "table", path, "conduct", lambda: conduct.rows, conduct_report)
    elif state.view == RACE:
        from parlour.ratings.reports.history_report import race_report

        part = f"race-{state.race_game or 'all'}"
        chart = state.race() if state.shown else None
        export(screen, "race", path, part, lambda: chart, race_report)
    elif state.view == NETWORKS:
        from parlour.ratings.reports.history_report import network_report

        network = state.network().network if state.shown else None
        report = partial(network_report, kind=state.kind)
        export(screen, "network", path, f"network-{state.kind}", lambda: network, report)
    else:
        from parlour.ratings.reports.leaderboard_report import leaderboard_report

        by = BY[state.view]
        part = f"leaderboard-{by}{standings.kind}"
        export(
            screen,
            "leaderboard",
            path,
            part,
            lambda: standings.board,
            lambda board: leaderboard_report(
                board, by, list(map(asdict, standings.remarks)), standings.decided
            ),
        )


TABLES = (OVERALL, BY_GAME, BY_ROLE, CONDUCT)
ACTIONS: dict[str, tuple[int, ...]] = {
    "faults": (OVERALL, BY_GAME, BY_ROLE),
    "compare": (OVERALL,),
    "value": (OVERALL, BY_GAME, BY_ROLE, NETWORKS),
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


class LeaderboardKeys(StandingsScreen):
    """The keys of the leaderboard: they change its state, which the screen itself draws."""

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
        Binding(
            "m",
            "matrix",
            "Head to head",
            tooltip="Every agent against every other",
            show=False,
            id="board.head_to_head",
        ),
        Binding("A", "add", "Add agents", show=False, id="board.add"),
        Binding("e", "export", "Export", id="board.export"),
        Binding("escape,b", "back", "Back", id="board.back"),
    ]

    def __init__(self, path: Path, standings: Standings) -> None:
        super().__init__(path, standings)
        # All matches, and those without faults; the latter is computed when first shown.
        self._both = (standings, Standings(path, without_faults=True))
        self._without_faults = False
        self._conduct_table, self._history = ConductTable(path), History(path)
        self.state = LeaderboardState(Cast((), NIGHT), Look())

    def _follow_cursor(self) -> None:
        """Draws what depends on the agent or the column under the cursor."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """False for a key that does nothing in the view in sight."""
        views = ACTIONS.get(action)
        return True if views is None else self.state.view in views

    def why_not(self, action: str) -> str:
        """The views in which a key does something."""
        views = ACTIONS.get(action.partition("(")[0], ())
        if self.state.view in views or not views:
            return ""
        return "Only in " + ", ".join(f"{view + 1} {NAMES[view]}" for view in views)

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
        self._show()

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
            at = games.index(self.state.race_game) if self.state.race_game in games else 0
            self.state.race_game = games[(at + 1) % len(games)]
            self._show()

    def action_ranks(self) -> None:
        """Shows the race as ranks, or as values again."""
        self.state.as_ranks = not self.state.as_ranks
        self._show()

    def action_ring(self) -> None:
        """Shows the ring in place of the matrix, where there is no room for both."""
        if self.query_one("#two").display:
            self.say("Ring and matrix are both in sight.")
            return
        self.state.as_ring = not self.state.as_ring
        self._show()

    def action_network(self, kind: str) -> None:
        """Shows who accuses or who helps whom."""
        self.state.kind = "helped" if kind == "helped" else "accused"
        self._show()

    def action_ties(self, by: int) -> None:
        """Shows more or fewer of the strongest ties."""
        ties = self.state.ties + by * TIES_STEP
        self.state.ties = max(LEAST_TIES, min(MOST_TIES, ties))
        self._show()
        self.say(f"At most {self.state.ties} ties are shown.")

    def action_sort(self) -> None:
        """Orders the table by the next column."""
        if self._is_ready():
            self.state.sort()
            self._show()

    def action_reverse(self) -> None:
        """Orders the table from the other end."""
        if self._is_ready():
            self.state.reverse()
            self._show()

    def action_value(self) -> None:
        """Shows values, intervals or counts in the cells."""
        if self._is_ready():
            at = SHOWS.index(self.state.shows)
            self.state.shows = SHOWS[(at + 1) % len(SHOWS)]
            self._show()
            self.say(f"Cells show the {SHOWS[(at + 1) % len(SHOWS)]}.")

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
        self._show()
        self._follow_cursor()

    def action_pick(self, by: int) -> None:
        """Lets another agent stand out in the race or the networks."""
        if self._is_ready():
            self.state.pick(by)
            self._show()

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
        self.app.post_message(ShowAgent(self._path, self._standings, agent, self.state.against))

    def action_matrix(self) -> None:
        """Opens the matrix of all agents against all."""
        self.app.post_message(ShowHeadToHead(self._path, self._standings))

    def action_add(self) -> None:
        """Opens the form that adds agents to the save."""
        from parlour.tui.screens.add import add_agents  # late: the first frame needs no form

        add_agents(self, self._path)

    def action_export(self) -> None:
        """Asks for a format and writes the view in sight."""
        export_shown(self, self._path, self.state, self._standings, self._conduct_table)
