"""The queue of requests before one endpoint: its limits, its circuit breaker, and fairness.

A queued request is not in flight: a pause does not wait for it, a stop ends its wait, and a step
of its match admits it.
"""

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from parlour.agents.model_calls import FAILURES, Completion, ProviderFailure
from parlour.tournament.calls.capacity import Capacity
from parlour.tournament.calls.errors import Stopped, Unreachable
from parlour.tournament.calls.gate import Gate, Slot
from parlour.tournament.plan.schema import Limit

FAILURES_TO_OPEN = 10
"""Consecutive failures that open the circuit."""
FIRST_OPEN_SECONDS, LONGEST_OPEN_SECONDS = 15.0, 600.0
"""Seconds that the circuit stays open before a trial call: doubled each time, up to the second."""


class CircuitBreaker:
    """Closed while a provider answers; open for some time after repeated failures.

    After that time the circuit is half-open: one trial call is sent. Its success closes
    the circuit, its failure opens it for twice as long. ``failure`` is the one that opened the
    circuit, None while it is closed. Times are seconds of the event loop's clock.
    """

    def __init__(self) -> None:
        self.failure: ProviderFailure | None = None
        self._half_open = False
        self._until = self._seconds = 0.0
        self._consecutive_failures = 0

    @property
    def due(self) -> float:
        """When a trial call may be sent; inf while one is in flight."""
        return float("inf") if self._half_open else self._until

    def half_open(self, now: float) -> bool:
        """Makes an open circuit half-open if it is due; True if the caller is the trial call."""
        if self.due > now:
            return False
        self._half_open = True
        return True

    def trial_not_sent(self) -> None:
        """Returns the trial: its call was never sent."""
        self._half_open = False

    def succeeded(self) -> bool:
        """Closes the circuit. True if it was open."""
        was_open = self.failure is not None
        self.failure, self._half_open, self._consecutive_failures = None, False, 0
        self._until = self._seconds = 0.0
        return was_open

    def failed(self, failure: ProviderFailure, now: float, trial: bool) -> None:
        """Counts a failure. Calls that were sent before the circuit opened no longer count."""
        if self.failure is not None and not trial:
            return
        self._consecutive_failures += 1
        if trial or self._consecutive_failures >= FAILURES_TO_OPEN:
            longer = max(FIRST_OPEN_SECONDS, 2 * self._seconds)
            self._seconds = min(LONGEST_OPEN_SECONDS, longer)
            self._until, self._half_open, self.failure = now + self._seconds, False, failure

    def describe(self, now: float) -> str | None:
        """The state in a few words, None while the circuit is closed."""
        if self.failure is None:
            return None
        why = FAILURES[self.failure.kind].down
        if self.due <= now or self._half_open:
            return f"trying again ({why})"
        return f"paused for {self.due - now:.0f} s ({why})"


MINUTE_SECONDS = 60.0


@dataclass(slots=True)
class UsedAmount:
    """An amount that was used at a time; it may be corrected once the real amount is known."""

    time: float
    amount: int


class SlidingWindow:
    """Counter that allows at most ``limit`` in any 60 seconds (None: any amount).

    A single amount above the limit is allowed when nothing else was used within the window.
    Times are seconds of any monotonic clock.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._usages: deque[UsedAmount] = deque()
        self._sum = 0

    def use(self, amount: int, now: float) -> UsedAmount:
        """Counts an amount."""
        usage = UsedAmount(now, amount)
        if self._limit is not None:
            self._usages.append(usage)
            self._sum += amount
        return usage

    def correct(self, usage: UsedAmount, amount: int) -> None:
        """Replaces the amount of an earlier usage."""
        if self._usages and usage.time >= self._usages[0].time:
            self._sum += amount - usage.amount
        usage.amount = amount

    def wait(self, amount: int, now: float) -> float:
        """Seconds until the amount may be used; 0 if it may be used now."""
        if self._limit is None:
            return 0.0
        while self._usages and self._usages[0].time <= now - MINUTE_SECONDS:
            self._sum -= self._usages.popleft().amount
        excess = self._sum + amount - self._limit
        wait = 0.0
        for usage in self._usages:
            if excess <= 0:
                break
            excess -= usage.amount
            wait = usage.time + MINUTE_SECONDS - now
        return wait


LONGEST_HOLD_SECONDS = 600.0
"""The longest pause that an endpoint can ask for with Retry-After."""
TOO_MANY, PER_MINUTE = "too many requests", "limit per minute"
"""Why an endpoint that answers is sent nothing: it asked for a pause, or a limit of ours is used
up."""


class Hold(NamedTuple):
    """An endpoint that is sent nothing for some ``seconds``; inf while its trial call is out."""

    endpoint: str
    why: str
    seconds: float


@dataclass(eq=False, slots=True)
class QueuedRequest:
    """One request, from its arrival at the queue until its answer.

    ``trial``: it is the one that is sent while the circuit is half-open. ``admitted`` is set only
    if the request has to wait. ``beside`` were in flight when it was sent, with itself, in the
    ``window`` of the endpoint's capacity.
    """

    agent: str
    slot: Slot
    tokens: int
    trial: bool
    admitted: asyncio.Future[None] | None = None
    sent: float = 0.0
    usage: UsedAmount | None = None
    beside: int = 0
    window: int = 0


class EndpointQueue:
    """The queue before one endpoint: round robin over agents, first come first served within one.

    ``allowance`` is how many requests may be in flight. It is halved when the endpoint reports a
    rate limit and grows by one for each allowance full of answers, up to the configured limit.
    ``capacity`` is what the endpoint carries, beginning with its ``slots`` where they are known.
    """

    def __init__(
        self, name: str, limit: Limit | None, gate: Gate, slots: int | None = None
    ) -> None:
        self._name, self._gate = name, gate
        self.capacity = Capacity(slots)
        self._max_in_flight = limit.in_flight if limit else None
        self.allowance = float(self._max_in_flight or "inf")
        self.in_flight = 0
        self.circuit = CircuitBreaker()
        self._peak = 0
        self._requests = SlidingWindow(limit.per_minute if limit else None)
        self._tokens = SlidingWindow(limit.tokens_per_minute if limit else None)
        self.counts_tokens = bool(limit and limit.tokens_per_minute)
        self._held_until = self._halved_at = self._answered_at = float("-inf")
        self._waiting: dict[str, deque[QueuedRequest]] = {}
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def now(self) -> float:
        """The event loop's clock; all times here are on it."""
        return asyncio.get_running_loop().time()

    @property
    def is_clogged(self) -> bool:
        """True if requests wait here."""
        return bool(self._waiting)

    async def enter(self, agent: str, slot: Slot, tokens: int) -> QueuedRequest:
        """Returns when a request may be sent; while it waits, its slot is suspended.

        Raises Unreachable or Stopped. Each request that is returned must ``leave``.
        """
        failure, trial = self.circuit.failure, False
        if failure is not None:
            # A user who steps a match expects the call to be tried now.
            trial = self.circuit.half_open(self.now) or self._gate.is_stepped(slot.match_ref.match)
            if not trial:
                raise Unreachable(failure)
        request = QueuedRequest(agent, slot, tokens, trial)
        # The common case needs no queue and no suspension.
        can_go = not self._waiting and self._seconds_to(request) == 0
        if can_go and self._gate.admits(slot.match_ref):
            self._admit(request)
            return request
        try:
            async with slot.suspended():
                await self._admission(request)
        except BaseException:
            if request.usage is not None:  # admitted, and cancelled at the same moment
                self.leave(request, None)
            elif trial:
                self.circuit.trial_not_sent()
            raise
        return request

    async def _admission(self, request: QueuedRequest) -> None:
        request.admitted = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(request.agent, deque()).append(request)
        self.look()
        try:
            await request.admitted
        except BaseException:
            self._remove(request)
            raise

    def leave(self, request: QueuedRequest, result: Completion | ProviderFailure | None) -> bool:
        """Records the result of a request, None if it was not sent after all.

        True if the result closed the circuit.
        """
        self.in_flight -= 1
        closed = False
        if isinstance(result, Completion):
            if result.prompt_tokens is not None and result.completion_tokens is not None:
                self._correct(request, result.prompt_tokens + result.completion_tokens)
            # Additive increase, multiplicative decrease, as in TCP: one more request per allowance
            # full of answers.
            grown = self.allowance + 1 / self.allowance
            self.allowance = min(self._max_in_flight or float("inf"), grown)
            closed = self._answered(request)
        elif result is None:
            self._correct(request, 0)
            if request.trial:
                self.circuit.trial_not_sent()
        elif result.kind == "rate_limit":
            self._correct(request, 0)
            self._slow_down(request, result)
            closed = request.trial and self.circuit.succeeded()
        elif FAILURES[result.kind].down:
            if result.kind == "timeout":
                self.capacity.timed_out(request.window, request.sent)
            # An endpoint that has answered others meanwhile is slow, not down.
            if request.trial or self._answered_at <= request.sent:
                self.circuit.failed(result, self.now, request.trial)
        else:  # the provider refused this request, so it is up
            closed = self.circuit.succeeded()
        self.look()
        return closed

    def _answered(self, request: QueuedRequest) -> bool:
        """Counts an answer; True if it closed the circuit."""
        self._answered_at = self.now
        seconds = self.now - request.sent
        self.capacity.answered(request.window, request.beside, seconds, self.now)
        closed = self.circuit.succeeded()
        if closed:  # all who wait would come at once
            self.capacity.begin_again()
        return closed

    def look(self) -> None:
        """Admits every request that may be sent now, and sets a timer for the next one."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        self._turn_away()
        while (first := self._next()) is not None:
            wait = self._seconds_to(first)
            if wait > 0:
                if wait < float("inf"):  # else the next answer makes room and looks again
                    self._alarm = asyncio.get_running_loop().call_later(wait, self.look)
                return
            self._remove(first)
            self._admit(first)

    def _turn_away(self) -> None:
        """Fails the queued requests when the gate is stopped or the circuit is open."""
        failure = self.circuit.failure
        if not self._gate.stopping and failure is None:
            return
        for request in list(self._queued()):
            if self._gate.stopping:
                self._fail(request, Stopped())
            elif failure is not None and not request.trial:
                self._fail(request, Unreachable(failure))

    def describe(self) -> str | None:
        """Unusual state in a few words; None if there is none."""
        problem = self._problem()
        return problem and f"{self._name}: {problem}"

    def _problem(self) -> str | None:
        if (circuit := self.circuit.describe(self.now)) is not None:
            return circuit
        hold, limit = self.hold(), self._max_in_flight or self._peak
        if self.allowance < limit and (hold is None or hold.why != TOO_MANY):
            return f"{int(self.allowance)} of {limit} at once"
        if hold is None and self.is_clogged and self.capacity.carries is not None:
            return f"carries about {self.capacity.carries} at once"
        if hold is None:
            return None
        verb = "paused for" if hold.why == TOO_MANY else "waiting"
        return f"{verb} {hold.seconds:.0f} s ({hold.why})"

    def hold(self) -> Hold | None:
        """Why no request is sent now; None while requests go out."""
        now, failure = self.now, self.circuit.failure
        if failure is not None:
            return Hold(self._name, FAILURES[failure.kind].down, max(0.0, self.circuit.due - now))
        if self._held_until > now + 1:
            return Hold(self._name, TOO_MANY, self._held_until - now)
        first = self._next()
        wait = 0.0 if first is None else self._seconds_to(first)
        return Hold(self._name, PER_MINUTE, wait) if 1 < wait < float("inf") else None

    def _queued(self) -> Iterator[QueuedRequest]:
        for requests in self._waiting.values():
            yield from requests

    def _next(self) -> QueuedRequest | None:
        """The first request that the gate admits; while it is closed, one of a stepped match."""
        for request in self._queued():
            gone = request.admitted is None or request.admitted.cancelled()
            if not gone and self._gate.admits(request.slot.match_ref):
                return request
        return None

    def _seconds_to(self, request: QueuedRequest) -> float:
        """Seconds until a request may be sent; inf if only an answer can make room for it."""
        if self.in_flight + 1 > min(self.allowance, self.capacity.limit):
            return float("inf")
        now = self.now
        waits = (self._requests.wait(1, now), self._tokens.wait(request.tokens, now))
        return max(0.0, self._held_until - now, *waits)

    def _admit(self, request: QueuedRequest) -> None:
        self.in_flight += 1
        self._peak = max(self._peak, self.in_flight)
        request.sent = self.now
        request.beside, request.window = self.in_flight, self.capacity.sent(request.sent)
        self._requests.use(1, request.sent)
        request.usage = self._tokens.use(request.tokens, request.sent)
        if request.admitted is not None:
            request.slot.resume()
            request.admitted.set_result(None)

    def _fail(self, request: QueuedRequest, error: Exception) -> None:
        self._remove(request)
        if request.admitted is not None and not request.admitted.done():
            request.admitted.set_exception(error)

    def _remove(self, request: QueuedRequest) -> None:
        """Takes a request out of the queue, if it is there; its agent then comes last."""
        if request not in self._waiting.get(request.agent, ()):
            return
        requests = self._waiting.pop(request.agent)
        requests.remove(request)
        if requests:  # inserted again at the end: round robin over the agents
            self._waiting[request.agent] = requests

    def _correct(self, request: QueuedRequest, tokens: int) -> None:
        if request.usage is not None:
            self._tokens.correct(request.usage, tokens)

    def _slow_down(self, request: QueuedRequest, failure: ProviderFailure) -> None:
        """Halves the allowance, once for all requests that were in flight together."""
        if failure.retry_after is not None:
            hold = min(failure.retry_after, LONGEST_HOLD_SECONDS)
            self._held_until = max(self._held_until, self.now + hold)
        # A burst of 429 for requests sent together is one signal, not many.
        if request.sent > self._halved_at:
            at_once = min(self.allowance, self.in_flight + 1)
            self.allowance, self._halved_at = max(1.0, at_once // 2), self.now
