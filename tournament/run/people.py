"""The people of a tournament: who sits where, which seats wait for them, and their clocks."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from parlour.agents.human import HumanConfig
from parlour.games.engine.moves import Answer, Ask, Fault, FaultKind, Seat
from parlour.tournament.calls.gate import Gate, Place, Stopped


class NotTaken(ValueError):
    """A seat, or an answer, that cannot be taken now; says why."""


@dataclass(eq=False, slots=True)
class Waiting:
    """A seat that waits for its person. ``left`` are the seconds of its clock, if it has one."""

    agent: str
    place: Place
    seat: Seat
    ask: Ask[Any]
    given: "asyncio.Future[Answer | Fault | None]"
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

    Whoever takes a seat is known by an object of its own, such as its connection. ``on_wait`` is
    called whenever a seat begins to wait.
    """

    def __init__(self, configs: Mapping[str, HumanConfig], gate: Gate) -> None:
        self.configs, self.gate = configs, gate
        self.on_wait: Callable[[], None] = lambda: None
        self.waiting: dict[tuple[int, Seat], Waiting] = {}
        self._stored: dict[tuple[int, Seat], asyncio.Future[bool]] = {}
        self._sits: dict[str, object] = {}
        gate.on_change.append(self._look)

    def among(self, agents: Iterable[str]) -> set[str]:
        """Those of the agents that people play."""
        return self.configs.keys() & set(agents)

    def awaited(self, match: int) -> set[str]:
        """Whom a match waits for."""
        return {waiting.agent for waiting in self.waiting.values() if waiting.place[0] == match}

    # --- Seats

    def sit(self, agent: str, who: object) -> None:
        """Gives somebody the seats of an agent; another one that they had is let go. NotTaken."""
        if agent not in self.configs:
            known = ", ".join(self.configs) or "none"
            raise NotTaken(f"{agent!r} is played by no person; people: {known}")
        if self._sits.get(agent, who) is not who:
            raise NotTaken(f"the seat of {agent!r} is taken at another terminal")
        self.rise(who)
        self._sits[agent] = who
        self._look()

    def rise(self, who: object) -> None:
        """Somebody has gone; the seat waits."""
        self._sits = {agent: sitter for agent, sitter in self._sits.items() if sitter is not who}
        self._look()

    # --- Asks

    async def answer_of(self, agent: str, place: Place, seat: Seat, ask: Ask[Any]) -> object:
        """Waits, outside the gate, for a legal answer or the end of the clock. Raises Stopped."""
        given: asyncio.Future[Answer | Fault | None] = asyncio.get_running_loop().create_future()
        waiting = Waiting(agent, place, seat, ask, given, self.configs[agent].seconds)
        self.waiting[place[0], seat] = waiting
        self.gate.leave()  # so that a pause need not wait for a person
        try:
            self._look()
            self.on_wait()
            answer = await given
        except BaseException:
            self.gate.in_flight += 1  # as the act's own ``leave`` expects
            raise
        finally:
            del self.waiting[place[0], seat]
            if waiting.alarm is not None:
                waiting.alarm.cancel()
        if answer is None:
            raise Stopped
        return answer

    async def answer(
        self, who: object, match: int, number: int, seat: int, value: object
    ) -> str | None:
        """Takes somebody's answer; comes back once it is durable.

        A wrong one changes nothing, and the rule's words come back. Raises NotTaken.
        """
        key = (match, Seat(seat))
        waiting = self.waiting.get(key)
        if waiting is None or waiting.place[1] != number or waiting.given.done():
            raise NotTaken("this is not asked any more")
        if self._sits.get(waiting.agent) is not who:
            raise NotTaken(f"take the seat of {waiting.agent!r} first")
        judged = waiting.ask.judge(key[1], value)
        if isinstance(judged, Fault):
            return judged.message
        if not self.gate.lets(waiting.place):
            raise NotTaken("the tournament is paused, and takes answers when it goes on")
        stored = self._stored[key] = asyncio.get_running_loop().create_future()
        self._settle(waiting, judged)
        if not await stored:
            raise NotTaken("it could not be stored, and is asked again when the tournament goes on")
        return None

    def settled(self, match: int, seat: Seat, *, durable: bool) -> None:
        """An answer that was given here is stored, or was lost."""
        stored = self._stored.pop((match, seat), None)
        if stored is not None and not stored.done():
            stored.set_result(durable)

    def _settle(self, waiting: Waiting, answer: Answer | Fault | None) -> None:
        # In flight from here on, and not only when the act has its turn: a pause must see it.
        if not waiting.given.done():
            self.gate.in_flight += 1
            waiting.given.set_result(answer)

    # --- Clocks

    def _look(self) -> None:
        """Who sits where, or the gate, has changed: clocks run or stand, a stop wakes all."""
        now = time.monotonic()
        for waiting in list(self.waiting.values()):
            if self.gate.stopping:
                self._settle(waiting, None)
                continue
            match = waiting.place[0]
            on = self.gate.is_open or self.gate.steps(match)
            runs = waiting.left is not None and on and waiting.agent in self._sits
            if runs and waiting.since is None and waiting.left is not None:
                waiting.since = now
                loop = asyncio.get_running_loop()
                waiting.alarm = loop.call_later(waiting.left, self._ran_out, waiting)
            elif not runs and waiting.since is not None:
                waiting.left, waiting.since = waiting.left_now(), None
                if waiting.alarm is not None:
                    waiting.alarm.cancel()

    def _ran_out(self, waiting: Waiting) -> None:
        self._settle(waiting, Fault(FaultKind.TIMEOUT, "the clock ran out"))

    def status(self) -> dict[str, Any]:
        """Each person: whether somebody sits there, and the asks that wait for it.

        An ask is match, number, seat, and the seconds left, None without a clock.
        """
        found: dict[str, Any] = {
            agent: {"taken": agent in self._sits, "asks": []} for agent in self.configs
        }
        for waiting in self.waiting.values():
            if not waiting.given.done():
                left = waiting.left_now()
                row = [*waiting.place[:2], waiting.seat, left if left is None else round(left, 1)]
                found[waiting.agent]["asks"].append(row)
        for person in found.values():
            person["asks"].sort(key=lambda row: row[:3])
        return found
