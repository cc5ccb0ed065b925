"""The patch of litellm: it is still needed, it still works, and what it patches has not changed."""

import asyncio
import inspect
import socket
import struct
from hashlib import blake2b
from importlib import import_module
from typing import Any

import pytest

from parlour.agents.llm import litellm_patch
from parlour.agents.llm.litellm_client import library

library()
HANDLER: Any = import_module(litellm_patch.HANDLER).AsyncHTTPHandler

REVIEWED = {"post": "aa6744cc601865d6", "create_client": "3f4b484377095dc1"}
"""Fingerprints of the methods that the patch relies on, as they were last read."""


def fingerprint(method: str) -> str:
    """A fingerprint of a method's source."""
    source = inspect.getsource(inspect.unwrap(getattr(HANDLER, method)))
    return blake2b(source.encode(), digest_size=8).hexdigest()


def test_the_code_that_is_patched_is_the_code_that_was_reviewed() -> None:
    now = {method: fingerprint(method) for method in REVIEWED}
    assert now == REVIEWED, "litellm has changed: read these methods, then renew the fingerprints"
    assert "self.single_connection_post_request(" in inspect.getsource(inspect.unwrap(HANDLER.post))


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
    handler = HANDLER(timeout=5.0)
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
    monkeypatch.setattr(HANDLER, "single_connection_post_request", send_again)
    assert asyncio.run(requests_of_one_post()) == 2


async def send_again(self: Any, url: str, client: Any, **_more: Any) -> Any:
    """litellm's behaviour: sends the same request once more."""
    response = await client.post(url)
    response.raise_for_status()
    return response
