"""The live screen: the matches, the talk and the board of one, the standings, and the controls."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.widgets import Input

from parlour.games.common.text import one_line
from parlour.games.engine.board import Feed
from parlour.tui.models.match_tree import (
    GroupHeading,
    MatchRow,
    MatchTree,
    Rest,
    TreeBasis,
    TreeRow,
    fits,
)
from parlour.tui.models.save_view import LocalState, SaveView, Tables
from parlour.tui.models.standings import Standings
from parlour.tui.screens.match_base import ReadingScreen
from parlour.tui.screens.messages import REPLAY, WALL, GoHome, Show
from parlour.tui.screens.steering import WatchingScreen
from parlour.tui.settings import LAYOUTS, Settings
from parlour.tui.views.boards.boards import board_title, boards
from parlour.tui.views.boards.feed import HINT
from parlour.tui.views.live_places import (
    BOARD,
    ELSEWHERE,
    MATCH,
    MATCHES,
    PANES,
    ROOM,
    STANDINGS,
    LivePane,
    PaneBasis,
    has_room,
    has_tabs,
    is_too_small,
    live_places,
    pane_tabs,
)
from parlour.tui.views.match_words import ListedMatches, game_title
from parlour.tui.views.standings import NOBODY_MET, nobody_met, standings_lines
from parlour.tui.views.wall import two_lines
from parlour.tui.widgets.dialogs import TextInput
from parlour.tui.widgets.drawn import DrawnLines, DrawnPane
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.panes import TITLE_EDGES, ListPane, Pane
from parlour.tui.widgets.placed import Placed
from parlour.tui.widgets.talk_pane import TalkPane
from parlour.tui.widgets.terminal import FramedApp

DrawRow = Callable[[TreeRow, int, bool], Text]
"""Returns the text of a row in a width; True if the cursor is on it."""
NO_MATCH = "No match fits the filter: / changes it."


class MatchList(ListPane):
    """Matches below their games. Enter opens a match, and opens or closes a heading."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "open", "Open", id="list.open")]
    DEFAULT_CSS = "MatchList { scrollbar-size: 0 0; }"

    def __init__(self, tree: MatchTree, draw: DrawRow, *, id: str) -> None:
        super().__init__(self._text, empty=NO_MATCH, id=id)
        self._tree, self._draw_row = tree, draw
        self._shown: TreeBasis | None = None

    def _text(self, index: int, width: int) -> Text:
        rows = self._tree.rows
        if index >= len(rows):  # one fewer since the list was laid out
            return Text()
        return self._draw_row(rows[index], width, index == self.cursor)

    def update(self, shown: TreeBasis) -> None:
        """Brings the rows up to date; the cursor stays on its match or heading."""
        place = self._place(self.row_at(self.cursor))
        self._shown = shown
        self._tree.update(shown)
        self.show(len(self._tree.rows))
        self._stand_on(place)

    def row_at(self, index: int) -> TreeRow | None:
        """The row with this index."""
        rows = self._tree.rows
        return rows[index] if 0 <= index < len(rows) else None

    def stand_on(self, number: int) -> None:
        """Puts the cursor on a match, if it has a row."""
        self._stand_on((MatchRow, number))

    def go_to(self, row: int) -> None:
        """Moves the cursor, past rows on which it cannot stand."""
        rows = self._tree.rows
        if not rows:
            return
        row = max(0, min(row, len(rows) - 1))
        step = 1 if row >= self.cursor else -1
        at = row
        while 0 <= at < len(rows) and not fits(rows[at]):
            at += step
        if not 0 <= at < len(rows):  # nothing in that direction: stay at the edge
            at = next((i for i in range(row, len(rows)) if fits(rows[i])), self.cursor)
        super().go_to(at)

    def action_open(self) -> None:
        """Opens or closes a heading, or opens the match under the cursor."""
        row = self.row_at(self.cursor)
        if isinstance(row, GroupHeading | Rest) and self._shown is not None:
            self._tree.toggle(row)
            self.update(self._shown)
        elif isinstance(row, MatchRow):
            super().action_open()

    def _place(self, row: TreeRow | None) -> tuple[type, object] | None:
        if isinstance(row, MatchRow):
            return MatchRow, row.number
        return (type(row), row.group) if isinstance(row, GroupHeading | Rest) else None

    def _stand_on(self, place: tuple[type, object] | None) -> None:
        if place is None:
            return
        kind, key = place
        if kind is MatchRow and isinstance(key, int):
            index = self._tree.row_of(key)
        else:
            places = enumerate(map(self._place, self._tree.rows))
            index = next((i for i, other in places if other == place), None)
        if index is not None and index != self.cursor:
            self.cursor = index


NEXT_MATCH_SECONDS = 4.0
"""Seconds that a finished match stays on screen while following."""
SINCE = "since you looked"
FILTER = "filter: a game, else part of a name, number or ending"


def hidden(field: TextInput) -> TextInput:
    """A field that is not shown at first."""
    field.display = False
    return field


class LiveScreen(ReadingScreen, WatchingScreen):
    """One tournament while it is played, and afterwards."""

    TITLE = "Live"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("g", "wall", "Wall of the running matches", show=False, id="live.wall"),
        Binding("slash", "filter", "Filter matches or gossip", show=False, id="live.filter"),
        Binding("f", "follow", "Follow", show=False, id="live.follow"),
        Binding("r", "replay", "Replay the match", show=False, id="live.replay"),
        Binding("e", "export", "Export", show=False, id="live.export"),
        Binding("v", "layout", "Next layout", show=False, id="live.layout"),
        *(
            Binding(
                str(pane.key),
                f"jump({pane.key})",
                f"Go to {pane.words}",
                show=False,
                id=f"live.jump{pane.key}",
            )
            for pane in PANES
        ),
        Binding("escape", "home", "All saves", show=False, id="live.home"),
    ]

    def __init__(self, path: Path, settings: Settings, local: LocalState | None = None) -> None:
        """Raises BadSave if the save cannot be read."""
        watched = SaveView(path, local)
        super().__init__(watched, Standings(path))
        self.settings = settings
        self._chosen = MATCH
        self._drawn_from: dict[str, tuple[object, ...]] = {}
        entries = watched.save.tournament.games
        self._tree = MatchTree(watched.lines, [(e.game.name, e.condition) for e in entries])
        self._rows: ListedMatches | None = None
        self._tables = Tables(watched)
        self._match_filter = ""
        self._wanted: list[int] | None = None
        self._following = True
        self._over_since: float | None = None
        self._from_wall = False
        self._in_play: int | None = None
        self._state = ""

    def compose(self) -> ComposeResult:
        """Yields the header, the panes, two filters that are hidden at first, and the keys."""
        yield DrawnLines(id="header", height=2)
        tabs = DrawnLines(id="tabs")
        tabs.display = self.has_tabs()
        yield tabs
        body = Placed(
            MatchList(self._tree, self._row, id=MATCHES.id),
            TalkPane(self.draw_talk, head=self.draw_cast, id=MATCH.id),
            DrawnPane(self.draw_board, id=BOARD.id),
            DrawnPane(self._standings_lines, id=STANDINGS.id),
            DrawnPane(self._elsewhere, id=ELSEWHERE.id),
            DrawnPane(self.draw_too_small, id="small"),
            places=self.places,
            id="body",
        )
        # As high as it will be, so that the first layout is the last one too.
        above = 2 + self.has_tabs()
        body.hide_others(self.app.size - (0, above + 1))
        yield body
        yield hidden(TextInput(placeholder=FILTER, id="filter"))
        yield hidden(TextInput(placeholder=HINT, id="gossip-filter"))
        yield KeyFooter()

    def on_mount(self) -> None:
        """Shows a match and starts the clock."""
        self.show_match(self.watched.first_to_show())
        self.set_focus(self.query_one("#matches" if not self.has_tabs() else "#talk"))
        self.start()

    def on_unmount(self) -> None:
        """Closes the save and stops the computation of standings."""
        self.watched.close()
        self.standings.close()

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
        if is_too_small(self.app.size):
            return {"small": Region(0, 0, size.width, size.height)}
        agents = len(self.watched.save.tournament.agents)
        others = len(self._others())
        return live_places(size, PaneBasis(self.layout_here, self._chosen, agents, others))

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
        self.call_after_refresh(self._keep_focus)

    def _keep_focus(self) -> None:
        """Moves the focus to a pane in sight, if its own is no longer."""
        focused = self.focused
        if focused is None or not focused.display:
            visible = [pane for pane in self.query(Pane) if pane.display and pane.can_focus]
            self.set_focus(visible[0] if visible else None)

    def _paint_tabs(self) -> None:
        tabs = self.query_one("#tabs", DrawnLines)
        tabs.display = self.has_tabs()
        tabs.show([pane_tabs(self.look, self._chosen)])

    # --- Painting

    def paint_due(self, now: float) -> None:
        """Shows those parts that are due."""
        self._go_on_to_next(now)
        if self.cadence.due("header", now):
            self.paint_header(now)
        if self.cadence.due("list", now):
            self.paint_list()
        if self.cadence.due("talk", now):
            calls = self.watched.calls_of(self.watched.number or 0)
            if self._differs("talk", *self._moment(), calls, self.watched.progress.done):
                self._paint_talk()
        if self.cadence.due("board", now):
            self.paint_board()
        if self.cadence.due("others", now):
            self._show("elsewhere")
            self.paint_standings()

    def paint_match(self, *, reset: bool = False) -> None:
        """Shows the match in focus."""
        self.paint_titles()
        self._paint_talk(reset=reset)
        self._drawn_from.pop("board", None)
        self.paint_board(reset=reset)

    def _paint_talk(self, *, reset: bool = False) -> None:
        pane = self.query_one("#talk", DrawnPane)
        pane.set_hint(Text(self.phase(), self.look.palette.soft))
        pane.show(reset=reset)

    def paint_board(self, *, reset: bool = False) -> None:
        """Shows the board, if its match has moved."""
        if self.watched.focus is not None and (self._differs("board", *self._moment()) or reset):
            self._show("board", reset=reset)
            self.paint_titles()

    def paint_standings(self) -> None:
        """Shows the standings, if they have changed since they were in sight."""
        pane, now = self.query_one("#standings", DrawnPane), self.standings
        basis = (now.board, now.before, now.trouble, now.progress, self.cast(), self.look)
        if pane.display and self._differs("standings", *basis):
            pane.show()

    def _moment(self) -> tuple[object, ...]:
        """The match in focus as far as it is shown, and how."""
        focus = self.watched.focus
        if focus is None:
            return ()
        state = (focus.match, focus.shown, focus.table and len(focus.table.answered), focus.trouble)
        return (*state, self.look, self.gossip_filter, self._verbatim, self._viewer)

    def _differs(self, part: str, *basis: object) -> bool:
        """True if a part was drawn from something else before; it is drawn from this now."""
        before, self._drawn_from[part] = self._drawn_from.get(part), basis
        return before != basis

    def _show(self, name: str, *, reset: bool = False) -> None:
        pane = self.query_one(f"#{name}", DrawnPane)
        if pane.display:
            pane.show(reset=reset)

    def paint_titles(self) -> None:
        """Sets the titles of all panes, with the key of the focused one in the accent."""
        focus, look = self.watched.focus, self.look
        words = {MATCHES: (MATCHES.title, f"/{self._match_filter}" if self._match_filter else "")}
        if focus is not None:
            game = self.watched.games[focus.match.game]
            more = f"match {focus.match.number} {self.seen_by()}".rstrip()
            words[MATCH] = (game_title(look, game, self._room_for(str(MATCH.key), more)), more)
        scene = self.scene()
        if scene is not None:
            words[BOARD] = (one_line(board_title(scene)), "")
        for each in PANES:
            title = look.title(str(each.key), *words.get(each, (each.title, "")))
            self.set_title(each.id, title)
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

    def _others(self) -> list[int]:
        own = self.watched.number
        return [number for number in self.watched.at_table() if number != own]

    def _standings_lines(self, width: int, height: int) -> list[Text]:
        return standings_lines(self.standings, self.cast(), self.look, width, height)

    def _elsewhere(self, width: int, height: int) -> list[Text]:
        """Two lines for each other match in play, as many as fit."""
        lines: list[Text] = []
        for focus in self._tables.up_to_date(self._others()[: height // 2]):
            lines += two_lines(self.watched, self.cast(), self.look, focus, width)
        return lines

    def has_gossip(self) -> bool:
        """True if the board has a feed of gossip, which can be filtered."""
        scene = self.scene()
        return scene is not None and any(isinstance(board, Feed) for board in boards(scene))

    # --- The list of matches

    def _row(self, row: TreeRow, width: int, under_cursor: bool) -> Text:
        look, rows = self.look, self._rows
        if rows is None or rows.look != look:
            rows = self._rows = ListedMatches(self.watched, self._tree, self.cast(), look)
        return rows.line(row, width, under_cursor=under_cursor)

    def paint_list(self) -> None:
        """Brings the list of matches up to date."""
        pane, watched = self.query_one("#matches", MatchList), self.watched
        room = pane.scrollable_content_region.height
        self._tree.use(watched.lines)
        pane.update(TreeBasis(watched.at_table(), watched.number, room, self._wanted))

    def _stand_on_focus(self) -> None:
        if self.watched.number is not None:
            self.query_one("#matches", MatchList).stand_on(self.watched.number)

    def show_match(self, number: int) -> None:
        """Shows a match in talk and board."""
        if not self.can_look_at(number):
            return
        self._over_since = None
        self.leave_seat()
        self.paint_list()
        self.query_one("#matches", MatchList).stand_on(number)
        self.paint_match(reset=True)

    def on_list_pane_moved(self, message: ListPane.Moved) -> None:
        """Shows the match under the cursor and stops following."""
        self._following = False
        row = self.query_one("#matches", MatchList).row_at(message.row)
        if isinstance(row, MatchRow):
            self.show_match(row.number)

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Goes to the talk of a match in play, opens the replay of a finished one."""
        row = self.query_one("#matches", MatchList).row_at(message.row)
        if not isinstance(row, MatchRow):
            return
        self.show_match(row.number)
        focus = self.watched.focus
        if focus is not None and focus.match.outcome is not None:
            self.action_replay()
        else:
            self.go_to(MATCH)

    # --- Following

    def _go_on_to_next(self, now: float) -> None:
        """While following, shows a match in play some seconds after the current one has ended."""
        self._ring_at_end()
        self._tell_of_end()
        if not self._following or self.watched.number is None or not self.is_over():
            return
        self._over_since = now if self._over_since is None else self._over_since
        running = [n for n in self.watched.running() if n != self.watched.number]
        long_enough = now - self._over_since >= NEXT_MATCH_SECONDS
        if running and long_enough and self.watched.state == "running":
            self.show_match(running[0])

    def _ring_at_end(self) -> None:
        """Rings the bell, if the user wants it, when the match on screen has just ended."""
        number, before = self.watched.number, self._in_play
        self._in_play = None if self.is_over() else number
        if self.settings.bell and before is not None and before == number and self.is_over():
            self.app.bell()

    def _tell_of_end(self) -> None:
        """Notifies a user who has left the terminal when the run has just ended."""
        before, self._state = self._state, self.watched.state
        has_ended = before not in {"", self._state} and self._state in {"finished", "not running"}
        if has_ended and self.settings.notify and isinstance(self.app, FramedApp):
            self.app.tell_if_left(f"{self.watched.path.stem}: {self._state}")

    def action_follow(self) -> None:
        """Switches following on or off: newest lines, and one match in play after the other."""
        talk = self.query_one("#talk", DrawnPane)
        # Someone who has scrolled up wants the newest lines, not to stop following.
        self._following = not self._following or not talk.following
        if self._following:
            running = self.watched.running()
            if running and self.is_over():
                self.show_match(running[0])
            talk.action_follow()
        self.say("Following the play." if self._following else "Staying with this match.")

    # --- The filters

    def action_filter(self) -> None:
        """Opens the filter of the gossip if the board has the focus, else that of the matches."""
        in_gossip = self.query_one("#board").has_focus and self.has_gossip()
        field = self.query_one("#gossip-filter" if in_gossip else "#filter", Input)
        field.display = True
        self.set_focus(field)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filters the matches or the gossip while the user types."""
        if event.input.id == "gossip-filter":
            self.gossip_filter = event.value.strip()
            self.paint_board(reset=True)
            return
        self._match_filter = event.value.casefold().strip()
        self._wanted = self.watched.matching(self._match_filter) if self._match_filter else None
        self.paint_list()
        self.paint_titles()
        self._stand_on_focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keeps the filter, returns to the pane and shows the first match that fits."""
        event.input.display = False
        if event.input.id == "gossip-filter":
            self.set_focus(self.query_one("#board"))
            return
        self.go_to(MATCHES)
        first = self._tree.first
        if self._wanted and self.watched.number not in self._wanted and first is not None:
            self._following = False
            self.show_match(first)

    def action_home(self) -> None:
        """Clears the filter if there is one, else goes back to the wall or to the list of saves."""
        for name, pane in (("#gossip-filter", BOARD), ("#filter", MATCHES)):
            field = self.query_one(name, Input)
            if field.display or field.value:
                field.value = ""
                field.display = False
                self.go_to(pane)
                return
        if self._from_wall:
            self.action_wall()
        else:
            self.app.post_message(GoHome())

    # --- Panes and other screens

    def action_jump(self, number: int) -> None:
        """Goes to the pane with a key."""
        self.go_to(PANES[number - 1])

    def go_to(self, chosen: LivePane) -> None:
        """Goes to a pane, or to its tab; to the wall where the other matches have no pane."""
        if chosen is ELSEWHERE and ELSEWHERE.id not in self.places(self.query_one("#body").size):
            self.action_wall()
            return
        self.choose(chosen)
        pane = self.query_one(f"#{chosen.id}")
        if pane.display:
            self.set_focus(pane)
        elif not self.query_one("#small").display:
            self.say(f"The layout {self.layout_here!r} hides this pane: v goes to the next one.")

    def action_replay(self) -> None:
        """Opens the replay of the match in focus."""
        if self.watched.number is not None:
            self.app.post_message(Show(REPLAY, self.watched.path, self.watched.number))

    def action_wall(self) -> None:
        """Opens the wall of all running matches."""
        self._from_wall = False
        self.app.post_message(Show(WALL, self.watched, self.standings, self._back_from_wall))

    def _back_from_wall(self, pane: LivePane | None) -> None:
        """Shows the match that was chosen on the wall, in the talk or in another pane."""
        self._following = False
        self._from_wall = pane is MATCH
        self._over_since = None
        self.paint()
        self.paint_match(reset=True)
        self._stand_on_focus()
        if pane is not None:
            self.go_to(pane)

    def action_export(self) -> None:
        """Asks whether to export the match in focus or the leaderboard."""
        leaderboard = "the leaderboard: e on its screen"
        answers = {"the transcript, as text": self.write_transcript}
        self.ask("Export", answers | {leaderboard: self.action_leaderboard})
