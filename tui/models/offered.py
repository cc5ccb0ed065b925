"""Agents that the form for a new tournament offers: scripted ones, models of the user, a person."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.destinations import providers
from parlour.agents.llm.keys import keys_file, load_keys
from parlour.agents.llm.routes import key_set_for, routes
from parlour.agents.registry import AGENT_KINDS, strategies
from parlour.games.common.errors import BadInput, ParlourError
from parlour.games.common.text import one_line
from parlour.tournament.plan.validation import checked, refuse_odd_name
from parlour.tui.models.saves import agent_words

SCRIPTED: Mapping[str, tuple[str, ...]] = {
    "Bea": ("bayesian", "equilibrium", "haggler"),
    "Clara": ("cautious", "tit_for_tat", "fair"),
    "Gwen": ("literal", "grim", "fair"),
    "Otto": ("bayesian", "greedy", "stubborn"),
    "Iris": ("cautious", "image_scoring", "haggler"),
    "Linus": ("literal", "cooperate", "yielding"),
    "Rowan": ("random",),
}
"""Scripted agents that play every game, made of all shipped strategies; names as in presets."""
FOR_FILES = frozenset({"fearful", "heir", "norm"})
"""Strategies for variants of a few games, which a tournament file names."""
PERSON = "You"
Section = Literal["scripted", "models", "people"]
KeyState = Literal["", "set", "missing", "unneeded"]


@dataclass(frozen=True, slots=True)
class OfferedAgent:
    """An agent to tick: its block as a tournament file has it.

    ``key`` is the state of a model's key, "" for other agents. ``fix`` says how to get a missing
    key, or what is wrong with the block, which then cannot play.
    """

    name: str
    section: Section
    words: str
    block: Mapping[str, Any]
    key: KeyState = ""
    fix: str = ""


def agents_file() -> Path:
    """The user's agents: below XDG_CONFIG_HOME, by default ~/.config."""
    return keys_file().with_name("agents.toml")


def scripted_agents() -> Iterator[OfferedAgent]:
    """Yields the scripted agents, then one for each strategy of a plug-in."""
    shipped = FOR_FILES.union(*SCRIPTED.values())
    blocks = {name: list(names) for name, names in SCRIPTED.items()}
    blocks |= {name: [name] for name in strategies() if name not in shipped}
    for name, names in blocks.items():
        strategy: object = names if len(names) > 1 else names[0]
        words = " · ".join(names).replace("_", " ")
        yield OfferedAgent(name, "scripted", words, {"name": name, "strategy": strategy})


def own_agents(path: Path | None = None) -> Iterator[OfferedAgent]:
    """Yields the agents of the user's file, which has blocks as in a tournament file.

    Raises BadInput if the file cannot be read. Asking for the keys may take seconds, since it
    loads the library that knows the providers: for a thread.
    """
    path = path or agents_file()
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(str(path), f"cannot be read ({error})", "fix or remove it") from None
    blocks = raw.get("agents")
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise BadInput(str(path), "has no [[agents]]", "write blocks as in a tournament file")
    for number, block in enumerate(blocks):
        yield _own_agent(block, path, f"agents[{number}]")


def _own_agent(block: dict[str, Any], path: Path, place: str) -> OfferedAgent:
    name = str(block.get("name", place))
    paths = {
        key: str((path.parent / block[key]).resolve())
        for key in ("clue_bank", "prompts", "function")
        if isinstance(block.get(key), str)
    }
    block = {**block, **paths}
    try:
        kind = str(block.get("kind", "scripted"))
        if kind not in AGENT_KINDS or kind == "python":
            raise BadInput(f"{place}.kind", f"{kind!r} cannot be used here", "see the docs")
        config = checked(AGENT_KINDS[kind], block, place)
        refuse_odd_name(config.name, f"{place}.name")
        key, fix = key_state(config) if isinstance(config, LLMConfig) else ("", "")
    except ParlourError as error:
        key, fix = "", str(error)
    return OfferedAgent(name, "models", _words(block), block, key, fix)


def _words(block: Mapping[str, Any]) -> str:
    """The model or strategies of a block, with the host where the address is its own."""
    words = agent_words(dict(block))
    base = block.get("api_base")
    host = str(base).partition("://")[2].partition("/")[0] if base else ""
    return f"{words}  {one_line(host)}".rstrip()


def key_state(config: LLMConfig) -> tuple[KeyState, str]:
    """The state of a model's key, and the fix if it is missing."""
    load_keys()
    if config.api_key_env is not None:
        names = [] if os.environ.get(config.api_key_env) else [config.api_key_env]
    elif config.carrier != "litellm":
        return "unneeded", ""
    else:
        names = _missing_keys(config.model)
    if not names:
        return "set", ""
    return "missing", f"set {' and '.join(names)} in {keys_file().name} or the environment"


def _missing_keys(model: str) -> list[str]:
    """The variables of the environment that a provider needs and that are not set."""
    from parlour.agents.llm.litellm_patch import library

    provider = model.partition("/")[0]
    if provider in routes():
        return [] if key_set_for(provider) else [providers()[provider].keys[0]]
    try:
        return [str(name) for name in library().validate_environment(model)["missing_keys"]]
    except Exception:  # the library does not know the model: the first call will tell
        return []


def offered_agents(own: tuple[OfferedAgent, ...] = ()) -> dict[str, OfferedAgent]:
    """All agents by name, in the order of the form. The user's own take the place of others."""
    agents = {agent.name: agent for agent in scripted_agents()}
    agents |= {agent.name: agent for agent in own}
    block = {"name": PERSON, "kind": "human"}
    agents.setdefault(PERSON, OfferedAgent(PERSON, "people", "you, at this terminal", block))
    return agents
