"""Steering from the screen: pause, step, pace, and starting a runner where there is none."""

from pathlib import Path
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from parlour.games.common.errors import ParlourError
from parlour.tournament.control.client import Request
from parlour.tournament.control.launch import start_detached
from parlour.tournament.control.status import PersonStatus
from parlour.tui.models.save_view import SaveView
from parlour.tui.screens.base import MatchScreen, ParlourScreen
from parlour.tui.views.match import one_line
from parlour.tui.views.money import MoneyScreen
from parlour.tui.widgets.dialogs import Choice

PACES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, None)
"""Acts a second that the keys go through; None is as fast as it can."""


class RunnerScreen(ParlourScreen):
    """A screen that watches a save and can start its runner."""

    watched: SaveView

    def paint(self, changed: bool = True) -> None:
        """Shows how things stand now."""
        raise NotImplementedError

    def go_on(self) -> None:
        """Resumes; starts a runner where there is none."""
        if self.watched.live is not None:
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

    def _tell(self, request: Request) -> None:
        """Sends a command and paints the answer at once."""

        async def send() -> None:
            trouble = await self.watched.tell(request)
            if trouble is not None:
                self.say(trouble, bad=True)
            self.paint(changed=False)

        self.run_worker(send(), exit_on_error=False)


class SteeringScreen(RunnerScreen, MoneyScreen, MatchScreen):
    """A screen that watches a save and steers its runner."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "Pause/go", id="live.pause"),
        Binding("n", "step('turn')", "Step a turn", id="live.turn"),
        Binding("N", "step('round')", "Step a round", show=False, id="live.round"),
        Binding("M", "step('match')", "Step the whole match", show=False, id="live.match"),
        Binding("plus,equals_sign", "pace(1)", "Faster", show=False, id="live.faster"),
        Binding("minus", "pace(-1)", "Slower", show=False, id="live.slower"),
        Binding("s", "seat", "Take a seat", show=False, id="live.seat"),
        Binding("o", "look_on", "Look on where people play", show=False, id="live.look_on"),
    ]

    @property
    def save_path(self) -> Path:
        """The save that is watched."""
        return self.watched.path

    def look(self, number: int) -> None:
        """Puts a match into the middle."""
        raise NotImplementedError

    def is_over(self) -> bool:
        """Whether nothing more will come of the focused match."""
        focus = self.watched.focus
        return focus is None or self.watched.lines[focus.match.number - 1].over

    def action_pause(self) -> None:
        """Pauses or resumes; starts a runner where there is none."""
        if self.watched.state == "running":
            self._tell({"do": "pause"})
        else:
            self.go_on()

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
        now = self.watched.live.pace
        fast = float("inf")
        places = [fast if pace is None else pace for pace in PACES]
        if by > 0:
            faster = [pace for pace in places if pace > (fast if now is None else now)]
            wanted = min(faster, default=fast)
        else:
            slower = [pace for pace in places if pace < (fast if now is None else now)]
            wanted = max(slower, default=places[0])
        pace = None if wanted == fast else wanted
        # At once, so that the next key goes on from here.
        self.watched.live = self.watched.live.model_copy(update={"pace": pace})
        self._tell({"do": "pace", "per_second": pace})

    def action_seat(self) -> None:
        """Asks whose seat to take."""
        if self.watched.here.looked_on:
            self.say("Who has looked on cannot play: take the seat at another terminal.", bad=True)
            return
        live = self.watched.live
        options = []
        for agent in self.watched.save.tournament.people:
            person = PersonStatus() if live is None else live.person(agent)
            waits = f", {len(person.asks)} asked" if person.asks else ""
            words = "taken at another terminal" if person.taken else f"free{waits}"
            options.append((agent, f"{one_line(agent)} ({words})"))
        if options:
            self.app.push_screen(Choice("Take the seat of", options), self._seat)
        else:
            self.say('No agent here is a person: kind = "human" in a tournament file makes one.')

    def _seat(self, agent: str | None) -> None:
        if agent is not None:
            self.parlour.take_seat(self.watched.path, agent)

    def action_look_on(self) -> None:
        """Opens the matches in which people play; no seat is to be had here from then on."""
        here = self.watched.here
        if here.seats:
            self.say("Who plays cannot look on: a match opens when it is over.", bad=True)
        elif self.watched.people and not here.looked_on:
            here.looked_on = True
            focus = self.watched.focus
            if focus is not None:
                self.look(focus.match.number)
            self.say("Looking on, also where people play: no seat can be taken here now.")
        else:
            self.say("Every match is open here.")
