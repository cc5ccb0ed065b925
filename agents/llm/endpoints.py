"""Endpoints: what models share when they are asked, and its limits count for all of them."""

from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from parlour.agents.llm.config import LLMConfig

USUAL_PORTS = {"http": 80, "https": 443}


class Endpoint(NamedTuple):
    """An address or a provider (as a tournament file names it), and the key that is used."""

    name: str
    key: str | None

    @property
    def short(self) -> str:
        """In a word: the provider, or the host of an address."""
        return urlsplit(self.name).netloc or self.name


def endpoint_of(config: LLMConfig) -> Endpoint:
    """Where a model is asked. May load litellm, which takes seconds, for a bare model's name."""
    name = normalized(config.api_base) if config.api_base else _provider(config.model)
    return Endpoint(name, config.api_key_env)


def normalized(name: str) -> str:
    """An endpoint's name as it is compared: one server may be spelt in several ways."""
    try:
        parts = urlsplit(name)
        host, port = parts.hostname, parts.port
    except ValueError:  # no address at all; what reads it says so
        host, port = None, None
    if host is None:
        return name.rstrip("/")
    if ":" in host:
        host = f"[{host}]"
    if port is not None and port != USUAL_PORTS.get(parts.scheme):
        host += f":{port}"
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), parts.query, ""))


@cache
def _provider(model: str) -> str:
    """The provider of a model that litellm reaches: "anthropic" of "anthropic/claude-sonnet-4"."""
    prefix, slash, _name = model.partition("/")
    if slash:
        return prefix
    from parlour.agents.llm.litellm_client import library

    try:
        return str(library().get_llm_provider(model)[1])
    except Exception:  # a model that the library does not know; each call of it will say so
        return model
