"""Any provider that litellm knows. The library is slow to load, so it is loaded late."""

import asyncio
import importlib
import json
import logging
import os
import time
import warnings
from functools import cache
from typing import Any

from parlour.agents.llm.client import (
    causes,
    failure_of_status,
    never_connected,
    never_connects,
    priced,
    seconds_to_wait,
    tokens_out,
)
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.keys import key_named, scrubbed
from parlour.agents.model_calls import Completion, ProviderFailure, Request

_TALKATIVE = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")
"""Their logs and warnings repeat what servers send, and would go where the program prints."""

_BROKEN = frozenset(
    {"ReadError", "WriteError", "CloseError", "NetworkError", "RemoteProtocolError"}
    | {"ClientOSError", "ClientPayloadError", "ServerDisconnectedError"}
)
"""Errors of a connection that broke off after it had stood: what it carried may be billed."""


@cache
def library() -> Any:
    """The library, told to fetch nothing, to print nothing and to retry nothing.

    Loading it takes seconds.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_LOG", "CRITICAL")
    litellm: Any = importlib.import_module("litellm")
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", module="pydantic|litellm|openai|httpx")
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = True
    litellm.num_retries = 0
    # A connection that was reset makes the library send once more, whatever it is told of retries.
    posting: Any = importlib.import_module("litellm.llms.custom_httpx.http_handler")
    posting.AsyncHTTPHandler.single_connection_post_request = _not_again
    return litellm


async def _not_again(*_args: object, **_more: object) -> None:
    """In place of the library's second try, inside of the handling of the first one's error."""
    raise  # noqa: PLE0704


class LiteLLMClient:
    """One model of one provider."""

    def __init__(self, config: LLMConfig) -> None:
        self._config = config
        self._library: Any = None
        self._loading = asyncio.Lock()

    async def complete(self, request: Request) -> Completion:
        """One call of ``acompletion``. Raises ProviderFailure."""
        async with self._loading:
            if self._library is None:  # two seconds of imports must not stop the loop
                self._library = await asyncio.to_thread(library)
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
            response = await asyncio.wait_for(
                litellm.acompletion(
                    model=config.model,
                    messages=[{"role": role, "content": text} for role, text in request.messages],
                    timeout=config.timeout,
                    max_retries=0,
                    **request.parameters,
                    **extra,
                ),
                config.timeout,
            )
        except TimeoutError:
            raise ProviderFailure("timeout", f"no answer in {config.timeout:g} s") from None
        except Exception as error:  # every provider's errors come through here
            raise _failure(error) from None
        return self._completion(response, request, time.monotonic() - begun)

    async def close(self) -> None:
        """The library keeps its connections for the whole process."""

    def _completion(self, response: Any, request: Request, latency: float) -> Completion:
        try:
            choice = response.choices[0]
            message, usage = choice.message, getattr(response, "usage", None)
        except (AttributeError, IndexError, TypeError):
            raise ProviderFailure("server", "the answer holds no choice") from None
        # The library moves what it does not know aside.
        aside = getattr(message, "provider_specific_fields", None) or {}
        refusal = getattr(message, "refusal", None) or aside.get("refusal")
        refusal = str(refusal) if refusal else ""
        prompt_tokens = getattr(usage, "prompt_tokens", None)
        completion_tokens = getattr(usage, "completion_tokens", None)
        total = getattr(usage, "total_tokens", None)
        completion_tokens = tokens_out(prompt_tokens, completion_tokens, total)
        if usage is not None:  # what stands there is what the library's list prices
            usage.completion_tokens = completion_tokens
        price = priced(prompt_tokens, completion_tokens, self._config.prices)
        if price is None:
            price = self._listed_price(response)
        return Completion(
            text=message.content or refusal,
            thinking=getattr(message, "reasoning_content", None) or "",
            finish="refusal" if refusal else str(choice.finish_reason or "stop"),
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            price=price,
            latency=latency,
            provider_id=str(getattr(response, "id", "") or "")[:200],
            parameters=self._effective(request),
        )

    def _listed_price(self, response: Any) -> float | None:
        """The price by the library's list; None for a model that it does not know."""
        try:
            price: float = self._library.completion_cost(response, model=self._config.model)
        except Exception:
            return None
        return price

    def _effective(self, request: Request) -> dict[str, Any]:
        """The parameters that the provider was sent; the library drops and renames some."""
        litellm = self._library
        try:
            model, provider, _key, _base = litellm.get_llm_provider(
                model=self._config.model, api_base=self._config.api_base
            )
            sent: dict[str, Any] = litellm.utils.get_optional_params(
                model=model, custom_llm_provider=provider, drop_params=True, **request.parameters
            )
            json.dumps(sent)
        except Exception:
            return dict(request.parameters)
        more = sent.pop("extra_body", None) or {}
        return {k: v for k, v in {**sent, **more}.items() if k not in {"stream", "max_retries"}}


def _failure(error: Exception) -> ProviderFailure:
    """A provider's error as one of ours, with every key struck out of its message."""
    # The library adds tracebacks with values cut in the middle, where half a key would be left.
    message = scrubbed(str(error).partition("Traceback (most recent")[0])
    name, chain = type(error).__name__, [*causes(error)]
    names = {type(cause).__name__ for cause in chain}
    # Only this is an answer of the server's: the library makes up a status for all that fails.
    answer: Any = next(
        (cause for cause in chain if type(cause).__name__ == "HTTPStatusError"), None
    )
    if answer is not None:
        status = 401 if name == "AuthenticationError" else answer.response.status_code
        after = seconds_to_wait(answer.response.headers.get("retry-after"))
        return failure_of_status(status, message, after)
    if name in {"Timeout", "APITimeoutError"}:
        return ProviderFailure("timeout", message)
    lasting = never_connects(error)
    unsent = lasting or never_connected(error)
    if unsent or names & _BROKEN or "Connection error" in message:
        innermost = str(chain[-1])
        return ProviderFailure(
            "settings" if lasting else "connection",
            scrubbed(f"{message} ({innermost})") if innermost != str(error) else message,
            free=unsent,
        )
    if "Missing credentials" in message:  # reported as a server's error
        return ProviderFailure("auth", message, free=True)
    status = getattr(error, "status_code", None)
    # With nothing behind it, it is the library itself that refuses, before anything is sent.
    own = len(chain) == 1
    if isinstance(status, int) and (status in {401, 403} or (own and 400 <= status < 500)):
        failure = failure_of_status(status, message, None)
        failure.free = own
        return failure
    return ProviderFailure("server", f"{name}: {message}")  # an answer that it could not read
