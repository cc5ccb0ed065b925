"""The base of the screens that follow a tournament: its header, its clock and its standings."""

import time
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from parlour.tui.models.cadence import ByteBudget, Cadence
from parlour.tui.models.save_view import SaveView
from parlour.tui.models.standings import Standings
from parlour.tui.screens.messages import OpenAgain, ShowLeaderboard
from parlour.tui.screens.steering import SteeringScreen
from parlour.tui.views.run_header import RunState, run_header, turn_pill
from parlour.tui.views.standings import Lineup
from parlour.tui.widgets.drawn import DrawnLines
from parlour.tui.widgets.footer import KeyFooter

TICK_SECONDS = 0.25
"""Seconds between two looks at the save and the runner."""
INTERVALS = {"talk": 0.25, "header": 0.5, "list": 0.5, "board": 1.0, "others": 1.0}
"""Seconds between two drawings of each part."""


class WatchingScreen(SteeringScreen):
    """A screen that follows a tournament as it is played."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l,L", "leaderboard", "Leaderboard", id="live.leaderboard"),
    ]

    def __init__(self, watched: SaveView, standings: Standings) -> None:
        super().__init__()
        self.watched, self.standings = watched, standings
        self.cadence = Cadence(INTERVALS, ByteBudget())
        self._ticking = False

    def start(self) -> None:
        """Paints once and starts the clock."""
        self.cadence = Cadence(INTERVALS, self.byte_budget)
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self.paint())
        self.paint()
        self.set_interval(TICK_SECONDS, self._tick)
        self.call_after_refresh(self._tick)

    def on_screen_resume(self) -> None:
        """Shows the state of now, after another screen."""
        self.standings.looked_at()
        if self.is_mounted:
            self.paint()

    def lineup(self) -> Lineup:
        """The people of the standings, with their places when the reader looked last."""
        return Lineup(self.cast(), self.look, self.standings.before)

    async def _tick(self) -> None:
        """Updates everything that is due, unless the last update is still going on."""
        if self._ticking or not self.is_current:
            return
        self._ticking = True
        try:
            failed_before = self.watched.failed
            await self.watched.listen()
            changed = self.watched.poll()
            if self.watched.has_grown:
                self.app.post_message(OpenAgain(self.watched.path))
            now = time.monotonic()
            self.watched.activity.add(now, self.watched.asks)
            self.byte_budget.add(now, 0)
            if self.watched.failed and not failed_before:
                self.say(self.watched.failed[0], bad=True)
            self.paint_due(now)
            self.standings.behind |= changed
            if self.standings.due(finished=self.watched.progress.done):
                self._refresh_standings()
        finally:
            self._ticking = False

    def paint(self, changed: bool = True) -> None:
        """Shows the current state of everything at once."""
        self.cadence.reset()
        self.paint_due(time.monotonic())

    def paint_due(self, now: float) -> None:
        """Shows those parts that are due."""
        raise NotImplementedError

    def paint_standings(self) -> None:
        """Shows the standings, which have changed."""
        raise NotImplementedError

    def paint_header(self, now: float) -> None:
        """Shows the header with what is wrong below it, and in the footer whose turn it is."""
        state = RunState(self.watched, now)
        self.query_one("#header", DrawnLines).show(run_header(self.look, state, self.size.width))
        self.query_one(KeyFooter).lead = turn_pill(self.look, self.watched)

    @work(thread=True, exclusive=True, group="standings", exit_on_error=False)
    def _refresh_standings(self) -> None:
        if self.standings.refresh():
            self.app.call_from_thread(self.paint_standings)

    def action_leaderboard(self) -> None:
        """Opens the leaderboard."""
        self.app.post_message(ShowLeaderboard(self.watched.path))
