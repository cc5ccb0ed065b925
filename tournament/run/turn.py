"""One seat's turn: ask, repair a faulty answer, store it, and apply it to the table."""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from parlour.agents.base import Agent, Call
from parlour.agents.llm.keys import from_outside, from_outside_all
from parlour.agents.model_calls import ProviderFailure
from parlour.games.common.text import clean_all
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask, Fault, Seat
from parlour.games.engine.table import Table
from parlour.tournament.calls.dispatch import ModelDispatcher
from parlour.tournament.calls.errors import BudgetExceeded, Stopped, Unanswered
from parlour.tournament.calls.gate import Gate, MatchRef
from parlour.tournament.run.people import People
from parlour.tournament.run.quick_turn import REPAIRS, Turn, quick_turn, turn_of
from parlour.tournament.run.stats import RunStatistics
from parlour.tournament.save.replay import Diverged, place_of
from parlour.tournament.save.rows import StoredAnswer, StoredMatch, notes_from_json
from parlour.tournament.save.writer import Writer


class AgentFailed(Exception):
    """An agent raised an error of its own; its match waits until the agent is fixed."""


class _PlainReply(NamedTuple):
    """An agent's reply as plain data.

    ``notes`` are as stored, ``own_notes`` as the seat reads them later: cleaned.
    """

    value: object
    text: str
    notes: dict[str, Any]
    own_notes: dict[str, Any]


class TurnRunner:
    """Gets the answers of seats from their agents.

    The ``on_answer_stored`` listeners get each answer once it is durable.
    """

    def __init__(
        self,
        agents: Mapping[str, Agent],
        gate: Gate,
        dispatcher: ModelDispatcher,
        people: People,
        writer: Writer,
        stats: RunStatistics,
    ) -> None:
        self.agents, self.gate, self.writer, self.stats = agents, gate, writer, stats
        self.on_answer_stored: list[Callable[[StoredMatch, StoredAnswer], None]] = []
        self._dispatcher, self._people = dispatcher, people
        self._notes: dict[tuple[int, Seat], list[dict[str, Any]]] = {}

    def is_quick(self, match: StoredMatch, seats: Iterable[Seat]) -> bool:
        """True if agents that answer at once hold all these seats."""
        # A seat that the game plays itself has no agent. (Not isinstance, which with a protocol
        # takes longer than many an answer.)
        names = [match.agents[seat] for seat in seats]
        return all(hasattr(self.agents[name], "decide") for name in names if name in self.agents)

    def quick_agents(self) -> list[str]:
        """The names of the agents that answer at once."""
        return [name for name, agent in self.agents.items() if hasattr(agent, "decide")]

    def are_played_by(self, names: Iterable[str], able: frozenset[str]) -> bool:
        """True if those who are able hold all seats but those that the game plays itself."""
        return able.issuperset(name for name in names if name in self.agents)

    def load(self, answer: StoredAnswer) -> None:
        """Loads the notes of a stored answer, for its seat only. Diverged if damaged."""
        if isinstance(answer.notes, str):
            try:
                notes = notes_from_json(answer.notes)
            except ValueError as error:
                raise Diverged(f"{place_of(answer)}: {error}") from None
            self._remember(answer.match, answer.seat, notes)

    def forget(self, match: int, table: Table) -> None:
        """Drops the data of a match that is over."""
        for seat in table.seats:
            self._notes.pop((match, seat), None)
        self._dispatcher.match_over(match)

    async def play_turn(self, match: StoredMatch, table: Table, seat: Seat, digest: str) -> None:
        """Gets, stores and applies one seat's answer.

        Raises AgentFailed, Unanswered, BudgetExceeded or Stopped.
        """
        ask = table.pending
        assert ask is not None
        agent = self.agents[match.agents[seat]]
        match_ref = MatchRef(match.number, table.ask_number, ask.round)
        own_notes = tuple(self._notes.get((match.number, seat), ()))
        faulty: tuple[tuple[str, Fault], ...] = ()
        # A person's answer is judged as it is entered, so only a clock that ran out is faulty.
        tries = 1 if self._people.among([agent.name]) else 1 + REPAIRS
        begun, since = time.time(), time.monotonic()
        for attempt in range(1, tries + 1):
            # Each try passes the gate again, so that a pause need not wait for the repairs.
            async with self.gate.slot(match_ref) as slot:
                durable = False
                calls = self._dispatcher.calls(slot, seat, attempt, agent.name)
                try:
                    call = Call(
                        match.dice(match_ref.ask, seat, attempt),
                        faulty,
                        calls.complete,
                        own_notes,
                        partial(self._people.answer_of, agent.name, slot, seat, ask),
                        match.choice_order(match_ref.ask, seat),
                        digest,
                    )
                    reply = await self._act(match.number, agent, ask, table.view(seat), call)
                    value = reply.value
                    judged = value if isinstance(value, Fault) else ask.judge(seat, value)
                    if isinstance(judged, Fault) and attempt < tries:
                        await calls.keep()
                        faulty += ((reply.text, judged),)
                        own_notes += (reply.own_notes,) if reply.own_notes else ()
                        continue
                    notes = (reply.notes, reply.own_notes)
                    turn = turn_of(match.number, table, seat, digest, judged, attempt, *notes)
                    if not hasattr(agent, "decide"):
                        seconds = time.monotonic() - since
                        timed = turn.answer._replace(begun=begun, latency=seconds)
                        turn = turn._replace(answer=timed)
                    await self.writer.answer(turn.answer)  # only then it goes on the table
                    self._apply(table, turn)
                    self.stored(match, [turn.answer])
                    durable = True
                    return
                finally:
                    self._people.settled(match.number, seat, durable=durable)

    def play_quick_turn(
        self, match: StoredMatch, table: Table, seat: Seat, digest: str
    ) -> StoredAnswer:
        """Applies the answer of a seat whose agent is quick; the caller stores it.

        Raises AgentFailed.
        """
        agent = self.agents[match.agents[seat]]
        decide = partial(self._decide, match.number, agent)
        turn = quick_turn(decide, match, table, seat, digest)
        self._apply(table, turn)
        return turn.answer

    def _decide(self, match: int, agent: Any, ask: Ask[Any], view: View, call: Call) -> object:
        """The decision of a quick agent. Any error of its own becomes AgentFailed."""
        try:
            return agent.decide(ask, view, call)
        except Exception as error:  # an agent's bug must not end the tournament
            raise self._failed(match, agent, error) from error

    def stored(self, match: StoredMatch, answers: Iterable[StoredAnswer]) -> None:
        """Tells the listeners that answers are durable."""
        for answer in answers:
            for listener in self.on_answer_stored:
                listener(match, answer)

    async def _act(
        self, match: int, agent: Agent, ask: Ask[Any], view: View, call: Call
    ) -> _PlainReply:
        """The agent's reply. Any error of its own becomes AgentFailed."""
        try:
            reply = await agent.act(ask, view, call)
            value = reply.value
            with suppress(RecursionError):  # nested too deeply, as it will be judged
                value = from_outside_all(value)
            text = from_outside(reply.text)
            if not reply.notes:
                return _PlainReply(value, text, {}, {})
            # A copy in the form in which a resumed run would read the notes.
            notes = from_outside_all(json.loads(json.dumps(dict(reply.notes))))
            return _PlainReply(value, text, notes, clean_all(notes))
        except (Stopped, Unanswered, BudgetExceeded):
            raise
        except ProviderFailure as failure:
            raise Unanswered(agent.name, failure) from None
        except Exception as error:  # an agent's bug must not end the tournament
            raise self._failed(match, agent, error) from error

    def _failed(self, match: int, agent: Agent, error: Exception) -> AgentFailed:
        """Records an agent's own error, and returns it as that of its match."""
        lines = [str(error), *(f"({note})" for note in getattr(error, "__notes__", []))]
        message = from_outside(" ".join(" ".join(lines).split()), 200)
        reason = f"agent {agent.name!r} failed with {type(error).__name__}: {message}"
        # Recorded now: the other seats of this ask may wait at the gate for long.
        self.stats.failed.setdefault(match, f"match {match}: {reason}")
        return AgentFailed(reason)

    def _apply(self, table: Table, turn: Turn) -> None:
        """Puts an answer on the table."""
        match, ask, seat, *_ = turn.answer
        self._remember(match, seat, turn.own_notes)
        table.take({seat: turn.judged})
        self._dispatcher.ask_over(match, ask, seat)

    def _remember(self, match: int, seat: Seat, notes: dict[str, Any]) -> None:
        if notes:
            self._notes.setdefault((match, seat), []).append(notes)
