"""The gate before every act: open, closed, or open for one step of one match."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

Place = tuple[int, int, int]
"""Where an act belongs: its match, how many asks came before it there, and its round."""
Unit = Literal["turn", "round", "match"]
"""How much a step lets through: one ask with all its tries, a round, or the rest of a match."""


class Stopped(Exception):
    """The runner was told to stop; nothing more is begun."""


@dataclass(slots=True)
class _Grant:
    """What a step lets through; the first ask that comes under it settles which one is meant."""

    unit: Unit
    ask: int | None = None
    round: int | None = None
    spent: bool = False
    """Whether an ask came that it does not let through: the step is over."""

    def admits(self, ask: int, round: int) -> bool:
        if self.ask is None:
            self.ask, self.round = ask, round
        if self.unit == "turn":
            return ask == self.ask
        return self.unit == "match" or round == self.round


class Gate:
    """Every act passes here: it waits while the gate is closed, and keeps the pace.

    ``pace`` is how many acts may begin each second (None: no limit). Between ``enter`` and
    ``leave`` an act counts as in flight. ``on_change`` are called at each change.
    """

    def __init__(self, pace: float | None = None) -> None:
        self.is_open = True
        self.stopping = False
        self.in_flight = 0
        self.on_change: list[Callable[[], None]] = []
        self._pace = pace
        self._last_start = self._next_start = -math.inf
        self._grants: dict[int, _Grant] = {}
        self._changed = asyncio.Event()

    @property
    def pace(self) -> float | None:
        """Acts that may begin each second; None is no limit."""
        return self._pace

    def set_pace(self, pace: float | None) -> None:
        """Changes the pace from now on."""
        self._pace = pace
        self.wake()

    def open(self) -> None:
        """Lets everything through."""
        self.is_open = True
        self._grants.clear()
        self.wake()

    def close(self) -> None:
        """Lets nothing more through; what is in flight goes on to its end."""
        self.is_open = False
        self._grants.clear()
        self.wake()

    def step(self, match: int, unit: Unit) -> None:
        """Closes the gate for all but one step of one match."""
        if self.is_open:
            self.close()
        self._grants[match] = _Grant(unit)
        self.wake()

    def stop(self) -> None:
        """From now on whoever waits or comes gets Stopped."""
        self.stopping = True
        self.wake()

    async def enter(self, match: int, ask: int, round: int) -> None:
        """Returns when this act may begin. Raises Stopped."""
        # At a pace, each act gets a moment of its own at once, so that of the many that wait
        # only one wakes up for each. What changes the gate takes all these moments back.
        start: float | None = None
        while True:
            if self.stopping:
                raise Stopped
            grant = self._grants.get(match)
            if grant is not None:
                if grant.admits(ask, round):
                    break
                grant.spent = True
            wait: float | None = None
            if self.is_open:
                if self._pace is None:
                    break
                now = time.monotonic()
                if start is None:
                    start = max(now, self._next_start)
                    self._next_start = start + 1 / self._pace
                if start <= now:
                    self._last_start = start
                    break
                wait = start - now
            if await self.changes_within(wait):
                start = None
        self.in_flight += 1

    def lets(self, place: Place) -> bool:
        """Whether an act that has begun may go on now. It has had its moment of the pace."""
        if self.stopping:
            return False
        match, ask, round = place
        grant = self._grants.get(match)
        if grant is not None:
            if grant.admits(ask, round):
                return True
            grant.spent = True
        return self.is_open

    @property
    def stepped(self) -> list[int]:
        """The matches whose step has yet to come to its end."""
        return [match for match, grant in self._grants.items() if not grant.spent]

    @property
    def stepping(self) -> bool:
        """Whether there are any."""
        return bool(self.stepped)

    def steps(self, match: int) -> bool:
        """Whether somebody steps this match."""
        return match in self._grants

    def match_over(self, match: int) -> None:
        """No more asks of this match will come: a step of it is over."""
        self._grants.pop(match, None)

    async def sleep(self, seconds: float) -> None:
        """Waits, at most until the runner is stopped."""
        until = time.monotonic() + seconds
        while not self.stopping and (left := until - time.monotonic()) > 0:
            await self.changes_within(left)

    async def changes_within(self, seconds: float | None) -> bool:
        """Waits for a change, at most so long (None: without end); whether there was one."""
        try:
            return await asyncio.wait_for(self._changed.wait(), seconds)
        except TimeoutError:
            return False

    async def step_out(self, seconds: float, match: int, ask: int, round: int) -> None:
        """For an act that waits to try again: leaves, sleeps, and comes back when it may.

        Raises Stopped; the act then still counts as entered, as its own ``leave`` expects.
        """
        self.leave()
        try:
            await self.sleep(seconds)
            await self.enter(match, ask, round)
        except BaseException:
            self.in_flight += 1
            raise

    async def aside(self, wait: Callable[[], Awaitable[None]]) -> None:
        """For an act that waits for something else than the gate: is not in flight meanwhile.

        Whoever wakes what it waits for sees to it that a stop does too. Raises Stopped.
        """
        self.leave()
        try:
            if not self.stopping:
                await wait()
        finally:
            self.in_flight += 1
        if self.stopping:
            raise Stopped

    def leave(self) -> None:
        """The act is over, and what came of it is durable."""
        self.in_flight -= 1

    def wake(self) -> None:
        """Wakes everybody who waits, to look again."""
        if self._pace is not None:
            self._next_start = self._last_start + 1 / self._pace
        self._changed.set()
        self._changed = asyncio.Event()
        for look in self.on_change:
            look()
