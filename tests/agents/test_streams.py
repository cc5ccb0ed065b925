"""Answers that come piece by piece, servers that fall silent, and what their headers tell."""

import asyncio
import itertools
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from parlour.agents.llm.client import pause_asked
from parlour.agents.llm.http_clients import OpenAIClient
from parlour.agents.model_calls import HEARING, Completion, Hearing, ProviderFailure
from tests.agents.test_llm_costs import TurnRunner, said
from tests.models import QUESTION, config, served
from tests.provider import STREAM_FAULTS, hosted

ANSWER = {
    **{"id": "x", "model": "alias"},
    "choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 2, "cost": 0.25},
}


async def told(base: str, calls: int = 1, **more: Any) -> list[Completion | ProviderFailure]:
    """The results of calls of one client, one after the other."""
    client, results = OpenAIClient(config(base, **more)), []
    for _ in range(calls):
        try:
            results.append(await client.complete(QUESTION))
        except ProviderFailure as failure:
            results.append(failure)
    await client.close()
    return results


async def test_the_pieces_are_heard_as_they_come_and_make_the_whole_answer(tmp_path: Path) -> None:
    hearing = Hearing()
    token = HEARING.set(hearing)
    async with served(tmp_path, "slow") as server:
        streamed, whole = await told(server.base) + await told(server.base, stream=False)
    HEARING.reset(token)
    assert streamed.text == whole.text
    assert streamed.prompt_tokens == whole.prompt_tokens
    assert streamed.text.startswith(hearing.text[:200])
    assert hearing.pieces > 3
    assert hearing.speed is not None


@pytest.mark.parametrize(("mode", "kind"), STREAM_FAULTS.items())
async def test_an_answer_that_stops_midway_is_a_failure_of_the_server(
    tmp_path: Path, mode: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.provider.HANG_SECONDS", 3.0)
    begun = time.monotonic()
    async with served(tmp_path, mode) as server:
        [result] = await told(server.base, silence=0.3)
        assert time.monotonic() - begun < 2
    assert (result.kind, result.free, result.temporary) == (kind, False, True)


async def test_a_server_that_is_gone_but_keeps_its_connections_is_given_up() -> None:
    """As llama-server after SIGTERM: it takes no new connections and says nothing on the old."""

    async def say_nothing(_reader: object, _writer: object) -> None:
        await asyncio.sleep(60)

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    call = asyncio.create_task(told(f"http://127.0.0.1:{port}/v1", silence=0.2))
    await asyncio.sleep(0.5)
    assert not call.done()  # it queues: silent, but there
    server.close()
    [result] = await asyncio.wait_for(call, 2)
    assert result.kind == "connection"
    assert "takes no connections any more" in result.message
    assert not result.free


@pytest.mark.parametrize(("server", "connections"), [("llama.cpp", 3), ("other", 1)])
async def test_no_call_is_sent_on_a_connection_that_llama_server_closes_after_a_stream(
    server: str, connections: int
) -> None:
    """It says keep-alive, and closes once the next request is on its way."""
    opened: list[asyncio.StreamWriter] = []
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
        f"Keep-Alive: timeout=5, max=100\r\nServer: {server}\r\n\r\n"
    )
    event = {**ANSWER, "choices": [{"delta": {"content": "{}"}, "finish_reason": "stop"}]}

    async def stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(writer)
        with suppress(asyncio.IncompleteReadError):
            for answered in itertools.count():
                await reader.readuntil(b"\r\n\r\n")
                if answered and server == "llama.cpp":
                    break
                await reader.read(10_000)
                writer.write(head.encode())
                await asyncio.sleep(0.05)
                line = f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n"
                writer.write(f"{len(line):x}\r\n{line}\r\n0\r\n\r\n".encode())
        writer.close()

    async with await asyncio.start_server(stream, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        results = await told(f"http://127.0.0.1:{port}/v1", calls=3)
    assert [type(result) for result in results] == [Completion] * 3, results
    assert len(opened) == connections


def answering(**headers: str) -> TurnRunner:
    return said(200, json.dumps(ANSWER), **headers)


async def test_a_server_that_cannot_stream_is_asked_for_whole_answers_from_then_on() -> None:
    bodies = []

    async def refuse(request: web.Request) -> web.StreamResponse:
        bodies.append(await request.json())
        if bodies[-1].get("stream"):
            return web.json_response({"error": "stream is not supported"}, status=400)
        return web.json_response(ANSWER)

    async with hosted(refuse) as port:
        results = await told(f"http://127.0.0.1:{port}/v1", calls=2)
    assert all(isinstance(result, Completion) for result in results)
    assert [bool(body.get("stream")) for body in bodies] == [True, False, False]


@pytest.mark.parametrize(
    ("cost", "prices", "price"),
    [
        ("0.5", None, 0.5),
        ("0.5", (1e6, 1e6), 12.0),
        *((n, None, 0.25) for n in (None, "None", "nan")),
    ],
)
@pytest.mark.parametrize("model", [(), ("openai/real", "abc")])
async def test_the_headers_of_a_proxy_tell_cost_and_model(
    cost: str | None, prices: Any, price: float, model: tuple[str, ...]
) -> None:
    headers = {} if cost is None else {"x-litellm-response-cost": cost}
    headers |= dict(zip(("x-litellm-model-name", "x-litellm-model-id"), model, strict=False))
    async with hosted(answering(**headers)) as port:
        [result] = await told(f"http://127.0.0.1:{port}/v1", prices=prices)
    assert result.price == pytest.approx(price)
    assert (result.served, result.fingerprint) == (model or ("alias", ""))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7", "x-ratelimit-reset-requests": "9s"}, 7.0),
        ({"x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-reset-tokens": "1h1.5s"}, 3601.5),
        ({"x-ratelimit-reset-requests": "soon", "x-ratelimit-reset-tokens": "2"}, 2.0),
        ({"x-ratelimit-reset-requests": "1.2.3s"}, None),
    ],
)
def test_the_pause_that_a_refusal_asks_for_is_read_in_every_form(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert pause_asked(headers) == seconds
