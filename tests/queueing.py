"""Servers that answer a few requests at once and queue the rest, and the load on an endpoint."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from parlour.agents.model_calls import Completion, ProviderFailure
from parlour.tournament.calls.endpoint_queue import EndpointQueue
from parlour.tournament.calls.errors import Unreachable
from parlour.tournament.calls.gate import Gate, MatchRef
from parlour.tournament.plan.schema import Limit

ADDRESS = "http://localhost:8080/v1"


class Load(NamedTuple):
    """When each answer came, the endpoint's queue, and what it said of itself at the end."""

    answers: list[float]
    queue: EndpointQueue
    said: str | None

    def rate(self, begin: float, end: float) -> float:
        """Answers a second between two times."""
        return sum(begin <= at < end for at in self.answers) / (end - begin)


class Slots:
    """A server with some ``slots``; ``seconds`` gives how long it takes for each answer."""

    def __init__(self, slots: int, seconds: Callable[[], float], timeout: float) -> None:
        self._slots, self._seconds = asyncio.Semaphore(slots), seconds
        self._timeout = timeout

    async def ask(self) -> Completion:
        """One answer. As llama-server, it drops the request of a client that hangs up."""
        try:
            async with asyncio.timeout(self._timeout), self._slots:
                await asyncio.sleep(self._seconds())
        except TimeoutError:
            raise ProviderFailure("timeout", f"no answer in {self._timeout:g} s") from None
        return Completion("{}")


async def under_load(
    ask: Callable[[], Awaitable[Completion]],
    matches: int,
    seconds: float,
    fixed: int | None = None,
    slots: int | None = None,
) -> Load:
    """The load of so many matches that ask one question after the other.

    ``fixed`` is a limit that the user sets, ``slots`` what the server says of itself.
    """
    gate, loop = Gate(), asyncio.get_running_loop()
    limit = Limit(endpoint=ADDRESS, in_flight=fixed) if fixed else None
    queue = EndpointQueue("localhost:8080", limit, gate, slots)
    begun, answers = loop.time(), list[float]()
    if fixed:  # nothing but the limit
        queue.capacity.answered = queue.capacity.timed_out = lambda *_: None  # type: ignore[method-assign,assignment]

    async def match(number: int) -> None:
        while True:
            async with gate.slot(MatchRef(number, 1, 1)) as slot:
                try:
                    request = await queue.enter("Ada", slot, 1)
                except Unreachable:
                    async with slot.suspended():
                        await asyncio.sleep(1)
                    continue
                result: Completion | ProviderFailure | None = None
                try:
                    result = await ask()
                    answers.append(loop.time() - begun)
                except ProviderFailure as failure:
                    result = failure
                finally:
                    queue.leave(request, result)
                if isinstance(result, ProviderFailure):
                    async with slot.suspended():
                        await asyncio.sleep(0.5 + number % 8 / 16)

    tasks = [asyncio.create_task(match(number)) for number in range(1, matches + 1)]
    await asyncio.sleep(seconds)
    said = queue.describe()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return Load(answers, queue, said)
