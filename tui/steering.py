"""Steering from the screen: pause, step, pace, and starting a runner where there is none."""

from pathlib import Path
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from games.errors import ParlourError
from tournament.asking import Message
from tournament.launch import start_detached
from tui.money import MoneyScreen
from tui.screens import MatchScreen

PACES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, None)
"""Acts a second that the keys go through; None is as fast as it can."""


class SteeringScreen(MoneyScreen, MatchScreen):
    """A screen that watches a save and steers its runner."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "Pause/go", id="live.pause"),
        Binding("n", "step('turn')", "Step a turn", id="live.turn"),
        Binding("N", "step('round')", "Step a round", show=False, id="live.round"),
        Binding("M", "step('match')", "Step the whole match", show=False, id="live.match"),
        Binding("plus,equals_sign", "pace(1)", "Faster", show=False, id="live.faster"),
        Binding("minus", "pace(-1)", "Slower", show=False, id="live.slower"),
    ]

    @property
    def save_path(self) -> Path:
        """The save that is watched."""
        return self.watched.path

    def look(self, number: int) -> None:
        """Puts a match into the middle."""
        raise NotImplementedError

    def paint(self, changed: bool = True) -> None:
        """Shows how things stand now."""
        raise NotImplementedError

    def is_over(self) -> bool:
        """Whether nothing more will come of the focused match."""
        focus = self.watched.focus
        return focus is None or self.watched.lines[focus.match.number - 1].over

    def action_pause(self) -> None:
        """Pauses or resumes; starts a runner where there is none."""
        if self.watched.state == "running":
            self._tell({"do": "pause"})
        elif self.watched.live is not None:
            self._tell({"do": "resume"})
        elif self.watched.progress.done:
            self.say("The tournament is finished; l shows the leaderboard.")
        else:
            self._start()

    @work(thread=True, exclusive=True, group="start", exit_on_error=False)
    def _start(self) -> None:
        try:
            start_detached(self.watched.path)
        except ParlourError as error:
            self.app.call_from_thread(self.say, str(error), bad=True)

    def action_step(self, unit: str) -> None:
        """Lets one turn, round or the rest of the focused match through; pauses the others."""
        if self.watched.live is None:
            self.say("Nothing runs: space starts it, n then steps.", bad=True)
            return
        if self.is_over():  # its next turn is that of a match still to be played
            left = [line.number for line in self.watched.lines if not line.over]
            if not left:
                self.say("Every match is over; l shows the leaderboard.")
                return
            self.look((self.watched.running() or left)[0])
        focus = self.watched.focus
        if focus is not None:
            self._tell({"do": "step", "unit": unit, "match": focus.match.number})

    def action_pace(self, by: int) -> None:
        """Goes to the next faster or slower pace."""
        if self.watched.live is None:
            self.say("Nothing runs, so there is no pace to change.")
            return
        now = self.watched.live["pace"]
        fast = float("inf")
        places = [fast if pace is None else pace for pace in PACES]
        if by > 0:
            faster = [pace for pace in places if pace > (fast if now is None else now)]
            wanted = min(faster, default=fast)
        else:
            slower = [pace for pace in places if pace < (fast if now is None else now)]
            wanted = max(slower, default=places[0])
        pace = None if wanted == fast else wanted
        self.watched.live["pace"] = pace  # so that a key that follows at once goes on from here
        self._tell({"do": "pace", "per_second": pace})

    def _tell(self, request: Message) -> None:
        """Sends a command and paints the answer at once."""

        async def send() -> None:
            trouble = await self.watched.tell(request)
            if trouble is not None:
                self.say(trouble, bad=True)
            self.paint(changed=False)

        self.run_worker(send(), exit_on_error=False)
