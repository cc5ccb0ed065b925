"""Calls of models: journaled, cached, limited, budgeted, and stored before their answer is used."""

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from parlour.agents.base import CallingBlock
from parlour.agents.llm.keys import from_outside
from parlour.agents.model_calls import (
    HEARING,
    Client,
    Completion,
    Hearing,
    ProviderFailure,
    Request,
)
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Seat
from parlour.tournament.calls.budget import Budget
from parlour.tournament.calls.cache import Cache
from parlour.tournament.calls.endpoint_queue import QueuedRequest
from parlour.tournament.calls.errors import BudgetExceeded, Unanswered, Unreachable
from parlour.tournament.calls.gate import Gate, Slot
from parlour.tournament.calls.limits import Limits
from parlour.tournament.save.rows import ANSWER_COLUMNS, Reservation, StoredCall, fingerprint
from parlour.tournament.save.writer import Writer

LONGEST_RETRY_SECONDS = 60.0
"""The longest wait before a failed call is retried, unless the provider asks for more."""


class ModelDispatcher:
    """Shared parts of all calls: limits, budget, gate, journal and cache.

    The ``on_call_stored`` listeners get each row once it is durable.
    """

    def __init__(
        self,
        callers: Mapping[str, CallingBlock],
        limits: Limits,
        budget: Budget,
        gate: Gate,
        writer: Writer,
        cache: Cache | None = None,
    ) -> None:
        self.callers, self.limits, self.budget = callers, limits, budget
        self.gate, self.writer, self.cache = gate, writer, cache
        self.on_call_stored: list[Callable[[StoredCall], None]] = []
        self._journal: dict[tuple[int, int, Seat], list[StoredCall]] = {}
        self.under_way: dict[CallUnderWay, None] = {}
        """The requests in flight, the oldest first."""

    def load(self, calls: dict[tuple[int, int, Seat], list[StoredCall]]) -> None:
        """Loads the journaled calls of asks without an answer."""
        self._journal = calls

    def ask_over(self, match: int, ask: int, seat: Seat) -> None:
        """Drops the calls of an ask whose answer is stored."""
        self._journal.pop((match, ask, seat), None)

    def match_over(self, match: int) -> None:
        """Drops the cache's data of a match that is over."""
        if self.cache is not None:
            self.cache.forget(match)

    def calls(self, slot: Slot, seat: Seat, attempt: int, agent: str) -> "AgentCalls":
        """The calls of one try of an agent."""
        match, ask, _round = slot.match_ref
        journaled = self._journal.setdefault((match, ask, seat), [])
        return AgentCalls(self, slot, seat, attempt, agent, journaled)


@dataclass(frozen=True, slots=True, eq=False)
class CallUnderWay:
    """A request that was sent at ``begun`` of the monotonic clock, and what is heard of it."""

    match: int
    seat: Seat
    agent: str
    begun: float
    hearing: Hearing


@dataclass(frozen=True, slots=True)
class _Attempt:
    """The result of one attempt at a call, with the other fields of its row.

    ``copy_of`` is the call that the cache took the answer from; nothing was sent then.
    """

    result: Completion | ProviderFailure
    reservation: Reservation | None = None
    cache_key: str | None = None
    copy_of: int | None = None


@dataclass(slots=True)
class AgentCalls:
    """The calls of one try of one agent at one ask, each carried from request to stored row.

    ``journaled`` are the stored calls of this ask and seat: an answered call is never sent
    again. An answer of code in this process that costs nothing, as far as it says, is no call of a
    model: the stored answer tells all of it, and the journal only keeps it if it is faulty.
    """

    dispatcher: ModelDispatcher
    slot: Slot
    seat: Seat
    try_: int
    agent: str
    journaled: list[StoredCall]
    number: int = 0
    _unstored: Callable[[], Awaitable[float]] | None = None

    async def complete(self, client: Client, request: Request) -> Completion:
        """The journaled answer to this very request, or a new one, stored before it is used.

        Raises ProviderFailure once the retries are used up, or at once if none can help; also
        Unanswered, BudgetExceeded and Stopped.
        """
        self.number += 1
        config = self.dispatcher.callers[self.agent]
        earlier = [c for c in self.journaled if (c.try_, c.number) == (self.try_, self.number)]
        digest = request.digest() if earlier else ""
        for call in earlier:
            if call.failure is None and call.prompt == digest:
                return call.completion()
        # Attempts before a restart or a wait keep their numbers, but use up no retries now.
        attempt = len(earlier)
        for retry in range(config.retries + 1):
            attempt += 1
            result = await self._attempt(client, request, attempt)
            if isinstance(result, Completion):
                return result
            if not result.temporary or retry == config.retries:
                raise result
            async with self.slot.suspended():
                seconds = self._retry_seconds(config, retry, attempt, result.retry_after)
                await self.dispatcher.gate.sleep(seconds)
                await self.dispatcher.gate.admission(self.slot.match_ref)
        raise AssertionError("unreachable")

    async def _attempt(
        self, client: Client, request: Request, number: int
    ) -> Completion | ProviderFailure:
        """One attempt, from the cache or sent, and durable."""
        cache = self.dispatcher.cache
        cache_key = cache.key(self.agent, request) if cache else None
        attempt = self._cached(cache_key) or await self._send(client, request, cache_key)
        result, is_free = attempt.result, not (attempt.reservation and attempt.reservation.dollars)
        if isinstance(result, Completion):
            if request.fingerprint and is_free and not result.tells_cost:
                self._unstored = partial(self._store, number, request, attempt)
                self._settle(attempt, 0.0)
                return result
            result = storable(result)
        price = await self._store(number, request, replace(attempt, result=result))
        self._settle(attempt, price)
        return result

    async def keep(self) -> None:
        """Returns once the journal has the last answer, which is asked for again."""
        store, self._unstored = self._unstored, None
        if store is not None:
            await store()

    def _cached(self, cache_key: str | None) -> _Attempt | None:
        """An attempt that the cache answers, None if it has no answer."""
        cache = self.dispatcher.cache
        if cache is None or cache_key is None:
            return None
        match, ask, _round = self.slot.match_ref
        hit = cache.find(self.agent, cache_key, match, ask, self.seat)
        return None if hit is None else _Attempt(hit[1], copy_of=hit[0])

    async def _send(self, client: Client, request: Request, cache_key: str | None) -> _Attempt:
        """Sends a request as soon as the limits and the budget admit it."""
        queued, reservation = await self._admission(request)
        writer = self.dispatcher.writer
        result: Completion | ProviderFailure | None = None
        begun, hearing = time.monotonic(), Hearing()
        call = CallUnderWay(self.slot.match_ref.match, self.seat, self.agent, begun, hearing)
        self.dispatcher.under_way[call] = None
        heard_before = HEARING.set(hearing)
        try:
            if reservation is not None and reservation.dollars:
                await writer.reserve(reservation, (*self.slot.match_ref[:2], self.seat))
            result = await client.complete(request)
        except ProviderFailure as failure:
            failure.latency = time.monotonic() - begun
            result = failure
        finally:
            HEARING.reset(heard_before)
            del self.dispatcher.under_way[call]
            self.dispatcher.limits.leave(queued, result)
            if result is None:  # cancelled, or an unexpected error: it may have been billed
                self.dispatcher.budget.lost(self.agent, reservation)
        return _Attempt(result, reservation, cache_key)

    async def _admission(self, request: Request) -> tuple[QueuedRequest, Reservation | None]:
        """Waits until there is room in the budget and at the endpoint.

        The budget comes first, so that a call that cannot be paid blocks nobody in the queue. It
        is checked again afterwards, since other calls may have used the room meanwhile.
        """
        limits, budget = self.dispatcher.limits, self.dispatcher.budget
        while True:
            while not budget.can_afford(self.agent, request):
                async with self.slot.suspended():
                    await budget.changes()
            try:
                queued = await limits.enter(self.agent, self.slot, request)
            except Unreachable as error:
                raise Unanswered(self.agent, error.failure, tried=False) from None
            try:
                if budget.can_afford(self.agent, request):
                    return queued, budget.reserve(self.agent, request)
            except BudgetExceeded:
                limits.leave(queued, None)
                raise
            limits.leave(queued, None)

    async def _store(self, number: int, request: Request, attempt: _Attempt) -> float:
        """Returns the price once the attempt is durable, and tells the listeners."""
        ref = CallRef(*self.slot.match_ref[:2], self.seat, self.try_, self.number)
        model = getattr(self.dispatcher.callers[self.agent], "model", "")
        result, reservation = attempt.result, attempt.reservation
        call = replace(
            call_row(ref, number, self.agent, model, request, result),
            cache_key=attempt.cache_key if isinstance(result, Completion) else None,
            copy_of=attempt.copy_of,
        )
        if reservation is not None:
            call = replace(call, price=self.dispatcher.budget.cost(result, reservation))
        await self.dispatcher.writer.call(call, request.templates, reservation)
        for listener in self.dispatcher.on_call_stored:
            listener(call)
        self.journaled.append(call)
        return call.price or 0.0

    def _settle(self, attempt: _Attempt, price: float) -> None:
        """Counts the price of an attempt that is over."""
        if attempt.copy_of is None:
            self.dispatcher.budget.paid(self.agent, attempt.reservation, price)

    def _retry_seconds(
        self, config: CallingBlock, retry: int, attempt: int, retry_after: float | None
    ) -> float:
        """Exponential backoff with jitter, or what the provider asks for plus jitter."""
        match, ask, _round = self.slot.match_ref
        # Jitter spreads the retries of calls that failed together; seeded, so it is reproducible.
        jitter = Dice("retry", match, ask, self.seat, attempt).below(1000) / 1000
        if retry_after is not None:
            longest = max(retry_after, config.retry_wait)
            return min(retry_after, 10 * LONGEST_RETRY_SECONDS) + jitter * min(1.0, longest)
        doubled = min(LONGEST_RETRY_SECONDS, config.retry_wait * 2.0**retry)
        return doubled * (0.5 + jitter / 2)


class CallRef(NamedTuple):
    """A call of a save: its ask and seat, the try of the answer, and its number in that try."""

    match: int
    ask: int
    seat: Seat
    try_: int
    number: int


def storable(completion: Completion) -> Completion:
    """A completion that the save can store: its texts clean and without API keys.

    The agent gets this one too, so that it reads the same again after a restart.
    """
    names = ("text", "thinking", "finish", "provider_id", "served", "fingerprint", "host")
    texts: dict[str, Any] = {name: from_outside(getattr(completion, name)) for name in names}
    return replace(completion, **texts)


def call_row(
    ref: CallRef,
    attempt: int,
    agent: str,
    model: str,
    request: Request,
    result: Completion | ProviderFailure,
) -> StoredCall:
    """The row of one attempt at a call, answered or failed."""
    answer = result if isinstance(result, Completion) else None
    failure = result if isinstance(result, ProviderFailure) else None
    parameters = dict(answer.parameters if answer else request.parameters)
    of_answer: dict[str, Any] = {name: getattr(answer, name, None) for name in ANSWER_COLUMNS}
    for name in ("served", "fingerprint", "host"):
        of_answer[name] = of_answer[name] or None  # "" where nothing says it
    return StoredCall(
        **ref._asdict(),
        attempt=attempt,
        agent=agent,
        model=model,
        prompt=request.digest(),
        templates=json.dumps([fingerprint(text) for _name, text in request.templates]),
        parameters=json.dumps(parameters, sort_keys=True),
        failure=failure.kind if failure else None,
        message=failure.message if failure else None,
        **of_answer,
        latency=result.latency,
        begun=time.time() - result.latency,
    )
