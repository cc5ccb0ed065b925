"""Routes: requests of plain providers, made as litellm makes them, without its import.

A route is taken only by what litellm would leave as it is: a few parameters, one question with or
without a system prompt, and nothing in the environment that moves it. litellm makes all else.
"""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, Literal
from urllib.request import getproxies

from parlour.agents.llm.client import Usage
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.destinations import odd_parameters, providers
from parlour.agents.llm.frames import RequestFrame, frame_of, marks
from parlour.agents.llm.keys import key_named
from parlour.agents.model_calls import Request

_ORDER = ("temperature", "top_p", "stop", "max_tokens", "response_format", "seed")
"""The parameters of a route, in litellm's order."""
_SCHEMA = "supports_response_schema"
_SIMPLE = (int, float, str, list)
_ROLES = (("system", "user"), ("user",))
_MOVED_BY = (
    *("USE_LITELLM_PROXY", "LITELLM_RUST", "EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER"),
    *("OPENAI_ORGANIZATION", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"),
    *("SSL_VERIFY", "SSL_CERTIFICATE", "SSL_SECURITY_LEVEL", "SSL_ECDH_CURVE"),
)
"""Variables that change the requests of every provider."""
LONG_PROMPT = 100_000
"""Tokens of a prompt from which some models cost more."""
USUAL_TIERS = (None, "default", "standard", "on_demand")
"""Service tiers at the usual price."""


@dataclass(frozen=True, slots=True)
class Route:
    """The entry of one provider in data/routes.toml, which says what each field is for."""

    address: str
    dense: bool = False
    models: str = ".*"
    changed: tuple[str, ...] = ()
    moved_by: tuple[str, ...] = ()
    listed: bool = False
    prices: Literal["", "usual", "reasoning"] = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)


@cache
def routes() -> Mapping[str, Route]:
    """The routes by litellm's names of the providers."""
    path = Path(__file__).parent / "data" / "routes.toml"
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: Route(**entry) for name, entry in content.items()}


@lru_cache(maxsize=64)
def listed(model: str) -> Mapping[str, Any]:
    """The entry of a provider's model in litellm's list, read without its import; {} if none."""
    provider, _slash, name = model.partition("/")
    path = Path(str(distribution("litellm").locate_file(_LIST)))
    content = json.loads(path.read_text(encoding="utf-8"))
    entries = (content.get(model, {}), content.get(name, {}))
    return next((entry for entry in entries if entry.get("litellm_provider") == provider), {})


_LIST = "litellm/model_prices_and_context_window_backup.json"


def key_set_for(provider: str) -> str | None:
    """The name of the provider's key that litellm takes: the first that is set; None if none is."""
    return next((name for name in providers()[provider].keys if os.environ.get(name)), None)


OTHER_CREDENTIALS = frozenset({"azure", "azure_ai", "bedrock", "huggingface"})
"""Providers that may take other credentials than a key of theirs."""


def missing_key(config: LLMConfig) -> str | None:
    """The key that a model's provider takes at its own host, if none of its keys is set.

    None where it is unknown, or where another key may do.
    """
    provider, slash, _model = config.model.partition("/")
    known = providers().get(provider) if slash else None
    elsewhere = config.api_base or config.api_key_env or os.environ.get("USE_LITELLM_PROXY")
    if known is None or elsewhere or config.carrier != "litellm" or any(odd_parameters(config)):
        return None
    is_needed = provider not in OTHER_CREDENTIALS and key_set_for(provider) is None
    return known.keys[0] if is_needed else None


def is_proxied() -> bool:
    """True if requests go through a proxy."""
    return bool(getproxies().keys() & {"http", "https", "all"})


def route_of(config: LLMConfig) -> Route | None:
    """The route of a model; None if litellm must make its requests."""
    provider, _slash, model = config.model.partition("/")
    route, base = routes().get(provider), config.api_base
    if route is None or not re.fullmatch(route.models, model) or is_proxied():
        return None
    if any(os.environ.get(name) for name in (*_MOVED_BY, *route.moved_by)):
        return None
    # litellm completes other addresses in several ways, and looks for keys in others.
    own = base is None or (base.endswith("/v1") and config.api_key_env is not None)
    return route if own else None


def routed_frame(config: LLMConfig, request: Request) -> RequestFrame | None:
    """The frame of a request on the route of its model; None if litellm must make it."""
    route, form = route_of(config), request.response_format()
    roles = tuple(role for role, _text in request.messages)
    if route is None or roles not in _ROLES:
        return None
    simple = {name for name, value in request.parameters.items() if type(value) in _SIMPLE}
    if simple != {*request.parameters} or not simple <= {*_ORDER} - {*route.changed}:
        return None
    if route.listed and request.form == "schema" and not listed(config.model).get(_SCHEMA):
        return None
    provider, _slash, model = config.model.partition("/")
    key = key_named(config.api_key_env or key_set_for(provider))
    if key is None:
        return None
    given = {**request.parameters, **({} if form is None else {"response_format": form})}
    texts = marks(len(roles))
    messages = [{"role": role, "content": t} for role, t in zip(roles, texts, strict=True)]
    if route.dense:
        body = {"messages": messages, "model": model, **dict(sorted(given.items()))}
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    else:
        ordered = {name: given[name] for name in _ORDER if name in given}
        text = json.dumps({"model": model, "messages": messages, **ordered, **route.body})
    headers = {"accept": "application/json" if route.dense else "*/*", **route.headers}
    headers |= {"authorization": f"Bearer {key}", "content-type": "application/json"}
    url = f"{config.api_base or route.address}/chat/completions"
    return frame_of(url, headers, text.encode(), len(roles))


def routed_price(config: LLMConfig, usage: Usage, tier: object) -> float | None:
    """The price of an answer by litellm's list; None where only the library can tell."""
    route = routes().get(config.model.partition("/")[0])
    entry = listed(config.model) if route and route.prices else {}
    sent, answered = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if sent is None or answered is None or usage.prompt_tokens is None:
        return None
    thinks = usage.reasoning_tokens and (route is None or route.prices != "reasoning")
    if thinks or usage.prompt_tokens >= LONG_PROMPT or tier not in USUAL_TIERS:
        return None
    cached = entry.get("cache_read_input_token_cost", sent)
    written = entry.get("cache_creation_input_token_cost", sent)
    return usage.price(tuple(1e6 * price for price in (sent, answered, cached, written)))
