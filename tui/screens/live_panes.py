"""The panes of the live screen: their places, their titles, and the lines in each."""

from collections.abc import Mapping, Sequence

from rich.text import Text
from textual.geometry import Region, Size

from parlour.games.common.text import one_line
from parlour.games.engine.board import Feed
from parlour.tui.models.save_view import SaveView
from parlour.tui.models.standings import Standings
from parlour.tui.models.tables import Tables
from parlour.tui.screens.seeing import ReadingScreen
from parlour.tui.screens.watching import WatchingScreen
from parlour.tui.settings import LAYOUTS, Settings
from parlour.tui.views.boards.boards import board_lines, board_title, boards
from parlour.tui.views.live_places import (
    BOARD,
    LEAST_HEIGHT,
    LEAST_WIDTH,
    MATCH,
    MATCHES,
    PANES,
    ROOM,
    STANDINGS,
    Arrangement,
    LivePane,
    has_room,
    has_tabs,
    live_places,
    pane_tabs,
)
from parlour.tui.views.match_words import game_title
from parlour.tui.views.standings import NOBODY_MET, nobody_met, standings_lines
from parlour.tui.views.states import match_state, too_small
from parlour.tui.views.talk import cast_line, talk_lines
from parlour.tui.views.wall import two_lines
from parlour.tui.widgets.drawn import DrawnLines, DrawnPane
from parlour.tui.widgets.panes import TITLE_EDGES, Pane
from parlour.tui.widgets.placed import Placed

SINCE = "since you looked"


class LivePanes(ReadingScreen, WatchingScreen):
    """Draws the panes of the live screen; what the keys do is in the screen itself."""

    def __init__(self, watched: SaveView, standings: Standings, settings: Settings) -> None:
        super().__init__(watched, standings)
        self.settings = settings
        self.gossip_filter = ""
        self._chosen = MATCH
        self._board_of: tuple[object, ...] = ()

    # --- Places

    @property
    def layout_here(self) -> str:
        """The layout of the settings; auto on a terminal that has no room for it."""
        chosen = self.settings.layout
        return chosen if has_room(chosen, self.app.size) else LAYOUTS[0]

    def has_tabs(self) -> bool:
        """True if the panes are tabs on this terminal."""
        return has_tabs(self.app.size.width, self.layout_here)

    def places(self, size: Size) -> Mapping[str, Region]:
        """The places of the panes in the body."""
        terminal = self.app.size
        if terminal.width < LEAST_WIDTH or terminal.height < LEAST_HEIGHT:
            return {"small": Region(0, 0, size.width, size.height)}
        agents = len(self.watched.save.tournament.agents)
        others = len(self._others())
        return live_places(size, Arrangement(self.layout_here, self._chosen, agents, others))

    def choose(self, pane: LivePane) -> None:
        """Brings a pane into sight."""
        self._chosen = pane
        self.place_panes()

    def place_panes(self) -> None:
        """Places the panes again, and draws the tabs."""
        self.query_one("#body", Placed).arrange_again()
        self._paint_tabs()

    def action_layout(self) -> None:
        """Switches to the next layout that has room, and stores it in the settings."""
        settings = self.settings
        place = LAYOUTS.index(settings.layout) + 1
        order = [*LAYOUTS[place:], *LAYOUTS[:place]]
        settings.layout = next(name for name in order if has_room(name, self.app.size))
        passed = order[: order.index(settings.layout)]
        problem = settings.store()
        self.place_panes()
        needs = "".join(f" {name.capitalize()} needs {ROOM[name]}." for name in passed)
        words = f"Layout: {settings.layout}, kept for the next start.{needs}"
        self.say(problem or words, bad=problem is not None)

    def on_resize(self) -> None:
        """Draws what depends on the width of the screen."""
        self._paint_tabs()
        self.call_after_refresh(self._after_resize)

    def _after_resize(self) -> None:
        if not self.is_mounted:
            return
        self.paint()
        focused = self.focused
        if focused is None or not focused.display:
            visible = [pane for pane in self.query(Pane) if pane.display and pane.can_focus]
            self.set_focus(visible[0] if visible else None)

    def _paint_tabs(self) -> None:
        tabs = self.query_one("#tabs", DrawnLines)
        tabs.display = self.has_tabs()
        tabs.show([pane_tabs(self.look, self._chosen)])

    # --- Painting

    def before_paint(self, now: float) -> None:
        """Called at every look at the save, before it is shown."""

    def paint_due(self, now: float) -> None:
        """Shows those parts that are due."""
        self.before_paint(now)
        if self.cadence.due("header", now):
            self.paint_header(now)
        if self.cadence.due("list", now):
            self.paint_list()
        if self.cadence.due("talk", now):
            self._paint_talk()
        if self.cadence.due("board", now):
            self.paint_board()
        if self.cadence.due("others", now):
            self._show("elsewhere")
            self.paint_standings()

    def paint_list(self) -> None:
        """Brings the list of matches up to date."""
        raise NotImplementedError

    def list_filter(self) -> str:
        """The filter of the matches."""
        raise NotImplementedError

    def paint_match(self, *, reset: bool = False) -> None:
        """Shows the match in focus."""
        self.paint_titles()
        self._paint_talk(reset=reset)
        self._board_of = ()
        self.paint_board(reset=reset)

    def _paint_talk(self, *, reset: bool = False) -> None:
        pane = self.query_one("#talk", DrawnPane)
        pane.set_hint(Text(self.phase(), self.look.palette.soft))
        pane.show(reset=reset)

    def paint_board(self, *, reset: bool = False) -> None:
        """Shows the board, if its match has moved."""
        focus = self.watched.focus
        if focus is None:
            return
        table = focus.table
        state = (focus.match.number, focus.shown, table and len(table.answered), self.look)
        basis = (*state, self.gossip_filter, self._verbatim, self._viewer)
        if basis == self._board_of and not reset:
            return
        self._board_of = basis
        self._show("board", reset=reset)
        self.paint_titles()

    def paint_standings(self) -> None:
        """Shows the standings."""
        self._show("standings")

    def _show(self, name: str, *, reset: bool = False) -> None:
        pane = self.query_one(f"#{name}", DrawnPane)
        if pane.display:
            pane.show(reset=reset)

    def paint_titles(self) -> None:
        """Sets the titles of all panes, with the key of the focused one in the accent."""
        focus, look = self.watched.focus, self.look
        words = {MATCHES: (MATCHES.title, f"/{self.list_filter()}" if self.list_filter() else "")}
        if focus is not None:
            game = self.watched.games[focus.match.game]
            more = f"match {focus.match.number} {self.seen_by()}".rstrip()
            words[MATCH] = (game_title(look, game, self._room_for(str(MATCH.key), more)), more)
        scene = self.scene()
        if scene is not None:
            words[BOARD] = (one_line(board_title(scene)), "")
        for each in PANES:
            pane = self.query_one(f"#{each.id}", Pane)
            title = look.title(str(each.key), *words.get(each, (each.title, "")))
            if pane.has_focus:
                title.stylize(f"bold reverse {look.palette.accent}", 0, 1)
            pane.set_title(title)
        faint = look.palette.faint
        hint = Text.assemble(("/", look.palette.accent), (" filter", faint))
        self.query_one(f"#{MATCHES.id}", Pane).set_subtitle(hint)
        moves = f"{look.signs.up}{look.signs.down} {SINCE}"
        if nobody_met(self.standings.board):
            moves = NOBODY_MET.partition(":")[0].lower()
        self.query_one(f"#{STANDINGS.id}", DrawnPane).set_hint(Text(moves, faint))

    def _room_for(self, key: str, more: str) -> int | None:
        """The columns for the name of the game in the title of the talk; None: not known yet."""
        width = self.query_one("#talk", Pane).outer_size.width
        return width - TITLE_EDGES - self.look.title(key, "", more).cell_len if width else None

    def on_descendant_focus(self) -> None:
        """Marks the pane that has the keys."""
        self.paint_titles()

    def on_descendant_blur(self, event: object) -> None:
        """Counts moves in the standings from the moment at which the reader leaves them."""
        if getattr(getattr(event, "widget", None), "id", None) == "standings":
            self.standings.looked_at()
            self.paint_standings()
        self.paint_titles()

    # --- Lines of the panes

    def _cast_head(self, width: int, height: int) -> list[Text]:
        scene = self.scene()
        if scene is None or scene.focus.table is None or height < 4:
            return []
        return [cast_line(scene, width), Text()]

    def _talk(self, width: int, height: int) -> Sequence[Text]:
        scene = self.scene()
        if scene is None:
            return []
        lines = talk_lines(scene, width, height, why=self.shows_reasons(width))
        return match_state(self.watched, scene, lines, width, height)

    def _board(self, width: int, height: int) -> list[Text]:
        scene = self.scene()
        if scene is None or scene.focus.table is None:
            return []
        return list(board_lines(scene, width, height, wanted=self.gossip_filter))

    def _standings(self, width: int, height: int) -> list[Text]:
        return standings_lines(self.standings, self.lineup(), width, height)

    def _too_small(self, width: int, height: int) -> list[Text]:
        return too_small(self.look, self.app.size, width, height)

    def _others(self) -> list[int]:
        focus = self.watched.focus
        own = None if focus is None else focus.match.number
        return [number for number in self.watched.at_table() if number != own]

    def other_lines(self, tables: Tables, width: int, height: int) -> list[Text]:
        """Two lines for each other match in play, as many as fit."""
        lines: list[Text] = []
        for focus in tables.up_to_date(self._others()[: height // 2]):
            lines += two_lines(self.watched, self.cast(), self.look, focus, width)
        return lines

    def has_gossip(self) -> bool:
        """True if the board has a feed of gossip, which can be filtered."""
        scene = self.scene()
        return scene is not None and any(isinstance(board, Feed) for board in boards(scene))
