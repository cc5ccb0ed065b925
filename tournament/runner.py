"""The runner: plays many matches at once, acts on an answer once it is durable, and can stop."""

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any, Literal

from agents.base import Agent, Call, Reply
from agents.llm.client import Client, ProviderFailure, Request
from agents.llm.config import LLMConfig
from agents.llm.keys import scrubbed
from agents.registry import make_agent
from games.dice import Dice
from games.moves import Answer, Fault, Seat
from games.table import Table
from games.text import clean
from tournament.config import Tournament
from tournament.gate import Gate, Stopped, Unit
from tournament.journal import Calls, StoredCall
from tournament.replay import Diverged, rebuild
from tournament.rows import StoredAnswer, StoredMatch, outcome_to_json
from tournament.tally import Tally
from tournament.writer import Writer

REPAIRS = 2
"""How often an agent is asked again after a faulty answer, before the fallback stands in."""

State = Literal["running", "pausing", "quiesced", "stopping"]


FIRST_PARK_SECONDS, LONGEST_PARK_SECONDS = 15.0, 600.0
"""How long a match is set aside when its provider fails: doubled each time, up to the longest."""


class AgentFailed(Exception):
    """An agent raised an error of its own; its match waits for a mended agent."""


@dataclass(frozen=True, slots=True)
class Parked:
    """A match set aside because a provider fails: its table, why, when to try again."""

    match: StoredMatch
    table: Table
    reason: str
    due: float
    times: int


class Runner:
    """Plays the unfinished matches of one tournament, ``concurrency`` of them at once.

    ``playing`` holds the tables in play by match number.
    """

    def __init__(
        self,
        tournament: Tournament,
        writer: Writer,
        concurrency: int,
        pace: float | None = None,
    ) -> None:
        self.tournament, self.writer, self.concurrency = tournament, writer, concurrency
        self.gate = Gate(pace)
        self.tally = Tally()
        self.playing: dict[int, Table] = {}
        self.agents: dict[str, Agent] = {
            config.name: make_agent(config) for config in tournament.agents
        }
        self.parked: dict[int, Parked] = {}
        self._models = {
            config.name: (config.name, config.model, config.retries, config.retry_wait)
            for config in tournament.agents
            if isinstance(config, LLMConfig)
        }
        self._calls: dict[tuple[int, int, Seat], list[StoredCall]] = {}
        self._todo: dict[int, StoredMatch] = {}
        self._stored: dict[int, list[StoredAnswer]] = {}
        self._stepped: list[asyncio.Task[None]] = []

    @property
    def state(self) -> State:
        """Running; or pausing, until nothing is in flight and all is durable: quiesced."""
        if self.gate.stopping:
            return "stopping"
        if self.gate.is_open:
            return "running"
        busy = self.gate.in_flight or self.gate.stepping or not self.writer.idle
        # What follows a match's last answer needs no act: its outcome, and after the last
        # match the leaderboard.
        ending = any(table.pending is None for table in self.playing.values())
        over = not self.playing and not self._todo and not self.parked
        return "pausing" if busy or ending or over else "quiesced"

    def stop(self) -> None:
        """Nothing new is begun; what is in flight is stored. ``run`` then returns."""
        self.gate.stop()

    def step(self, unit: Unit, number: int | None = None) -> int:
        """Lets one step of one match through and keeps all others paused.

        Returns the match: the given one, or the lowest that is in play. ValueError if there is
        none, or it is over.
        """
        if number is None:
            number = min(self.playing, default=min(self._todo, default=None))
        if number is None:
            raise ValueError("no match is left to play")
        if number not in self.playing:
            if number not in self._todo:
                raise ValueError(f"match {number} is over, or there is none")
            # Not begun yet: it gets a place of its own beside the matches in play.
            match = self._todo.pop(number)
            self.gate.step(number, unit)
            self._stepped.append(asyncio.create_task(self._finish(match)))
        else:
            self.gate.step(number, unit)
        return number

    async def run(
        self,
        matches: list[StoredMatch],
        stored: dict[int, list[StoredAnswer]],
        calls: dict[tuple[int, int, Seat], list[StoredCall]],
    ) -> None:
        """Plays the given matches, each from its stored answers and journaled calls on."""
        self._todo = {match.number: match for match in matches}
        self._stored, self._calls = stored, calls
        workers = [self._work() for _ in range(min(self.concurrency, len(matches)))]
        results = await asyncio.gather(*workers, return_exceptions=True)
        results += await asyncio.gather(*self._stepped, return_exceptions=True)
        for result in results:
            if result is not None:
                raise result

    async def close(self) -> None:
        """Lets go of the agents' connections."""
        for agent in self.agents.values():
            client: Client | None = getattr(agent, "client", None)
            if client is not None:
                await client.close()

    async def _work(self) -> None:
        while not self.gate.stopping:
            now = time.monotonic()
            due = min((parked.due for parked in self.parked.values()), default=None)
            if due is not None and due <= now:
                parked = next(p for p in self.parked.values() if p.due == due)
                await self._finish(parked.match, self.parked.pop(parked.match.number))
            elif self._todo:
                await self._finish(self._todo.pop(next(iter(self._todo))))
            elif due is not None:
                await self.gate.sleep(due - now)
            else:
                return

    async def _finish(self, match: StoredMatch, before: Parked | None = None) -> None:
        """Plays a match; a stop, a divergence or an agent's own error leaves it unfinished.

        A provider's failure sets it aside for a while; it costs no seat anything.
        """
        try:
            table = before.table if before else self._rebuilt(match)
            self.playing[match.number] = table
            await self._play(match, table)
        except Stopped:
            pass
        except ProviderFailure as failure:
            times = before.times + 1 if before else 1
            wait = min(LONGEST_PARK_SECONDS, FIRST_PARK_SECONDS * 2.0 ** (times - 1))
            reason = f"{failure.kind}: {failure.message}"
            due = time.monotonic() + wait
            self.parked[match.number] = Parked(match, table, reason, due, times)
        except AgentFailed as failure:
            self.tally.failed.append(f"match {match.number}: {failure}")
        except Diverged as difference:
            self.tally.frozen.append(str(difference))
            await self.writer.freeze(match.number, str(difference))
        finally:
            self.playing.pop(match.number, None)
            self.gate.match_over(match.number)

    def _rebuilt(self, match: StoredMatch) -> Table:
        return rebuild(self.tournament, match, self._stored.pop(match.number, []))

    async def _play(self, match: StoredMatch, table: Table) -> None:
        while table.pending is not None:
            digest = table.digest()
            turns = [self._turn(match, table, seat, digest) for seat in table.waiting]
            if len(turns) == 1:
                await turns[0]
                continue
            # Every turn of a simultaneous ask runs to its end, so that what came in is stored.
            for failure in await asyncio.gather(*turns, return_exceptions=True):
                if failure is not None:
                    raise failure
        assert table.outcome is not None
        await self.writer.outcome(match.number, outcome_to_json(table.outcome))
        self.tally.finished += 1

    async def _turn(self, match: StoredMatch, table: Table, seat: Seat, digest: str) -> None:
        """One seat's answer: asked for (again, if it is faulty), stored, given to the table."""
        ask, number = table.pending, table.ask_number
        assert ask is not None
        agent = self.agents[match.agents[seat]]
        earlier: tuple[tuple[str, Fault], ...] = ()
        for attempt in range(1, REPAIRS + 2):
            await self.gate.enter(match.number, number, ask.round)
            try:
                dice = Dice(table.seed, "agent", number, seat, agent.name, attempt)
                calls = self._journal(match.number, number, ask.round, seat, attempt, agent.name)
                try:
                    reply = await agent.act(
                        ask, table.view(seat), Call(dice, earlier, calls.complete)
                    )
                    given, notes = _taken(reply)
                except (ProviderFailure, Stopped):
                    raise
                except Exception as error:  # an agent's own bug must not end the tournament
                    said = clean(scrubbed(" ".join(str(error).split())), 200)
                    reason = f"agent {agent.name!r} failed with {type(error).__name__}: {said}"
                    raise AgentFailed(reason) from error
                judged = given if isinstance(given, Fault) else ask.judge(seat, given)
                if isinstance(judged, Fault) and attempt <= REPAIRS:
                    earlier = (*earlier, (reply.text, judged))
                    continue
                await self._store(match, table, seat, digest, judged, notes, attempt)
                self._calls.pop((match.number, number, seat), None)
                return
            finally:
                self.gate.leave()

    def _journal(
        self, match: int, ask: int, round: int, seat: Seat, attempt: int, agent: str
    ) -> Calls:
        """The way to a model for one try: journaled, retried, and never past a closed gate."""
        known = self._calls.setdefault((match, ask, seat), [])

        async def store(call: StoredCall, request: Request) -> None:
            await self.writer.call(call, request.templates)
            known.append(call)
            self.tally.called(call)

        async def pause(seconds: float) -> None:
            await self.gate.step_out(seconds, match, ask, round)

        model = self._models.get(agent, (agent, "", 0, 1.0))
        return Calls((match, ask, seat, attempt), model, known, store, pause)

    async def _store(
        self,
        match: StoredMatch,
        table: Table,
        seat: Seat,
        digest: str,
        judged: Answer | Fault,
        notes: str | None,
        tries: int,
    ) -> None:
        """Makes an answer durable, and only then gives it to the table."""
        assert table.pending is not None
        faulty = isinstance(judged, Fault)
        kept: Any = table.fallback(seat) if faulty else judged
        await self.writer.answer(
            StoredAnswer(
                match=match.number,
                ask=table.ask_number,
                seat=seat,
                kind=table.pending.kind,
                round=table.pending.round,
                value=kept.model_dump_json(),
                fault=judged.kind.value if isinstance(judged, Fault) else None,
                tries=tries,
                notes=notes,
                digest=digest,
            )
        )
        table.answer({seat: judged})
        self.tally.answered(faulty)


def _taken(reply: Reply) -> tuple[object, str | None]:
    """What an agent gave, and its notes as JSON. Any exception if it is no proper reply."""
    notes = dict(reply.notes)
    return reply.value, json.dumps(notes, sort_keys=True) if notes else None
