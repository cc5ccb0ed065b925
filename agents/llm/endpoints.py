"""Endpoints: models with the same address (or provider) and key share one, and its limits."""

from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from parlour.agents.base import CallingBlock
from parlour.agents.llm.config import LLMConfig

LOCAL_ENDPOINT = "local:"
"""The beginning of the name of an endpoint that is a model on this machine."""
OWN_ENDPOINT = "agent:"
"""The beginning of the name of an endpoint that is code of the user."""
SLOTS = 2
"""Answers that the server of such a model computes at once."""
USUAL_PORTS = {"http": 80, "https": 443}


class Endpoint(NamedTuple):
    """An address or provider, as a tournament file names it, and the name of the key."""

    name: str
    key: str | None

    @property
    def short(self) -> str:
        """The provider, or the host of an address."""
        return urlsplit(self.name).netloc or self.name


def endpoint_of(config: CallingBlock) -> Endpoint:
    """The endpoint of a model; code of the user is one itself.

    For a bare model name this loads litellm, which takes seconds.
    """
    if not isinstance(config, LLMConfig):
        return Endpoint(OWN_ENDPOINT + config.name, None)
    if config.carrier == "local":  # its port is another one in each run
        return Endpoint(LOCAL_ENDPOINT + config.model, None)
    name = normalized(config.api_base) if config.api_base else _provider(config.model)
    return Endpoint(name, config.api_key_env)


@cache
def normalized(name: str) -> str:
    """An endpoint's name in normal form: an address can be written in several ways."""
    try:
        parts = urlsplit(name)
        host, port = parts.hostname, parts.port
    except ValueError:  # not an address; the validation says so
        host, port = None, None
    if host is None:
        return name.rstrip("/")
    if ":" in host:
        host = f"[{host}]"
    if port is not None and port != USUAL_PORTS.get(parts.scheme):
        host += f":{port}"
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), parts.query, ""))


def host_of(address: str) -> str:
    """The host of an address, with the port unless it is the usual one, and without credentials."""
    return urlsplit(normalized(address)).netloc


@cache
def _provider(model: str) -> str:
    """The provider of a model that litellm reaches: "anthropic" of "anthropic/claude-sonnet-4"."""
    prefix, slash, _name = model.partition("/")
    if slash:
        return prefix
    from parlour.agents.llm.litellm_patch import library

    try:
        return str(library().get_llm_provider(model)[1])
    except Exception:  # unknown to the library; each call will report it
        return model
