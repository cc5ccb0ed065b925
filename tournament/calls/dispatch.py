"""How the models are reached: each attempt waits for its turn, and is stored before it is used."""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from parlour.agents.llm.client import Client, Completion, ProviderFailure, Request
from parlour.agents.llm.config import LLMConfig
from parlour.games.engine.moves import Seat
from parlour.tournament.calls.budget import Budget, BudgetExceeded
from parlour.tournament.calls.cache import Cache
from parlour.tournament.calls.gate import Gate, Place
from parlour.tournament.calls.journal import Calls, Sent
from parlour.tournament.calls.limits import Limits, Turn, Unreachable
from parlour.tournament.run.parking import Unanswered
from parlour.tournament.save.rows import Reservation, StoredCall
from parlour.tournament.save.writer import Writer


class ModelDispatcher:
    """Gives every act of a runner its way to a model.

    ``resting`` counts the acts of each match that wait, for a limit or to try again. ``lend`` is
    called when one begins to.
    """

    def __init__(
        self,
        models: Mapping[str, LLMConfig],
        limits: Limits,
        purse: Budget,
        gate: Gate,
        writer: Writer,
        store: Callable[[StoredCall, Request, Reservation | None], Awaitable[None]],
        lend: Callable[[], None],
        cache: Cache | None = None,
    ) -> None:
        self.models, self.limits, self.purse = models, limits, purse
        self.gate, self.writer, self.store, self.lend = gate, writer, store, lend
        self.cache = cache
        self.resting: Counter[int] = Counter()
        self._known: dict[tuple[int, int, Seat], list[StoredCall]] = {}

    def knows(self, calls: dict[tuple[int, int, Seat], list[StoredCall]]) -> None:
        """Takes the journaled calls of asks that are not answered yet."""
        self._known = calls

    def answered(self, match: int, ask: int, seat: Seat) -> None:
        """Forgets the calls of an ask whose answer is stored."""
        self._known.pop((match, ask, seat), None)

    def calls(self, place: Place, seat: Seat, attempt: int, agent: str) -> Calls:
        """The calls of one try of an agent."""
        match, ask, _round = place
        known = self._known.setdefault((match, ask, seat), [])
        config = self.models.get(agent)
        ways = (config.model, config.retries, config.retry_wait) if config else ("", 0, 1.0)
        way = _Way(self, agent, place, seat, known)
        return Calls((match, ask, seat, attempt), (agent, *ways), known, way)

    @contextmanager
    def rest(self, match: int) -> Iterator[None]:
        """Within it, an act of the match waits."""
        self.resting[match] += 1
        self.lend()
        try:
            yield
        finally:
            self.resting[match] -= 1
            if not self.resting[match]:
                del self.resting[match]


@dataclass(slots=True)
class _Way:
    """The way of one act: journaled, limited, and never past a closed gate."""

    board: ModelDispatcher
    agent: str
    place: Place
    seat: Seat
    known: list[StoredCall]

    async def send(self, client: Client, request: Request) -> Sent:
        """Sends a request once it may be sent and paid, unless the cache has its answer.

        Raises Unanswered, BudgetExceeded or Stopped.
        """
        cache = self.board.cache
        key = cache.key(self.agent, request) if cache else None
        if cache and key:
            found = cache.find(self.agent, key, (*self.place[:2], self.seat))
            if found is not None:
                return Sent(found[1], copy_of=found[0])
        turn, reservation = await self._turn(request)
        came: Completion | ProviderFailure | None = None
        begun = time.monotonic()
        try:
            if reservation is not None:
                await self.board.writer.reserve(reservation, (*self.place[:2], self.seat))
            came = await client.complete(request)
        except ProviderFailure as failure:
            failure.latency = time.monotonic() - begun
            came = failure
        finally:
            self.board.limits.leave(turn, came)
            if came is None:
                self.board.purse.lost(self.agent, reservation)
        return Sent(came, reservation, key)

    async def _turn(self, request: Request) -> tuple[Turn, Reservation | None]:
        """Waits until there is room, in the line and in the purse."""
        limits, purse = self.board.limits, self.board.purse
        while True:
            while not purse.can_afford(self.agent, request):
                with self.board.rest(self.place[0]):
                    await self.board.gate.aside(purse.changes)
            try:
                turn = limits.enter(self.agent, self.place, request)
                if turn.passed is not None:
                    with self.board.rest(self.place[0]):
                        await limits.waits(turn)
            except Unreachable as closed:
                raise Unanswered(self.agent, closed.failure, tried=False) from None
            try:
                if purse.can_afford(self.agent, request):  # others may have been quicker
                    return turn, purse.reserve(self.agent, request)
            except BudgetExceeded:
                limits.leave(turn, None)
                raise
            limits.leave(turn, None)

    async def store(self, call: StoredCall, request: Request, sent: Sent) -> None:
        """Returns once the attempt is durable, with what it came to."""
        purse, reservation = self.board.purse, sent.reservation
        if reservation is not None:
            call = replace(call, price=purse.cost(sent.came, reservation))
        await self.board.store(call, request, reservation)
        self.known.append(call)
        if sent.copy_of is None:
            purse.paid(self.agent, reservation, call.price or 0.0)

    async def pause(self, seconds: float) -> None:
        """Waits outside the gate."""
        with self.board.rest(self.place[0]):
            await self.board.gate.step_out(seconds, *self.place)
