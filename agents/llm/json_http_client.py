"""Posting JSON to a server with aiohttp, and what it means when that fails."""

import json
from collections.abc import Mapping
from typing import Any

import aiohttp

from parlour.agents.llm.client import (
    failure_of_status,
    never_connected,
    never_connects,
    seconds_to_wait,
)
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.keys import key_named, scrubbed
from parlour.agents.model_calls import FailureKind, ProviderFailure

LARGEST_BODY = 8_000_000
"""Bytes of an answer that are read; a longer one is no answer."""
NOT_FOUND = 404
EXCERPT = 20_000
"""Bytes of an error page that are looked at."""


class JsonHttpClient:
    """Connections of one agent to its server, kept and shared by all asks."""

    def __init__(self, config: LLMConfig) -> None:
        self._config = config
        self._session: aiohttp.ClientSession | None = None

    async def post(self, url: str, body: Mapping[str, Any]) -> bytes:
        """The body of the answer to one POST. Raises ProviderFailure for all but status 200."""
        try:
            async with self._open().post(url, json=body, allow_redirects=False) as response:
                raw = await _limited(response)
                after = seconds_to_wait(response.headers.get("Retry-After"))
                status = response.status
                if 300 <= status < 400:  # followed, a POST might become a GET
                    raw = response.headers.get("Location", "").encode(errors="replace") or raw
        except TimeoutError:
            reason = f"no answer in {self._config.timeout:g} s"
            raise ProviderFailure("timeout", reason) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:  # ValueError: a strange header
            lasting = isinstance(error, aiohttp.InvalidURL) or never_connects(error)
            kind: FailureKind = "settings" if lasting else "connection"
            free = lasting or never_connected(error)
            raise ProviderFailure(kind, scrubbed(_said(error)), free=free) from None
        if status != 200:
            # Scrubbed before it is cut, or half a key could be left at the end.
            asked = f" (asked: {url})" if status == NOT_FOUND else ""
            excerpt = scrubbed(raw[:EXCERPT].decode("utf-8", "replace") + asked)
            raise failure_of_status(status, excerpt, after)
        return raw

    async def close(self) -> None:
        """Closes the connections."""
        if self._session is not None:
            await self._session.close()

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            key = key_named(self._config.api_key_env)
            self._session = aiohttp.ClientSession(
                headers={"Authorization": f"Bearer {key}"} if key else {},
                timeout=aiohttp.ClientTimeout(total=self._config.timeout),
                connector=aiohttp.TCPConnector(limit=0),  # the runner says how many at once
                json_serialize=json.dumps,
            )
        return self._session


def _said(error: Exception) -> str:
    """What a connection failed with, and with which server."""
    if isinstance(error, aiohttp.ClientConnectorError):
        reason = error.os_error.strerror or str(error.os_error)
        return f"cannot connect to {error.host} port {error.port} ({reason})"
    return str(error) or repr(error)


async def _limited(response: aiohttp.ClientResponse) -> bytes:
    """The body, unless it is too large to be an answer."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise ProviderFailure("server", f"the answer is longer than {LARGEST_BODY} bytes")
    return bytes(body)
