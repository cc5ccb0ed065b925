"""Limits: how much is asked of each endpoint at once and in a minute, and who comes next.

An endpoint is what agents share, so its limits hold for all of them together. Who waits here is
not in flight: a pause is complete without it, a stop ends the wait, and a stepped match passes.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from parlour.agents.llm.client import Completion, ProviderFailure, Request
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoints import Endpoint, endpoint_of, plain
from parlour.agents.llm.tokens import USUAL_ANSWER, likely_tokens
from parlour.agents.registry import AgentConfig
from parlour.tournament.calls.circuit_breaker import FAILING, Circuit
from parlour.tournament.calls.gate import Gate, Place, Stopped
from parlour.tournament.calls.sliding_window import Used, Window
from parlour.tournament.plan.schema import Limit

LONGEST_HOLD_SECONDS = 600.0
"""The longest time that an endpoint is left alone because it asks for it."""


def find_endpoints(agents: Sequence[AgentConfig]) -> None:
    """Finds out where each model is asked, which may take seconds; from then on it is known."""
    for agent in agents:
        if isinstance(agent, LLMConfig):
            endpoint_of(agent)


class Unreachable(Exception):
    """The circuit is open: nothing is sent now. ``failure`` is the one that opened it."""

    def __init__(self, failure: ProviderFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(eq=False, slots=True)
class Turn:
    """One request, from the moment it stands in line until its answer has come.

    ``trial``: whether it is the one that is tried while the circuit is open.
    """

    agent: str
    place: Place
    tokens: int
    trial: bool
    passed: asyncio.Future[None] | None = None
    sent: float = 0.0
    used: Used | None = None


class Line:
    """The line before one endpoint: agents by turns, and in order of arrival within each.

    ``allowance`` is how many requests may be in flight: halved where the endpoint says that it
    has too many, then one more for each such number that is answered, never above the limit.
    """

    def __init__(self, name: str, limit: Limit | None, gate: Gate) -> None:
        self._name, self._gate = name, gate
        self._most = limit.in_flight if limit else None
        self.allowance = float(self._most or "inf")
        self.in_flight = 0
        self.circuit = Circuit()
        self._peak = 0
        self._requests = Window(limit.per_minute if limit else None)
        self._tokens = Window(limit.tokens_per_minute if limit else None)
        self.counts_tokens = bool(limit and limit.tokens_per_minute)
        self._held_until = self._cut_at = float("-inf")
        self._waiting: dict[str, deque[Turn]] = {}
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def now(self) -> float:
        """The clock of all moments here."""
        return asyncio.get_running_loop().time()

    @property
    def clogged(self) -> bool:
        """Whether somebody waits here."""
        return bool(self._waiting)

    def enter(self, agent: str, place: Place, tokens: int) -> Turn:
        """Lets a request on at once, or puts it in line: then it ``waits``. Raises Unreachable.

        Its act is taken for in flight at the gate, but not while it stands in line.
        """
        failure, trial = self.circuit.failure, False
        if failure is not None:
            # Who steps a match wants to see it tried.
            trial = self.circuit.tries(self.now) or self._gate.steps(place[0])
            if not trial:
                raise Unreachable(failure)
        turn = Turn(agent, place, tokens, trial)
        if not self._waiting and self._seconds_to(turn) == 0 and self._gate.lets(place):
            self._let_on(turn)
            return turn
        turn.passed = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(agent, deque()).append(turn)
        self._gate.leave()
        self.look()
        return turn

    async def waits(self, turn: Turn) -> None:
        """Returns when a request in line may be sent. Raises Unreachable, or Stopped."""
        assert turn.passed is not None
        try:
            await turn.passed
        except BaseException:
            if turn.used is None:
                self._gate.in_flight += 1  # as the act's own ``leave`` expects
                self._forget(turn)
                if turn.trial:
                    self.circuit.tried_nothing()
            else:
                self.leave(turn, None)
            raise

    def leave(self, turn: Turn, came: Completion | ProviderFailure | None) -> bool:
        """Learns what came of a request, if it was sent. True if that closed the circuit."""
        self.in_flight -= 1
        closed = False
        if isinstance(came, Completion):
            if came.prompt_tokens is not None and came.completion_tokens is not None:
                self._correct(turn, came.prompt_tokens + came.completion_tokens)
            self.allowance = min(self._most or float("inf"), self.allowance + 1 / self.allowance)
            closed = self.circuit.answered()
        elif came is None:
            self._correct(turn, 0)
            if turn.trial:
                self.circuit.tried_nothing()
        elif came.kind == "rate_limit":
            self._correct(turn, 0)
            self._slow_down(turn, came)
            closed = turn.trial and self.circuit.answered()
        elif came.kind in FAILING:
            self.circuit.failed(came, self.now, turn.trial)
        else:
            closed = self.circuit.answered()
        self.look()
        return closed

    def look(self) -> None:
        """Lets on everybody who may go now, and sees to it that this is called again in time."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        failure = self.circuit.failure
        if self._gate.stopping or failure is not None:
            for turn in [turn for mine in self._waiting.values() for turn in mine]:
                if self._gate.stopping:
                    self._turn_away(turn, Stopped())
                elif failure is not None and not turn.trial:
                    self._turn_away(turn, Unreachable(failure))
        while (first := self._next()) is not None:
            wait = self._seconds_to(first)
            if wait > 0:
                if wait < float("inf"):  # else the next answer makes room
                    self._alarm = asyncio.get_running_loop().call_later(wait, self.look)
                return
            self._forget(first)
            self._gate.in_flight += 1
            self._let_on(first)

    def words(self) -> str | None:
        """What is unusual here, in a few words; None if nothing is."""
        said = self.circuit.words(self.now)
        if said is None and self._held_until > self.now + 1:
            said = f"waits {self._held_until - self.now:.0f} s (too many requests)"
        most = self._most or self._peak
        if said is None and self.allowance < most:
            said = f"{int(self.allowance)} of {most} at once"
        first = self._next() if said is None else None
        if first is not None and 1 < (wait := self._seconds_to(first)) < float("inf"):
            said = f"waits {wait:.0f} s (its limit a minute)"
        return said and f"{self._name}: {said}"

    def _next(self) -> Turn | None:
        """The first whom the gate lets through: where it is closed, one who is stepped."""
        for mine in self._waiting.values():
            for turn in mine:
                gone = turn.passed is None or turn.passed.cancelled()
                if not gone and self._gate.lets(turn.place):
                    return turn
        return None

    def _seconds_to(self, turn: Turn) -> float:
        """How long a request has to wait yet; inf where only an answer can make room for it."""
        if self.in_flight + 1 > self.allowance:
            return float("inf")
        now = self.now
        waits = (self._requests.wait(1, now), self._tokens.wait(turn.tokens, now))
        return max(0.0, self._held_until - now, *waits)

    def _let_on(self, turn: Turn) -> None:
        self.in_flight += 1
        self._peak = max(self._peak, self.in_flight)
        turn.sent = self.now
        self._requests.use(1, turn.sent)
        turn.used = self._tokens.use(turn.tokens, turn.sent)
        if turn.passed is not None:
            turn.passed.set_result(None)

    def _turn_away(self, turn: Turn, why: Exception) -> None:
        self._forget(turn)
        if turn.passed is not None and not turn.passed.done():
            turn.passed.set_exception(why)

    def _forget(self, turn: Turn) -> None:
        """Takes a turn out of the line; its agent comes last of the agents now."""
        mine = self._waiting.pop(turn.agent, deque())
        if turn in mine:
            mine.remove(turn)
        if mine:
            self._waiting[turn.agent] = mine

    def _correct(self, turn: Turn, tokens: int) -> None:
        if turn.used is not None:
            self._tokens.correct(turn.used, tokens)

    def _slow_down(self, turn: Turn, failure: ProviderFailure) -> None:
        """Halves the allowance, once for all that were in flight together."""
        if failure.retry_after is not None:
            hold = min(failure.retry_after, LONGEST_HOLD_SECONDS)
            self._held_until = max(self._held_until, self.now + hold)
        if turn.sent > self._cut_at:
            at_once = min(self.allowance, self.in_flight + 1)
            self.allowance, self._cut_at = max(1.0, at_once // 2), self.now


class Limits:
    """The lines of all endpoints of a tournament.

    ``on_recovery`` is told the agents of an endpoint whose circuit has closed.
    """

    def __init__(
        self,
        models: Mapping[str, LLMConfig],
        limits: Sequence[Limit],
        gate: Gate,
        on_recovery: Callable[[set[str]], None],
    ) -> None:
        self._gate, self._on_recovery = gate, on_recovery
        by_name = {plain(limit.endpoint): limit for limit in limits}
        endpoints = {name: endpoint_of(model) for name, model in models.items()}
        lines = {
            endpoint: Line(_shown(endpoint, endpoints.values()), by_name.get(endpoint.name), gate)
            for endpoint in dict.fromkeys(endpoints.values())
        }
        self._lines = lines
        self._of = {name: lines[endpoint] for name, endpoint in endpoints.items()}
        self._answers: dict[str, float] = {}
        for line in lines.values():
            gate.on_change.append(line.look)

    def enter(self, agent: str, place: Place, request: Request) -> Turn:
        """As ``Line.enter``, with what the request is likely to take of a minute's tokens."""
        line, tokens = self._of[agent], 0
        if line.counts_tokens:
            tokens = likely_tokens(request, self._answers.get(agent, USUAL_ANSWER))
        return line.enter(agent, place, tokens)

    async def waits(self, turn: Turn) -> None:
        """As ``Line.waits``."""
        await self._of[turn.agent].waits(turn)

    def leave(self, turn: Turn, came: Completion | ProviderFailure | None) -> None:
        """What came of a request, None if it was not sent after all."""
        if isinstance(came, Completion) and came.completion_tokens is not None:
            before = self._answers.get(turn.agent, came.completion_tokens)
            self._answers[turn.agent] = 0.9 * before + 0.1 * came.completion_tokens
        line = self._of[turn.agent]
        closed = line.leave(turn, came)
        if closed:
            self._on_recovery({name for name, its in self._of.items() if its is line})
        if closed or turn.trial:
            self._gate.wake()  # what is parked is due at another time than before

    def due(self, agent: str) -> float | None:
        """When an agent's open circuit is to be tried; None while it is closed."""
        line = self._of.get(agent)
        return line.circuit.due if line is not None and line.circuit.failure else None

    def clogged(self, agents: Sequence[str]) -> bool:
        """Whether a match of these agents would only wait behind others."""
        lines = (self._of.get(name) for name in agents)
        return any(line is not None and line.clogged for line in lines)

    def words(self) -> list[str]:
        """What is unusual at each endpoint."""
        return [said for line in self._lines.values() if (said := line.words())]


def _shown(endpoint: Endpoint, all_of_them: Iterable[Endpoint]) -> str:
    """An endpoint's name on the screen: its path and its key's only where others differ in them."""
    alike = [other for other in set(all_of_them) if other.short == endpoint.short]
    same = [other for other in alike if other.name == endpoint.name]
    shown = endpoint.short if len(same) == len(alike) else endpoint.name.partition("://")[2]
    return shown if len(same) == 1 else f"{shown} ({endpoint.key or 'no key named'})"
