"""The gate that every act of an agent passes: open, closed, or open for one step of a match.

It also keeps the pace and counts the acts in flight, which a pause waits for.
"""

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal, NamedTuple

from parlour.tournament.calls.errors import Stopped

Unit = Literal["turn", "round", "match"]
"""Size of a step: one ask with all its tries, a round, or the rest of a match."""
LATE_SECONDS = 1.0
"""Seconds that an act may begin late at a pace; later ones were held up with the whole process."""


class MatchRef(NamedTuple):
    """An ask of a match: the match's number, how many asks came before it, and its round."""

    match: int
    ask: int
    round: int


@dataclass(slots=True)
class _MatchStep:
    """A step of one match; the first ask that it admits determines the ask or round of the step."""

    unit: Unit
    ask: int | None = None
    round: int | None = None
    over: bool = False
    """True once the match reaches an ask that the step does not admit."""

    def admits(self, match_ref: MatchRef) -> bool:
        """True if an ask belongs to the step."""
        if self.ask is None:
            self.ask, self.round = match_ref.ask, match_ref.round
        if self.unit == "turn":
            admitted = match_ref.ask == self.ask
        else:
            admitted = self.unit == "match" or match_ref.round == self.round
        self.over = self.over or not admitted
        return admitted


class Slot:
    """Context of one act: entered through the gate, in flight until its end unless suspended."""

    __slots__ = ("_gate", "match_ref")

    def __init__(self, gate: "Gate", match_ref: MatchRef) -> None:
        self._gate, self.match_ref = gate, match_ref

    async def __aenter__(self) -> "Slot":
        if not self._gate.is_free:
            await self._gate.admission(self.match_ref)
        self._gate._in_flight.add(self)
        return self

    async def __aexit__(self, *error: object) -> None:
        self._gate._in_flight.discard(self)

    @asynccontextmanager
    async def suspended(self) -> AsyncIterator[None]:
        """Takes the act out of flight until the block ends or ``resume`` is called.

        For waits that a pause must not wait for: a limit, a budget, a retry, a person. The block
        should end when the gate is stopped. Then, unless the act was resumed first, Stopped is
        raised; also at the start if the gate was stopped before.
        """
        if self._gate.stopping:
            raise Stopped
        self._gate._suspend(self)
        resumed_early = False
        try:
            yield
            resumed_early = self in self._gate._in_flight
        finally:
            self.resume()
        if self._gate.stopping and not resumed_early:
            raise Stopped

    def resume(self) -> None:
        """Counts the act as in flight again.

        Called by whoever lets a suspended act go on: a pause must see the act at once, not only
        when the event loop gets back to it.
        """
        self._gate._resume(self)


class Gate:
    """Every act passes here: it waits while the gate is closed, and keeps the pace.

    ``pace`` is how many acts may begin each second (None: no limit). The ``on_change`` listeners
    are called at each change, the ``on_suspend`` listeners when an act is suspended.
    """

    def __init__(self, pace: float | None = None) -> None:
        self.is_open = True
        self.stopping = False
        self.on_change: list[Callable[[], None]] = []
        self.on_suspend: list[Callable[[], None]] = []
        self._pace = pace
        self._last_start = self._next_start = -math.inf
        self._steps: dict[int, _MatchStep] = {}
        self._in_flight: set[Slot] = set()
        self._suspended: Counter[int] = Counter()
        self._changed = asyncio.Event()

    # --- Open, closed, stepped, paced

    @property
    def pace(self) -> float | None:
        """Acts that may begin each second; None is no limit."""
        return self._pace

    def set_pace(self, pace: float | None) -> None:
        """Changes the pace, also for acts that wait already."""
        self._pace = pace
        self.wake()

    def open(self) -> None:
        """Admits every act, and ends all steps."""
        self.is_open = True
        self._steps.clear()
        self.wake()

    def close(self) -> None:
        """Admits no more acts, and ends all steps; acts in flight go on."""
        self.is_open = False
        self._steps.clear()
        self.wake()

    def step(self, match: int, unit: Unit) -> None:
        """Closes the gate for all but one step of one match."""
        if self.is_open:
            self.close()
        self._steps[match] = _MatchStep(unit)
        self.wake()

    def stop(self) -> None:
        """Raises Stopped in every waiting and every later act."""
        self.stopping = True
        self.wake()

    def match_over(self, match: int) -> None:
        """No more asks of this match will come, so a step of it is over."""
        self._steps.pop(match, None)

    @property
    def open_steps(self) -> list[int]:
        """The matches whose step is not over."""
        return [match for match, step in self._steps.items() if not step.over]

    def is_stepped(self, match: int) -> bool:
        """True if the match was stepped since the gate was last opened or closed."""
        return match in self._steps

    # --- Acts

    @property
    def is_free(self) -> bool:
        """True if every act may begin at once: open, without a pace, a step or a stop."""
        return self.is_open and self._pace is None and not self._steps and not self.stopping

    def slot(self, match_ref: MatchRef) -> Slot:
        """Returns the context of an act: it admits the act, or raises Stopped."""
        return Slot(self, match_ref)  # a class, since a generator costs more at every act

    async def admission(self, match_ref: MatchRef) -> None:
        """Returns when this act may begin. Raises Stopped."""
        # At a pace, each act reserves its start time on arrival, so that only one of many waiting
        # acts wakes up for each start. A change of the gate cancels these reservations.
        start: float | None = None
        while True:
            if self.stopping:
                raise Stopped
            step = self._steps.get(match_ref.match)
            if step is not None and step.admits(match_ref):
                return
            wait: float | None = None
            if self.is_open:
                if self._pace is None:
                    return
                now = time.monotonic()
                if start is None:
                    start = max(now, self._next_start)
                    self._next_start = start + 1 / self._pace
                if now - LATE_SECONDS < start <= now:
                    self._last_start = start
                    return
                if start <= now:
                    self._begin_pace_again(now)
                    start = None
                    continue
                wait = start - now
            if await self.changes_within(wait):
                start = None

    def _begin_pace_again(self, now: float) -> None:
        """Cancels the reservations once the process was suspended: nothing missed is made up."""
        if self._pace is not None and self._last_start <= now - LATE_SECONDS:
            self._last_start = now - 1 / self._pace
            self.wake()

    def admits(self, match_ref: MatchRef) -> bool:
        """True if an act that has begun may go on now. The pace was applied when it began."""
        if self.stopping:
            return False
        step = self._steps.get(match_ref.match)
        return (step is not None and step.admits(match_ref)) or self.is_open

    @property
    def in_flight(self) -> int:
        """The number of acts between admission and end, without those that are suspended."""
        return len(self._in_flight)

    @property
    def suspended_matches(self) -> set[int]:
        """The matches with a suspended act."""
        return set(self._suspended)

    def _suspend(self, slot: Slot) -> None:
        self._in_flight.remove(slot)
        self._suspended[slot.match_ref.match] += 1
        for listener in self.on_suspend:
            listener()

    def _resume(self, slot: Slot) -> None:
        if slot in self._in_flight:
            return
        self._in_flight.add(slot)
        match = slot.match_ref.match
        self._suspended[match] -= 1
        if not self._suspended[match]:
            del self._suspended[match]

    # --- Waiting

    async def sleep(self, seconds: float) -> None:
        """Sleeps, at most until the gate is stopped."""
        until = time.monotonic() + seconds
        while not self.stopping and (left := until - time.monotonic()) > 0:
            await self.changes_within(left)

    async def changes_within(self, seconds: float | None) -> bool:
        """Waits for a change, at most so long (None: without limit); False on timeout."""
        try:
            return await asyncio.wait_for(self._changed.wait(), seconds)
        except TimeoutError:
            return False

    def wake(self) -> None:
        """Wakes every waiting act, so that it checks again."""
        if self._pace is not None:
            self._next_start = self._last_start + 1 / self._pace
        self._changed.set()
        self._changed = asyncio.Event()
        for listener in self.on_change:
            listener()
