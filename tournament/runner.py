"""The runner: plays many matches at once, acts on an answer once it is durable, and can stop."""

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from agents.base import Agent, Call
from agents.registry import make_agent
from games.dice import Dice
from games.moves import Answer, Ask, Fault, FaultKind, Seat
from games.table import Table
from games.text import clean
from tournament.config import Tournament
from tournament.replay import Diverged, rebuild
from tournament.save import StoredAnswer, StoredMatch, outcome_to_json
from tournament.writer import Writer

REPAIRS = 2
"""How often an agent is asked again after a faulty answer, before the fallback stands in."""


class Stopped(Exception):
    """The runner was told to stop; nothing more is begun."""


class AgentFailed(Exception):
    """An agent raised an error of its own; its match waits for a mended agent."""


@dataclass(slots=True)
class Pace:
    """Lets at most ``per_second`` asks begin each second, evenly spaced; None: no limit."""

    per_second: float | None = None
    _next: float = 0.0

    async def wait(self) -> None:
        """Returns when the next ask may begin."""
        if self.per_second is None:
            return
        now = time.monotonic()
        start = max(now, self._next)
        self._next = start + 1 / self.per_second
        await asyncio.sleep(start - now)


@dataclass(slots=True)
class Tally:
    """What this run has done so far, for whoever shows progress."""

    answers: int = 0
    faults: int = 0
    finished: int = 0
    frozen: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    """Matches that an agent's own error has stopped; they stay unfinished."""


class Runner:
    """Plays the unfinished matches of one tournament, ``concurrency`` of them at once."""

    def __init__(
        self, tournament: Tournament, writer: Writer, concurrency: int, pace: Pace | None = None
    ) -> None:
        self.tournament, self.writer, self.concurrency = tournament, writer, concurrency
        self.pace = pace or Pace()
        self.tally = Tally()
        self.agents: dict[str, Agent] = {
            config.name: make_agent(config) for config in tournament.agents
        }
        self._stopping = False

    def stop(self) -> None:
        """Nothing new is begun; what is in flight is stored. ``run`` then returns."""
        self._stopping = True

    async def run(self, matches: list[StoredMatch], stored: dict[int, list[StoredAnswer]]) -> None:
        """Plays the given matches, each from its stored answers on."""
        waiting = iter(matches)
        workers = (self._work(waiting, stored) for _ in range(self.concurrency))
        await asyncio.gather(*workers)

    async def _work(
        self, waiting: Iterator[StoredMatch], stored: dict[int, list[StoredAnswer]]
    ) -> None:
        for match in waiting:
            try:
                await self._play(match, stored.pop(match.number, []))
            except Stopped:
                return
            except Diverged as difference:
                self.tally.frozen.append(str(difference))
                await self.writer.freeze(match.number, str(difference))

    async def _play(self, match: StoredMatch, stored: list[StoredAnswer]) -> None:
        """Plays one match to its end, unless an agent fails of its own fault."""
        table = rebuild(self.tournament, match, stored)
        while table.pending is not None:
            digest = table.digest()
            turns = [self._turn(match, table, seat, digest) for seat in table.waiting]
            # Every turn of a simultaneous ask runs to its end, so that what came in is stored.
            for failure in await asyncio.gather(*turns, return_exceptions=True):
                if isinstance(failure, AgentFailed):
                    self.tally.failed.append(f"match {match.number}: {failure}")
                    return
                if failure is not None:
                    raise failure
        assert table.outcome is not None
        await self.writer.outcome(match.number, outcome_to_json(table.outcome))
        self.tally.finished += 1

    async def _turn(self, match: StoredMatch, table: Table, seat: Seat, digest: str) -> None:
        """One seat's answer: asked for, stored, then given to the table."""
        ask, number = table.pending, table.ask_number
        assert ask is not None
        agent = self.agents[match.agents[seat]]
        value, notes, tries = await self._answer(agent, table, ask, seat)
        kept = table.fallback(seat) if isinstance(value, Fault) else value
        await self.writer.answer(
            StoredAnswer(
                match=match.number,
                ask=number,
                seat=seat,
                kind=ask.kind,
                round=ask.round,
                value=kept.model_dump_json(),
                fault=value.kind.value if isinstance(value, Fault) else None,
                tries=tries,
                notes=notes,
                digest=digest,
            )
        )
        table.answer({seat: value})
        self.tally.answers += 1
        self.tally.faults += isinstance(value, Fault)

    async def _answer(
        self, agent: Agent, table: Table, ask: Ask[Any], seat: Seat
    ) -> tuple[Answer | Fault, str | None, int]:
        """A legal answer or the last fault, with the agent's notes as JSON and the tries taken."""
        view = table.view(seat)
        fault: Fault | None = None
        for attempt in range(1, REPAIRS + 2):
            await self.pace.wait()
            if self._stopping:
                raise Stopped
            key = (table.seed, "agent", table.ask_number, seat, agent.name, attempt)
            try:
                reply = await agent.act(ask, view, Call(Dice(*key), fault))
                if isinstance(reply, Fault):
                    fault = reply
                    continue
                given = reply.value
                notes = json.dumps(dict(reply.notes), sort_keys=True) if reply.notes else None
            except Exception as error:  # an agent's own bug must not take the tournament down
                said = clean(" ".join(str(error).split()), 200)
                reason = f"agent {agent.name!r} failed with {type(error).__name__}: {said}"
                raise AgentFailed(reason) from error
            judged = ask.judge(seat, given)
            if not isinstance(judged, Fault):
                return judged, notes, attempt
            fault = judged
        return fault or Fault(FaultKind.EMPTY), None, REPAIRS + 1
