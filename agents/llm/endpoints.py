"""Endpoints: what models share when they are asked, and its limits count for all of them."""

from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit

from agents.llm.config import LLMConfig


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
    name = plain(config.api_base) if config.api_base else _provider(config.model)
    return Endpoint(name, config.api_key_env)


def plain(name: str) -> str:
    """An endpoint's name as it is compared."""
    return name.rstrip("/")


@cache
def _provider(model: str) -> str:
    """The provider of a model that litellm reaches: "anthropic" of "anthropic/claude-sonnet-4"."""
    prefix, slash, _name = model.partition("/")
    if slash:
        return prefix
    from agents.llm.litellm_client import library

    try:
        return str(library().get_llm_provider(model)[1])
    except Exception:  # a model that the library does not know; each call of it will say so
        return model
