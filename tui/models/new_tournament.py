"""A tournament as it is put together on a form: its fields, and the file that it makes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import ceil
from pathlib import Path
from shlex import quote
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import tomlkit
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from parlour.games.common.errors import BadInput
from parlour.games.common.text import one_line
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.registry import games
from parlour.tournament.plan.additions import Addition, addition_of_file
from parlour.tournament.plan.loader import preset_content
from parlour.tournament.save.bounds import LEAST_PACE
from parlour.tui.models.form import Field, FieldPath, Kind, with_value
from parlour.tui.models.game_names import family_place
from parlour.tui.models.offered import OfferedAgent
from parlour.tui.models.saves import agent_words

SETTINGS, MATCHES, LINEUP = "limit", "matches", "lineup"
"""Keys of a game's block besides those of its variant."""
LINEUPS = ("pairs", "in_turn", "alone")
"""Line-ups; with "pairs" the schedule pairs the agents and the block has no such key."""
FEW_SETTINGS, FEW_MATCHES = 3, 4
"""Settings of a game, and matches of an experiment in blocks, that the form begins with."""


@dataclass(frozen=True, slots=True)
class GameKey:
    """A key of a game's block: its options, or none if a number is typed.

    ``whole``: the number has no decimals. ``bounds`` says which numbers are allowed.
    """

    name: str
    default: object
    options: tuple[object, ...] = ()
    whole: bool = True
    bounds: str = ""

    def parsed(self, text: object) -> object:
        """The value of typed text; the text itself if it is no number, which is then refused."""
        if self.options or not isinstance(text, str):
            return text
        try:
            return int(text) if self.whole else float(text)
        except ValueError:
            return text


@cache
def keys_of(game: Game) -> tuple[GameKey, ...]:
    """The keys of a game's block in the order of the form."""
    keys: list[GameKey] = []
    if game.seating.pairing == "blocks":
        keys.append(GameKey(MATCHES, FEW_MATCHES, bounds="of an experiment"))
    else:
        records = shipped_settings(game)
        if records > 1:
            keys.append(GameKey(SETTINGS, min(FEW_SETTINGS, records), bounds=f"1 to {records}"))
        keys.append(GameKey(LINEUP, LINEUPS[0], LINEUPS))
    keys += [_key(name, info) for name, info in game.variant.model_fields.items()]
    return tuple(keys)


@cache
def shipped_settings(game: Game) -> int:
    """Number of settings that ship with a game."""
    return len(game.shipped())


def _key(name: str, info: FieldInfo) -> GameKey:
    annotation = info.annotation
    if annotation is bool:
        return GameKey(name, info.default, (True, False))
    options = tuple(_literals(annotation))
    if options:
        return GameKey(name, info.default, options)
    return GameKey(name, info.default, (), annotation is int, _bounds(info))


def _literals(annotation: Any) -> Iterator[object]:
    """Yields the values of a Literal. None is left out: a tournament file cannot say it."""
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif get_origin(annotation) in {Union, UnionType}:
        for part in get_args(annotation):
            yield from _literals(part)


def _bounds(info: FieldInfo) -> str:
    limits: dict[str, str] = {}
    for constraint in info.metadata:
        for name in ("ge", "gt", "le", "lt"):
            limit = getattr(constraint, name, None)
            if limit is not None:
                limits[name] = f"{limit:,.15g}"
    if "ge" in limits and "le" in limits:
        return f"{limits['ge']} to {limits['le']}"
    names = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}
    return ", ".join(f"{names[name]} {limit}" for name, limit in limits.items())


def legal_options(game: Game, key: GameKey, given: Mapping[str, object]) -> tuple[object, ...]:
    """The options of a key that the game accepts beside the others given."""
    if key.name not in game.variant.model_fields:
        return key.options
    return tuple(option for option in key.options if _accepts(game, {**given, key.name: option}))


def _accepts(game: Game, given: Mapping[str, object]) -> bool:
    fields = game.variant.model_fields
    model: type[Frozen] = game.variant
    try:
        model.model_validate({name: given[name] for name in given if name in fields})
    except ValidationError:
        return False
    return True


# --- The draft

USUAL_CONCURRENCY = 64
"""Matches at once without a pace, unless the form says otherwise."""
FIRST_AGENTS = ("Bea", "Clara", "Gwen")
"""Agents that are ticked at first."""
NUMBERS = ("repetitions", "seed", "budget", "at once", "pace")
"""The numbers of a schedule, as typed; "" is no limit."""
MOST_MATCHES = "2000"
"""The most matches of the adaptive schedule at first, in place of repetitions."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The form as filled in so far.

    ``keys`` has what was changed of each game, ``details`` of each model, as chosen or typed.
    ``defender`` is None but for a challenger; ``until`` is the rule for the end of the adaptive
    schedule, "" for the usual one. ``further`` are more blocks of a game and ``rest`` more
    keys of the file, which a preset brings along and the form keeps as they are. ``origin`` is
    the name of that preset. Agents that are added to a save may be those of a ``file``, and have
    anchors in ``against``, none for all agents.
    """

    name: str = ""
    games: frozenset[str] = frozenset()
    agents: frozenset[str] = frozenset()
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
    file: str = ""
    against: frozenset[str] = frozenset()


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
    return sorted(games().values(), key=lambda game: family_place(game.texts.family))


# --- Changes

PARTS = {"game": "games", "agent": "agents", "key": "keys", "detail": "details"}
"""The parts of a draft by the first word of the path of a field."""


def changed(draft: Draft, path: FieldPath, value: object) -> Draft:
    """The draft with another value of a field."""
    match path:
        case ("game" | "agent" | "against" as kind, str(name)):
            part = PARTS.get(kind, kind)
            ticked: frozenset[str] = getattr(draft, part)
            one: dict[str, Any] = {part: ticked | {name} if value else ticked - {name}}
        case ("number", name):
            one = {"numbers": {**draft.numbers, str(name): str(value)}}
        case (str(name),):
            one = {name: value}
        case (kind, *place):
            part = PARTS[str(kind)]
            one = {part: with_value(getattr(draft, part), tuple(place), value)}
    return _settled(replace(draft, **one))


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


def _is_default(key: GameKey, value: object, of_the_variant: bool) -> bool:
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
    if SETTINGS in {key.name for key in keys_of(game)} - keys.keys():
        own = {key: value for key, value in keys.items() if key in game.variant.model_fields}
        variant = game.variant.model_validate(own)
        keys[SETTINGS] = len(game.settings_file.select_records(game.shipped(), variant))
    return keys


def with_preset_agents(offered: Mapping[str, OfferedAgent], name: str) -> dict[str, OfferedAgent]:
    """The agents of a preset, in its order, then all others that are offered."""
    agents = {}
    for block in preset_content(name)["agents"] if name else ():
        words = agent_words(block)
        agents[block["name"]] = OfferedAgent(block["name"], "scripted", words, block)
    others = {other: agent for other, agent in offered.items() if other not in agents}
    return {**agents, **others}


def usual_at_once(draft: Draft) -> int:
    """The matches at once where the form has no number.

    With a pace each has about one ask a second: more of them would seem to stand still.
    """
    pace: Any = number(draft.numbers.get("pace", ""))
    return min(USUAL_CONCURRENCY, max(1, ceil(pace))) if is_pace(pace) else USUAL_CONCURRENCY


def is_pace(value: object) -> bool:
    """True for a number that can be a pace."""
    return between(value, int | float, LEAST_PACE, 1e9)


def between(value: object, kind: Any, low: float, high: float) -> bool:
    """True for a number of a kind within bounds."""
    return isinstance(value, kind) and low <= value <= high


# --- Fields

THINKING = ("none", "scratchpad", "pgm_text", "pgm_matrix")
NAMES: dict[object, str] = {
    True: "on",
    False: "off",
    None: "–",
    "round_robin": "round robin",
    "in_turn": "in turn",
}


def option_name(option: object) -> str:
    """An option in words."""
    try:
        return NAMES[option]
    except (KeyError, TypeError):
        return one_line(str(option)).replace("_", " ")


def tick(path: FieldPath, label: str, ticked: object) -> Field:
    """A field that is ticked or not."""
    return Field(path, label, "tick", content=bool(ticked))


def choice(path: FieldPath, label: str, value: object, options: Sequence[object]) -> Field:
    """A field with one of several options."""
    pairs = tuple((option_name(option), option) for option in options)
    chosen = options.index(value) if value in options else None
    return Field(path, label, "choice", pairs, chosen)


def entry(
    path: FieldPath,
    label: str,
    value: object,
    hint: str = "",
    unset: str = "–",
    *,
    words: bool = False,
) -> Field:
    """A field in which a number is typed, or ``words``."""
    kind: Kind = "text" if words else "number"
    return Field(path, label, kind, content=str(value), hint=hint, unset=unset)


def game_fields(draft: Draft, chosen: str) -> list[Field]:
    """A tick for each game, then the keys of the chosen one."""
    ticks = [
        tick(("game", game.name), game.texts.title, game.name in draft.games)
        for game in listed_games()
    ]
    return [*ticks, *variant_fields(draft, chosen)]


def variant_fields(draft: Draft, name: str) -> list[Field]:
    """The keys of a game's block. A key that can have no value beside the others is left out."""
    game, changed = games().get(name), draft.keys.get(name, {})
    fields = []
    for key in keys_of(game) if game else ():
        assert game is not None
        value = changed.get(key.name, key.default)
        options = legal_options(game, key, given_keys(game, changed))
        path, label = ("key", name, key.name), label_of(key.name)
        if options:
            fields.append(choice(path, label, value, options))
        elif not key.options:
            fields.append(entry(path, label, shown_number(value), key.bounds))
    return fields


def label_of(key: str) -> str:
    """The name of a key in words."""
    return {"limit": "settings", "lineup": "line-up"}.get(key, key.replace("_", " "))


def shown_number(value: object) -> str:
    """A number as one types it."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def agent_fields(draft: Draft, offered: Mapping[str, OfferedAgent], chosen: str) -> list[Field]:
    """A tick for each agent, then the details of the chosen one if it is a model."""
    ticks = [tick(("agent", name), name, name in draft.agents) for name in offered]
    agent = offered.get(chosen)
    if agent is None or agent.block.get("kind") != "llm" or not agent.name:
        return ticks
    values = {**_own_details(agent), **draft.details.get(chosen, {})}
    path: FieldPath = ("detail", chosen)
    return [
        *ticks,
        choice((*path, "deliberation"), "thinks first", values["deliberation"], THINKING),
        entry((*path, "temperature"), "temperature", values["temperature"], "0 to 2"),
        entry((*path, "memory"), "memory", values["memory"], "rounds"),
        entry((*path, "budget"), "budget", values["budget"], "dollars"),
    ]


def _own_details(agent: OfferedAgent) -> dict[str, object]:
    """The details as the block has them, in the form in which they are typed."""
    block = agent.block
    memory, parameters = block.get("memory"), block.get("parameters")
    rounds = memory.get("last", "") if isinstance(memory, dict) else ""
    heat = parameters.get("temperature", "") if isinstance(parameters, dict) else ""
    return {
        "deliberation": block.get("deliberation", "none"),
        "temperature": shown_number(heat),
        "memory": str(rounds),
        "budget": shown_number(block.get("budget", "")),
    }


def schedule_fields(draft: Draft, offered: Mapping[str, OfferedAgent]) -> list[Field]:
    """Name, schedule, and the numbers of a run."""
    schedules = ("round_robin", "challenger", "adaptive")
    fields = [
        entry(("name",), "name", draft.name, ".toml", words=True),
        choice(("schedule",), "schedule", draft.schedule, schedules),
    ]
    if draft.schedule == "challenger":
        ticked = tuple(name for name in offered if name in draft.agents)
        fields.append(choice(("defender",), "defender", draft.defender, ticked))
    numbers = list(NUMBERS)
    if draft.schedule == "adaptive":
        numbers[0] = MATCHES
        fields.append(entry(("until",), "until", draft.until, "or rank 1", "rank", words=True))
    hints = {
        "repetitions": "of the schedule",
        MATCHES: "at most",
        "seed": "decides each draw",
        "budget": "for all models, $",
        "at once": "matches, by pace" if draft.numbers.get("pace") else "matches",
        "pace": "asks a second",
    }
    unset = {"at once": str(usual_at_once(draft)), "pace": "no limit"}
    for name in numbers:
        value = draft.numbers.get(name, MOST_MATCHES if name == MATCHES else "")
        fields.append(entry(("number", name), name, value, hints[name], unset.get(name, "–")))
    return [*fields, tick(("cache",), "cache answers of models", draft.cache)]


def adding_fields(draft: Draft, offered: Mapping[str, OfferedAgent], chosen: str) -> list[Field]:
    """The file, then a tick for each agent on offer and the details of the chosen one."""
    file = entry(("file",), "file", draft.file, unset="path of a TOML", words=True)
    return [file, *agent_fields(draft, offered, chosen)]


def against_fields(draft: Draft, names: tuple[str, ...]) -> list[Field]:
    """A tick for each agent of the save."""
    return [tick(("against", name), name, name in draft.against) for name in names]


def addition_of(
    draft: Draft, offered: Mapping[str, OfferedAgent], names: tuple[str, ...]
) -> Addition:
    """The addition that a form asks for. Raises BadInput for none, or for an unreadable file."""
    ticked = [agent for name, agent in offered.items() if name in draft.agents]
    file = draft.file.strip()
    if file and ticked:
        problem = "a file is named, and agents are ticked"
        raise BadInput("agents", problem, "clear the file, or untick them")
    if file:
        addition = addition_of_file(Path(file).expanduser())
    elif ticked:
        blocks = [agent_block(draft, agent) for agent in ticked]
        addition = Addition(agents={"agents": blocks}, folder=str(Path.cwd()))
    else:
        raise BadInput("agents", "none is ticked", "tick one with space, or name a file")
    against = [name for name in names if name in draft.against]
    return addition.model_copy(update={"against": against or None})
