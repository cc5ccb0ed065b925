"""The patches of litellm: they are still needed and work, and what they patch has not changed."""

import asyncio
import inspect
import socket
import struct
from contextlib import nullcontext
from functools import cache
from hashlib import blake2b
from importlib import import_module
from typing import Any

import pytest
from aiohttp import web

from parlour.agents.llm import litellm_client, litellm_patch
from parlour.agents.llm.litellm_client import LiteLLMClient
from parlour.agents.llm.litellm_patch import library
from parlour.agents.model_calls import ProviderFailure
from tests.models import QUESTION, config
from tests.provider import hosted


@cache
def handler_class() -> Any:
    """The class that is patched. Loaded by the first test, since loading litellm takes seconds."""
    library()
    return import_module(litellm_patch.HANDLER).AsyncHTTPHandler


REVIEWED = {"post": "aa6744cc601865d6", "create_client": "3f4b484377095dc1"}
"""Fingerprints of the methods that the patch relies on, as they were last read."""
CANARY = "sk-canary-0123"


def fingerprint(method: str) -> str:
    """A fingerprint of a method's source."""
    source = inspect.getsource(inspect.unwrap(getattr(handler_class(), method)))
    return blake2b(source.encode(), digest_size=8).hexdigest()


def test_the_code_that_is_patched_is_the_code_that_was_reviewed() -> None:
    now = {method: fingerprint(method) for method in REVIEWED}
    assert now == REVIEWED, "litellm has changed: read these methods, then renew the fingerprints"
    assert "self.single_connection_post_request(" in inspect.getsource(
        inspect.unwrap(handler_class().post)
    )


async def requests_of_one_post() -> int:
    """Number of requests that one POST sends to a server that resets each connection."""
    count = 0

    async def close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        await reader.readuntil(b"\r\n\r\n")
        count += 1
        linger = struct.pack("ii", 1, 0)
        wire = writer.get_extra_info("socket")
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)  # closing it resets it
        writer.transport.abort()

    server = await asyncio.start_server(close, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    handler = handler_class()(timeout=5.0)
    try:
        with pytest.raises(Exception):  # noqa: B017, PT011 - the error differs by transport
            await handler.post(f"http://127.0.0.1:{port}/", json={})
    finally:
        await handler.close()
        server.close()
    return count


def test_a_broken_connection_is_tried_once_and_without_the_patch_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert asyncio.run(requests_of_one_post()) == 1
    monkeypatch.setattr(handler_class(), "single_connection_post_request", send_again)
    assert asyncio.run(requests_of_one_post()) == 2


async def keys_received(model: str) -> tuple[list[str], list[str]]:
    """The keys that a redirecting server and the host that it redirects to have received."""
    asked: list[str] = []
    elsewhere: list[str] = []

    def serving(received: list[str], answer: Any) -> Any:
        async def serve(request: web.Request) -> web.Response:
            received.extend(value for value in request.headers.values() if CANARY in value)
            received.append(request.path)
            return answer()

        return serve

    moved: dict[str, str] = {}
    async with (
        hosted(serving(elsewhere, lambda: web.json_response({}))) as second,
        hosted(serving(asked, lambda: web.Response(status=307, headers=moved))) as first,
    ):
        moved["Location"] = f"http://localhost:{second}/moved"  # another host by its name
        client = LiteLLMClient(config(f"http://127.0.0.1:{first}/v1", "litellm", model=model))
        with pytest.raises(ProviderFailure):
            await client.complete(QUESTION)
        await client.close()
    return asked, elsewhere


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "variable", "leaks"),
    [
        ("openai/m", "OPENAI_API_KEY", False),
        ("anthropic/m", "ANTHROPIC_API_KEY", True),
        ("gemini/m", "GEMINI_API_KEY", True),
    ],
)
def test_a_redirect_takes_no_key_to_another_host_and_without_the_patch_some(
    monkeypatch: pytest.MonkeyPatch, model: str, variable: str, leaks: bool
) -> None:
    monkeypatch.setenv(variable, CANARY)
    asked, elsewhere = asyncio.run(keys_received(model))
    assert any(CANARY in value for value in asked)
    assert elsewhere == []
    monkeypatch.setattr(litellm_client, "FRAMED", frozenset())  # the library sends it itself
    asked, elsewhere = asyncio.run(keys_received(model))
    assert any(CANARY in value for value in asked)
    assert elsewhere == []
    monkeypatch.setattr("parlour.agents.llm.litellm_patch.without_redirects", nullcontext)
    _asked, elsewhere = asyncio.run(keys_received(model))
    assert elsewhere
    assert any(CANARY in value for value in elsewhere) is leaks


async def send_again(self: Any, url: str, client: Any, **_more: Any) -> Any:
    """litellm's behaviour: sends the same request once more."""
    response = await client.post(url)
    response.raise_for_status()
    return response
