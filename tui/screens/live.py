"""The live screen: matches, the transcript of one, its ballot and players, and the controls."""

from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Input, Static

from parlour.games.common.errors import ParlourError
from parlour.tournament.save.replay import transcript_lines
from parlour.tui.models.save_view import Here, SaveView
from parlour.tui.models.standings import Standings
from parlour.tui.screens.steering import SteeringScreen
from parlour.tui.settings import LAYOUTS
from parlour.tui.views import match as describe
from parlour.tui.views import side_pane
from parlour.tui.views.gossip import HINT
from parlour.tui.views.money import money_line
from parlour.tui.widgets.dialogs import Choice, Field
from parlour.tui.widgets.panes import ListPane, TextPane

PAINT_SECONDS = 0.25
"""How often the screen is brought up to date."""
NEXT_MATCH_SECONDS = 4.0
"""How long a finished match stays in sight while following."""
TABS = ("votes or gossip", "players", "standings")


class LiveScreen(SteeringScreen):
    """One tournament as it is played."""

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

    def __init__(self, path: Path, here: Here | None = None) -> None:
        """Raises BadSave if the save cannot be read."""
        super().__init__()
        self.watched = SaveView(path, here)
        self.standings = Standings(path)
        self._tab = 0
        self._wanted = self._heard = ""
        self._rows = list(range(len(self.watched.lines)))
        self._following = True
        self._ended_for = 0.0
        self._ticking = False

    def compose(self) -> ComposeResult:
        """Matches on the left, the transcript, and the side pane; the status line above."""
        yield Static(id="status")
        yield Static(id="money")
        with Horizontal(id="body"):
            yield ListPane(self._row, empty="No match fits the filter: / changes it.", id="matches")
            with Vertical(id="middle"):
                yield TextPane(
                    empty="Nothing said yet. Space starts or pauses, n steps one turn.",
                    id="transcript",
                    follows=True,
                )
            yield TextPane(empty="Nothing yet.", id="side")
        yield Field(placeholder="filter: part of a name, a game, a number, an ending", id="filter")
        yield Field(placeholder=HINT, id="heard")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """First paint, then the clock."""
        self.query_one("#filter").display = self.query_one("#heard").display = False
        self.query_one("#matches").border_title = "1 Matches"
        self._apply_layout()
        self.query_one("#matches", ListPane).show(len(self._rows))
        self.look(self._first())
        self.set_focus(self.query_one("#matches"))
        self.set_interval(PAINT_SECONDS, self._tick)
        self.call_after_refresh(self._tick)

    def on_unmount(self) -> None:
        """Lets go of the save."""
        self.watched.close()
        self.standings.close()

    def _first(self) -> int:
        running = self.watched.running()
        unfinished = [line.number for line in self.watched.lines if not line.over]
        return (running or unfinished or [1])[0]

    # --- What is shown

    async def _tick(self) -> None:
        """Brings everything up to date, at most once at a time."""
        if self._ticking or not self.is_current:
            return
        self._ticking = True
        try:
            known = self.watched.failed
            await self.watched.listen()
            changed = self.watched.poll()
            if self.watched.failed and not known:
                self.say(self.watched.failed[0], bad=True)
            self._follow_on()
            self.paint(changed)
            self.standings.behind |= changed
            if self.standings.due(finished=self.watched.progress.done):
                self._refresh_standings()
        finally:
            self._ticking = False

    def paint(self, changed: bool = True) -> None:
        status, money = self.query_one("#status", Static), self.query_one("#money", Static)
        spent = money_line(self.watched.money)
        status.update(describe.status_line(self.watched), layout=False)
        money.display = spent is not None
        money.update(spent or "", layout=False)
        matches = self.query_one("#matches", ListPane)
        if changed or self.watched.live is not None:
            matches.show(len(self._rows))
        self._paint_focus()

    def _paint_focus(self, *, anew: bool = False) -> None:
        focus = self.watched.focus
        if focus is None:
            return
        pane = self.query_one("#transcript", TextPane)
        pane.entitle(Text(f"2 {describe.heading(focus)}"))
        pane.show(describe.transcript_lines(focus), anew=anew)
        self._paint_side(anew=anew)

    def _paint_side(self, *, anew: bool = False) -> None:
        side = self.query_one("#side", TextPane)
        focus = self.watched.focus
        titles = (*side_pane.names(focus), "Standings")
        side.entitle(describe.tabs(titles, self._tab, first=3))
        if titles[self._tab] == "Standings":
            side.show(self.standings.lines(side.scrollable_content_region.width), anew=anew)
        elif focus is not None:
            side.show(side_pane.texts(focus, self._tab, self._heard), anew=anew)

    def _row(self, index: int, width: int) -> Text:
        row = describe.match_row(self.watched, self.watched.lines[self._rows[index]], width)
        focus = self.watched.focus
        if focus is not None and focus.match.number == self._rows[index] + 1:
            row.stylize("bold")
        return row

    def look(self, number: int) -> None:
        """Puts a match into the middle."""
        try:
            self.watched.look_at(number)
        except ParlourError as error:
            self.say(str(error), bad=True)
            return
        matches = self.query_one("#matches", ListPane)
        if number - 1 in self._rows:
            matches.cursor = self._rows.index(number - 1)
        matches.refresh()  # the row of the focused match is bold, the one before no longer
        self._ended_for = 0.0
        self._paint_focus(anew=True)

    def _follow_on(self) -> None:
        """While following: a moment after a match has ended, goes on to one in play."""
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

    # --- What the keys do

    def action_follow(self) -> None:
        """Follows: the newest lines, and one running match after the other."""
        transcript = self.query_one("#transcript", TextPane)
        # One who has scrolled up and now asks to follow wants the end, not the opposite.
        self._following = not self._following or not transcript.at_end
        if self._following:
            running = self.watched.running()
            if running and self.is_over():
                self.look(running[0])
            transcript.follow()
        self.say("Following the play." if self._following else "Staying with this match.")

    def action_filter(self) -> None:
        """Opens the filter line: for gossip where one is in its pane, else for the matches."""
        in_gossip = self.query_one("#side").has_focus and side_pane.names(self.watched.focus)[
            self._tab : self._tab + 1
        ] == ("Gossip",)
        field = self.query_one("#heard" if in_gossip else "#filter", Input)
        field.display = True
        self.set_focus(field)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Shows the matches, or the gossip, that fit as one types."""
        if event.input.id == "heard":
            self._heard = event.value.strip()
            self._paint_side(anew=True)
            return
        self._wanted = event.value.casefold().strip()
        games = [entry.game.name for entry in self.watched.save.tournament.games]
        told = (
            f"{line.number} {games[line.entry]} {line.experiment} {line.ending}".casefold()
            for line in self.watched.lines
        )
        self._rows = [index for index, words in enumerate(told) if self._wanted in words]
        pane = self.query_one("#matches", ListPane)
        pane.border_title = Text(f"1 Matches /{self._wanted}" if self._wanted else "1 Matches")
        focus = self.watched.focus
        looked_at = -1 if focus is None else focus.match.number - 1
        pane.cursor = self._rows.index(looked_at) if looked_at in self._rows else 0
        pane.show(len(self._rows))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keeps the filter and goes back to the pane; the match under the cursor is shown."""
        event.input.display = False
        if event.input.id == "heard":
            self.set_focus(self.query_one("#side"))
            return
        pane = self.query_one("#matches", ListPane)
        self.set_focus(pane)
        focus = self.watched.focus
        if self._rows and (focus is None or focus.match.number - 1 not in self._rows):
            pane.go_to(pane.cursor)

    def action_home(self) -> None:
        """Clears the filter if there is one, else goes to all saves."""
        for name, pane in (("#heard", "#side"), ("#filter", "#matches")):
            field = self.query_one(name, Input)
            if field.display or field.value:
                field.value = ""
                field.display = False
                self.set_focus(self.query_one(pane))
                return
        self.parlour.go_home()

    def on_list_pane_moved(self, message: ListPane.Moved) -> None:
        """The cursor's match comes into the middle; the reader has chosen, so no more following."""
        self._following = False
        self.look(self._rows[message.row] + 1)

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Enter on a match: its transcript; on a finished one: its replay."""
        self.look(self._rows[message.row] + 1)
        focus = self.watched.focus
        if focus is not None and focus.match.outcome is not None:
            self.action_replay()
        else:
            self.set_focus(self.query_one("#transcript"))

    def action_replay(self) -> None:
        """Goes through the focused match, forwards and backwards."""
        if self.watched.focus is not None:
            self.parlour.replay(self.watched.path, self.watched.focus.match.number)

    def action_leaderboard(self) -> None:
        """Shows the whole leaderboard."""
        self.parlour.show_leaderboard(self.watched.path)

    def action_jump(self, number: int) -> None:
        """Goes to a pane or a tab of the side pane."""
        if number == 1:
            self.set_focus(self.query_one("#matches"))
        elif number == 2:
            self.set_focus(self.query_one("#transcript"))
        else:
            self._tab = number - 3
            self._paint_side(anew=True)
            side = self.query_one("#side")
            if side.display:
                self.set_focus(side)

    def action_layout(self) -> None:
        """Goes to the next layout and remembers it."""
        settings = self.parlour.settings
        settings.layout = LAYOUTS[(LAYOUTS.index(settings.layout) + 1) % len(LAYOUTS)]
        settings.remember()
        self._apply_layout()
        self.say(f"Layout: {settings.layout}")

    def _apply_layout(self) -> None:
        layout = self.parlour.settings.layout
        self.set_class(layout == "columns", "columns")
        self.set_class(layout == "stacked", "stacked")
        self.query_one("#side").display = layout != "no side"

    def action_export(self) -> None:
        """Writes the focused match as text, or the leaderboard."""
        options = [("match", "the transcript of this match, as text")]
        options += [("board", "the leaderboard (its screen offers more forms)")]
        self.app.push_screen(Choice("Export", options), self._export)

    def _export(self, what: str | None) -> None:
        focus = self.watched.focus
        if what == "board":
            self.action_leaderboard()
        elif what == "match" and focus is not None and focus.table is not None:
            target = self.watched.path.with_name(
                f"{self.watched.path.stem}-match-{focus.match.number}.txt"
            )
            lines = transcript_lines(focus.match, focus.table)
            self.write(target, "".join(f"{line}\n" for line in lines))
