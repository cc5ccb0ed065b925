"""Limits of endpoints: requests in flight, and requests and tokens per minute.

Agents that share an endpoint share its limits, and its queue.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

from parlour.agents.base import CallingBlock
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoint_facts import known_facts
from parlour.agents.llm.endpoints import LOCAL_ENDPOINT, SLOTS, Endpoint, endpoint_of, normalized
from parlour.agents.llm.prices import USUAL_ANSWER, likely_tokens
from parlour.agents.model_calls import Completion, ProviderFailure, Request
from parlour.agents.registry import AgentConfig
from parlour.tournament.calls.capacity import Capacity
from parlour.tournament.calls.endpoint_queue import EndpointQueue, Hold, QueuedRequest
from parlour.tournament.calls.gate import Gate, Slot
from parlour.tournament.plan.schema import Limit


def find_endpoints(agents: Sequence[AgentConfig]) -> None:
    """Looks up the endpoint of each model once, which may take seconds; later calls are quick."""
    for agent in agents:
        if isinstance(agent, LLMConfig):
            endpoint_of(agent)


SECONDS_FOR_SLOTS = 2.0
"""The time that a server has to say how many requests it answers at once."""


class Limits:
    """The queues of all endpoints of a tournament.

    The ``on_recovery`` listeners get the agents of an endpoint whose circuit has closed.
    """

    def __init__(
        self, models: Mapping[str, CallingBlock], limits: Sequence[Limit], gate: Gate
    ) -> None:
        self._gate = gate
        self.on_recovery: list[Callable[[set[str]], None]] = []
        by_name = {normalized(limit.endpoint): limit for limit in limits}
        endpoints = {name: endpoint_of(model) for name, model in models.items()}
        self._queues: dict[Endpoint, EndpointQueue] = {}
        for endpoint in dict.fromkeys(endpoints.values()):
            shown = _shown(endpoint, endpoints.values())
            limit = by_name.get(endpoint.name)
            if limit is None and endpoint.name.startswith(LOCAL_ENDPOINT):  # as many as its slots
                limit = Limit(endpoint=endpoint.name, in_flight=SLOTS)
            self._queues[endpoint] = EndpointQueue(shown, limit, gate)
        self._queue_of = {name: self._queues[endpoint] for name, endpoint in endpoints.items()}
        self._answer_tokens: dict[str, float] = {}
        gate.on_change += [queue.look for queue in self._queues.values()]

    async def learn_slots(self, models: Mapping[str, LLMConfig]) -> None:
        """Asks each server of the user's own how many requests it answers at once."""
        first = {self._queue_of[name]: model for name, model in models.items() if model.api_base}
        await asyncio.gather(*(_learn(queue, model) for queue, model in first.items()))

    async def enter(self, agent: str, slot: Slot, request: Request) -> QueuedRequest:
        """As ``EndpointQueue.enter``, with an estimate of the request's tokens."""
        queue, tokens = self._queue_of[agent], 0
        if queue.counts_tokens:
            tokens = likely_tokens(request, self._answer_tokens.get(agent, USUAL_ANSWER))
        return await queue.enter(agent, slot, tokens)

    def leave(self, request: QueuedRequest, result: Completion | ProviderFailure | None) -> None:
        """Records the result of a request, None if it was not sent after all."""
        if isinstance(result, Completion) and result.completion_tokens is not None:
            before = self._answer_tokens.get(request.agent, result.completion_tokens)
            # An exponential moving average, since answers may grow during a game.
            average = 0.9 * before + 0.1 * result.completion_tokens
            self._answer_tokens[request.agent] = average
        queue = self._queue_of[request.agent]
        closed = queue.leave(request, result)
        if closed:
            agents = {name for name, its in self._queue_of.items() if its is queue}
            for listener in self.on_recovery:
                listener(agents)
        if closed or request.trial:
            self._gate.wake()  # parked matches are due at another time now

    def due(self, agent: str) -> float | None:
        """When the trial call of an agent's open circuit is due; None while it is closed."""
        queue = self._queue_of.get(agent)
        return queue.circuit.due if queue is not None and queue.circuit.failure else None

    def is_clogged(self, agents: Sequence[str]) -> bool:
        """True if requests of others already wait at the endpoint of one of these agents."""
        queues = (self._queue_of.get(name) for name in agents)
        return any(queue is not None and queue.is_clogged for queue in queues)

    def describe(self) -> list[str]:
        """Unusual states of the endpoints, in a few words each."""
        return [words for queue in self._queues.values() if (words := queue.describe())]

    def holds(self) -> list[Hold]:
        """The endpoints that are sent nothing now."""
        return [hold for queue in self._queues.values() if (hold := queue.hold())]


async def _learn(queue: EndpointQueue, model: LLMConfig) -> None:
    """Begins with the slots that a server names now, or named to the doctor."""
    from parlour.agents.llm.http_clients import OpenAIClient
    from parlour.agents.llm.probes import slots_of

    slots = None
    if model.carrier == "openai":
        client = OpenAIClient(model.model_copy(update={"timeout": SECONDS_FOR_SLOTS}))
        slots = await slots_of(client)
        await client.close()
    facts = known_facts(model)
    queue.capacity = Capacity(slots or (facts.slots if facts else None))


def _shown(endpoint: Endpoint, endpoints: Iterable[Endpoint]) -> str:
    """The name of an endpoint on screens, with path and key only if needed to tell it apart."""
    same_short = [other for other in set(endpoints) if other.short == endpoint.short]
    same_name = [other for other in same_short if other.name == endpoint.name]
    differ_in_path = len(same_name) < len(same_short)
    shown = endpoint.name.partition("://")[2] if differ_in_path else endpoint.short
    return shown if len(same_name) == 1 else f"{shown} ({endpoint.key or 'no key named'})"
