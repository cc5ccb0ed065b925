"""The way in which each endpoint is asked for the form of an answer."""

from dataclasses import replace
from typing import Any

from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoints import endpoint_of
from parlour.agents.model_calls import Enforcement

KNOWN = {
    "openai": Enforcement("schema", strict=True, enforced=True),
    "azure": Enforcement("schema", strict=True, enforced=True),
    "api.openai.com": Enforcement("schema", strict=True, enforced=True),
}
"""Endpoints that are known to hold a model to a schema: providers of litellm, and hosts. Any other
is sent the schema in the prompt too, until `parlour doctor` has found out that it holds."""


def learned_keys(config: LLMConfig, found: Enforcement, context: int | None) -> dict[str, Any]:
    """Keys for what was found out of an endpoint, where an agent's block leaves them open."""
    strict = found.strict and found.mode == "schema"
    keys = {"structured": "strict" if strict else found.mode, "enforced": found.enforced}
    if config.structured != "auto":
        keys = {}
    return keys if config.context is not None else {**keys, "context": context}


def enforcement_of(config: LLMConfig) -> Enforcement:
    """The way of asking an agent's model: by its block, else as its endpoint is known to work."""
    if config.structured == "auto":
        known = KNOWN.get(endpoint_of(config).short, Enforcement())
    elif config.structured == "strict":
        known = Enforcement("schema", strict=True, enforced=True)
    else:
        known = Enforcement(config.structured)
    return known if config.enforced is None else replace(known, enforced=config.enforced)
