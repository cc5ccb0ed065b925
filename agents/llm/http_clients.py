"""Clients over HTTP with aiohttp: servers that speak the OpenAI protocol, and users' endpoints.

Every failure becomes a ProviderFailure.
"""

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from parlour.agents.llm.client import (
    failure_of_status,
    label,
    never_connected,
    never_connects,
    priced,
    seconds_to_wait,
    text_of,
    thinking_of,
    tokens_out,
)
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoints import host_of
from parlour.agents.llm.keys import key_named, scrubbed
from parlour.agents.model_calls import Completion, FailureKind, ProviderFailure, Request

if TYPE_CHECKING:
    import aiohttp  # slow: imported when the first request is made

LARGEST_BODY = 8_000_000
"""Longest answer that is read, in bytes; a longer one is a server failure."""
NOT_FOUND = 404
EXCERPT = 20_000
"""Bytes of an error page that are read for the message."""


class JsonHttpClient:
    """The connections of one agent to its server, shared by all its calls."""

    def __init__(self, config: LLMConfig) -> None:
        self._config = config
        self._session: aiohttp.ClientSession | None = None

    async def post(self, url: str, body: Mapping[str, Any]) -> bytes:
        """Returns the response body of one POST. ProviderFailure unless the status is 200."""
        import aiohttp

        try:
            async with self._open().post(url, json=body, allow_redirects=False) as response:
                raw = await _limited(response)
                after = seconds_to_wait(response.headers.get("Retry-After"))
                status = response.status
                if 300 <= status < 400:  # not followed: a POST could become a GET
                    raw = response.headers.get("Location", "").encode(errors="replace") or raw
        except TimeoutError:
            reason = f"no answer in {self._config.timeout:g} s"
            raise ProviderFailure("timeout", reason) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:  # ValueError: a strange header
            lasting = isinstance(error, aiohttp.InvalidURL) or never_connects(error)
            kind: FailureKind = "settings" if lasting else "connection"
            free = lasting or never_connected(error)
            raise ProviderFailure(kind, scrubbed(_message(error)), free=free) from None
        if status != 200:
            # Scrubbed before it is cut: half a key at the end would not be recognised.
            asked = f" (asked: {url})" if status == NOT_FOUND else ""
            excerpt = scrubbed(raw[:EXCERPT].decode("utf-8", "replace") + asked)
            raise failure_of_status(status, excerpt, after)
        return raw

    async def close(self) -> None:
        """Closes the connections."""
        if self._session is not None:
            await self._session.close()

    def _open(self) -> "aiohttp.ClientSession":
        import aiohttp

        if self._session is None:
            key = key_named(self._config.api_key_env)
            self._session = aiohttp.ClientSession(
                headers={"Authorization": f"Bearer {key}"} if key else {},
                timeout=aiohttp.ClientTimeout(total=self._config.timeout),
                connector=aiohttp.TCPConnector(limit=0),  # the runner limits the requests in flight
                json_serialize=json.dumps,
            )
        return self._session


def _message(error: Exception) -> str:
    """The message of a connection error, with the server."""
    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorError):
        reason = error.os_error.strerror or str(error.os_error)
        return f"cannot connect to {error.host} port {error.port} ({reason})"
    return str(error) or repr(error)


async def _limited(response: "aiohttp.ClientResponse") -> bytes:
    """The body. ProviderFailure if it is too long."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise ProviderFailure("server", f"the answer is longer than {LARGEST_BODY} bytes")
    return bytes(body)


class HTTPClient(JsonHttpClient):
    """Client for one endpoint; the response body is the answer itself."""

    async def complete(self, request: Request) -> Completion:
        """One POST to ``api_base``. Raises ProviderFailure."""
        body = {
            **request.question,
            "model": self._config.model,
            "parameters": dict(request.parameters),
        }
        begun = time.monotonic()
        url = self._config.api_base or ""
        raw = await self.post(url, body)
        return Completion(
            text=raw.decode("utf-8", "replace"),
            latency=time.monotonic() - begun,
            parameters=dict(request.parameters),
            host=host_of(url),
        )


class OpenAIClient(JsonHttpClient):
    """Client for one model of one server."""

    async def complete(self, request: Request) -> Completion:
        """One POST to ``chat/completions``. Raises ProviderFailure."""
        config = self._config
        body: dict[str, Any] = {
            "model": config.model,
            "messages": [{"role": role, "content": text} for role, text in request.messages],
            **request.parameters,
        }
        response_format = request.response_format()
        if response_format is not None:
            body["response_format"] = response_format
        begun = time.monotonic()
        url = f"{(config.api_base or '').rstrip('/')}/chat/completions"
        completion = read_completion(await self.post(url, body))
        return Completion(
            **completion,
            price=priced(
                completion["prompt_tokens"], completion["completion_tokens"], config.prices
            ),
            latency=time.monotonic() - begun,
            parameters=dict(request.parameters),
            host=host_of(url),
        )

    async def count_tokens(self, text: str) -> int | None:
        """The tokens of a text by the server's own tokenizer; None if it has none."""
        root = (self._config.api_base or "").rstrip("/").removesuffix("/v1")
        asked = {"content": text, "prompt": text, "model": self._config.model}
        try:
            tokens = json.loads(await self.post(f"{root}/tokenize", asked))["tokens"]
        except (ProviderFailure, ValueError, KeyError, TypeError):
            return None
        return len(tokens) if isinstance(tokens, list) else None


def read_completion(raw: bytes) -> dict[str, Any]:
    """The fields of a Completion in the body of a response; a missing text is an empty one.

    Raises ProviderFailure if the body does not follow the protocol.
    """
    try:
        body = json.loads(raw, strict=False)
        choice = body["choices"][0]
        message = choice.get("message") or {}
        usage = body.get("usage") or {}
        refusal = message.get("refusal")
        text, thinking = text_of(message), thinking_of(message)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise ProviderFailure(
            "server", "the response does not follow the OpenAI protocol"
        ) from None
    if not text and isinstance(refusal, str):
        text = refusal
    prompt_tokens = _count(usage, "prompt_tokens")
    completion_tokens, total = _count(usage, "completion_tokens"), _count(usage, "total_tokens")
    return {
        "text": text,
        "thinking": thinking,
        "finish": "refusal" if refusal else str(choice.get("finish_reason") or "stop"),
        "prompt_tokens": prompt_tokens,
        "completion_tokens": tokens_out(prompt_tokens, completion_tokens, total),
        "provider_id": str(body.get("id") or "")[:200],
        "served": label(body.get("model")),
        "fingerprint": label(body.get("system_fingerprint")),
    }


def _count(usage: Any, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and 0 <= value < 2**31 else None
