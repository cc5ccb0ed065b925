"""Both ends of a measured call, each a process of its own so that their CPU is told apart.

    python -m tests.benchmarks.calling serve SECONDS [SLOTS]
    python -m tests.benchmarks.calling call CARRIER ADDRESS AT_ONCE EACH
    python -m tests.benchmarks.calling load ADDRESS MATCHES SECONDS TIMEOUT FIXED

The first serves one good answer to whoever asks, after so many seconds, and prints its port; with
slots, so many at once, and the others wait for their turn. It does no more than that, so that it
is never what is measured. The second makes calls and prints what they cost as JSON. The third
asks through the queue of an endpoint, with a fixed number at once or (0) the default, and prints
the answers a second in the last two thirds of the time, and all timeouts.
"""

import asyncio
import json
import os
import random
import resource
import sys
import time
from collections.abc import Awaitable, Callable

MESSAGE = {"role": "assistant", "content": json.dumps({"suspect": "Player 2"})}
ANSWER = json.dumps(
    {
        **{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "test"},
        "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }
).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
KEYED = {"api_key_env": "OPENAI_API_KEY"}
WARM = 20
"""Calls before the clock runs: libraries load, connections open."""


class _Line(asyncio.Protocol):
    """One connection: a request is answered when its time has come."""

    def __init__(self, latency: float, slots: asyncio.Semaphore | None = None) -> None:
        self._latency, self._received, self._transport = latency, b"", asyncio.Transport()
        self._slots = slots
        self._queued: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, separator, body = self._received.partition(b"\r\n\r\n")
        if not separator:
            return
        fields = head.lower().partition(b"content-length:")[2]
        if len(body) >= int(fields.partition(b"\r\n")[0]):
            self._received = b""
            if self._slots is None:
                asyncio.get_running_loop().call_later(self._latency, self._answer)
            else:
                self._queued = asyncio.create_task(self._in_turn(self._slots))

    def connection_lost(self, _error: Exception | None) -> None:
        if self._queued is not None:  # as llama-server, drop the request of who hangs up
            self._queued.cancel()

    async def _in_turn(self, slots: asyncio.Semaphore) -> None:
        async with slots:
            await asyncio.sleep(self._latency * random.uniform(0.5, 1.5))
        self._answer()

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(HEAD % len(ANSWER) + ANSWER)


async def _serve(latency: float, slots: int | None = None) -> None:
    loop = asyncio.get_running_loop()
    turns = asyncio.Semaphore(slots) if slots else None
    server = await loop.create_server(lambda: _Line(latency, turns), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def _bare(base: str) -> tuple[Callable[[], Awaitable[object]], Callable[[], Awaitable[None]]]:
    """A session without any of our code; a call, and the end."""
    import aiohttp

    from tests.models import QUESTION

    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=60)
    )
    body = {
        "model": "test",
        "messages": [{"role": role, "content": text} for role, text in QUESTION.messages],
        "response_format": QUESTION.response_format(),
    }

    async def call() -> object:
        async with session.post(f"{base}/chat/completions", json=body) as response:
            return json.loads(await response.read())["choices"][0]["message"]["content"]

    return call, session.close


def _ours(
    carrier: str, base: str
) -> tuple[Callable[[], Awaitable[object]], Callable[[], Awaitable[None]]]:
    from parlour.agents.llm import litellm_client
    from tests.models import CLIENTS, QUESTION, config

    more = {"timeout": 60.0}
    if carrier == "acompletion":  # the library sends all by itself
        litellm_client.FRAMED, carrier = frozenset(), "litellm"
    if carrier == "route":
        carrier, more = "litellm", {**more, "model": "groq/openai/gpt-oss-20b", **KEYED}
    client = CLIENTS[carrier](config(base, carrier, **more))
    return lambda: client.complete(QUESTION), client.close


async def _calls(carrier: str, base: str, at_once: int, each: int) -> None:
    call, close = _bare(base) if carrier == "bare" else _ours(carrier, base)
    await asyncio.gather(*(call() for _ in range(WARM)))
    before, begun = time.process_time(), time.perf_counter()

    async def line() -> None:
        for _ in range(each):
            await call()

    await asyncio.gather(*(line() for _ in range(at_once)))
    wall, cpu = time.perf_counter() - begun, time.process_time() - before
    await close()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"wall": wall, "cpu": cpu, "start": before, "peak": most * _UNIT}), flush=True)
    os._exit(0)  # the libraries' own goodbyes are of no interest


async def _load(base: str, matches: int, seconds: float, timeout: float, fixed: int) -> None:
    from parlour.agents.model_calls import Completion, ProviderFailure
    from tests.models import CLIENTS, QUESTION, config
    from tests.queueing import under_load

    client, timeouts = CLIENTS["openai"](config(base, "openai", timeout=timeout)), 0

    async def ask() -> Completion:
        nonlocal timeouts
        try:
            return await client.complete(QUESTION)
        except ProviderFailure:
            timeouts += 1
            raise

    load = await under_load(ask, matches, seconds, fixed or None)
    carries = load.queue.capacity.carries
    rate = load.rate(seconds / 3, seconds)
    print(json.dumps({"rate": rate, "timeouts": timeouts, "carries": carries}), flush=True)
    os._exit(0)


_UNIT = 1 if sys.platform == "darwin" else 1024


def _many_files() -> None:
    """A thousand connections need as many descriptors."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 8192 if hard == resource.RLIM_INFINITY else min(8192, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


if __name__ == "__main__":
    _many_files()
    if sys.argv[1] == "serve":
        asyncio.run(_serve(float(sys.argv[2]), *map(int, sys.argv[3:])))
    elif sys.argv[1] == "load":
        base, matches, *times, fixed = sys.argv[2:]
        asyncio.run(_load(base, int(matches), float(times[0]), float(times[1]), int(fixed)))
    else:
        asyncio.run(_calls(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])))
