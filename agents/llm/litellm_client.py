"""Client for every provider that litellm supports; the library takes seconds to load."""

import asyncio
import importlib
import json
import time
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

from parlour.agents.llm.client import (
    Usage,
    causes,
    failure_of_status,
    label,
    never_connected,
    never_connects,
    pause_asked,
    text_of,
    thinking_of,
    usage_of,
)
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoints import host_of
from parlour.agents.llm.keys import from_outside, key_named
from parlour.agents.llm.litellm_patch import library, without_redirects
from parlour.agents.model_calls import Completion, ProviderFailure, Request

_BROKEN_CONNECTION = frozenset(
    {"ReadError", "WriteError", "CloseError", "NetworkError", "RemoteProtocolError"}
    | {"ClientOSError", "ClientPayloadError", "ServerDisconnectedError"}
)
"""Errors of an established connection that broke: its request may be billed."""


def _ready_library(model: str) -> Any:
    """The library with what its first call would load, for a thread.

    Within the event loop that would hold up the answers to all other calls for a second.
    """
    litellm = library()
    with suppress(Exception):  # the first call then loads what it needs
        importlib.import_module("openai.resources.chat.completions")
        asked = [{"role": "user", "content": "."}]
        litellm.completion(model=model, messages=asked, mock_response=".", api_key="none")
    return litellm


class LiteLLMClient:
    """One model of one provider."""

    def __init__(self, config: LLMConfig) -> None:
        self._config = config
        self._library: Any = None
        self._loading = asyncio.Lock()
        self._sent = lru_cache(maxsize=64)(self._sent_for)

    async def complete(self, request: Request) -> Completion:
        """One call of ``acompletion``. Raises ProviderFailure."""
        async with self._loading:
            if self._library is None:  # its imports would block the event loop
                self._library = await asyncio.to_thread(_ready_library, self._config.model)
        litellm, config = self._library, self._config
        extra: dict[str, Any] = {}
        key = key_named(config.api_key_env)
        if key is not None:
            extra["api_key"] = key
        if config.api_base is not None:
            extra["api_base"] = config.api_base
        response_format = request.response_format()
        if response_format is not None:
            extra["response_format"] = response_format
        begun = time.monotonic()
        try:
            with without_redirects() as hosts:
                response = await asyncio.wait_for(
                    litellm.acompletion(
                        model=config.model,
                        messages=[
                            {"role": role, "content": text} for role, text in request.messages
                        ],
                        timeout=config.timeout,
                        max_retries=0,
                        **request.parameters,
                        **extra,
                    ),
                    config.timeout,
                )
        except TimeoutError:
            raise ProviderFailure("timeout", f"no answer in {config.timeout:g} s") from None
        except Exception as error:  # of any provider
            raise _failure(error) from None
        # A provider may first be asked for a token. Without any, another library sent the request.
        host = hosts[-1] if hosts else host_of(config.api_base or "")
        return replace(self._completion(response, request, time.monotonic() - begun), host=host)

    async def close(self) -> None:
        """Does nothing: the library keeps its connections for the whole process."""

    def _completion(self, response: Any, request: Request, latency: float) -> Completion:
        try:
            choice = response.choices[0]
            message, usage = choice.message, getattr(response, "usage", None)
            parts = message.model_dump(warnings=False)  # which would print what servers send
        except (AttributeError, IndexError, TypeError):
            raise ProviderFailure("server", "the response has no choices") from None
        # The library moves fields that it does not know there.
        extra = getattr(message, "provider_specific_fields", None) or {}
        refusal = getattr(message, "refusal", None) or extra.get("refusal")
        refusal = str(refusal) if refusal else ""
        try:
            tokens = usage_of(usage.model_dump(warnings=False) if usage is not None else None)
        except AttributeError:
            tokens = Usage()
        if usage is not None:  # completion_cost reads it
            usage.completion_tokens = tokens.completion_tokens
        price = tokens.price(self._config.prices)
        if price is None:
            price = self._listed_price(response)
        return Completion(
            text=text_of(parts) or refusal,
            thinking=thinking_of(parts),
            finish="refusal" if refusal else str(choice.finish_reason or "stop"),
            **tokens._asdict(),
            price=price,
            latency=latency,
            provider_id=str(getattr(response, "id", "") or "")[:200],
            served=label(getattr(response, "model", None)),
            fingerprint=label(getattr(response, "system_fingerprint", None)),
            parameters=self._effective(request),
        )

    def _listed_price(self, response: Any) -> float | None:
        """The price by the library's price list; None for an unknown model."""
        try:
            price: float = self._library.completion_cost(response, model=self._config.model)
        except Exception:
            return None
        return price

    def _effective(self, request: Request) -> dict[str, Any]:
        """The parameters that the provider was sent; the library drops and renames some."""
        try:
            whole = json.dumps(dict(request.parameters), sort_keys=True)
        except (TypeError, ValueError):
            return dict(request.parameters)
        return dict(self._sent(whole))

    def _sent_for(self, whole: str) -> dict[str, Any]:
        """The same for parameters as JSON, which most calls of an agent share."""
        litellm, parameters = self._library, json.loads(whole)
        try:
            model, provider, _key, _base = litellm.get_llm_provider(
                model=self._config.model, api_base=self._config.api_base
            )
            sent: dict[str, Any] = litellm.utils.get_optional_params(
                model=model, custom_llm_provider=provider, drop_params=True, **parameters
            )
            json.dumps(sent)
        except Exception:
            return dict(parameters)
        more = sent.pop("extra_body", None) or {}
        return {k: v for k, v in {**sent, **more}.items() if k not in {"stream", "max_retries"}}


def _failure(error: Exception) -> ProviderFailure:
    """An error of the library as a ProviderFailure, without keys in its message."""
    # The library appends tracebacks with truncated values, where half a key would be left.
    message = from_outside(str(error).partition("Traceback (most recent")[0])
    name, chain = type(error).__name__, [*causes(error)]
    names = {type(cause).__name__ for cause in chain}
    # Only this has the server's status: the library makes up one for every other error.
    answer: Any = next(
        (cause for cause in chain if type(cause).__name__ == "HTTPStatusError"), None
    )
    if answer is not None:
        status = 401 if name == "AuthenticationError" else answer.response.status_code
        after = pause_asked(answer.response.headers)
        return failure_of_status(status, message, after)
    if name in {"Timeout", "APITimeoutError"}:
        return ProviderFailure("timeout", message)
    lasting = never_connects(error)
    unsent = lasting or never_connected(error)
    if unsent or names & _BROKEN_CONNECTION or "Connection error" in message:
        innermost = str(chain[-1])
        return ProviderFailure(
            "settings" if lasting else "connection",
            from_outside(f"{message} ({innermost})") if innermost != str(error) else message,
            free=unsent,
        )
    if "Missing credentials" in message:  # the library reports it as a server error
        return ProviderFailure("auth", message, free=True)
    status = getattr(error, "status_code", None)
    # Without a cause it is the library itself that refuses, before anything is sent.
    own = len(chain) == 1
    if isinstance(status, int) and (status in {401, 403} or (own and 400 <= status < 500)):
        failure = failure_of_status(status, message, None)
        failure.free = own
        return failure
    return ProviderFailure(
        "server", f"{name}: {message}"
    )  # an answer that the library could not read
