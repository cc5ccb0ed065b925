"""Client for servers that speak the OpenAI protocol."""

import json
import time
from typing import Any

from parlour.agents.llm.client import priced, tokens_out
from parlour.agents.llm.endpoints import host_of
from parlour.agents.llm.json_http_client import JsonHttpClient
from parlour.agents.llm.message import label, text_of, thinking_of
from parlour.agents.model_calls import Completion, ProviderFailure, Request


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
