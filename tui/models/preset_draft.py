"""A shipped preset as the form for a new tournament has it."""

from collections.abc import Mapping
from typing import Any

from parlour.games.engine.registry import games
from parlour.tournament.plan.loader import preset_content
from parlour.tui.models.new_tournament import Draft, free_name
from parlour.tui.models.offered import OfferedAgent
from parlour.tui.models.saves import agent_words
from parlour.tui.models.variant import SETTINGS, keys_of, shipped_settings

OF_THE_FORM = ("name", "seed", "repetitions", "matches", "schedule", "defender", "budget", "cache")
BETWEEN_MATCHES = "between_matches"
"""The use of the cache that the form ticks."""


def preset_draft(name: str) -> Draft:
    """The form filled in from a preset; what the form does not show is kept as it is."""
    content = preset_content(name)
    first: dict[str, dict[str, object]] = {}
    further: list[Mapping[str, Any]] = []
    for block in content["games"]:
        if block["name"] in first:
            further.append(block)
        else:
            first[block["name"]] = _keys(block)
    shown = {*OF_THE_FORM, "games", "agents"}
    rest = {key: value for key, value in content.items() if key not in shown}
    cache = content.get("cache", "off")
    if cache not in {"off", BETWEEN_MATCHES}:
        rest["cache"] = cache
    numbers = {"repetitions": content.get("repetitions", 1), "seed": content.get("seed", 0)}
    numbers |= {key: content[key] for key in ("budget", "matches") if key in content}
    return Draft(
        name=free_name(content["name"]),
        games=frozenset(first),
        agents=frozenset(agent["name"] for agent in content["agents"]),
        keys=first,
        schedule=content.get("schedule", "round_robin"),
        defender=content.get("defender"),
        numbers={key: str(value) for key, value in numbers.items()},
        cache=cache == BETWEEN_MATCHES,
        further=tuple(further),
        rest=rest,
        origin=name,
    )


def _keys(block: Mapping[str, Any]) -> dict[str, object]:
    """The keys of a game's block; all settings where it does not say how many."""
    keys = {key: value for key, value in block.items() if key != "name"}
    game = games()[block["name"]]
    if SETTINGS in {key.name for key in keys_of(game)}:
        keys.setdefault(SETTINGS, shipped_settings(game))
    return keys


def with_preset_agents(offered: Mapping[str, OfferedAgent], name: str) -> dict[str, OfferedAgent]:
    """The agents of a preset, in its order, then all others that are offered."""
    agents = {}
    for block in preset_content(name)["agents"] if name else ():
        words = agent_words(block)
        agents[block["name"]] = OfferedAgent(block["name"], "scripted", words, block)
    others = {other: agent for other, agent in offered.items() if other not in agents}
    return {**agents, **others}
