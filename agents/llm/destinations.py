"""Destinations: the hosts that a model's block sends keys and questions to.

``destinations`` is the only function that says where a key goes. Consent, which the tournament's
files need, is given to what it returns.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoints import endpoint_of
from parlour.agents.llm.keys import hosts_by_key

ANY_KEY = "any key that litellm looks up"
"""The variable of a destination where litellm chooses the key by itself."""
ORDINARY = frozenset(
    {"temperature", "top_p", "top_k", "min_p", "typical_p", "max_tokens", "max_completion_tokens"}
    | {"seed", "stop", "stop_sequences", "frequency_penalty", "presence_penalty", "logit_bias"}
    | {"repetition_penalty", "repeat_penalty", "logprobs", "top_logprobs", "reasoning_effort"}
    | {"reasoning", "thinking", "verbosity", "service_tier", "user", "store", "safety_settings"}
    | {"num_ctx", "num_predict", "keep_alive", "think", "provider", "transforms", "drop_params"}
    | {"include_reasoning", "thinking_budget", "prompt_cache_key", "modalities"}
)
"""Parameters that only shape the answer. litellm takes any other one for an address, a header, a
credential or a file in some provider, so it needs consent."""
LABELS = frozenset({"api_version", "aws_region_name", "vertex_location", "vertex_project"})
"""Parameters that become one label of the provider's host, or a part of its path."""
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")
_MODEL = re.compile(r"[\w.:@+-]+(?:/[\w.:@+-]+)*", re.ASCII)
"""A model's name that litellm cannot take for an address, an ARN included."""


class Provider(NamedTuple):
    """A provider's keys, and the patterns of the hosts that they are meant for."""

    keys: tuple[str, ...]
    hosts: tuple[re.Pattern[str], ...]

    def has(self, host: str) -> bool:
        """True if the host is one of the provider's."""
        return any(pattern.fullmatch(host) for pattern in self.hosts)


class Destination(NamedTuple):
    """A key's variable (None: no key) and the address without its path that gets it.

    An address without a scheme is the name of a provider that litellm reaches at its own host.
    """

    key: str | None
    address: str

    @property
    def host(self) -> str:
        """The host's name in lower case, "" for a provider."""
        return urlsplit(self.address).hostname or ""

    @property
    def is_local(self) -> bool:
        """True for this machine."""
        return self.host in {"localhost", "::1"} or bool(re.fullmatch(r"127(\.\d+){3}", self.host))

    @property
    def is_meant(self) -> bool:
        """True if the key is meant for the host, or if nothing of the user's goes there."""
        if self.key == ANY_KEY:
            return False
        if self.key is None:
            return self.is_local or not self.host
        if not self.host:
            return self.key in _keys_of(self.address) or self._lists_the_provider
        return self._is_of_the_provider or self._is_listed

    @property
    def _is_of_the_provider(self) -> bool:
        """True for the provider's own host. Without TLS anybody on the way could pose as it."""
        own = [each for each in providers().values() if self.key in each.keys]
        return self.address.startswith("https://") and any(each.has(self.host) for each in own)

    @property
    def _is_listed(self) -> bool:
        """True if the user's keys file lists the host, or the host with this port, for the key."""
        port = urlsplit(self.address).port
        listed = hosts_by_key().get(self.key or "", ())
        return self.host in listed or f"{self.host}:{port}" in listed

    @property
    def _lists_the_provider(self) -> bool:
        """True if the user's keys file lists a host of the provider for the key."""
        known = providers().get(self.address)
        listed = hosts_by_key().get(self.key or "", ())
        return known is not None and any(map(known.has, listed))


@cache
def providers() -> Mapping[str, Provider]:
    """The providers whose keys and hosts are known, by litellm's names."""
    path = Path(__file__).parent / "data" / "key_hosts.toml"
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: _provider(entry) for name, entry in content.items()}


def _provider(entry: Mapping[str, Any]) -> Provider:
    patterns = [re.escape(host).replace(r"\*", "[a-z0-9-]+") for host in entry["hosts"]]
    return Provider(tuple(entry["keys"]), tuple(map(re.compile, patterns)))


def _keys_of(provider: str) -> tuple[str, ...]:
    known = providers().get(provider)
    return known.keys if known else ()


def destinations(config: LLMConfig) -> tuple[Destination, ...]:
    """The destinations of a model's block; with a bare model name this loads litellm."""
    if config.api_base is None:
        # Without a key's name litellm takes the provider's own key to the provider's own host.
        provider = endpoint_of(config).name if config.api_key_env else ""
        return (Destination(config.api_key_env, provider),)
    parts = urlsplit(config.api_base)
    address = f"{parts.scheme.lower()}://{parts.netloc.lower()}"
    if config.api_key_env is not None or config.carrier != "litellm":
        return (Destination(config.api_key_env, address),)
    return tuple(Destination(key, address) for key in _looked_up(config.model))


def _looked_up(model: str) -> tuple[str, ...]:
    """The keys that litellm may choose where the block names none, as far as they are set."""
    provider = model.partition("/")[0]
    if "/" not in model or not _keys_of(provider):
        return (ANY_KEY,)
    own = tuple(key for key in _keys_of(provider) if os.environ.get(key))
    # litellm falls back on OpenAI's key for providers with the same protocol.
    keys = dict.fromkeys((*own, *["OPENAI_API_KEY"] * bool(os.environ.get("OPENAI_API_KEY"))))
    # Without one of the known keys it looks for others, such as those of a cloud's own files.
    return tuple(keys) if own else (*keys, ANY_KEY)


def odd_parameters(config: LLMConfig) -> Iterator[str]:
    """Yields the parameters, and "model", by which litellm may go to another host or file."""
    if config.carrier != "litellm":
        return  # they are sent as they stand, to the one address
    if not _MODEL.fullmatch(config.model) or "arn:" in config.model or ".." in config.model:
        yield "model"
    given: dict[str, list[object]] = {}
    for place in (config.parameters, *config.for_ask.values()):
        for name, value in place.items():
            given.setdefault(name, []).append(value)
    for name, values in given.items():
        is_label = name in LABELS and all(_LABEL.fullmatch(str(value)) for value in values)
        if name not in ORDINARY and not is_label:
            yield name
