"""The runner: plays many matches at once and can be paused, stepped and stopped at any time."""

import asyncio
import math
import time
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from parlour.agents.base import Agent
from parlour.agents.user_code import PythonAgent
from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Seat
from parlour.games.engine.table import Table
from parlour.tournament.calls.budget import Budget, no_such_model, tariffs_of
from parlour.tournament.calls.cache import Cache
from parlour.tournament.calls.dispatch import ModelDispatcher
from parlour.tournament.calls.gate import Gate, Unit
from parlour.tournament.calls.limits import Limits
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import answers_per_match
from parlour.tournament.run.forecast import Forecast
from parlour.tournament.run.match import MatchRunner
from parlour.tournament.run.parking import Parked, Parking
from parlour.tournament.run.people import People, PeopleMatches
from parlour.tournament.run.pool import Pool
from parlour.tournament.run.state import Listener, State, StopReason
from parlour.tournament.run.stats import RunStatistics
from parlour.tournament.run.turn import TurnRunner
from parlour.tournament.run.upcoming import Upcoming
from parlour.tournament.run.workers import Workers
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions, StoredAnswer, StoredCall, StoredMatch
from parlour.tournament.save.writer import Writer

if TYPE_CHECKING:
    from parlour.tournament.save.growing.decisions import Adaptive

FIRST = 8
"""Matches that begin at once before it is known what a call costs."""


class Admission:
    """Knows the calls that begun matches are expected to need, and what a call costs.

    Budgets of single agents are not looked at: their matches park when one is used up.
    """

    def __init__(self, tournament: Tournament, budget: Budget) -> None:
        self._budget, self._models = budget, tournament.paid.keys()
        self._answers = answers_per_match(tournament)
        self._left: dict[int, float] = {}
        """Calls that each match in play still needs."""

    def begin(self, match: StoredMatch) -> None:
        """Counts a match that is played from now on."""
        self._left[match.number] = self._calls(match)

    def end(self, match: StoredMatch) -> None:
        """Counts a match no more: it is over, or waits for its provider."""
        self._left.pop(match.number, None)

    def call_stored(self, call: StoredCall) -> None:
        """Counts a call. A match in play needs one more at least."""
        if call.match in self._left:
            self._left[call.match] = max(1.0, self._left[call.match] - 1)

    def holds(self, match: StoredMatch) -> bool:
        """True if the budget is expected to hold one more match, or if none is in play."""
        total, calls = self._budget.options.budget, self._calls(match)
        if total is None or not calls or not any(self._left.values()):
            return True
        price = self._budget.usual_price
        if price is None:  # the first ones will tell; where much is spent, a begun one alone
            return len(self._left) < FIRST and not self._budget.spent
        expected = price * (sum(self._left.values()) + calls) + self._budget.dearest
        return self._budget.spent + expected <= total

    def _calls(self, match: StoredMatch) -> float:
        models = sum(agent in self._models for agent in match.agents)
        return self._answers[match.entry] * models / len(match.agents)


SHORT_OF_MONEY_SECONDS = 1.0
"""Seconds after which a worker that waits for money looks again at the latest."""


class Decider:
    """Decides the next matches of an adaptive tournament, and stores them before they are played.

    ``until`` gives the rule for the end. ``matches`` counts those that were planned meanwhile.
    """

    def __init__(
        self, tournament: Tournament, writer: Writer, until: Callable[[], str | None]
    ) -> None:
        self._tournament, self._writer, self._until = tournament, writer, until
        self._adaptive: Adaptive | None = None
        self.matches = 0

    async def decide(self, save: Save) -> bool:
        """Plans matches. False if the plan is fixed or complete, or has matches that failed."""
        if self._tournament.schedule != "adaptive" or not save.match_count().grows:
            return False
        if self._adaptive is None:
            from parlour.tournament.save.growing.decisions import course_of  # imports numpy

            self._adaptive = course_of(save)
        self._adaptive.follow(save)
        if self._adaptive.is_waiting:
            return False
        decision, matches = self._adaptive.decide(self._until())
        await self._writer.decide(decision.row(), matches)
        self.matches += len(matches)
        return bool(matches)


class Runner:
    """Plays the unfinished matches of one tournament, ``concurrency`` of them at once."""

    def __init__(
        self,
        tournament: Tournament,
        writer: Writer,
        concurrency: int,
        run_options: RunOptions | None = None,
        budget: Budget | None = None,
        cache: Cache | None = None,
        players: Mapping[str, object] | None = None,
        workers: Workers | None = None,
        on_warning: Callable[[str], None] = lambda _line: None,
    ) -> None:
        self.workers: Workers = workers or Workers(1)
        self.tournament, self.writer, self.concurrency = tournament, writer, concurrency
        self.run_options = run_options or RunOptions()
        self.gate = Gate(self.run_options.pace)
        self.stats = RunStatistics()
        self.forecast = Forecast(tournament)
        self.agents: dict[str, Agent] = {
            each.name: self.workers.make_agent(each, players) for each in tournament.agents
        }
        self.decider = Decider(tournament, writer, lambda: self.run_options.until)
        self.limits = Limits(tournament.callers, self.run_options.limits, self.gate)
        self.budget = budget or Budget(RunOptions(), {}, {})
        self._changing_budget = asyncio.Lock()
        self.people = People(tournament.people, self.gate)
        among = self.people.among
        self._todo = Upcoming(self.forecast.expect, lambda match: bool(among(match.agents)))
        self._extra: list[asyncio.Task[None]] = []
        """Tasks beside the workers: more workers, stepped matches, matches with people."""
        self.parking = Parking(self._todo, self.limits.due)
        self.dispatcher = ModelDispatcher(
            tournament.callers, self.limits, self.budget, self.gate, writer, cache
        )
        self._turns = TurnRunner(
            self.agents, self.gate, self.dispatcher, self.people, writer, self.stats
        )
        self._matches = MatchRunner(
            tournament, self._turns, self.parking, self.gate, writer, self.stats, self.forecast
        )
        self.pool = Pool(
            self.workers,
            concurrency,
            tournament,
            self._todo,
            self._matches,
            self._turns,
            self.gate,
            writer,
            on_warning,
        )
        self._people_matches = PeopleMatches(self.people, self._matches.play, self._extra)
        self.gate.on_change.append(self.budget.wake)
        self.gate.on_suspend.append(self._use_free_room)
        self.limits.on_recovery.append(self.parking.recovered)
        self._admission = Admission(tournament, self.budget)
        self.dispatcher.on_call_stored.append(self._admission.call_stored)
        self.listen(self.stats)
        self.listen(self.forecast)
        self.dispatcher.on_call_stored.append(self.parking.call_stored)

    def listen(self, listener: Listener) -> None:
        """Adds a listener to durable answers and calls."""
        self._turns.on_answer_stored.append(listener.answer_stored)
        self.dispatcher.on_call_stored.append(listener.call_stored)

    # --- State and commands

    @property
    def playing(self) -> dict[int, Table]:
        """The tables in play by match number."""
        return self._matches.playing

    @property
    def state(self) -> State:
        """Running or stopping; or pausing until nothing is in flight and all is durable."""
        if self.gate.stopping:
            return "stopping"
        if self.gate.is_open:
            return "running"
        # A step that waits for people alone may take days, so it does not delay the pause.
        stepping = any(not self._waits_for_people(match) for match in self.gate.open_steps)
        busy = self.gate.in_flight or stepping or not self.writer.idle
        # The outcome of a match and the leaderboard follow without an act that is in flight.
        ending = any(table.pending is None for table in self.playing.values())
        left = self._todo or self.pool or self._people_matches.queue or self.parking
        over = not (self.playing or left)
        return "pausing" if busy or ending or over else "paused"

    @property
    def stopped_because(self) -> StopReason | None:
        """Why the run stops or has stopped before its end; None while it goes on."""
        if self.stats.out_of_time:
            return "time"
        if self.stats.exceeded_budgets:
            return "budget"
        if self.stats.given_up:
            return "failures"
        return "stopped" if self.gate.stopping else None

    def _waits_for_people(self, match: int) -> bool:
        seats = self.playing[match].waiting if match in self.playing else ()
        return bool(seats) and all((match, seat) in self.people.waiting for seat in seats)

    def store_options(self) -> asyncio.Future[None] | None:
        """Stores the current run options; done once they are durable.

        None while stopping, when the writer may have given up.
        """
        self.run_options = replace(
            self.run_options, concurrency=self.concurrency, pace=self.gate.pace
        )
        return None if self.gate.stopping else self.writer.keep(self.run_options)

    async def set_budget(self, dollars: float | None, agent: str | None) -> None:
        """Changes the budget of one agent or of all models. BadInput if it cannot be enforced."""
        if agent is not None and agent not in self.tournament.callers:
            raise no_such_model(agent, self.tournament.callers)
        if self.gate.stopping:
            fix = "wait until it has stopped, then set the budget"
            raise BadInput("the budget", "the tournament is being stopped", fix)
        async with self._changing_budget:  # looking up tariffs takes seconds
            run_options = self.run_options.with_budget(dollars, agent)
            tariffs = await asyncio.to_thread(tariffs_of, self.tournament.callers, run_options)
            self.run_options = run_options
            self.budget.change(run_options, tariffs)
            self.parking.budget_changed()
            stored = self.store_options()
            self.gate.wake()
        if stored is not None:
            await stored

    def stop(self) -> None:
        """Begins nothing new; what is in flight is stored. ``run`` then returns."""
        self.gate.stop()

    def step(self, unit: Unit, number: int | None = None) -> int:
        """Admits one step of one match and keeps all others paused.

        Returns the match: the given one, or the lowest that is in play, else not begun, else
        parked. ValueError if there is none, or it is over.
        """
        parked, deferred = self.parking.parked, self.parking.deferred
        queue, pooled = self._people_matches.queue, self.pool.numbers
        if number is None:
            candidates = (self.playing, self._todo.keys() | pooled, queue, parked)
            number = next((min(matches) for matches in candidates if matches), None)
        if number is None:
            raise ValueError("no match is left to play")
        if number in self.playing:
            self.gate.step(number, unit)
            return number
        if number in pooled:
            self.pool.recall()
        # No task has it, so it is played beside the matches in play.
        before = parked.pop(number, None)
        popped = [matches.pop(number, None) for matches in (self._todo, queue, deferred)]
        match = before.match if before else next(filter(None, popped), None)
        if match is None:
            raise ValueError(f"match {number} is over, or does not exist")
        self.gate.step(number, unit)
        if self.people.among(match.agents):
            self._people_matches.begin(match, before)
        else:
            self._extra.append(asyncio.create_task(self._matches.play(match, before)))
        return number

    def watch(self, number: int) -> None:
        """Plays a match here if it is in the pool, so that it can be watched turn by turn."""
        match = self.pool.take_back(number)
        if match is not None:
            self._extra.append(asyncio.create_task(self._matches.play(match)))

    # --- The run

    async def run(
        self,
        save: Save,
        stored: dict[int, list[StoredAnswer]],
        calls: dict[tuple[int, int, Seat], list[StoredCall]],
    ) -> None:
        """Plays the unfinished matches, each from its stored answers and journaled calls on."""
        for agent in self.agents.values():
            if isinstance(agent, PythonAgent):
                await agent.open()
        self._matches.load(stored)
        self.dispatcher.load(calls)
        self._open(save, stored)
        pool = asyncio.create_task(self.pool.run())
        try:
            await self._play_all(save)
            while not self.gate.stopping and await self.decider.decide(save):
                self._open(save, {})
                self.pool.recall()  # so that it looks at the new matches
                self.gate.wake()
                await self._play_all(save)
        finally:
            failure: BaseException | None = self.pool.failure  # cancelling it could hide that
            pool.cancel()
            (ended,) = await asyncio.gather(pool, return_exceptions=True)
        failure = failure or ended
        if isinstance(failure, Exception):  # not a cancellation
            raise failure

    def _open(self, save: Save, stored: Container[int]) -> None:
        """Takes the unfinished matches of the plan; of those with people, begun ones first."""
        self._todo.open(save)
        if self.tournament.people:
            for match in sorted(save.matches("unfinished"), key=lambda m: m.number not in stored):
                self._people_matches.take(match)

    async def _play_all(self, save: Save) -> None:
        count = save.match_count()
        at_once = min(self.concurrency, count.matches - count.finished - count.frozen)
        # A task ends when nothing is left to play or the gate is stopped. Tasks started meanwhile
        # may leave or release matches, hence the loops.
        while True:
            work = [self._work() for _ in range(at_once)]
            results = await asyncio.gather(*work, return_exceptions=True)
            while self._extra:
                tasks = self._extra[:]
                self._extra.clear()
                results += await asyncio.gather(*tasks, return_exceptions=True)
            for result in results:
                if result is not None:
                    raise result
            # A stepped match may have been parked after the last worker ended.
            if self.gate.stopping or not (self._todo or self._people_matches.queue or self.parking):
                await self.writer.flush()
                return

    async def close(self) -> None:
        """Closes the agents' connections."""
        for agent in self.agents.values():
            if (client := getattr(agent, "client", None)) is not None:
                await client.close()

    def _use_free_room(self) -> None:
        """A match waits for its provider, so another one may be played meanwhile."""
        waiting = self.gate.suspended_matches - self._people_matches.tables.keys()
        if waiting and self._has_room():
            self._extra.append(asyncio.create_task(self._work(extra=True)))

    def _has_room(self) -> bool:
        """True if one more match may be begun beside those that wait for a provider."""
        tables = self._people_matches.tables.keys()
        waiting = len(self.gate.suspended_matches - tables)
        active = len(self.playing.keys() - tables) - waiting
        # The second bound keeps the matches in memory at about twice the concurrency.
        room = active < self.concurrency and waiting <= self.concurrency
        return room and self._next_unclogged() is not None

    async def _work(self, extra: bool = False) -> None:
        """Plays one match after the other; an ``extra`` worker only while there is room."""
        # In this order: a parked match that is due, a new match, deferred matches. While matches
        # are parked, idle workers wait for the next one that is due.
        while not self.gate.stopping and (not extra or self._has_room()):
            parked = self.parking.next_due
            due = self.parking.due(parked) - time.monotonic() if parked else math.inf
            in_play = bool(self.playing or self.pool or self._people_matches.tables)
            if parked is not None and due <= 0:
                await self._begin(parked.match, self.parking.parked.pop(parked.match.number))
            elif (number := self._next()) is not None:
                if not self._admission.holds(self._todo[number]):
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self.budget.changes(), SHORT_OF_MONEY_SECONDS)
                    continue
                match = self._todo.pop(number)
                if not self.parking.defer(match):
                    await self._begin(match)
            elif parked is None and self.parking:
                self.parking.release()
            elif parked is None and not (self.pool or self._people_matches.tables):
                return
            elif self.gate.is_open and not in_play and self.parking.is_hopeless:
                self.stats.given_up += self.parking.report(self.tournament.callers)
                self.stats.exceeded_budgets += self.parking.exceeded_budgets
                self.stop()
            else:
                await self.gate.changes_within(due if due < math.inf else None)

    async def _begin(self, match: StoredMatch, before: Parked | None = None) -> None:
        """Plays a match; one with people in a task of its own, since it may take days."""
        if not self._people_matches.take(match, before):
            self._admission.begin(match)
            try:
                await self._matches.play(match, before)
            finally:
                self._admission.end(match)

    def _next_unclogged(self) -> int | None:
        """The first match for the runner, within the look-ahead, whose endpoints have no queue."""
        return self._todo.first(self.pool.leaves, self.limits.is_clogged)

    def _next(self) -> int | None:
        """The match that the runner begins next."""
        return self._next_unclogged() or self._todo.first(self.pool.leaves)
