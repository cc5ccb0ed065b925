"""The way to repeat a tournament: a preset's name, or the text of a tournament file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from parlour.agents.registry import AgentConfig
from parlour.games.common.errors import BadInput
from parlour.tournament.plan.expansion import preset_names
from parlour.tournament.plan.loader import read_preset, tournament_of
from parlour.tournament.plan.model import GameEntry, Tournament
from parlour.tournament.plan.validation import CONNECTION_KEYS, what_is_played
from parlour.tui.models.new_tournament import to_toml

PATHS = ("clue_bank", "prompts", "function")
"""Keys of agents that are paths; the page has file names alone."""
FILE = "repeat.toml"


@dataclass(frozen=True, slots=True)
class Repeat:
    """``command`` plays the tournament again; ``file`` is the text of the file that it names.

    Both are "" where no tournament file can say what was played, as with settings of a user.
    """

    command: str
    file: str = ""


def repeat(tournament: Tournament) -> Repeat:
    """Returns the command, checked to give the same tournament."""
    stored = what_is_played(tournament.to_json())
    for name in preset_names():
        same = name == tournament.name and _plays(read_preset(name, tournament.seed), tournament)
        if same:
            return Repeat(f"parlour run --preset {name} --seed {tournament.seed}")
    content = _content(tournament, stored)
    try:
        made = tournament_of(content, Path(), FILE)
    except BadInput:
        return Repeat("")
    if not _plays(made, tournament):
        return Repeat("")
    shown = content | {"agents": [_without_places(agent) for agent in content["agents"]]}
    return Repeat(f"parlour run {FILE}", to_toml(shown, {}))


def _plays(other: Tournament, tournament: Tournament) -> bool:
    """True if the other tournament plays the same."""
    return bool(what_is_played(other.to_json()) == what_is_played(tournament.to_json()))


def _content(tournament: Tournament, stored: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a tournament file."""
    head = {key: stored[key] for key in ("name", "seed", "schedule", "defender", "repetitions")}
    content = {key: value for key, value in head.items() if value is not None}
    if tournament.seeding != "independent":
        content["seeding"] = tournament.seeding
    content["games"] = [_game(entry) for entry in tournament.games]
    content["agents"] = [_agent(agent) for agent in tournament.agents]
    return content


def _agent(agent: AgentConfig) -> dict[str, Any]:
    """The block of an agent, without the keys that it does not set."""
    return {key: value for key, value in agent.model_dump(mode="json").items() if _given(value)}


def _given(value: object) -> bool:
    return value is not None and value != {}


def _game(entry: GameEntry) -> dict[str, Any]:
    """The block of a game, with the keys that differ from its defaults."""
    usual = entry.game.defaults()
    keys = entry.variant.model_dump(mode="json")
    block: dict[str, Any] = {"name": entry.game.name}
    if entry.matches is not None:
        block["matches"] = entry.matches
    changed = {key: value for key, value in keys.items() if value != usual[key] and _given(value)}
    shipped = entry.game.settings_file.select_records(entry.game.shipped(), entry.variant)
    if len(entry.records) < len(shipped):
        block["limit"] = len(entry.records)
    if entry.lineup is not None:
        block["lineup"] = list(entry.lineup)
    return block | changed


def _without_places(agent: Mapping[str, Any]) -> dict[str, Any]:
    """An agent's block without addresses and folders of the one who played it."""
    block = {key: value for key, value in agent.items() if key not in CONNECTION_KEYS}
    if agent.get("api_base"):
        block["api_base"] = "the address of your server"
    for key in PATHS:
        if isinstance(block.get(key), str):
            block[key] = PurePath(block[key]).name
    return block


def stored_text(tournament: Tournament) -> str:
    """The tournament as its save has it, with every setting, as indented JSON."""
    body = what_is_played(tournament.to_json())
    body["agents"] = [_without_places(agent) for agent in body["agents"]]
    return json.dumps(body, indent=1, ensure_ascii=False)
