"""The runner: plays many matches at once, acts on an answer once it is durable, and can stop."""

import asyncio
import math
import time
from dataclasses import replace
from itertools import islice
from typing import Literal

from parlour.agents.llm.client import Client, Request
from parlour.agents.registry import make_agent
from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Seat
from parlour.games.engine.table import Table
from parlour.tournament.calls.budget import (
    Budget,
    BudgetExceeded,
    Budgets,
    Reservation,
    no_such_model,
    tariffs_of,
)
from parlour.tournament.calls.cache import Cache
from parlour.tournament.calls.dispatch import ModelDispatcher
from parlour.tournament.calls.gate import Gate, Stopped, Unit
from parlour.tournament.calls.journal import StoredCall
from parlour.tournament.calls.limits import Limits
from parlour.tournament.plan.loader import Tournament
from parlour.tournament.run.forecast import Outlook
from parlour.tournament.run.parking import Parked, Parking, Unanswered
from parlour.tournament.run.people import People
from parlour.tournament.run.people_matches import PeopleMatches
from parlour.tournament.run.stats import RunStatistics
from parlour.tournament.run.turn import AgentFailed, TurnRunner
from parlour.tournament.save.replay import Diverged, rebuild
from parlour.tournament.save.rows import Control, StoredAnswer, StoredMatch, outcome_to_json
from parlour.tournament.save.writer import Writer

LOOKED_AHEAD = 200
"""How far the next match is looked for that need not wait."""

State = Literal["running", "pausing", "quiesced", "stopping"]


class Runner:
    """Plays the unfinished matches of one tournament, ``concurrency`` of them at once.

    ``playing`` holds the tables in play by match number.
    """

    def __init__(
        self,
        tournament: Tournament,
        writer: Writer,
        concurrency: int,
        control: Control | None = None,
        purse: Budget | None = None,
        cache: Cache | None = None,
        players: dict[str, object] | None = None,
    ) -> None:
        self.tournament, self.writer, self.concurrency = tournament, writer, concurrency
        self.control = control or Control()
        self.gate = Gate(self.control.pace)
        self.stats = RunStatistics()
        self.outlook = Outlook(tournament)
        self.playing: dict[int, Table] = {}
        self.agents = {each.name: make_agent(each, players) for each in tournament.agents}
        self.limits = Limits(tournament.models, self.control.limits, self.gate, self._recovered)
        self.purse = purse or Budget(Budgets(), {}, {})
        self.gate.on_change.append(self.purse.wake)
        self._allowing = asyncio.Lock()
        self.parking = Parking(self.limits.due)
        self._todo: dict[int, StoredMatch] = {}
        self.people = People(tournament.people, self.gate)
        self._beside: list[asyncio.Task[None]] = []
        self._hosting = PeopleMatches(self.people, self._finish, self._beside.append)
        self._board = ModelDispatcher(
            tournament.models,
            self.limits,
            self.purse,
            self.gate,
            writer,
            self._called,
            self._lend,
            cache,
        )
        self._answering = TurnRunner(
            self.agents, self.gate, self._board, self.people, writer, self.stats, self.outlook
        )
        self._stored: dict[int, list[StoredAnswer]] = {}
        self._entries: dict[int, int] = {}

    @property
    def state(self) -> State:
        """Running; or pausing, until nothing is in flight and all is durable: quiesced."""
        if self.gate.stopping:
            return "stopping"
        if self.gate.is_open:
            return "running"
        # A step that waits for people alone may take days: it is let go on, and does not count.
        stepping = any(not self._waits_for_people(match) for match in self.gate.stepped)
        busy = self.gate.in_flight or stepping or not self.writer.idle
        # What follows a match's last answer needs no act: its outcome, and after the last
        # match the leaderboard.
        ending = any(table.pending is None for table in self.playing.values())
        over = not (self.playing or self._todo or self._hosting.queue or self.parking)
        return "pausing" if busy or ending or over else "quiesced"

    def _waits_for_people(self, match: int) -> bool:
        seats = self.playing[match].waiting if match in self.playing else ()
        return bool(seats) and all((match, seat) in self.people.waiting for seat in seats)

    def keep(self) -> asyncio.Future[None] | None:
        """Has the save keep how it is played now, unless the writer may have given up.

        What comes back is done once it is durable.
        """
        self.control = replace(self.control, concurrency=self.concurrency, pace=self.gate.pace)
        return None if self.gate.stopping else self.writer.keep(self.control)

    async def allow(self, dollars: float | None, agent: str | None) -> None:
        """Another budget holds from now on, of one agent or of all. BadInput if none could."""
        if agent is not None and agent not in self.tournament.models:
            raise no_such_model(agent, self.tournament.models)
        if self.gate.stopping:
            fix = "wait until it has, then set it"
            raise BadInput("the budget", "the tournament is just being stopped", fix)
        async with self._allowing:  # one change after the other: each builds on the one before
            control = self.control.with_budget(dollars, agent)
            caps = Budgets(control.budget, control.agent_budgets)
            tariffs = await asyncio.to_thread(tariffs_of, self.tournament.models, caps)
            self.control = control
            self.purse.change(caps, tariffs)
            self._todo.update(self.parking.with_money())
            kept = self.keep()
            self.gate.wake()
        if kept is not None:
            await kept

    def stop(self) -> None:
        """Nothing new is begun; what is in flight is stored. ``run`` then returns."""
        self.gate.stop()

    def step(self, unit: Unit, number: int | None = None) -> int:
        """Lets one step of one match through and keeps all others paused.

        Returns the match: the given one, or the lowest that is in play, else not begun, else
        parked. ValueError if there is none, or it is over.
        """
        parked, spared = self.parking.parked, self.parking.spared
        if number is None:
            places = (self.playing, self._todo, self._hosting.queue, parked)
            number = next((min(some) for some in places if some), None)
        if number is None:
            raise ValueError("no match is left to play")
        if number in self.playing:
            self.gate.step(number, unit)
            return number
        # In nobody's hands: it gets a place of its own beside the matches in play.
        before = parked.pop(number, None)
        begun = (some.pop(number, None) for some in (self._todo, self._hosting.queue, spared))
        match = before.match if before else next(filter(None, begun), None)
        if match is None:
            raise ValueError(f"match {number} is over, or there is none")
        self.gate.step(number, unit)
        if self.people.among(match.agents):
            self._hosting.host(match, before)
        else:
            self._beside.append(asyncio.create_task(self._finish(match, before)))
        return number

    async def run(
        self,
        matches: list[StoredMatch],
        stored: dict[int, list[StoredAnswer]],
        calls: dict[tuple[int, int, Seat], list[StoredCall]],
    ) -> None:
        """Plays the given matches, each from its stored answers and journaled calls on."""
        self._stored = stored
        self._entries = {match.number: match.entry for match in matches}
        self._board.knows(calls)
        self._todo.update({match.number: match for match in matches})
        # Those with people: begun ones first.
        for match in sorted(matches, key=lambda m: m.number not in stored):
            if self._hosting.takes(match):
                del self._todo[match.number]
        while True:
            workers = [self._work() for _ in range(min(self.concurrency, len(matches)))]
            results = await asyncio.gather(*workers, return_exceptions=True)
            while self._beside:
                tasks = self._beside[:]
                self._beside.clear()
                results += await asyncio.gather(*tasks, return_exceptions=True)
            for result in results:
                if result is not None:
                    raise result
            # A stepped match may have been parked after the last worker had gone.
            if self.gate.stopping or not (self._todo or self._hosting.queue or self.parking):
                return

    async def close(self) -> None:
        """Lets go of the agents' connections."""
        for agent in self.agents.values():
            client: Client | None = getattr(agent, "client", None)
            if client is not None:
                await client.close()

    def _lend(self) -> None:
        """A match waits for its provider: another may be played in its place meanwhile."""
        if self._has_room():
            self._beside.append(asyncio.create_task(self._work(beside=True)))

    def _has_room(self) -> bool:
        """Whether one more match may be begun beside those that wait for a provider."""
        resting = len(self._board.resting.keys() - self._hosting.tables.keys())
        active = len(self.playing.keys() - self._hosting.tables.keys()) - resting
        room = active < self.concurrency and resting <= self.concurrency
        return room and self._free() is not None

    async def _work(self, beside: bool = False) -> None:
        """Plays one match after the other; ``beside`` those who wait, while there is room."""
        while not self.gate.stopping and (not beside or self._has_room()):
            parked = self.parking.next_due
            due = self.parking.due(parked) - time.monotonic() if parked else math.inf
            in_play = bool(self.playing or self._hosting.tables)
            if parked is not None and due <= 0:
                await self._begin(parked.match, self.parking.parked.pop(parked.match.number))
            elif self._todo:
                match = self._todo.pop(self._free() or next(iter(self._todo)))
                if not self.parking.spare(match):
                    await self._begin(match)
            elif parked is None and self.parking:
                self._todo.update(self.parking.free())
            elif parked is None and not self._hosting.tables:
                return
            elif self.gate.is_open and not in_play and self.parking.hopeless:
                self.stats.given_up += self.parking.report(self._board.models)
                self.stats.at_cap += self.parking.at_cap
                self.stop()
            else:
                await self.gate.changes_within(due if due < math.inf else None)

    async def _begin(self, match: StoredMatch, before: Parked | None = None) -> None:
        """Plays a match; one with people beside all others, since nobody knows for how long."""
        if not self._hosting.takes(match, before):
            await self._finish(match, before)

    def _free(self) -> int | None:
        """The first match not begun that need not wait for a limit, not looking far."""
        ahead = islice(self._todo.values(), LOOKED_AHEAD)
        return next((m.number for m in ahead if not self.limits.clogged(m.agents)), None)

    def _recovered(self, agents: set[str]) -> None:
        """A provider answers again: its matches go on."""
        self._todo.update(self.parking.recovered(agents))

    async def _finish(self, match: StoredMatch, before: Parked | None = None) -> None:
        """Plays a match; a stop, a divergence or an agent's own error leaves it unfinished.

        A provider's failure sets it aside for a while; it costs no seat anything.
        """
        try:
            table = before.table if before else self._rebuilt(match)
            self.playing[match.number] = table
            await self._play(match, table)
        except (Stopped, AgentFailed):
            pass
        except (Unanswered, BudgetExceeded) as why:
            self.parking.park(match, table, why, before.times if before else 0)
        except Diverged as difference:
            self.stats.frozen.append(str(difference))
            await self.writer.freeze(match.number, str(difference))
        finally:
            self.playing.pop(match.number, None)
            self.gate.match_over(match.number)
            if self.parking and not self.playing:
                self.gate.wake()  # who waits for the last one in play looks whether that is all

    def _rebuilt(self, match: StoredMatch) -> Table:
        stored = self._stored.pop(match.number, [])
        try:
            table = rebuild(self.tournament, match, stored)
            for answer in stored:
                self._answering.knows(answer)
        except Diverged:
            self.outlook.frozen(match, (answer.seat for answer in stored))
            raise
        return table

    async def _play(self, match: StoredMatch, table: Table) -> None:
        while table.pending is not None:
            digest = table.digest()
            turns = [self._answering.turn(match, table, seat, digest) for seat in table.waiting]
            if len(turns) == 1:
                await turns[0]
                continue
            # Every turn of a simultaneous ask runs to its end, so that what came in is stored.
            came = await asyncio.gather(*turns, return_exceptions=True)
            failures = [failure for failure in came if failure is not None]
            if failures:  # what lasts goes before what may pass
                raise min(failures, key=lambda f: isinstance(f, Unanswered) and f.failure.passing)
        assert table.outcome is not None
        await self.writer.outcome(match.number, outcome_to_json(table.outcome))
        self._answering.forget(match.number, table)
        if self._board.cache is not None:
            self._board.cache.forget(match.number)
        self.stats.finished += 1
        self.outlook.over(match, (event.by for event in table.events if event.by is not None))

    async def _called(
        self, call: StoredCall, request: Request, reservation: Reservation | None
    ) -> None:
        """Makes an attempt at a call durable, and learns from it."""
        await self.writer.call(call, request.templates, reservation)
        self.stats.called(call)
        if call.copy_of is None:
            self._todo.update(self.parking.called(call))
            self.outlook.paid(self._entries[call.match], call.agent, call.price or 0.0)
