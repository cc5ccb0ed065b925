"""The base of the screens that follow a tournament: its header, its clock, and its controls."""

import math
import time
from asyncio import to_thread
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual import work
from textual.binding import Binding, BindingType

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.tournament.calls.budget import dollars, parse_amount
from parlour.tournament.calls.gate import Unit
from parlour.tournament.control.changes import set_budget
from parlour.tournament.control.launch import start_detached
from parlour.tournament.control.status import PersonStatus
from parlour.tournament.save.queries import spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tui.models.cadence import ByteBudget, Cadence
from parlour.tui.models.save_view import SaveView
from parlour.tui.models.standings import Standings
from parlour.tui.screens.consenting import ConsentingScreen
from parlour.tui.screens.match_base import MatchScreen
from parlour.tui.screens.messages import ADD, LEADERBOARD, SEAT, OpenAgain, Show
from parlour.tui.text import cut
from parlour.tui.views.run_header import run_header, turn_pill
from parlour.tui.widgets.dialogs import ChoiceDialog, LinePrompt
from parlour.tui.widgets.drawn import DrawnLines
from parlour.tui.widgets.footer import KeyFooter

PACES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
"""The paces, in acts per second, that the keys go through. Beyond the last there is no limit."""
START_SECONDS = 10.0
"""Seconds for which a change of pace waits for a runner that starts."""
TICK_SECONDS = 0.25
"""Seconds between two looks at the save and the runner."""
INTERVALS = {"talk": 0.25, "header": 0.5, "list": 0.5, "board": 1.0, "others": 1.0}
"""Seconds between two drawings of each part."""
NAME_WIDTH = 20
"""The most columns of the screen that an agent's name takes."""
ALL_FINISHED = "All matches are finished; l shows the leaderboard."
ALL = ""
"""Stands for all models together where an agent is chosen."""


class RunnerScreen(ConsentingScreen):
    """A screen that watches a save and can start its runner."""

    watched: SaveView
    _started = -math.inf

    def go_on(self) -> None:
        """Resumes the runner; starts one where there is none."""
        if self.watched.hung:
            self.say(self.watched.hung, bad=True)
        elif self.watched.live is not None:
            if self.watched.state == "running":
                self.say("It is running already.")
            # In any case: the state on screen may be half a second old.
            self._tell(self.watched.resume())
        elif self.watched.progress.done:
            self.say(ALL_FINISHED)
        else:
            path, tournament = self.watched.path, self.watched.save.tournament
            self.once_agreed(lambda: tournament, lambda _agreed: start_detached(path))
            self._started = time.monotonic()

    def _tell(self, command: Coroutine[Any, Any, str | None]) -> None:
        """Sends a command of the save on screen and paints the reply at once."""

        async def send() -> None:
            problem = await command
            if problem is not None:
                self.say(problem, bad=True)
            self.paint()

        self.run_worker(send(), exit_on_error=False)


class WatchingScreen(RunnerScreen, MatchScreen):
    """A screen that follows a tournament as it is played, and controls its runner."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "Pause/resume", id="live.pause"),
        Binding("n", "step('turn')", "Step a turn", id="live.turn"),
        Binding("N", "step('round')", "Step a round", show=False, id="live.round"),
        Binding("M", "step('match')", "Play the rest of the match", show=False, id="live.match"),
        Binding("plus,equals_sign", "pace(1)", "Faster", show=False, id="live.faster"),
        Binding("minus", "pace(-1)", "Slower", show=False, id="live.slower"),
        Binding("b", "budget", "Budget of the models", show=False, id="live.budget"),
        Binding("A", "add", "Add agents", show=False, id="live.add"),
        Binding("s", "seat", "Take a seat", show=False, id="live.seat"),
        Binding("o", "look_on", "Watch matches of people", show=False, id="live.look_on"),
        Binding("l,L", "leaderboard", "Leaderboard", id="live.leaderboard"),
    ]

    def __init__(self, watched: SaveView, standings: Standings) -> None:
        super().__init__()
        self.watched, self.standings = watched, standings
        self.cadence = Cadence(INTERVALS, ByteBudget())
        self._ticking = False
        self._was_done = False

    def start(self) -> None:
        """Paints once and starts the clock."""
        self.cadence = Cadence(INTERVALS, self.byte_budget)
        self.paint()
        self.set_interval(TICK_SECONDS, self._tick)
        self.call_after_refresh(self._tick)

    def on_screen_resume(self) -> None:
        """Shows the state of now, after another screen."""
        self.standings.looked_at()
        if self.is_mounted:
            self.paint()

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

    def paint(self) -> None:
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
        lines = run_header(self.look, self.watched, now, self.size.width)
        self.query_one("#header", DrawnLines).show(lines)
        self.query_one(KeyFooter).lead = turn_pill(self.look, self.watched)
        if self._was_done != self.watched.progress.done:
            self._was_done = self.watched.progress.done
            self.refresh_bindings()

    @work(thread=True, exclusive=True, group="standings", exit_on_error=False)
    def _refresh_standings(self) -> None:
        if self.standings.refresh():
            self.app.call_from_thread(self.paint_standings)

    # --- Keys

    def show_match(self, number: int) -> None:
        """Shows a match."""
        raise NotImplementedError

    def can_look_at(self, number: int) -> bool:
        """Brings a match into focus; says why if it cannot be read, and is false then."""
        try:
            self.watched.look_at(number)
        except ParlourError as error:
            self.say(str(error), bad=True)
            return False
        return True

    def is_over(self) -> bool:
        """True if the match in focus has ended, or none is in focus."""
        number = self.watched.number
        return number is None or self.watched.lines.is_over(number)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """False for what needs a match that is not over."""
        return action not in ("pause", "step") or not self.watched.progress.done

    def why_not(self, action: str) -> str:
        """The reason why nothing is paused or stepped any more."""
        name = action.partition("(")[0]
        return "" if self.check_action(name, ()) else ALL_FINISHED

    def action_pause(self) -> None:
        """Pauses or resumes; starts a runner where there is none."""
        if self.watched.state == "running":
            self._tell(self.watched.pause())
        else:
            self.go_on()

    def action_step(self, unit: Unit) -> None:
        """Plays one turn, one round or the rest of the match in focus; all others stay paused."""
        if self.watched.live is None:
            why = self.watched.hung or "Not running. Space starts the tournament, then n steps."
            self.say(why, bad=True)
            return
        if self.is_over():  # then step a match that is not
            left = self.watched.lines.first_left()
            if left is None:
                self.say(ALL_FINISHED)
                return
            self.show_match((self.watched.running() or [left])[0])
        if self.watched.number is not None:
            self._tell(self.watched.step(unit, match=self.watched.number))

    def action_pace(self, by: int) -> None:
        """Sets the next faster or slower pace."""
        if self.watched.live is None:
            if time.monotonic() < self._started + START_SECONDS:
                self.set_timer(TICK_SECONDS, partial(self.action_pace, by))
            else:
                self.say("Not running, so there is no pace to change.")
            return
        now = self.watched.live.pace
        pace = _next_pace(now, faster=by > 0)
        if pace == now:
            self.say("There is no limit to the pace." if by > 0 else "This is the slowest pace.")
            return
        # At once: the next key may come before the reply.
        self.watched.live = self.watched.live.model_copy(update={"pace": pace})
        self._tell(self.watched.set_pace(pace))

    def action_seat(self) -> None:
        """Asks which person's seat to take."""
        if self.watched.local.looked_on:
            self.say(
                "This terminal has watched people play. Take the seat at another terminal.",
                bad=True,
            )
            return
        live = self.watched.live
        answers: dict[str, Callable[[], object]] = {}
        for agent in self.watched.save.tournament.people:
            person = PersonStatus() if live is None else live.person(agent)
            asked = f", {len(person.asks)} asked" if person.asks else ""
            state = "taken at another terminal" if person.taken else f"free{asked}"
            take = partial(self.app.post_message, Show(SEAT, self.watched.path, agent))
            answers[f"{one_line(agent)} ({state})"] = take
        if answers:
            self.ask("Take the seat of", answers)
        else:
            self.say(
                'No agent here is a person. Add one with kind = "human" in the tournament file.'
            )

    def action_add(self) -> None:
        """Opens the form that adds agents to the tournament."""
        self.app.post_message(Show(ADD, self.watched.path))

    def action_look_on(self) -> None:
        """Shows the matches in which people play; this terminal can take no seat from then on."""
        local = self.watched.local
        if local.seats:
            self.say("A player cannot watch: the match opens when it is over.", bad=True)
        elif self.watched.people and not local.looked_on:
            local.looked_on = True
            if self.watched.number is not None:
                self.show_match(self.watched.number)
            self.say("All matches are shown now. No seat can be taken at this terminal.")
        else:
            self.say("No match is hidden.")

    def action_leaderboard(self) -> None:
        """Opens the leaderboard."""
        self.app.post_message(Show(LEADERBOARD, self.watched.path))

    # --- The budget

    @work(exclusive=True, group="budget", exit_on_error=False)
    async def action_budget(self) -> None:
        """Shows spending and budget of each model, and asks for a new budget."""
        path = self.watched.path
        try:
            budgets = await to_thread(_budgets, path)
            if len(budgets) == 1:
                self.say(
                    "No language model plays in this tournament, so there is no budget to set."
                )
                return
            options = [(name, f"{_owner(name)}: {_summary(*budgets[name])}") for name in budgets]
            title = "Set the budget in dollars of"
            name = await self.app.push_screen_wait(ChoiceDialog(title, options))
            if name is None:
                return
            spent, budget = budgets[name]
            current = "" if budget is None else f"{budget:.12g}"
            amount_of = partial(parse_amount, budget=budget, spent=spent)
            title, hint = f"Budget of {_owner(name)}", "12.50, +5 for more, or none"
            prompt = LinePrompt(title, current, hint, amount_of)
            if typed := await self.app.push_screen_wait(prompt):
                amount = amount_of(typed)
                await to_thread(set_budget, path, amount, name or None)
                set_to = "none" if amount == math.inf else dollars(amount)
                self.say(f"Budget of {_owner(name)}: {set_to}.")
        except ParlourError as error:
            self.say(str(error), bad=True)


def _budgets(path: Path) -> dict[str, tuple[float, float | None]]:
    """Dollars spent and budget of all models together, and of each."""
    with Save(path) as save:
        models, control = list(save.tournament.paid), save.control()
        spent, _last = spent_by_agent(save)
    each = {name: (spent.get(name, 0.0), control.agent_budgets.get(name)) for name in models}
    return {ALL: (sum(spent.values()), control.budget), **each}


def _owner(name: str) -> str:
    return "all models" if name == ALL else cut(name, NAME_WIDTH)


def _summary(spent: float, budget: float | None) -> str:
    """Spending with the reserve for calls in flight, which is an upper bound."""
    of = "no budget" if budget is None else f"of {dollars(budget)}"
    return f"{dollars(spent)} spent or reserved, {of}"


def _next_pace(pace: float | None, *, faster: bool) -> float | None:
    """The pace one step faster or slower; None is unlimited."""
    if faster:
        return next((known for known in PACES if pace is not None and known > pace), None)
    slower = [known for known in PACES if pace is None or known < pace]
    return max(slower, default=PACES[0])
