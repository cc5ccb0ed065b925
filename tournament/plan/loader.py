"""Reads and validates tournament files, presets and stored tournaments."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from parlour.agents.human import HumanConfig
from parlour.agents.registry import AGENT_KINDS, AgentConfig, refuse_unable
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.registry import find_game
from parlour.tournament.plan import validation
from parlour.tournament.plan.expansion import (
    PRESETS,
    Expanded,
    expanded,
    expanded_content,
    expanded_preset,
)
from parlour.tournament.plan.model import (
    OTHER_RELEASE,
    GameEntry,
    Source,
    Tournament,
    other_version,
)
from parlour.tournament.plan.schedule import match_count, refuse_unpaired
from parlour.tournament.plan.schema import (
    File,
    GameBlock,
    Head,
    ModelDefaults,
    StoredGame,
    StoredTournament,
)
from parlour.tournament.plan.validation import checked


def lineups(
    lineup: list[str] | str | None, entry: GameEntry, names: list[str], place: str
) -> Iterator[tuple[str, ...] | None]:
    """Yields the line-ups of a ``[[games]]`` block; None means that the schedule seats the agents.

    "alone": each agent in all seats. "in_turn": each agent in the first seat once, followed by
    the others in their order.
    """
    if lineup is None or isinstance(lineup, list):
        yield checked_lineup(lineup, entry, names, place)
        return
    for first in range(len(names)):
        order = names[first:] + names[:first] if lineup == "in_turn" else [names[first]]
        yield tuple(order[seat % len(order)] for seat in range(entry.agent_seats))


def checked_lineup(
    lineup: list[str] | None, entry: GameEntry, names: list[str], place: str
) -> tuple[str, ...] | None:
    """Returns the agent of each seat. BadInput if the line-up does not fit the game or agents."""
    if lineup is None:
        return None
    seats = entry.agent_seats
    if len(lineup) != seats:
        fix = f"{entry.game.name} has {seats} seats for agents: name one for each"
        raise BadInput(f"{place}.lineup", f"names {len(lineup)} agents", fix)
    for name in lineup:
        if name not in names:
            raise BadInput(f"{place}.lineup", f"unknown agent {name!r}", suggestion(name, names))
    return tuple(lineup)


Blocks = Sequence[Mapping[str, Any]]
"""Blocks of agents or games."""
MAX_MATCHES = 1_000_000
"""Matches of one tournament: all are planned and stored before the first is played."""


def preset_content(name: str) -> dict[str, Any]:
    """The content of a preset's file as plain data."""
    return expanded_preset(name, "--preset").content


def read_preset(
    name: str, seed: int | None = None, more: Blocks = (), settings: Sequence[str] = ()
) -> Tournament:
    """Returns the tournament of a preset, with ``more`` agents; ``seed`` overrides its own.

    ``settings`` are those of the command line, each ``key=value``.
    """
    content = expanded_preset(name, "--preset", settings).content
    return _resolve(content, PRESETS, f"preset {name}", seed, more)


def read_tournament(
    path: Path, seed: int | None = None, more: Blocks = (), settings: Sequence[str] = ()
) -> Tournament:
    """Returns the tournament of a file, with ``more`` agents; ``seed`` overrides its own.

    ``settings`` are those of the command line, each ``key=value``.
    Raises BadInput naming the file, the line, the field, the value and the fix.
    """
    return tournament_of_file(expanded(path, settings), seed, more)


def tournament_of_file(file: Expanded, seed: int | None = None, more: Blocks = ()) -> Tournament:
    """Returns the tournament of a file that was read."""
    path = file.path
    try:
        tournament = _resolve(file.content, path.parent, str(path), seed, more)
    except BadInput as refusal:
        raise file.refused(refusal) from None
    return replace(
        tournament, source=source_of(path, path.parent, file.content["games"], file.files)
    )


def source_of(path: Path, folder: Path, games: Blocks, included: Iterable[Path]) -> Source:
    """The source of a file with these game blocks, whose paths are relative to ``folder``."""
    named = [block["settings"] for block in games if block.get("settings")]
    settings = tuple((folder / name).resolve() for name in named)
    return Source(path, folder.resolve(), settings, tuple(included))


def tournament_of(
    raw: Mapping[str, Any], folder: Path, place: str, seed: int | None = None
) -> Tournament:
    """Returns the tournament of plain data in a file's form; paths are relative to ``folder``.

    Raises BadInput naming ``place``, the field, the value and the fix.
    """
    return _resolve(expanded_content(raw, place).content, folder, place, seed)


def stored_tournament(text: str, place: str) -> Tournament:
    """Returns the tournament that ``Tournament.to_json`` wrote.

    BadInput if a game or agent kind is not installed here, or if the text is not a tournament.
    """
    stored: StoredTournament = checked(StoredTournament, json.loads(text), place)
    agents = agents_of(stored.agents, Path(), place)
    names = [agent.name for agent in agents]
    entries = []
    for number, block in enumerate(stored.games):
        where = f"{place}: games[{number}]"
        entry = _stored_entry(block, where)
        lineup = checked_lineup(block.lineup, entry, names, where)
        entries.append(replace(entry, lineup=lineup))
    tournament = _assembled(stored, tuple(entries), agents, place)
    return replace(tournament, fork=stored.fork, source=Source(Path(place)))


def _stored_entry(block: StoredGame, place: str) -> GameEntry:
    """Returns a stored game without its line-up. BadInput if this program cannot read it."""
    game = find_game(block.name, f"{place}.name")
    try:
        records = [checked(game.record, record, place) for record in block.records]
        variant = checked(game.variant, block.variant, place)
    except BadInput:
        if problem := other_version(game, block.version):
            raise BadInput(place, problem, OTHER_RELEASE) from None
        raise
    entry = GameEntry(game, variant, tuple(records), None, block.matches, block.version)
    if block.only is None:
        return entry
    setting, seed = block.only
    if not (0 <= setting < entry.setting_count and 0 <= seed < 2**63):
        raise BadInput(f"{place}.only", f"is {block.only}", "make the save again")
    return replace(entry, only=(setting, seed))


def _resolve(
    raw: Mapping[str, Any], folder: Path, place: str, seed: int | None, more: Blocks = ()
) -> Tournament:
    """Returns the tournament of a file's content; paths in it are relative to ``folder``."""
    if seed is not None:
        raw = {**raw, "seed": seed}
    if more and isinstance(raw.get("agents"), list):
        raw = {**raw, "agents": [*raw["agents"], *more]}
    validation.refuse_key_of_a_block(raw, place)
    file: File = checked(File, raw, place, "preset", "include", "defaults")
    agents = agents_of([with_parameters(block, file) for block in file.agents], folder, place)
    entries: list[GameEntry] = []
    for number, block in enumerate(file.games):
        entries += entries_of(block, folder, f"{place}: games[{number}]", agents)
    limits = validation.checked_limits(file.limits, agents, f"{place}: limits")
    tournament = _assembled(file, tuple(entries), agents, place)
    tournament = replace(tournament, limits=limits, budget=file.budget)
    _refuse_unable(tournament, place)
    if (matches := match_count(tournament)) > MAX_MATCHES:
        problem = f"{tournament.repetitions} make {matches} matches"
        fix = f"a tournament has at most {MAX_MATCHES}: fewer repetitions, agents or settings"
        raise BadInput(f"{place}: repetitions", problem, fix)
    return tournament


def _assembled(
    head: Head, games: tuple[GameEntry, ...], agents: tuple[AgentConfig, ...], place: str
) -> Tournament:
    """Returns the tournament. BadInput if an agent in it has no opponent."""
    validation.refuse_odd_name(head.name, f"{place}: name")
    tournament = Tournament(
        head.name, head.seed, head.schedule, head.defender, head.repetitions, games, agents
    )
    tournament = replace(tournament, seeding=head.seeding, most_matches=head.matches)
    refuse_without_opponents(tournament, place)
    refuse_unpaired(tournament, place)
    return tournament


def with_parameters(block: dict[str, Any], file: ModelDefaults) -> dict[str, Any]:
    """Returns a model's block with the file's parameters and cache where it sets none itself."""
    if block.get("kind") != "llm":
        return block
    parameters, for_ask = block.get("parameters", {}), block.get("for_ask", {})
    if not (isinstance(parameters, dict) and isinstance(for_ask, dict)):
        return block  # refused where the block is read
    return {
        "cache": file.cache,
        **block,
        "parameters": {**file.parameters, **parameters},
        "for_ask": {**file.for_ask, **for_ask},
    }


def agents_of(blocks: list[dict[str, Any]], folder: Path, place: str) -> tuple[AgentConfig, ...]:
    agents = tuple(
        _agent(block, folder, f"{place}: agents[{number}]") for number, block in enumerate(blocks)
    )
    names = [agent.name for agent in agents]
    by_looks: dict[str, str] = {}
    for number, name in enumerate(names):
        where = f"{place}: agents[{number}].name"
        if name in names[:number]:
            raise BadInput(where, f"{name!r} is taken", "give each agent its own name")
        validation.refuse_alike(name, where, by_looks)
    return agents


def _agent(block: dict[str, Any], folder: Path, place: str) -> AgentConfig:
    validation.refuse_misplaced(block, place)
    kind = block.get("kind", "scripted")
    if not isinstance(kind, str) or kind not in AGENT_KINDS:
        fix = suggestion(str(kind), AGENT_KINDS)
        raise BadInput(f"{place}.kind", f"unknown kind {kind!r}", fix)
    agent: AgentConfig = checked(AGENT_KINDS[kind], block, place)
    validation.refuse_odd_name(agent.name, f"{place}.name")
    validation.refuse_unknown_asks(agent, place)
    if agent.name == BUILT_IN:
        problem = f"{agent.name!r} is reserved for seats that the rules play"
        raise BadInput(f"{place}.name", problem, "choose another name")
    paths = {
        key: str((folder / value).resolve())
        for key in ("clue_bank", "prompts", "function")
        if (value := getattr(agent, key, None))
    }
    return agent.model_copy(update=paths)


def entries_of(
    block: GameBlock, folder: Path, place: str, agents: Sequence[AgentConfig]
) -> Iterator[GameEntry]:
    """Yields the game of a block, once per line-up; without probes where a person plays.

    A block that says how to probe keeps its word.
    """
    validation.refuse_misplaced(block.model_extra or {}, place)
    game = find_game(block.name, f"{place}.name")
    variant = checked(game.variant, block.model_extra or {}, place, *GameBlock.model_fields)
    if block.settings is not None and not (folder / block.settings).is_file():
        fix = "paths are relative to the tournament file"
        raise BadInput(f"{place}.settings", f"there is no file {folder / block.settings}", fix)
    records = game.records(folder / block.settings) if block.settings else game.shipped()
    records = game.settings_file.select_records(records, variant)
    if not records:
        fix = "give a settings file that has some"
        raise BadInput(f"{place}.settings", "has no record for this variant", fix)
    if block.matches is not None and game.seating.pairing != "blocks":
        fix = "leave it out; repetitions repeats the whole schedule"
        raise BadInput(f"{place}.matches", f"is not a key of {game.name!r}", fix)
    if block.limit is not None:
        if block.limit > len(records):
            problem = f"{block.limit} is more than {game.name} has"
            raise BadInput(f"{place}.limit", problem, f"at most {len(records)}")
        records = records[: block.limit]
    entry = GameEntry(game, variant, records, None, block.matches, game.version)
    names = [agent.name for agent in agents]
    people = {agent.name for agent in agents if isinstance(agent, HumanConfig)}
    for lineup in lineups(block.lineup, entry, names, place):
        unprobed = variant
        if people.intersection(names if lineup is None else lineup):
            keys = {"probes": "off", **(block.model_extra or {})}
            with suppress(ValidationError):  # a game without that key
                unprobed = game.variant.model_validate(keys)
        yield replace(entry, lineup=lineup, variant=unprobed)


def refuse_without_opponents(tournament: Tournament, place: str) -> None:
    """BadInput if the schedule leaves an agent without an opponent, or has no defender."""
    names = [agent.name for agent in tournament.agents]
    if tournament.schedule == "challenger":
        if tournament.defender is None:
            fix = f"name one of the agents: defender = {names[-1]!r}"
            raise BadInput(f"{place}: defender", "is missing for the challenger schedule", fix)
        if tournament.defender not in names:
            fix = suggestion(tournament.defender, names)
            raise BadInput(f"{place}: defender", f"unknown agent {tournament.defender!r}", fix)
    elif tournament.defender is not None:
        problem = f"{tournament.defender!r} is not used in a round robin"
        fix = 'set schedule = "challenger", or leave the defender out'
        raise BadInput(f"{place}: defender", problem, fix)
    for entry in tournament.games:
        meet = 0 if entry.lineup is not None else entry.game.agents(entry.setting(0))
        if len(names) < meet:
            problem = f"{names[0]!r} has no opponent"
            if meet > 2:
                problem = f"a match of {entry.game.name} takes {meet}, one for each side"
            fix = "add a second agent" if meet == 2 else "add an agent"
            raise BadInput(f"{place}: agents", problem, f"{fix}, or give each game a lineup")


def _refuse_unable(tournament: Tournament, place: str) -> None:
    """BadInput for an agent that cannot play a game it is scheduled for."""
    settings = [entry.settings() for entry in tournament.games]
    for number, agent in enumerate(tournament.agents):
        for entry, of_entry in zip(tournament.games, settings, strict=True):
            if entry.lineup is None or agent.name in entry.lineup:
                refuse_unable(agent, entry.game, of_entry, f"{place}: agents[{number}]")
