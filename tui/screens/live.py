"""The live screen: the matches, the transcript of one, its side pane, and the controls."""

from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from parlour.games.common.errors import ParlourError
from parlour.tui.models.save_view import LocalState, SaveView
from parlour.tui.models.standings import Standings
from parlour.tui.screens.messages import GoHome, ShowLeaderboard, ShowReplay
from parlour.tui.screens.steering import SteeringScreen
from parlour.tui.settings import LAYOUTS, Settings
from parlour.tui.views import match as describe
from parlour.tui.views import side_pane
from parlour.tui.views.gossip import HINT
from parlour.tui.views.money import money_line
from parlour.tui.views.standings import standings_lines
from parlour.tui.widgets.dialogs import Choice, TextInput
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.panes import ListPane, TextPane

PAINT_SECONDS = 0.25
"""Seconds between two updates of the screen."""
NEXT_MATCH_SECONDS = 4.0
"""Seconds that a finished match stays on screen while following."""
NOTHING_SAID = "Nothing said yet. Space starts or pauses, n plays one turn."
TABS = ("votes or gossip", "players", "standings")
EXPORTS = (("match", "the transcript, as text"), ("board", "the leaderboard: e on its screen"))


class LiveScreen(SteeringScreen):
    """One tournament while it is played, and afterwards."""

    TITLE = "Live"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide"), (160, "-broad")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l,L", "leaderboard", "Leaderboard", id="live.leaderboard"),
        Binding("slash", "filter", "Filter the matches", show=False, id="live.filter"),
        Binding("f", "follow", "Follow", id="live.follow"),
        Binding("r", "replay", "Replay the match", show=False, id="live.replay"),
        Binding("e", "export", "Export", show=False, id="live.export"),
        Binding("v", "layout", "Next layout", show=False, id="live.layout"),
        *(
            Binding(str(n), f"jump({n})", f"Go to {name}", show=False, id=f"live.jump{n}")
            for n, name in enumerate(("the matches", "the transcript", *TABS), start=1)
        ),
        Binding("escape", "home", "All saves", show=False, id="live.home"),
    ]

    def __init__(self, path: Path, settings: Settings, local: LocalState | None = None) -> None:
        """Raises BadSave if the save cannot be read."""
        super().__init__()
        self._settings = settings
        self.watched = SaveView(path, local)
        self.standings = Standings(path)
        self._tab = 0
        self._match_filter = self._gossip_filter = ""
        self._rows = list(range(len(self.watched.lines)))
        self._following = True
        self._ended_for = 0.0
        self._ticking = False

    def compose(self) -> ComposeResult:
        """Yields the status line, then matches, transcript and side pane."""
        yield Static(id="status")
        yield Static(id="money")
        with Horizontal(id="body"):
            yield ListPane(self._row, empty="No match fits the filter: / changes it.", id="matches")
            with Vertical(id="middle"):
                yield TextPane(empty=NOTHING_SAID, id="transcript", follows=True)
            yield TextPane(empty="Nothing yet.", id="side")
        yield TextInput(placeholder="filter: part of a name, game, number or ending", id="filter")
        yield TextInput(placeholder=HINT, id="gossip-filter")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Paints once and starts the clock."""
        self.query_one("#filter").display = self.query_one("#gossip-filter").display = False
        self.query_one("#matches").border_title = "1 Matches"
        self._apply_layout()
        self.query_one("#matches", ListPane).show(len(self._rows))
        self.look(self.watched.first_to_show())
        self.set_focus(self.query_one("#matches"))
        self.set_interval(PAINT_SECONDS, self._tick)
        self.call_after_refresh(self._tick)

    def on_unmount(self) -> None:
        """Closes the save and stops the computation of standings."""
        self.watched.close()
        self.standings.close()

    async def _tick(self) -> None:
        """Updates everything, unless the last update is still going on."""
        if self._ticking or not self.is_current:
            return
        self._ticking = True
        try:
            failed_before = self.watched.failed
            await self.watched.listen()
            changed = self.watched.poll()
            if self.watched.failed and not failed_before:
                self.say(self.watched.failed[0], bad=True)
            self._follow_on()
            self.paint(changed)
            self.standings.behind |= changed
            if self.standings.due(finished=self.watched.progress.done):
                self._refresh_standings()
        finally:
            self._ticking = False

    def paint(self, changed: bool = True) -> None:
        """Shows the current state; ``changed`` if the save has new answers or endings."""
        status, money = self.query_one("#status", Static), self.query_one("#money", Static)
        line = money_line(self.watched.money)
        status.update(describe.status_line(self.watched), layout=False)
        money.display = line is not None
        money.update(line or "", layout=False)
        matches = self.query_one("#matches", ListPane)
        if changed or self.watched.live is not None:
            matches.show(len(self._rows))
        self._paint_focus()

    def _paint_focus(self, *, reset: bool = False) -> None:
        focus = self.watched.focus
        if focus is None:
            return
        pane = self.query_one("#transcript", TextPane)
        pane.set_title(Text(f"2 {describe.heading(focus)}"))
        pane.show(describe.transcript_lines(focus), reset=reset)
        self._paint_side(reset=reset)

    def _paint_side(self, *, reset: bool = False) -> None:
        side = self.query_one("#side", TextPane)
        focus = self.watched.focus
        titles = (*side_pane.names(focus), "Standings")
        side.set_title(describe.tabs(titles, self._tab, first=3))
        if titles[self._tab] == "Standings":
            width = side.scrollable_content_region.width
            side.show(standings_lines(self.standings, width), reset=reset)
        elif focus is not None:
            side.show(side_pane.texts(focus, self._tab, self._gossip_filter), reset=reset)

    def _row(self, index: int, width: int) -> Text:
        row = describe.match_row(self.watched, self.watched.lines[self._rows[index]], width)
        focus = self.watched.focus
        if focus is not None and focus.match.number == self._rows[index] + 1:
            row.stylize("bold")
        return row

    def look(self, number: int) -> None:
        """Shows a match in the middle pane."""
        try:
            self.watched.look_at(number)
        except ParlourError as error:
            self.say(str(error), bad=True)
            return
        matches = self.query_one("#matches", ListPane)
        if number - 1 in self._rows:
            matches.cursor = self._rows.index(number - 1)
        matches.refresh()  # moves the bold row
        self._ended_for = 0.0
        self._paint_focus(reset=True)

    def _follow_on(self) -> None:
        """While following, shows a match in play some seconds after the current one has ended."""
        focus = self.watched.focus
        if not self._following or focus is None or not self.is_over():
            return
        self._ended_for += PAINT_SECONDS
        running = [n for n in self.watched.running() if n != focus.match.number]
        if running and self._ended_for >= NEXT_MATCH_SECONDS and self.watched.state == "running":
            self.look(running[0])

    @work(thread=True, exclusive=True, group="standings", exit_on_error=False)
    def _refresh_standings(self) -> None:
        if self.standings.refresh():
            self.app.call_from_thread(self._paint_side)

    def action_follow(self) -> None:
        """Switches following on or off: newest lines, and one match in play after the other."""
        transcript = self.query_one("#transcript", TextPane)
        # Someone who has scrolled up wants the newest lines, not to stop following.
        self._following = not self._following or not transcript.at_end
        if self._following:
            running = self.watched.running()
            if running and self.is_over():
                self.look(running[0])
            transcript.follow()
        self.say("Following the play." if self._following else "Staying with this match.")

    def action_filter(self) -> None:
        """Opens the filter of the gossip pane if that has the focus, else that of the matches."""
        names = (*side_pane.names(self.watched.focus), "Standings")
        in_gossip = self.query_one("#side").has_focus and names[self._tab] == "Gossip"
        field = self.query_one("#gossip-filter" if in_gossip else "#filter", Input)
        field.display = True
        self.set_focus(field)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filters the matches or the gossip while the user types."""
        if event.input.id == "gossip-filter":
            self._gossip_filter = event.value.strip()
            self._paint_side(reset=True)
            return
        self._match_filter = event.value.casefold().strip()
        self._rows = self.watched.matching(self._match_filter)
        pane = self.query_one("#matches", ListPane)
        suffix = f" /{self._match_filter}" if self._match_filter else ""
        pane.border_title = Text(f"1 Matches{suffix}")
        focus = self.watched.focus
        current = -1 if focus is None else focus.match.number - 1
        pane.cursor = self._rows.index(current) if current in self._rows else 0
        pane.show(len(self._rows))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keeps the filter, returns to the pane and shows the match under the cursor."""
        event.input.display = False
        if event.input.id == "gossip-filter":
            self.set_focus(self.query_one("#side"))
            return
        pane = self.query_one("#matches", ListPane)
        self.set_focus(pane)
        focus = self.watched.focus
        if self._rows and (focus is None or focus.match.number - 1 not in self._rows):
            pane.go_to(pane.cursor)

    def action_home(self) -> None:
        """Clears the filter if there is one, else goes to the list of saves."""
        for name, pane in (("#gossip-filter", "#side"), ("#filter", "#matches")):
            field = self.query_one(name, Input)
            if field.display or field.value:
                field.value = ""
                field.display = False
                self.set_focus(self.query_one(pane))
                return
        self.app.post_message(GoHome())

    def on_list_pane_moved(self, message: ListPane.Moved) -> None:
        """Shows the match under the cursor and stops following."""
        self._following = False
        self.look(self._rows[message.row] + 1)

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Goes to the transcript of a match in play, opens the replay of a finished one."""
        self.look(self._rows[message.row] + 1)
        focus = self.watched.focus
        if focus is not None and focus.match.outcome is not None:
            self.action_replay()
        else:
            self.set_focus(self.query_one("#transcript"))

    def action_replay(self) -> None:
        """Opens the replay of the match in focus."""
        if self.watched.focus is not None:
            number = self.watched.focus.match.number
            self.app.post_message(ShowReplay(self.watched.path, number))

    def action_leaderboard(self) -> None:
        """Opens the leaderboard."""
        self.app.post_message(ShowLeaderboard(self.watched.path))

    def action_jump(self, number: int) -> None:
        """Goes to a pane, or to a tab of the side pane."""
        if number <= 2:
            self.set_focus(self.query_one("#matches" if number == 1 else "#transcript"))
            return
        self._tab = number - 3
        self._paint_side(reset=True)
        side = self.query_one("#side")
        if side.display:
            self.set_focus(side)

    def action_layout(self) -> None:
        """Switches to the next layout and stores it in the settings."""
        settings = self._settings
        settings.layout = LAYOUTS[(LAYOUTS.index(settings.layout) + 1) % len(LAYOUTS)]
        problem = settings.store()
        self._apply_layout()
        self.say(problem or f"Layout: {settings.layout}", bad=problem is not None)

    def _apply_layout(self) -> None:
        layout = self._settings.layout
        self.set_class(layout == "columns", "columns")
        self.set_class(layout == "stacked", "stacked")
        self.query_one("#side").display = layout != "no side"

    def action_export(self) -> None:
        """Asks whether to export the match in focus or the leaderboard."""
        self.app.push_screen(Choice("Export", EXPORTS), self._export)

    def _export(self, choice: str | None) -> None:
        if choice == "board":
            self.action_leaderboard()
        elif choice == "match":
            self.write_transcript()
