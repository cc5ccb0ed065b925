"""A tournament as it is put together on a form, and the tournament file that it makes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Any

import tomlkit

from parlour.games.engine.game import Game
from parlour.games.engine.registry import games
from parlour.tournament.plan.loader import preset_content
from parlour.tui.models.form import FieldPath, with_value
from parlour.tui.models.offered import OfferedAgent
from parlour.tui.models.saves import FAMILIES, agent_words
from parlour.tui.models.variant import LINEUP, LINEUPS, SETTINGS, Key, keys_of, shipped_settings

FIRST_AGENTS = ("Bea", "Clara", "Gwen")
"""Agents that are ticked at first."""
NUMBERS = ("repetitions", "seed", "budget", "at once", "pace")
"""The numbers of a schedule, as typed; "" is no limit."""
MATCHES, MOST_MATCHES = "matches", "2000"
"""The most matches of the adaptive schedule, in place of repetitions, and what it is at first."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The form as filled in so far.

    ``keys`` has what was changed of each game, ``details`` of each model, as chosen or typed.
    ``defender`` is None but for a challenger; ``until`` is the rule for the end of the adaptive
    schedule, "" for the usual one. ``further`` are more blocks of a game and ``rest`` more
    keys of the file, which a preset brings along and the form keeps as they are. ``origin`` is
    the name of that preset.
    """

    name: str
    games: frozenset[str]
    agents: frozenset[str]
    keys: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    details: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    schedule: str = "round_robin"
    defender: str | None = None
    until: str = ""
    numbers: Mapping[str, str] = field(default_factory=dict)
    cache: bool = False
    further: tuple[Mapping[str, Any], ...] = ()
    rest: Mapping[str, object] = field(default_factory=dict)
    origin: str = ""


def first_draft() -> Draft:
    """The form at first: a small tournament of every game, which can be played as it is."""
    numbers = {"repetitions": "1", "seed": "1"}
    name = free_name("my-tournament")
    return Draft(name, frozenset(games()), frozenset(FIRST_AGENTS), numbers=numbers)


def free_name(name: str) -> str:
    """The name, with a number behind it if there is such a file already."""
    free, number = name, 1
    while Path(f"{free}.toml").exists():
        number += 1
        free = f"{name}-{number}"
    return free


def listed_games() -> list[Game]:
    """All games in the order of their families; those of another family at the end."""

    def place(game: Game) -> int:
        family = game.texts.family
        return FAMILIES.index(family) if family in FAMILIES else len(FAMILIES)

    return sorted(games().values(), key=place)


# --- Changes


def changed(draft: Draft, path: FieldPath, value: object) -> Draft:
    """The draft with another value of a field."""
    match path:
        case ("game", str(name)):
            draft = replace(draft, games=with_or_without(draft.games, name, value))
        case ("agent", str(name)):
            draft = replace(draft, agents=with_or_without(draft.agents, name, value))
        case ("key", *place):
            draft = replace(draft, keys=with_value(draft.keys, tuple(place), value))
        case ("detail", *place):
            draft = replace(draft, details=with_value(draft.details, tuple(place), value))
        case ("number", name):
            draft = replace(draft, numbers=with_value(draft.numbers, (name,), str(value)))
        case (name,):
            one: dict[str, Any] = {str(name): value}
            draft = replace(draft, **one)
    return _settled(draft)


def with_or_without(names: frozenset[str], name: str, ticked: object) -> frozenset[str]:
    """Names with one of them ticked or not."""
    return names | {name} if ticked else names - {name}


def _settled(draft: Draft) -> Draft:
    """The draft with a defender exactly where the schedule has one, and it is ticked."""
    if draft.schedule != "challenger":
        return replace(draft, defender=None)
    if draft.defender in draft.agents:
        return draft
    return replace(draft, defender=max(draft.agents, default=None))


# --- The tournament file


def given_keys(game: Game, changes: Mapping[str, object]) -> dict[str, object]:
    """The changed keys of a game's variant, parsed."""
    known = {key.name: key for key in keys_of(game)}
    return {
        name: known[name].parsed(value)
        for name, value in changes.items()
        if name in game.variant.model_fields
    }


def game_block(draft: Draft, game: Game) -> dict[str, Any]:
    """The block of a game: keys of the form's own, and those of the variant that were changed.

    Keys of a preset that the form does not show stay as they are.
    """
    changes = draft.keys.get(game.name, {})
    shown = {key.name for key in keys_of(game)}
    others = {name: value for name, value in changes.items() if name not in shown}
    block: dict[str, Any] = {"name": game.name, **others}
    for key in keys_of(game):
        value = key.parsed(changes.get(key.name, key.default))
        of_the_variant = key.name in game.variant.model_fields
        if not _is_default(key, value, of_the_variant):
            block[key.name] = value
    return block


def _is_default(key: Key, value: object, of_the_variant: bool) -> bool:
    """True for a value that the block need not name."""
    if key.name == LINEUP:
        return value == LINEUPS[0]
    return of_the_variant and value == key.default


def agent_block(draft: Draft, agent: OfferedAgent) -> dict[str, Any]:
    """The block of an agent with the details that were changed."""
    block = dict(agent.block)
    details = draft.details.get(agent.name, {})
    for name, value in details.items():
        if name == "temperature":
            parameters = block.get("parameters")
            others = dict(parameters) if isinstance(parameters, dict) else {}
            others.pop(name, None)
            block["parameters"] = others | ({name: number(value)} if value else {})
        elif name == "memory":
            block[name] = {"last": number(value)} if value else "full"
        elif name == "budget":
            block.pop(name, None)
            block |= {name: number(value)} if value else {}
        else:
            block[name] = value
    return block


def number(text: object) -> object:
    """A typed number; the text itself if it is none."""
    plain = str(text).strip().removeprefix("$").replace(",", "")
    for kind in (int, float):
        try:
            return kind(plain)
        except ValueError:
            continue
    return text


def tournament_file(draft: Draft, offered: Mapping[str, OfferedAgent]) -> dict[str, Any]:
    """The content of the tournament file."""
    content: dict[str, Any] = {"name": draft.name}
    content["seed"] = number(draft.numbers.get("seed", "") or 0)
    if draft.schedule == "adaptive":
        content[MATCHES] = number(draft.numbers.get(MATCHES, MOST_MATCHES))
    else:
        content["repetitions"] = number(draft.numbers.get("repetitions", "") or 1)
    content["schedule"] = draft.schedule
    if draft.defender is not None:
        content["defender"] = draft.defender
    if draft.numbers.get("budget"):
        content["budget"] = number(draft.numbers["budget"])
    if draft.cache:
        content["cache"] = "between_matches"
    ticked = [agent for name, agent in offered.items() if name in draft.agents]
    played = [game for game in listed_games() if game.name in draft.games]
    content |= draft.rest
    further = [dict(block) for block in draft.further if block["name"] in draft.games]
    content["games"] = [*(game_block(draft, game) for game in played), *further]
    content["agents"] = [agent_block(draft, agent) for agent in ticked]
    return content


def to_toml(content: Mapping[str, Any], options: Mapping[str, object]) -> str:
    """The text of the tournament file. ``options`` are those of `parlour run`, for the first line.

    They say how it is played and not what, so that no key of the file has them.
    """
    document = tomlkit.document()
    words = "".join(f" --{name} {quote(str(value))}" for name, value in options.items())
    document.add(tomlkit.comment(f"Play it: parlour run FILE{words}"))
    for name, value in content.items():
        if not isinstance(value, list):
            document.add(name, value)
    for name in ("games", "agents"):
        blocks = tomlkit.aot()
        for block in content[name]:
            blocks.append(_table(block))
        document.add(name, blocks)
    return tomlkit.dumps(document)


def _table(block: Mapping[str, Any]) -> Any:
    """A block; tables in it are written on one line."""
    table = tomlkit.table()
    for name, value in block.items():
        table.add(name, _inline(value) if isinstance(value, dict) else value)
    return table


def _inline(value: Mapping[str, Any]) -> Any:
    inline = tomlkit.inline_table()
    inline.update(value)
    return inline


def without(content: Mapping[str, Any], part: str, index: int) -> dict[str, Any]:
    """The content without one block."""
    blocks = [block for place, block in enumerate(content[part]) if place != index]
    return {**content, part: blocks}


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
