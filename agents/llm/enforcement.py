"""The way in which each endpoint is asked for the form of an answer."""

from dataclasses import replace
from typing import Any

from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoint_facts import known_facts
from parlour.agents.llm.endpoints import endpoint_of
from parlour.agents.model_calls import Enforcement

KNOWN = {
    "openai": Enforcement("schema", strict=True, enforced=True),
    "azure": Enforcement("schema", strict=True, enforced=True),
    "api.openai.com": Enforcement("schema", strict=True, enforced=True),
}
"""Endpoints that are known to hold a model to a schema: providers of litellm, and hosts. Any other
is sent the schema in the prompt too, unless `parlour doctor` has seen it enforce one."""


def learned_keys(config: LLMConfig, seen: Enforcement, context: int | None) -> dict[str, Any]:
    """Keys for an endpoint's behaviour, where an agent's block leaves them open."""
    strict = seen.strict and seen.mode == "schema"
    keys = {"structured": "strict" if strict else seen.mode, "enforced": seen.enforced}
    if config.structured != "auto":
        keys = {}
    return keys if config.context is not None else {**keys, "context": context}


def as_found(config: LLMConfig) -> LLMConfig:
    """An agent's block with the keys that it leaves open as `parlour doctor` found them."""
    if config.is_agent or config.carrier == "local":
        return config
    facts = known_facts(config)
    if facts is None:
        return config
    seen = Enforcement(facts.mode, facts.strict, facts.enforced)
    return config.model_copy(update=learned_keys(config, seen, facts.context))


def enforcement_of(config: LLMConfig) -> Enforcement:
    """The way of asking an agent's model: by its block, else as its endpoint is known to work."""
    if config.structured == "auto" and config.carrier == "local":
        known = Enforcement(enforced=True)  # llama.cpp makes a grammar of the schema
    elif config.structured == "auto":
        known = KNOWN.get(endpoint_of(config).short, Enforcement())
    elif config.structured == "strict":
        known = Enforcement("schema", strict=True, enforced=True)
    else:
        known = Enforcement(config.structured)
    return known if config.enforced is None else replace(known, enforced=config.enforced)
