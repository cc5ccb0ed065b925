"""The leaderboard as drawn: the table of each view, and the pictures below or in its place."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.transcript import counted
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look, fit, wrapped
from parlour.tui.models.game_names import game_title
from parlour.tui.models.sorting import UNSORTED, Sorting
from parlour.tui.models.standings import COMPUTING, Charts, ConductTable, Standings
from parlour.tui.models.tiles import TileColumn, TileTable, by_game, by_role, head_to_head
from parlour.tui.text import following
from parlour.tui.views.heat_tables import HeatTable
from parlour.tui.views.networks import (
    CELL,
    WORDS,
    NetworkState,
    network_lines,
    ring_lines,
    ring_title,
)
from parlour.tui.views.race import RaceState, race_lines
from parlour.tui.views.standing_details import OpenedCell, cell_lines, details_lines, radar_of
from parlour.tui.views.standings_table import (
    BoardState,
    BoardTable,
    Shows,
    conduct_board,
    notes_lines,
    overall_table,
    people_width,
)
from parlour.tui.views.states import centred

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


Draw = Callable[[int, int], Sequence[Text]]


@dataclass(frozen=True, slots=True)
class Picture:
    """A pane beside or below the table: its title, a note at its lower right, and its lines."""

    title: Text
    draw: Draw
    note: Text = field(default_factory=Text)


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
    shown: Charts | None = None
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
    as_ranks: bool = False
    kind: "Kind" = "accused"
    ties: int = 14
    as_ring: bool = False
    opened: OpenedCell | None = None
    counting: str = COMPUTING
    _made: tuple[object, object, TileTable] = (None, None, TileTable())

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
        board, view, made = self._made
        if board is not self.board or view != self.view:
            made = {BY_ROLE: by_role, MET: head_to_head}.get(self.view, by_game)(self.board)
            self._made = self.board, self.view, made
        return made

    @property
    def tile_column(self) -> TileColumn | None:
        """The column under the cursor of a heat table."""
        columns = self.tiles.columns
        return columns[self.column] if columns else None

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
            self.tiles, self.cast, self.look, width, height, self.column, self.sorting, self.shows
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
        self.picked = following([None, *self.agents()], self.picked, by)

    def reverse(self) -> None:
        """Orders from the other end."""
        self.sortings[self.view] = self.sorting.reversed()

    # --- Pictures

    def pictures(self) -> list[Picture]:
        """The panes of the view beside its table, the first one at the left."""
        if self.view == RACE:
            return [self._race(chosen=None)]
        if self.view == CONDUCT:
            return [Picture(self.look.title("", "Columns"), partial(notes_lines, self.look))]
        makers = {OVERALL: self._overall, NETWORKS: self._networks}
        return makers.get(self.view, self._cell)()

    def _or_counting(self, draw: Draw) -> Draw:
        """A picture of the race or a network, or how far its count is."""
        return draw if self.shown is not None else partial(centred, self.look, [self.counting])

    def _overall(self) -> list[Picture]:
        state, agent = self.board_state(), self.agent
        if state is None or agent is None:
            return []
        radar = Picture(self._compared(agent), partial(radar_of, state, agent, self.other))
        return [radar, self._race(chosen=agent)]

    @property
    def other(self) -> str | None:
        """The agent that the one under the cursor is compared with, None for the mean."""
        return None if self.against == self.agent else self.against

    def _compared(self, agent: str) -> Text:
        title = self.look.person(self.cast[agent], speaks=True)
        title.append(" against ", self.look.palette.soft)
        if self.other is None:
            return title.append("the mean", self.look.palette.soft)
        return title.append_text(self.look.name(self.cast[self.other]))

    def details(self) -> Picture | None:
        """The values of the agent under the cursor, where there is no room for pictures."""
        state, agent = self.board_state(), self.agent
        if state is None or agent is None or self.view != OVERALL:
            return None
        title = self._compared(agent)
        overall = state.board.by("overall")
        number = next((each.matches for each in overall if each.agent == agent), 0)
        title.append(f"  {counted(number, 'match')}", self.look.palette.soft)
        return Picture(title, partial(details_lines, state, agent, self.other))

    def _race(self, *, chosen: str | None) -> Picture:
        palette = self.look.palette
        state = RaceState(self.race(), self.cast, self.look, chosen or self.picked, self.as_ranks)
        words = "rank by skill" if self.as_ranks else "skill above the mean"
        if chosen is None:
            field = "TrueSkill, above the mean of the field"
            words = f"{'ranks by TrueSkill' if self.as_ranks else field}, after every match"
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

    def _networks(self) -> list[Picture]:
        state, palette = self.network(), self.look.palette
        _, _, name, unit = WORDS[self.kind]
        title = self.look.title("", name).append(f" {unit}", palette.soft)
        ring = self.look.title("", "Network").append(f" {ring_title(state)}", palette.soft)
        return [
            Picture(title, self._or_counting(partial(network_lines, state))),
            Picture(ring, partial(ring_lines, state)),
        ]


# --- Places of the panes

CHROME = 3
"""Lines of header, tabs and footer."""
PICTURES_FROM = (110, 30)
"""Columns and lines of the screen from which on pictures stand below the standings."""
RADAR, NARROW_RADAR, BROAD_FROM = 64, 56, 140
BORDER = 2


@dataclass(frozen=True, slots=True)
class BoardPlaces:
    """Lines of the table with its border (0: hidden), and columns of the panes below.

    ``one`` None takes what is left; 0 hides it, and so does ``two`` False.
    """

    table: int
    one: int | None
    two: bool

    @property
    def below(self) -> bool:
        """True if any pane stands below the table."""
        return self.two or self.one != 0


def arrangement(state: LeaderboardState, width: int, height: int, warned: int = 0) -> BoardPlaces:
    """Returns the places for a screen of a size; ``warned`` lines are taken by warnings."""
    body, agents = height - CHROME - warned, len(state.agents())
    pictured = width >= PICTURES_FROM[0] and height >= PICTURES_FROM[1]
    if state.view == RACE:
        return BoardPlaces(0, None, False)
    if state.view == NETWORKS:
        return _networks(state, width)
    if not agents or state.view == MET:
        return BoardPlaces(body, 0, False)
    if state.view == CONDUCT:
        return _above(min(agents + 1 + BORDER, body - 5), body)
    if state.view in HEAT:
        most = body - (14 if pictured else 9)
        table = state.heat_table(width - 4, max(1, most - BORDER))
        lines = min(most, len(table.headings) + table.tall * agents + BORDER)
        return _above(lines, body)
    wanted = agents + 1 + BORDER
    if pictured:
        radar = RADAR if width >= BROAD_FROM else NARROW_RADAR
        return BoardPlaces(max(5, min(wanted, body - 14)), radar, True)
    return _above(min(wanted, body - 8), body)


def _above(lines: int, body: int) -> BoardPlaces:
    """A table with one pane below it, where there is room for both."""
    if body - lines < 5 or lines < 5:
        return BoardPlaces(body, 0, False)
    return BoardPlaces(lines, None, False)


def _networks(state: LeaderboardState, width: int) -> BoardPlaces:
    if width < PICTURES_FROM[0]:
        return BoardPlaces(0, 0, True) if state.as_ring else BoardPlaces(0, None, False)
    network = state.network()
    wanted = people_width(state.cast, width // 2) + CELL * len(network.present) + 7
    return BoardPlaces(0, max(58, min(wanted, width // 2)), True)


def shown_pictures(
    state: LeaderboardState, places: BoardPlaces
) -> tuple[Picture | None, Picture | None]:
    """The pictures of the two panes below the table, None for one that is hidden."""
    if state.view == OVERALL and not places.two:
        return (state.details() if places.below else None), None
    pictures: list[Picture | None] = [*state.pictures(), None, None]
    return (pictures[0] if places.one != 0 else None), (pictures[1] if places.two else None)


# --- Words

OF_MEETINGS = (
    "Share of matches that the row agent won against the column agent, half the 95 % interval"
    " (±–: too few for one) and the matches; a draw is half a win. v: intervals or counts alone."
)


def header_note(state: LeaderboardState, *, without_faults: bool) -> Text:
    """The number of matches behind the figures, and what their intervals are."""
    palette, board = state.look.palette, state.board
    left_out = Text("without faults" if without_faults else "", f"bold {palette.warn}")
    if board is None or state.view == CONDUCT:
        return Text()
    if state.view == MET:
        return left_out
    from parlour.ratings.reports.leaderboard_report import has_observations, matches_in_words

    count, _, words = matches_in_words(board).partition(" ")
    line = Text().append(count, f"bold {palette.text}").append(f" {words}", palette.soft)
    if without_faults:
        line.append(" ").append_text(left_out)
    settings = ", these settings only" if has_observations(board) else ""
    return line.append(f" · 95 % intervals{settings}", palette.soft)


MOST_WARNED = 3
"""The most lines of sentences above a table; more end in an ellipsis."""


def warnings(state: LeaderboardState, width: int) -> list[Text]:
    """The sentences that a reader of the figures must know, none in most tournaments."""
    palette, board, look = state.look.palette, state.board, state.look
    if board is None or state.view == CONDUCT or width < 1:
        return []
    if state.view == MET:
        return wrapped(Text(f"{OF_MEETINGS} Games: all games with winners.", palette.soft), width)
    lines: list[Text] = []
    notes = [remark.sentence for remark in state.remarks if remark.level == "note"]
    alarms = [alarm.sentence for alarm in state.alarms]
    alarms += [remark.sentence for remark in state.remarks if remark.level == "warning"]
    if state.decided is not None and state.decided.stop and state.view == OVERALL:
        notes.append(f"No more matches: {state.decided.stop}.")
    for words in [*alarms, *_warnings(board), *notes]:
        colours = (palette.faint, palette.soft) if words in notes else (palette.warn, palette.text)
        edge = Text(f"{look.signs.edge} ", colours[0])
        body = wrapped(Text(one_line(words), colours[1]), width - 2)
        lines += [Text().append_text(edge).append_text(line) for line in body]
    shown = lines[:MOST_WARNED]
    if len(lines) > MOST_WARNED:
        shown[-1] = fit(shown[-1].append(" …"), width)
    return shown


def _warnings(board: "Leaderboard") -> list[str]:
    from parlour.ratings.reports.faults import faults_of, faulty_agents
    from parlour.ratings.reports.leaderboard_report import copies_sentences
    from parlour.ratings.reports.never_met import never_met_sentences

    sentences = [*never_met_sentences(board.never_met), *copies_sentences(board)]
    if board.left_out is not None:
        sentences.append(f"Left out because of a fault: {counted(board.left_out, 'match')}.")
    if faulty := faulty_agents(faults_of(board.by("overall"))):
        sentences.append(
            f"Other figures say little with many invalid answers, as 6 shows: {', '.join(faulty)}."
        )
    if board.skipped:
        sentences.append(
            f"{counted(board.skipped, 'match')} not rated by TrueSkill: too unlikely for its"
            " arithmetic."
        )
    return sentences


def empty_words(state: LeaderboardState, standings: Standings, conduct: ConductTable) -> str:
    """The text in place of a table without rows."""
    if state.view == CONDUCT:
        if conduct.trouble or conduct.rows is None:
            return conduct.trouble or conduct.progress
        return "No answer is stored yet. Esc goes back."
    if standings.trouble or state.board is None:
        return standings.trouble or standings.progress
    if state.view == MET:
        from parlour.ratings.reports.matrix import empty_message as nobody_met

        return f"{nobody_met(None)} Esc goes back."
    from parlour.ratings.reports.leaderboard_report import empty_message

    return f"{empty_message(state.board)} Esc goes back."


def table_title(state: LeaderboardState) -> Text:
    """The title of the table in sight."""
    titles = {
        BY_GAME: "Strength in each game",
        BY_ROLE: "Strength in each role",
        CONDUCT: "Conduct of all stored answers, unfinished matches too",
    }
    words = titles.get(state.view, "")
    if state.view == OVERALL and state.decided is not None:
        decided, pairs = state.decided.pairs
        words = f"Decided ranks · {decided} of {pairs} pairs"
    if state.shows != "values" and state.view != CONDUCT:
        shown = {"intervals": "half the 95 % interval", "counts": "counts"}[state.shows]
        words = f"{words or 'Won, measures'} · {shown}" if state.view != MET else shown
    return Text(words, f"bold {state.look.palette.text}")
