"""Facts on endpoints that `parlour doctor` found, kept for later, and how each is asked."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoints import endpoint_of
from parlour.agents.llm.keys import keys_file
from parlour.agents.model_calls import Enforcement, Mode
from parlour.games.common.errors import BadInput

MOST = 2**31
"""A larger number of tokens or slots is no fact."""


Size = Annotated[int, Field(gt=0, lt=MOST)]


@dataclass(frozen=True, slots=True, config=ConfigDict(strict=True))
class Facts:
    """Facts on one model of one endpoint; None where it does not say.

    ``mode`` is the best way to ask for the form of an answer, ``strict`` says that it needs
    OpenAI's flag, ``enforced`` that the server then lets no other answer through. ``context`` are
    the tokens of a prompt with its answer, ``slots`` the answers that are written at once.
    """

    mode: Mode = "schema"
    strict: bool = False
    enforced: bool = False
    tools: bool = False
    context: Size | None = None
    slots: Size | None = None
    served: str = ""
    logprobs: bool = False
    seeded: bool = False


def facts_file() -> Path:
    """The file of facts, beside the keys file."""
    return keys_file().with_name("endpoints.json")


def known_facts(config: LLMConfig) -> Facts | None:
    """The facts on an agent's model and endpoint; None if the doctor has not seen it."""
    try:
        return TypeAdapter(Facts).validate_json(json.dumps(_stored().get(_name(config))))
    except ValidationError:
        return None


def keep_facts(config: LLMConfig, facts: Facts) -> None:
    """Stores facts in place of earlier ones. BadInput if that cannot be done."""
    path = facts_file()
    content = json.dumps({**_stored(), _name(config): asdict(facts)}, indent=1)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh.write_text(content, encoding="utf-8")
        fresh.replace(path)  # whole or not at all
    except OSError as error:
        with suppress(OSError):
            fresh.unlink()
        fix = "make its folder writable, or set XDG_CONFIG_HOME"
        raise BadInput(str(path), f"cannot be written ({error.strerror})", fix) from None


def _name(config: LLMConfig) -> str:
    return f"{endpoint_of(config).name} {config.model}"


def _stored() -> dict[str, Any]:
    """The content of the file; nothing if it is damaged, since the doctor can find it out again."""
    path = facts_file()
    try:
        return _content(path, path.stat().st_mtime_ns)
    except (OSError, ValueError, RecursionError):
        return {}


@lru_cache(maxsize=1)  # every request asks for the facts on its endpoint
def _content(path: Path, _changed: int) -> dict[str, Any]:
    content = json.loads(path.read_text(encoding="utf-8"))
    return content if isinstance(content, dict) else {}


KNOWN = {
    "openai": Enforcement("schema", strict=True, enforced=True),
    "azure": Enforcement("schema", strict=True, enforced=True),
    "api.openai.com": Enforcement("schema", strict=True, enforced=True),
}
"""Endpoints that are known to hold a model to a schema: providers of litellm, and hosts. Any other
is sent the schema in the prompt too, unless `parlour doctor` has seen it enforce one."""


def as_found(config: LLMConfig) -> LLMConfig:
    """An agent's block with the keys that it leaves open as `parlour doctor` found them."""
    if config.is_agent or config.carrier == "local":
        return config
    facts = known_facts(config)
    if facts is None:
        return config
    learned: dict[str, Any] = {}
    if config.structured == "auto":
        mode = "strict" if facts.strict and facts.mode == "schema" else facts.mode
        learned = {"structured": mode, "enforced": facts.enforced}
    if config.context is None:
        learned["context"] = facts.context
    return config.model_copy(update=learned)


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
