"""The people of a tournament: their seats, open questions and clocks."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from parlour.agents.human import HumanConfig
from parlour.games.engine.moves import Answer, Ask, Fault, FaultKind, Seat
from parlour.tournament.calls.errors import Stopped
from parlour.tournament.calls.gate import Gate, Slot
from parlour.tournament.run.parking import Parked
from parlour.tournament.run.state import OpenAsk
from parlour.tournament.save.rows import StoredMatch


class NotTaken(ValueError):
    """A seat or an answer that cannot be taken now; the message says why."""


@dataclass(eq=False, slots=True)
class WaitingSeat:
    """A seat that waits for its person.

    ``left`` are the seconds of its clock when it was last stopped, ``since`` is when it was last
    started. ``answered`` gets None when the runner is stopped.
    """

    agent: str
    slot: Slot
    seat: Seat
    ask: Ask[Any]
    answered: "asyncio.Future[Answer | Fault | None]"
    left: float | None
    since: float | None = None
    alarm: asyncio.TimerHandle | None = None

    def left_now(self) -> float | None:
        """The seconds left at this moment."""
        if self.left is None or self.since is None:
            return self.left
        return max(0.0, self.left - (time.monotonic() - self.since))


class People:
    """Puts asks to people and takes their answers.

    Each person is identified by an object, such as their connection. The ``on_wait`` listeners
    are called whenever a seat begins to wait.
    """

    def __init__(self, configs: Mapping[str, HumanConfig], gate: Gate) -> None:
        self.configs, self.gate = configs, gate
        self.on_wait: list[Callable[[], None]] = []
        self.waiting: dict[tuple[int, Seat], WaitingSeat] = {}
        self._stored: dict[tuple[int, Seat], asyncio.Future[bool]] = {}
        self._sitters: dict[str, object] = {}
        gate.on_change.append(self._look)

    def among(self, agents: Iterable[str]) -> set[str]:
        """The agents that people play."""
        return self.configs.keys() & set(agents)

    def awaited(self, match: int) -> set[str]:
        """The agents that a match waits for."""
        return {waiting.agent for key, waiting in self.waiting.items() if key[0] == match}

    # --- Seats

    def sit(self, agent: str, person: object) -> None:
        """Gives a person the seats of an agent, and frees those of another one. Raises NotTaken."""
        if agent not in self.configs:
            known = ", ".join(self.configs) or "none"
            raise NotTaken(f"{agent!r} is not played by a person; people: {known}")
        if self._sitters.get(agent, person) is not person:
            raise NotTaken(f"the seat of {agent!r} is taken at another terminal")
        self.rise(person)
        self._sitters[agent] = person
        self._look()

    def rise(self, person: object) -> None:
        """Frees the seats of a person, which then wait."""
        self._sitters = {agent: it for agent, it in self._sitters.items() if it is not person}
        self._look()

    # --- Asks

    async def answer_of(self, agent: str, slot: Slot, seat: Seat, ask: Ask[Any]) -> object:
        """Waits, with the slot suspended, for a legal answer or the end of the clock.

        Raises Stopped.
        """
        answered: asyncio.Future[Answer | Fault | None] = asyncio.Future()
        waiting = WaitingSeat(agent, slot, seat, ask, answered, self.configs[agent].seconds)
        key = (slot.match_ref.match, seat)
        self.waiting[key] = waiting
        try:
            async with slot.suspended():
                self._look()
                for listener in self.on_wait:
                    listener()
                answer = await answered
        finally:
            del self.waiting[key]
            if waiting.alarm is not None:
                waiting.alarm.cancel()
        if answer is None:
            raise Stopped
        return answer

    async def answer(
        self, person: object, match: int, number: int, seat: int, value: object
    ) -> str | None:
        """Takes a person's answer; returns once it is durable.

        An illegal answer changes nothing; the broken rule is returned. Raises NotTaken.
        """
        key = (match, Seat(seat))
        waiting = self.waiting.get(key)
        if waiting is None or waiting.slot.match_ref.ask != number or waiting.answered.done():
            raise NotTaken("this question is no longer open")
        if self._sitters.get(waiting.agent) is not person:
            raise NotTaken(f"take the seat of {waiting.agent!r} first")
        judged = waiting.ask.judge(key[1], value)
        if isinstance(judged, Fault):
            return judged.message
        if not self.gate.admits(waiting.slot.match_ref):
            raise NotTaken("the tournament is paused: send the answer again when it resumes")
        stored = self._stored[key] = asyncio.get_running_loop().create_future()
        self._settle(waiting, judged)
        if not await stored:
            raise NotTaken(
                "the answer could not be stored: the question is asked again when the tournament"
                " goes on"
            )
        return None

    def settled(self, match: int, seat: Seat, *, durable: bool) -> None:
        """Tells a waiting ``answer`` whether it was stored or lost."""
        stored = self._stored.pop((match, seat), None)
        if stored is not None and not stored.done():
            stored.set_result(durable)

    def _settle(self, waiting: WaitingSeat, answer: Answer | Fault | None) -> None:
        if not waiting.answered.done():
            waiting.slot.resume()
            waiting.answered.set_result(answer)

    # --- Clocks

    def _look(self) -> None:
        """Starts and stops clocks after a change of the seats or the gate; a stop ends all waits.

        A clock runs while its person is seated and the gate is open or its match is stepped.
        """
        for waiting in list(self.waiting.values()):
            if self.gate.stopping:
                self._settle(waiting, None)
                continue
            is_on = self.gate.is_open or self.gate.is_stepped(waiting.slot.match_ref.match)
            if waiting.left is None:
                continue
            runs = is_on and waiting.agent in self._sitters
            if runs and waiting.since is None:
                waiting.since = time.monotonic()
                loop = asyncio.get_running_loop()
                waiting.alarm = loop.call_later(waiting.left, self._time_out, waiting)
            elif not runs and waiting.since is not None:
                waiting.left, waiting.since = waiting.left_now(), None
                if waiting.alarm is not None:
                    waiting.alarm.cancel()

    def _time_out(self, waiting: WaitingSeat) -> None:
        self._settle(waiting, Fault(FaultKind.TIMEOUT, "the clock ran out"))

    # --- Status

    def has_seat(self, person: object) -> bool:
        """True if a person has the seats of an agent."""
        return any(person is sitter for sitter in self._sitters.values())

    def is_seated(self, agent: str) -> bool:
        """True if a person sits at the seats of an agent."""
        return agent in self._sitters

    def open_asks(self, agent: str) -> list[OpenAsk]:
        """The asks that wait for an agent's person, in the order of matches."""
        asks = []
        for waiting in self.waiting.values():
            if waiting.agent == agent and not waiting.answered.done():
                left = waiting.left_now()
                left = None if left is None else round(left, 1)
                match_ref = waiting.slot.match_ref
                asks.append(OpenAsk(match_ref.match, match_ref.ask, waiting.seat, left))
        return sorted(asks, key=lambda ask: ask[:3])


Play = Callable[[StoredMatch, Parked | None], Awaitable[None]]


class PeopleMatches:
    """Begins matches with people as soon as one of their people is free.

    Each is played by ``play`` in a task of its own, which is added to ``tasks``. A person sits at
    one table at a time; the next match begins only while that table waits for other people.
    ``queue`` holds the matches that are not begun, ``tables`` those in play.
    """

    def __init__(self, people: People, play: Play, tasks: list[asyncio.Task[None]]) -> None:
        self.people, self._play, self._tasks = people, play, tasks
        self.queue: dict[int, StoredMatch] = {}
        self.tables: dict[int, StoredMatch] = {}
        people.on_wait.append(self.begin_more)

    def take(self, match: StoredMatch, before: Parked | None = None) -> bool:
        """Queues a match with people, or goes on with a parked one; False for other matches."""
        if not self.people.among(match.agents):
            return False
        if before is None:
            self.queue[match.number] = match
            self.begin_more()
        else:
            self.begin(match, before)
        return True

    def begin_more(self) -> None:
        """Begins as many queued matches as there are free people for."""
        if self.people.gate.stopping:
            return
        for match in list(self.queue.values()):
            busy = self._busy()
            if self.people.configs.keys() <= busy:
                return
            if not self.people.among(match.agents) & busy:
                self.begin(self.queue.pop(match.number))

    def begin(self, match: StoredMatch, before: Parked | None = None) -> None:
        """Begins a match, even if its people are busy."""
        self.tables[match.number] = match
        self._tasks.append(asyncio.create_task(self._play_at_table(match, before)))

    async def _play_at_table(self, match: StoredMatch, before: Parked | None) -> None:
        try:
            await self._play(match, before)
        finally:
            del self.tables[match.number]
            self.begin_more()
            self.people.gate.wake()  # workers may wait for the last match

    def _busy(self) -> set[str]:
        """The people whom a table waits for, or whose table waits for another player's move."""
        busy: set[str] = set()
        for number, match in self.tables.items():
            busy |= self.people.awaited(number) or self.people.among(match.agents)
        return busy
