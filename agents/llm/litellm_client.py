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

from agents.llm.client import (
    Completion,
    ProviderFailure,
    Request,
    causes,
    failure_of_status,
    never_connected,
    never_connects,
    priced,
    seconds_to_wait,
)
from agents.llm.config import LLMConfig
from agents.llm.keys import key_named, scrubbed

_TALKATIVE = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")
"""Their logs and warnings repeat what servers send, and would go where the program prints."""


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
    return litellm


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
    name = type(error).__name__
    if name in {"Timeout", "APITimeoutError"}:
        return ProviderFailure("timeout", message)
    headers = {
        **(getattr(getattr(error, "response", None), "headers", None) or {}),
        **(getattr(error, "litellm_response_headers", None) or {}),
    }
    # A connection that failed is reported as a server's error, but no server said anything.
    unheard = not headers and "Connection error" in message
    if name == "APIConnectionError" or unheard:
        innermost = [str(cause) for cause in causes(error)][-1]
        return ProviderFailure(
            "settings" if never_connects(error) else "connection",
            scrubbed(f"{message} ({innermost})") if innermost != str(error) else message,
            free=never_connects(error) or never_connected(error),
        )
    if not headers and "Missing credentials" in message:  # so is a key that is not there
        return ProviderFailure("auth", message, free=True)
    after = seconds_to_wait(headers.get("retry-after"))
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return failure_of_status(status, message, after)
    return ProviderFailure("server", f"{name}: {message}")
