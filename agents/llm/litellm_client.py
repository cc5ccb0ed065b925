"""Client for every provider that litellm supports; the library takes seconds to load."""

import asyncio
import importlib
import json
import os
import ssl
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from parlour.agents.llm import client, litellm_patch, routes
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoints import host_of
from parlour.agents.llm.frames import FRAMED, RequestFrame, answer_at, frame_of, marks
from parlour.agents.llm.http_clients import JsonHttpClient, fields_of
from parlour.agents.llm.keys import from_outside, key_named
from parlour.agents.model_calls import Completion, ProviderFailure, Request

_BROKEN_CONNECTION = frozenset(
    {"ReadError", "WriteError", "CloseError", "NetworkError", "RemoteProtocolError"}
    | {"ClientOSError", "ClientPayloadError", "ServerDisconnectedError"}
)
"""Errors of an established connection that broke: its request may be billed."""
PRICED = 900
"""Seconds after which prices are looked up again: some depend on the time of the day."""
MOST_FRAMES = 1000
"""Frames that a client keeps."""


def _ready_library(model: str) -> Any:
    """The library with what its first call would load, for a thread.

    Within the event loop that would hold up the answers to all other calls for a second.
    """
    litellm = litellm_patch.library()
    with suppress(Exception):  # the first call then loads what it needs
        importlib.import_module("openai.resources.chat.completions")
        asked = [{"role": "user", "content": "."}]
        litellm.completion(model=model, messages=asked, mock_response=".", api_key="none")
    return litellm


class LiteLLMClient(JsonHttpClient):
    """One model of one provider: by frames where the provider allows it, else by ``acompletion``.

    Parameters and form of an answer have a frame each, which a route or the library makes once.
    """

    def __init__(self, config: LLMConfig) -> None:
        super().__init__(config)
        self._library: Any = None
        self._loading = asyncio.Lock()
        self._sent = lru_cache(maxsize=64)(self._sent_for)
        self._frames: dict[str, RequestFrame | None] = {}
        self._provider: str | None = None
        self._prices = lru_cache(maxsize=1)(self._usual_prices)

    async def complete(self, request: Request) -> Completion:
        """One call. Raises ProviderFailure."""
        frame = await self._frame(request)
        if frame is None:
            fields = await self._by_library(request)
        else:
            fields = await self._by_frame(frame, request)
        return Completion(**fields, parameters=self._effective(request))

    async def _load(self) -> None:
        """Loads the library, unless it is there."""
        async with self._loading:
            if self._library is None:  # its imports would block the event loop
                self._library = await asyncio.to_thread(_ready_library, self._config.model)
                self._provider = self._framed_provider()

    async def _frame(self, request: Request) -> RequestFrame | None:
        """The frame of a request; None if the library must send it."""
        # What is sent in place of a blank text is up to the library.
        if not all(text.strip() for _role, text in request.messages):
            return None
        shape = [role for role, _text in request.messages], request.parameters, request.schema
        try:
            name = json.dumps([*shape, request.form, request.strict])
        except (TypeError, ValueError):
            return None
        if name not in self._frames:
            if len(self._frames) >= MOST_FRAMES:
                self._frames.clear()
            try:
                frame = routes.routed_frame(self._config, request)
                self._frames[name] = frame or await self._built(request)
            except Exception:  # sending it will report the same
                return None
        return self._frames[name]

    async def _built(self, request: Request) -> RequestFrame | None:
        """The frame of a request as the library makes it; None if it has none."""
        await self._load()
        count = len(request.messages)
        try:
            with litellm_patch.catching():
                if self._provider is not None:
                    await self._asked(request, marks(count))
        except litellm_patch.Caught as caught:
            sent = caught.request
            if sent.method == "POST":
                return frame_of(str(sent.url), sent.headers, sent.content, count)
        return None

    async def _by_frame(self, frame: RequestFrame, request: Request) -> dict[str, Any]:
        """The fields of the answer to a frame that is filled."""
        body = frame.filled(text for _role, text in request.messages)
        begun = time.monotonic()
        try:
            raw = (await self.post(frame.url, body, frame.headers)).body
        except ProviderFailure as failure:
            if failure.kind == "auth":
                self._frames.clear()  # they hold the key, which may be another one now
            raise
        latency = time.monotonic() - begun  # without the time that a price may take
        answer = answer_at(frame.url, raw)
        fields = fields_of(answer)
        usage = client.Usage(**{name: fields[name] for name in client.Usage._fields})
        price = usage.price(self._config.prices)
        if price is None:
            price = fields["price"] or await self._price(usage, answer.get("service_tier"))
        return {**fields, "price": price, "host": host_of(frame.url), "latency": latency}

    async def _by_library(self, request: Request) -> dict[str, Any]:
        """The fields of the answer that ``acompletion`` gets."""
        await self._load()
        config, begun = self._config, time.monotonic()
        try:
            with litellm_patch.without_redirects() as hosts:
                response = await asyncio.wait_for(
                    self._asked(request, [text for _role, text in request.messages]), config.timeout
                )
        except TimeoutError:
            raise ProviderFailure("timeout", f"no answer in {config.timeout:g} s") from None
        except Exception as error:  # of any provider
            raise _failure(error) from None
        # A provider may first be asked for a token. Without any, another library sent the request.
        host = hosts[-1] if hosts else host_of(config.api_base or "")
        latency = time.monotonic() - begun
        return {**self._read(response), "host": host, "latency": latency}

    def _asked(self, request: Request, texts: Sequence[str]) -> Any:
        """The coroutine of ``acompletion`` for a request with these texts."""
        config = self._config
        roles = [role for role, _text in request.messages]
        key = key_named(config.api_key_env)
        given = {
            "api_key": key,
            "api_base": config.api_base,
            "response_format": request.response_format(),
        }
        extra = {name: value for name, value in given.items() if value is not None}
        return self._library.acompletion(
            model=config.model,
            messages=[
                {"role": role, "content": text} for role, text in zip(roles, texts, strict=True)
            ],
            timeout=config.timeout,
            max_retries=0,
            **request.parameters,
            **extra,
        )

    def _framed_provider(self) -> str | None:
        """The provider if its requests can be framed, and nothing but its address is between."""
        try:
            names = self._library.get_llm_provider(
                model=self._config.model, api_base=self._config.api_base
            )
        except Exception:
            return None
        return names[1] if names[1] in FRAMED and not routes.is_proxied() else None

    def _headers(self) -> dict[str, str]:
        return {}  # frames have their own

    def _tls(self) -> ssl.SSLContext | bool:
        if self._library is None and routes.route_of(self._config) is not None:
            import certifi

            own = Path(os.environ.get("SSL_CERT_FILE", ""))  # as litellm chooses
            return ssl.create_default_context(cafile=own if own.is_file() else certifi.where())
        handler = importlib.import_module(litellm_patch.HANDLER)
        trusted = handler.get_ssl_configuration()
        return trusted if isinstance(trusted, ssl.SSLContext) else bool(trusted)

    def _read(self, response: Any) -> dict[str, Any]:
        """The fields of an answer of the library."""
        try:
            body = response.model_dump(warnings=False)  # which would print what servers send
            message = body["choices"][0]["message"]
        except (AttributeError, LookupError, TypeError):
            raise ProviderFailure("server", "the response has no choices") from None
        # The library moves fields that it does not know there.
        extra = message.get("provider_specific_fields") or {}
        fields = fields_of(
            {**body, "choices": [{**body["choices"][0], "message": {**extra, **message}}]}
        )
        if getattr(response, "usage", None) is not None:  # completion_cost reads it
            response.usage.completion_tokens = fields["completion_tokens"]
        price = client.Usage(**{name: fields[name] for name in client.Usage._fields}).price(
            self._config.prices
        )
        if price is None:
            price = self._listed(response)
        return {**fields, "price": price}

    async def _price(self, usage: client.Usage, tier: object) -> float | None:
        """The price by the library's list, which is loaded for what its file does not tell."""
        price = routes.routed_price(self._config, usage, tier)
        if price is None and None not in (usage.prompt_tokens, usage.completion_tokens):
            await self._load()
            price = self._price_of(usage, tier)
        return price

    def _price_of(self, usage: client.Usage, tier: object) -> float | None:
        """The price by the library's list; None for an unknown model or number of tokens."""
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        is_short = usage.prompt_tokens < routes.LONG_PROMPT and not usage.reasoning_tokens
        if is_short and tier in routes.USUAL_TIERS:
            return usage.price(self._prices(int(time.time() // PRICED)) or None)
        return self._cost(usage, tier)

    def _usual_prices(self, _time: int) -> tuple[float, ...]:
        """Dollars per million tokens as in ``Usage.price``; empty for an unknown model.

        The library takes a fifth of a millisecond for the cost of an answer, in which short prompts
        cost the same for each token.
        """
        parts = (
            client.Usage(1000, 0),
            client.Usage(0, 1000),
            client.Usage(1000, 0, cached_tokens=1000),
            client.Usage(1000, 0, written_tokens=1000),
        )
        costs = [self._cost(part, None) for part in parts]
        return () if None in costs else tuple(1000 * cost for cost in costs if cost is not None)

    def _cost(self, usage: client.Usage, tier: object) -> float | None:
        """The cost of an answer by the library's list; None for an unknown model."""
        litellm, model = self._library, self._config.model
        tokens = litellm.Usage(
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            prompt_tokens_details={
                "cached_tokens": usage.cached_tokens,
                "cache_creation_tokens": usage.written_tokens,
            },
            completion_tokens_details={"reasoning_tokens": usage.reasoning_tokens},
        )
        service = tier if isinstance(tier, str) else None
        with suppress(Exception):
            return float(
                sum(litellm.cost_per_token(model=model, usage_object=tokens, service_tier=service))
            )
        return self._listed(litellm.ModelResponse(model=model, usage=tokens))

    def _listed(self, response: Any) -> float | None:
        """The price of an answer of the library by its list; None for an unknown model."""
        try:
            return float(self._library.completion_cost(response, model=self._config.model))
        except Exception:
            return None

    def _effective(self, request: Request) -> dict[str, Any]:
        """The parameters that the provider was sent; the library drops and renames some."""
        if self._library is None:  # no parameter on a route is changed
            return dict(request.parameters)
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
    name, chain = type(error).__name__, [*client.causes(error)]
    names = {type(cause).__name__ for cause in chain}
    # Only this has the server's status: the library makes up one for every other error.
    answer: Any = next(
        (cause for cause in chain if type(cause).__name__ == "HTTPStatusError"), None
    )
    if answer is not None:
        status = 401 if name == "AuthenticationError" else answer.response.status_code
        after = client.pause_asked(answer.response.headers)
        return client.failure_of_status(status, message, after)
    if name in {"Timeout", "APITimeoutError"}:
        return ProviderFailure("timeout", message)
    lasting = client.never_connects(error)
    unsent = lasting or client.never_connected(error)
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
        failure = client.failure_of_status(status, message, None)
        failure.free = own
        return failure
    return ProviderFailure(
        "server", f"{name}: {message}"
    )  # an answer that the library could not read
