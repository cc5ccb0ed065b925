"""The fast lane: matches of agents that answer at once are played on without waiting.

What they answer goes to the writer match by match, in order, and is on the table before it is
durable. If it is lost, so is all that followed from it, and the agents answer the same again.
"""

import asyncio
import math
import time
from collections import deque
from functools import partial

from parlour.games.engine.table import Table
from parlour.tournament.calls.gate import Gate
from parlour.tournament.run.turn import AgentFailed, TurnRunner
from parlour.tournament.save.rows import StoredAnswer, StoredMatch
from parlour.tournament.save.writer import Writer

SLICE_SECONDS = 0.02
"""The longest time that the event loop waits for the fast lane."""


class FastLane:
    """Plays matches one at a time, in slices of time between which the event loop has its turn.

    A slice passes from one match to the next, so that short matches need no turn of their own.
    """

    def __init__(self, turns: TurnRunner, gate: Gate, writer: Writer) -> None:
        self._turns, self._gate, self._writer = turns, gate, writer
        self._line: deque[asyncio.Future[None]] = deque()
        self._moving = False
        self._until = -math.inf

    def admits(self, match: StoredMatch, table: Table) -> bool:
        """True if nobody needs to be waited for: no gate, no person, no model."""
        return self._gate.is_free and self._turns.is_quick(match, table.waiting)

    async def play(self, match: StoredMatch, table: Table) -> asyncio.Future[None] | None:
        """Plays a match on for a slice, at most until the lane does not admit it.

        Returns the future of its answers, done once they are durable, or None if there are none.
        Raises AgentFailed.
        """
        all_quick = self._turns.is_quick(match, table.seats)
        if all_quick:
            until = await self._slice()
        else:  # a match with a person or a model stands in no line, having waited
            await asyncio.sleep(0)
            until = time.monotonic() + SLICE_SECONDS
        answers: list[StoredAnswer] = []
        try:
            while table.pending is not None:
                if not (self._gate.is_free if all_quick else self.admits(match, table)):
                    break
                self._play_ask(match, table, answers)
                if time.monotonic() >= until:
                    break
        finally:
            stored = partial(self._turns.stored, match, answers)
            durable = self._writer.answers(answers, stored) if answers else None
        return durable

    def _play_ask(self, match: StoredMatch, table: Table, answers: list[StoredAnswer]) -> None:
        digest = table.digest()
        failed: AgentFailed | None = None
        for seat in table.waiting:
            if not self._gate.is_free:
                break
            try:
                answers.append(self._turns.play_quick_turn(match, table, seat, digest))
            except AgentFailed as error:  # the others still answer, as in the slow lane
                failed = failed or error
        if failed is not None:
            raise failed

    async def _slice(self) -> float:
        """Waits for a turn, and for room in the next commit; returns the end of the slice."""
        while True:
            await self._writer.room()
            if time.monotonic() < self._until:
                return self._until
            await self._turn()
            if self._writer.has_room:
                return self._until

    async def _turn(self) -> None:
        """Waits in line; a slice begins when it returns."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._line.append(turn)
        if not self._moving:
            self._moving = True
            loop.call_soon(self._next)
        await turn
        self._until = time.monotonic() + SLICE_SECONDS

    def _next(self) -> None:
        """Ends the slice: the loop has its turn, then the next in line."""
        self._until = -math.inf
        self._moving = bool(self._line)
        if self._line:
            turn = self._line.popleft()
            if not turn.done():  # cancelled
                turn.set_result(None)
            asyncio.get_running_loop().call_soon(self._next)  # after the slice that this begins
