"""One seat's answer: asked for, asked for again if it is faulty, stored, given to the table."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from parlour.agents.base import Agent, Call, Reply
from parlour.agents.llm.client import ProviderFailure
from parlour.agents.llm.keys import scrubbed
from parlour.games.common.text import clean
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Answer, Fault, Seat
from parlour.games.engine.table import Table
from parlour.tournament.calls.budget import BudgetExceeded
from parlour.tournament.calls.dispatch import ModelDispatcher
from parlour.tournament.calls.gate import Gate, Stopped
from parlour.tournament.run.forecast import Outlook
from parlour.tournament.run.parking import Unanswered
from parlour.tournament.run.people import People
from parlour.tournament.run.stats import RunStatistics
from parlour.tournament.save.replay import Diverged
from parlour.tournament.save.rows import StoredAnswer, StoredMatch, notes_from_json, notes_of
from parlour.tournament.save.writer import Writer

REPAIRS = 2
"""How often an agent is asked again after a faulty answer, before the fallback stands in."""


class AgentFailed(Exception):
    """An agent raised an error of its own; its match waits for a fixed agent."""


class TurnRunner:
    """Gets the answers of seats from their agents."""

    def __init__(
        self,
        agents: Mapping[str, Agent],
        gate: Gate,
        board: ModelDispatcher,
        people: People,
        writer: Writer,
        stats: RunStatistics,
        outlook: Outlook,
    ) -> None:
        self.agents, self.gate, self.writer, self.stats = agents, gate, writer, stats
        self._board, self._people, self._outlook = board, people, outlook
        self._notes: dict[tuple[int, Seat], list[dict[str, Any]]] = {}

    def knows(self, stored: StoredAnswer) -> None:
        """Keeps what a seat noted with an answer, for that seat alone. Diverged if it is odd."""
        if stored.notes is not None:
            try:
                notes = notes_of(stored)
            except ValueError as error:
                place = f"match {stored.match}, ask {stored.ask}, seat {stored.seat}"
                raise Diverged(f"{place}: {error}") from None
            self._notes.setdefault((stored.match, stored.seat), []).append(notes)

    def forget(self, match: int, table: Table) -> None:
        """Lets go of the notes of a match that is over."""
        for seat in table.seats:
            self._notes.pop((match, seat), None)

    async def turn(self, match: StoredMatch, table: Table, seat: Seat, digest: str) -> None:
        """One seat's answer. Raises AgentFailed, Unanswered, BudgetExceeded or Stopped."""
        ask, number = table.pending, table.ask_number
        assert ask is not None
        agent = self.agents[match.agents[seat]]
        earlier: tuple[tuple[str, Fault], ...] = ()
        noted = tuple(self._notes.get((match.number, seat), ()))
        place = (match.number, number, ask.round)
        person = partial(self._people.answer_of, agent.name, place, seat, ask)
        # A person is told at once what is wrong; what stays faulty is a clock that ran out.
        tries = 1 if self._people.among([agent.name]) else 1 + REPAIRS
        for attempt in range(1, tries + 1):
            await self.gate.enter(*place)
            durable = False
            try:
                dice = Dice(table.seed, "agent", number, seat, agent.name, attempt)
                calls = self._board.calls(place, seat, attempt, agent.name)
                try:
                    reply = await agent.act(
                        ask, table.view(seat), Call(dice, earlier, calls.complete, noted, person)
                    )
                    given, notes = _taken(reply)
                except (Stopped, Unanswered, BudgetExceeded):
                    raise
                except ProviderFailure as failure:
                    raise Unanswered(agent.name, failure) from None
                except Exception as error:  # an agent's own bug must not end the tournament
                    told = [str(error), *(f"({note})" for note in getattr(error, "__notes__", []))]
                    said = clean(scrubbed(" ".join(" ".join(told).split())), 200)
                    reason = f"agent {agent.name!r} failed with {type(error).__name__}: {said}"
                    # On record before its act is over: other seats may yet wait at the gate.
                    self.stats.failed.setdefault(match.number, f"match {match.number}: {reason}")
                    raise AgentFailed(reason) from error
                judged = given if isinstance(given, Fault) else ask.judge(seat, given)
                if isinstance(judged, Fault) and attempt < tries:
                    earlier = (*earlier, (reply.text, judged))
                    noted += (notes_from_json(notes),) if notes else ()
                    continue
                notes = _with_problem(notes, judged)
                await self._store(match, table, seat, digest, judged, notes, attempt)
                durable = True
                self._board.answered(match.number, number, seat)
                return
            finally:
                self.gate.leave()
                self._people.settled(match.number, seat, durable=durable)

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
        answer = StoredAnswer(
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
        await self.writer.answer(answer)
        self.knows(answer)
        table.take({seat: judged})
        self.stats.answered(faulty)
        self._outlook.answered(match.entry, match.agents[seat])


def _with_problem(notes: str | None, judged: Answer | Fault) -> str | None:
    """The notes, with what was wrong with an answer that stayed faulty."""
    if not isinstance(judged, Fault) or not judged.message:
        return notes
    known = notes_from_json(notes) if notes else {}
    return json.dumps({**known, "problem": judged.message}, sort_keys=True)


def _taken(reply: Reply) -> tuple[object, str | None]:
    """What an agent gave, and its notes as JSON. Any exception if it is no proper reply."""
    notes = dict(reply.notes)
    return reply.value, json.dumps(notes, sort_keys=True) if notes else None
