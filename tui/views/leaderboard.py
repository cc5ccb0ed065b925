"""The leaderboard as drawn: the table of each view, and the pictures below or in its place."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.text import Text

from parlour.games.engine.transcript import counted
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.models.history import Shown
from parlour.tui.models.sorting import UNSORTED, Sorting
from parlour.tui.models.tiles import (
    TileColumn,
    TileTable,
    by_game,
    by_role,
    family,
    game_title,
    head_to_head,
)
from parlour.tui.views.board_table import BoardTable
from parlour.tui.views.conduct_table import conduct_board, notes_lines
from parlour.tui.views.heat_tables import HeatTable, legend
from parlour.tui.views.networks import (
    WORDS,
    NetworkState,
    network_lines,
    ring_lines,
    ring_title,
)
from parlour.tui.views.pictures import Draw, Picture
from parlour.tui.views.race import RaceState, race_lines
from parlour.tui.views.standing_details import details_lines, radar_of
from parlour.tui.views.standings_table import BoardState, Shows, overall_table
from parlour.tui.views.states import centred
from parlour.tui.views.tile_details import OpenedCell, cell_lines

if TYPE_CHECKING:
    from parlour.ratings.counting.ties import Kind
    from parlour.ratings.reports.decided_ranks import DecidedRanks
    from parlour.ratings.reports.leaderboard import Leaderboard
    from parlour.ratings.skill.race import RaceChart
    from parlour.tournament.reports.conduct import Conduct
    from parlour.tournament.save.provenance.alarms import Alarm
    from parlour.tournament.save.provenance.remarks import Remark

NAMES = ("Overall", "By game", "By role", "Race", "Networks", "Conduct", "Head to head")
OVERALL, BY_GAME, BY_ROLE, RACE, NETWORKS, CONDUCT, MET = range(7)
KEYS = "123456m"
"""The key of each view; the last one has no tab."""
HEAT = (BY_GAME, BY_ROLE, MET)


@dataclass(slots=True)
class LeaderboardState:
    """The state of the leaderboard: its data, the view in sight, and the choices in each view.

    ``agent`` is the one under the cursor, ``against`` the one it is compared with (None: the
    mean), and ``picked`` the one that stands out in the race and the networks. ``opened`` has the
    matches of the cell under the cursor of a heat table. ``counting`` says how far the race and
    the networks are, while they are counted for the first time.
    """

    cast: Cast
    look: Look
    board: "Leaderboard | None" = None
    conduct: "Sequence[Conduct]" = ()
    shown: Shown | None = None
    moves: dict[str, int] = field(default_factory=dict)
    alarms: "Sequence[Alarm]" = ()
    remarks: "Sequence[Remark]" = ()
    decided: "DecidedRanks | None" = None
    view: int = OVERALL
    sortings: dict[int, Sorting] = field(default_factory=dict)
    firsts: dict[int, int] = field(default_factory=dict)
    columns: dict[int, int] = field(default_factory=dict)
    shows: Shows = "values"
    agent: str | None = None
    against: str | None = None
    picked: str | None = None
    race_game: str | None = None
    met_game: str | None = None
    as_ranks: bool = False
    kind: "Kind" = "accused"
    ties: int = 14
    as_ring: bool = False
    opened: OpenedCell | None = None
    counting: str = ""

    @property
    def sorting(self) -> Sorting:
        """The order of the table in sight."""
        return self.sortings.get(self.view, UNSORTED)

    @property
    def column(self) -> int:
        """The column under the cursor of a heat table."""
        return max(0, min(self.columns.get(self.view, 0), len(self.tiles.columns) - 1))

    @property
    def tiles(self) -> TileTable:
        """The tiles of a heat table."""
        if self.board is None:
            return TileTable()
        if self.view == MET:
            return head_to_head(self.board, self.met_game)
        return by_role(self.board) if self.view == BY_ROLE else by_game(self.board)

    @property
    def tile_column(self) -> TileColumn | None:
        """The column under the cursor of a heat table."""
        columns = self.tiles.columns
        return columns[self.column] if columns else None

    def games_met(self) -> list[str | None]:
        """The games in which agents met, None for all of them."""
        from parlour.ratings.reports.matrix import games_met

        return [] if self.board is None else games_met(self.board)

    def meet_in(self, by: int) -> bool:
        """Shows who won against whom in another game; False if there is none."""
        games = self.games_met()
        if len(games) < 2:
            return False
        at = games.index(self.met_game) if self.met_game in games else 0
        self.met_game = games[(at + by) % len(games)]
        self.columns[MET], self.sortings[MET] = 0, UNSORTED
        return True

    def met_words(self) -> Text:
        """The game in which agents met, and its place among all such games."""
        palette, games = self.look.palette, self.games_met()
        at = games.index(self.met_game) + 1 if self.met_game in games else 0
        suit = self.look.signs.suits.get(family(self.met_game or ""), "")
        title = "all games"
        if self.met_game is not None:
            title = f"{suit} {game_title(self.met_game)}".strip()
        line = Text(no_wrap=True).append(title, f"bold {palette.text}")
        return line.append(f"  {at}/{len(games)}", palette.soft)

    def board_state(self) -> BoardState | None:
        """The leaderboard for the views that draw it."""
        if self.board is None:
            return None
        return BoardState(
            self.board,
            self.cast,
            self.look,
            self.moves,
            self.sorting,
            self.shows,
            self.firsts.get(self.view, 0),
            self.decided,
        )

    def agents(self) -> Sequence[str]:
        """The agents of the view in sight, in order."""
        if self.view == NETWORKS:
            return self.network().rows
        if self.view == RACE:
            return [each.agent for each in self.board.by("overall")] if self.board else []
        return self.table(100, 20).agents

    def heat_table(self, width: int, height: int) -> HeatTable:
        """The table of tiles at a size."""
        return HeatTable(
            self.tiles,
            self.cast,
            self.look,
            width,
            height,
            self.column,
            self.sorting,
            self.shows,
        )

    def network(self) -> NetworkState:
        """The network in sight."""
        from parlour.ratings.counting.ties import Network

        networks = self.shown.networks if self.shown else {}
        standings = self.board.by("overall") if self.board else []
        return NetworkState(
            networks.get(self.kind, Network()),
            self.kind,
            [standing.agent for standing in standings],
            self.cast,
            self.look,
            self.ties,
            self.picked,
            self.sorting,
            self.shows,
        )

    def race(self) -> "RaceChart":
        """The race in sight: that of all games, or of the chosen one."""
        from parlour.ratings.skill.race import RaceChart

        game = self.race_game if self.view == RACE else None
        return (self.shown.races if self.shown else {}).get(game, RaceChart())

    def table(self, width: int, height: int) -> "BoardTable[Any] | HeatTable":
        """The table in sight at a width; ``height`` is the most that its rows should take."""
        if self.view in HEAT:
            return self.heat_table(width, height)
        if self.view == CONDUCT:
            first = self.firsts.get(self.view, 0)
            return conduct_board(self.conduct, self.cast, self.look, self.sorting, first, width)
        state = self.board_state()
        return BoardTable(self.look, [], [], width) if not state else overall_table(state, width)

    def sortable(self) -> list[str]:
        """The keys of the columns of the table in sight, in order."""
        if self.view == NETWORKS:
            return ["agent", *self.network().present]
        return [] if self.view == RACE else self.table(100, 20).sortable

    def sort(self) -> None:
        """Orders by the next column; a heat table by the column under the cursor, then by name."""
        if self.view in HEAT:
            key = self.tile_column.key if self.tile_column else None
            order = {key: "agent", "agent": None}
            self.sortings[self.view] = Sorting(order.get(self.sorting.column, key))
        elif self.view != RACE:
            self.sortings[self.view] = self.sorting.following(self.sortable())

    def pick(self, by: int) -> None:
        """Lets the next agent stand out in the race or the networks; after the last one, nobody."""
        agents: list[str | None] = [None, *self.agents()]
        at = agents.index(self.picked) if self.picked in agents else 0
        self.picked = agents[(at + by) % len(agents)]

    def reverse(self) -> None:
        """Orders from the other end."""
        self.sortings[self.view] = self.sorting.reversed()

    # --- Pictures

    def pictures(self) -> list[Picture]:
        """The panes of the view beside its table, the first one at the left."""
        makers: dict[int, Callable[[], list[Picture]]] = {
            OVERALL: self._overall,
            BY_GAME: self._cell,
            BY_ROLE: self._cell,
            RACE: lambda: [self._race(chosen=None)],
            NETWORKS: self._networks,
            CONDUCT: self._notes,
        }
        return makers[self.view]() if self.view in makers else []

    def _or_counting(self, draw: Draw) -> Draw:
        """A picture of the race or a network, or how far its count is."""
        if self.shown is not None:
            return draw
        return partial(centred, self.look, [self.counting or "Counting the matches …"])

    def _overall(self) -> list[Picture]:
        state, agent = self.board_state(), self.agent
        if state is None or agent is None:
            return []
        against = None if self.against == agent else self.against
        who, palette = self.cast[agent], self.look.palette
        title = Text().append_text(self.look.chip(who)).append(" ")
        title.append_text(self.look.name(who, speaks=True)).append(" against ", palette.soft)
        if against is None:
            title.append("the mean", palette.soft)
        else:
            title.append_text(self.look.name(self.cast[against]))
        radar = Picture(title, partial(radar_of, state, agent, against))
        return [radar, self._race(chosen=agent)]

    def details(self) -> Picture | None:
        """The values of the agent under the cursor, where there is no room for pictures."""
        state, agent = self.board_state(), self.agent
        if state is None or agent is None or self.view != OVERALL:
            return None
        who = self.cast[agent]
        title = Text().append_text(self.look.chip(who)).append(" ")
        title.append_text(self.look.name(who, speaks=True))
        number = next(
            (each.matches for each in state.board.by("overall") if each.agent == agent), 0
        )
        title.append(f"  {counted(number, 'match')}", self.look.palette.soft)
        return Picture(title, partial(details_lines, state, agent))

    def _race(self, *, chosen: str | None) -> Picture:
        palette = self.look.palette
        state = RaceState(self.race(), self.cast, self.look, chosen or self.picked, self.as_ranks)
        if chosen is None:
            what = (
                "ranks by TrueSkill" if self.as_ranks else "TrueSkill, above the mean of the field"
            )
            words = f"{what}, after every match"
        else:
            words = "rank by skill" if self.as_ranks else "skill above the mean"
        title = self.look.title("", "Race").append(f" {words}", palette.soft)
        game = "all games" if self.race_game is None else game_title(self.race_game)
        note = Text(game if chosen is None else "", palette.soft)
        return Picture(title, self._or_counting(partial(race_lines, state)), note)

    def _cell(self) -> list[Picture]:
        state, agent, column = self.board_state(), self.agent, self.tile_column
        if state is None or agent is None or column is None:
            return []
        cell = OpenedCell(agent, column)
        if self.opened is not None and (self.opened.agent, self.opened.column) == (agent, column):
            cell = self.opened
        title = self.look.title("", "Cell")
        return [Picture(title, partial(cell_lines, state, cell))]

    def _notes(self) -> list[Picture]:
        """The meaning of the columns of conduct."""
        return [Picture(self.look.title("", "Columns"), partial(notes_lines, self.look))]

    def _networks(self) -> list[Picture]:
        state, palette = self.network(), self.look.palette
        _, _, name, unit = WORDS[self.kind]
        title = self.look.title("", name).append(f" {unit}", palette.soft)
        ring = self.look.title("", "Network").append(f" {ring_title(state)}", palette.soft)
        return [
            Picture(title, self._or_counting(partial(network_lines, state))),
            Picture(ring, partial(ring_lines, state)),
        ]

    def heat_legend(self) -> Text:
        """The ramp of the heat tables."""
        return legend(self.look)
