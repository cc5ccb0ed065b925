"""The tournament file: read, checked to the last key, and resolved into what will be played."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from parlour.agents.human import HumanConfig
from parlour.agents.llm.config import LLMConfig
from parlour.agents.registry import AGENT_KINDS, AgentConfig, refuse_unable
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.games.engine.game import BUILT_IN, Frozen, Game
from parlour.games.engine.registry import find_game
from parlour.tournament.plan import validation as checking
from parlour.tournament.plan.blocks import matches_in_blocks
from parlour.tournament.plan.lineups import lineup_of, lineups
from parlour.tournament.plan.schema import File, GameBlock, Head, Limit, Stored
from parlour.tournament.plan.toml_source import read_toml, with_line
from parlour.tournament.plan.validation import checked

PRESETS = Path(__file__).parent / "presets"
MOST_MATCHES = 1_000_000
"""Matches of one tournament: each is planned and stored before the first is played."""


@dataclass(frozen=True, slots=True)
class GameEntry:
    """One game of a tournament: a variant, the settings it is played on, a fixed line-up.

    ``matches`` is the length of an experiment, in a game that is scheduled in blocks.
    """

    game: Game
    variant: Frozen
    records: tuple[Frozen, ...]
    lineup: tuple[str, ...] | None = None
    matches: int | None = None

    @property
    def condition(self) -> str:
        """The variant keys that differ from the game's defaults."""
        return self.game.condition(self.variant)

    def settings(self) -> tuple[Frozen, ...]:
        """The settings that matches are played with, record by record."""
        places = range(len(self.records) * len(self.game.spread))
        return tuple(self.setting(number) for number in places)

    def setting(self, number: int) -> Frozen:
        """One of them."""
        record, place = divmod(number, len(self.game.spread))
        return self.game.make_setting(self.records[record], self.variant, place)


@dataclass(frozen=True, slots=True)
class Tournament:
    """All that decides what is played, with every file read and every default filled in.

    ``limits`` and budgets only say how: they are no part of ``to_json``, and a save keeps them
    elsewhere. ``budget`` is in dollars, for all agents together.
    """

    name: str
    seed: int
    schedule: Literal["round_robin", "challenger"]
    defender: str | None
    repetitions: int
    games: tuple[GameEntry, ...]
    agents: tuple[AgentConfig, ...]
    limits: tuple[Limit, ...] = ()
    budget: float | None = None

    @property
    def models(self) -> dict[str, LLMConfig]:
        """The language models by name."""
        return {agent.name: agent for agent in self.agents if isinstance(agent, LLMConfig)}

    @property
    def people(self) -> dict[str, HumanConfig]:
        """The agents that people play, by name."""
        return {agent.name: agent for agent in self.agents if isinstance(agent, HumanConfig)}

    @property
    def agent_budgets(self) -> dict[str, float]:
        """The dollars that an agent may spend, of those for which it is set."""
        return {m.name: m.budget for m in self.models.values() if m.budget is not None}

    @property
    def matches(self) -> int:
        """How many matches the schedule has, without making them."""
        others = len(self.agents) - 1
        pairs = others if self.schedule == "challenger" else (others + 1) * others // 2

        def of(entry: GameEntry) -> int:
            if entry.game.pairing == "blocks" and not entry.lineup:
                return matches_in_blocks(self, entry)
            settings, defended = entry.settings(), self.defender is not None
            of_a_pair = entry.game.matches_of_a_pair
            return sum(1 if entry.lineup else pairs * of_a_pair(s, defended) for s in settings)

        return self.repetitions * sum(map(of, self.games))

    def to_json(self) -> str:
        """The canonical text by which a save keeps and compares its tournament."""
        return json.dumps(
            {
                "name": self.name,
                "seed": self.seed,
                "schedule": self.schedule,
                "defender": self.defender,
                "repetitions": self.repetitions,
                "games": [
                    {
                        "name": entry.game.name,
                        "variant": entry.variant.model_dump(mode="json"),
                        "records": [record.model_dump(mode="json") for record in entry.records],
                        "lineup": entry.lineup,
                        **({} if entry.matches is None else {"matches": entry.matches}),
                    }
                    for entry in self.games
                ],
                "agents": [agent.model_dump(mode="json") for agent in self.agents],
            },
            sort_keys=True,
        )

    @classmethod
    def from_json(cls, text: str, place: str) -> "Tournament":
        """Reads back ``to_json``.

        BadInput if a game or agent kind is not installed here, or if it is not a tournament.
        """
        stored: Stored = checked(Stored, json.loads(text), place)
        agents = _agents(stored.agents, Path(), place)
        names = [agent.name for agent in agents]
        games = []
        for number, block in enumerate(stored.games):
            where = f"{place}: games[{number}]"
            game = find_game(block.name, f"{where}.name")
            records = [checked(game.record, record, where) for record in block.records]
            variant = checked(game.variant, block.variant, where)
            entry = GameEntry(game, variant, tuple(records), matches=block.matches)
            games.append(replace(entry, lineup=lineup_of(block.lineup, entry, names, where)))
        return _assembled(stored, tuple(games), agents, place)


def preset_names() -> list[str]:
    """The presets that ship, by name."""
    return sorted(path.stem for path in PRESETS.glob("*.toml"))


def read_preset(name: str, seed: int | None = None) -> Tournament:
    """A preset as a tournament of its own."""
    return _resolve(_preset(name, "--preset"), PRESETS, f"preset {name}", seed)


def read_tournament(path: Path, seed: int | None = None) -> Tournament:
    """A tournament file, checked and resolved; ``seed`` goes before the file's own.

    Raises BadInput naming the file, the field, the value and the fix.
    """
    text, raw = read_toml(path, preset_names())
    try:
        return tournament_of(raw, path.parent, str(path), seed)
    except BadInput as refusal:
        raise with_line(refusal, str(path), text) from None


def tournament_of(
    raw: Mapping[str, Any], folder: Path, place: str, seed: int | None = None
) -> Tournament:
    """A tournament from data of a file's form, with paths relative to ``folder``; or BadInput."""
    own = dict(raw)
    if "preset" in own:
        own = {**_preset(own.pop("preset"), f"{place}: preset"), **own}
    return _resolve(own, folder, place, seed)


def _preset(name: object, place: str) -> dict[str, Any]:
    if name not in preset_names():
        raise BadInput(place, f"unknown preset {name!r}", suggestion(str(name), preset_names()))
    return tomllib.loads((PRESETS / f"{name}.toml").read_text(encoding="utf-8"))


def _resolve(raw: Mapping[str, Any], folder: Path, place: str, seed: int | None) -> Tournament:
    if seed is not None:
        raw = {**raw, "seed": seed}
    checking.refuse_of_a_block(raw, place)
    file: File = checked(File, raw, place, "preset")
    agents = _agents([_with_parameters(block, file) for block in file.agents], folder, place)
    names = [agent.name for agent in agents]
    entries = tuple(
        entry
        for number, block in enumerate(file.games)
        for entry in _entries(block, folder, f"{place}: games[{number}]", names)
    )
    limits = checking.checked_limits(file.limits, agents, f"{place}: limits")
    tournament = _assembled(file, entries, agents, place)
    tournament = replace(tournament, limits=limits, budget=file.budget)
    _refuse_unable(tournament, place)
    if tournament.matches > MOST_MATCHES:
        problem = f"{tournament.repetitions} make {tournament.matches} matches"
        fix = f"a tournament has at most {MOST_MATCHES}: fewer repetitions, agents or settings"
        raise BadInput(f"{place}: repetitions", problem, fix)
    return tournament


def _assembled(
    head: Head, games: tuple[GameEntry, ...], agents: tuple[AgentConfig, ...], place: str
) -> Tournament:
    """The tournament, if everybody in it has somebody to play with. BadInput otherwise."""
    checking.refuse_strange(head.name, f"{place}: name")
    tournament = Tournament(
        head.name, head.seed, head.schedule, head.defender, head.repetitions, games, agents
    )
    _refuse_without_opponents(tournament, place)
    return tournament


def _with_parameters(block: dict[str, Any], file: File) -> dict[str, Any]:
    """A model's block with the file's parameters and cache, where it has none of its own."""
    if block.get("kind") != "llm":
        return block
    own, own_for_ask = block.get("parameters", {}), block.get("for_ask", {})
    if not (isinstance(own, dict) and isinstance(own_for_ask, dict)):
        return block  # refused where the block is read
    return {
        "cache": file.cache,
        **block,
        "parameters": {**file.parameters, **own},
        "for_ask": {**file.for_ask, **own_for_ask},
    }


def _agents(blocks: list[dict[str, Any]], folder: Path, place: str) -> tuple[AgentConfig, ...]:
    agents = tuple(
        _agent(block, folder, f"{place}: agents[{number}]") for number, block in enumerate(blocks)
    )
    names = [agent.name for agent in agents]
    for number, name in enumerate(names):
        if name in names[:number]:
            fix = "give each agent a name of its own"
            raise BadInput(f"{place}: agents[{number}].name", f"{name!r} is taken", fix)
    return agents


def _agent(block: dict[str, Any], folder: Path, place: str) -> AgentConfig:
    checking.refuse_misplaced(block, place)
    kind = block.get("kind", "scripted")
    if kind not in AGENT_KINDS:
        fix = suggestion(str(kind), AGENT_KINDS)
        raise BadInput(f"{place}.kind", f"unknown kind {kind!r}", fix)
    agent: AgentConfig = checked(AGENT_KINDS[kind], block, place)
    checking.refuse_strange(agent.name, f"{place}.name")
    checking.refuse_unasked(agent, place)
    if agent.name == BUILT_IN:
        raise BadInput(f"{place}.name", f"{agent.name!r} is what seats of the rules are called")
    paths = {
        key: str((folder / value).resolve())
        for key in ("clue_bank", "prompts", "function")
        if (value := getattr(agent, key, None))
    }
    return agent.model_copy(update=paths)


def _entries(block: GameBlock, folder: Path, place: str, names: list[str]) -> Iterator[GameEntry]:
    """The game of a block; once for each agent, where each has a line-up of its own."""
    checking.refuse_misplaced(block.model_extra or {}, place)
    game = find_game(block.name, f"{place}.name")
    variant = checked(game.variant, block.model_extra or {}, place, *GameBlock.model_fields)
    if block.settings is not None and not (folder / block.settings).is_file():
        fix = "paths are relative to the tournament file"
        raise BadInput(f"{place}.settings", f"there is no file {folder / block.settings}", fix)
    records = game.records(folder / block.settings) if block.settings else game.shipped()
    records = game.chosen(records, variant)
    if not records:
        fix = "give a settings file that has some"
        raise BadInput(f"{place}.settings", "has no record that this variant plays", fix)
    if block.matches is not None and game.pairing != "blocks":
        fix = "leave it out; repetitions repeats the whole schedule"
        raise BadInput(f"{place}.matches", f"is no key of {game.name!r}", fix)
    if block.limit is not None:
        if block.limit > len(records):
            problem = f"{block.limit} is more than {game.name} has"
            raise BadInput(f"{place}.limit", problem, f"at most {len(records)}")
        records = records[: block.limit]
    entry = GameEntry(game, variant, records, matches=block.matches)
    for lineup in lineups(block.lineup, entry, names, place):
        yield replace(entry, lineup=lineup)


def _refuse_without_opponents(tournament: Tournament, place: str) -> None:
    """BadInput for a schedule that leaves an agent with nobody to meet."""
    names = [agent.name for agent in tournament.agents]
    if tournament.schedule == "challenger":
        if tournament.defender is None:
            fix = "name one of the agents: defender = " + repr(names[-1])
            raise BadInput(f"{place}: defender", "is missing for the challenger schedule", fix)
        if tournament.defender not in names:
            fix = suggestion(tournament.defender, names)
            raise BadInput(f"{place}: defender", f"unknown agent {tournament.defender!r}", fix)
    elif tournament.defender is not None:
        fix = 'set schedule = "challenger", or leave the defender out'
        raise BadInput(
            f"{place}: defender", f"{tournament.defender!r} has no part in a round robin", fix
        )
    if len(names) < 2 and any(entry.lineup is None for entry in tournament.games):
        fix = "add a second agent, or give each game a lineup"
        raise BadInput(f"{place}: agents", f"{names[0]!r} has no opponent", fix)


def _refuse_unable(tournament: Tournament, place: str) -> None:
    """BadInput for an agent that cannot play what it must."""
    for number, agent in enumerate(tournament.agents):
        for entry in tournament.games:
            if entry.lineup is None or agent.name in entry.lineup:
                refuse_unable(agent, entry.game, entry.settings(), f"{place}: agents[{number}]")
