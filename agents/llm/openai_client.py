"""Servers that speak the OpenAI protocol, reached with aiohttp."""

import json
import time
from typing import Any

import aiohttp

from agents.llm.client import (
    Completion,
    FailureKind,
    ProviderFailure,
    Request,
    failure_of_status,
    never_connects,
    priced,
    seconds_to_wait,
)
from agents.llm.config import LLMConfig
from agents.llm.keys import key_named, scrubbed

LARGEST_BODY = 8_000_000
"""Bytes of an answer that are read; a longer one is no answer."""


EXCERPT = 20_000
"""Bytes of an error page that are looked at."""


class OpenAIClient:
    """One server, one model. Connections are kept and shared by all asks."""

    def __init__(self, config: LLMConfig) -> None:
        self._config = config
        self._session: aiohttp.ClientSession | None = None

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
        try:
            async with self._open().post(
                f"{(config.api_base or '').rstrip('/')}/chat/completions", json=body
            ) as response:
                raw = await _limited(response)
                after = seconds_to_wait(response.headers.get("Retry-After"))
                status = response.status
        except TimeoutError:
            raise ProviderFailure("timeout", f"no answer in {config.timeout:g} s") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:  # ValueError: a strange header
            lasting = isinstance(error, aiohttp.InvalidURL) or never_connects(error)
            kind: FailureKind = "settings" if lasting else "connection"
            raise ProviderFailure(kind, scrubbed(str(error) or repr(error))) from None
        if status != 200:
            # Scrubbed before it is cut, or half a key could be left at the end.
            excerpt = scrubbed(raw[:EXCERPT].decode("utf-8", "replace"))
            raise failure_of_status(status, excerpt, after)
        completion = read_completion(raw)
        return Completion(
            **completion,
            price=priced(
                completion["prompt_tokens"], completion["completion_tokens"], config.prices
            ),
            latency=time.monotonic() - begun,
            parameters=dict(request.parameters),
        )

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


async def _limited(response: aiohttp.ClientResponse) -> bytes:
    """The body, unless it is too large to be an answer."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise ProviderFailure("server", f"the answer is longer than {LARGEST_BODY} bytes")
    return bytes(body)


def read_completion(raw: bytes) -> dict[str, Any]:
    """The parts of a Completion that the body of an answer holds.

    Raises ProviderFailure if it is not of the protocol's form. No text is an empty text.
    """
    try:
        body = json.loads(raw, strict=False)
        choice = body["choices"][0]
        message = choice.get("message") or {}
        usage = body.get("usage") or {}
        text, refusal = message.get("content"), message.get("refusal")
        thinking = message.get("reasoning_content") or message.get("reasoning")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise ProviderFailure("server", "the answer is not of the OpenAI protocol's form") from None
    return {
        "text": text if isinstance(text, str) else refusal if isinstance(refusal, str) else "",
        "thinking": thinking if isinstance(thinking, str) else "",
        "finish": "refusal" if refusal else str(choice.get("finish_reason") or "stop"),
        "prompt_tokens": _count(usage, "prompt_tokens"),
        "completion_tokens": _count(usage, "completion_tokens"),
        "provider_id": str(body.get("id") or "")[:200],
    }


def _count(usage: Any, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and 0 <= value < 2**31 else None
