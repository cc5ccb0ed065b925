"""A resolved tournament: what is played, by which agents, on which settings."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parlour.agents.base import CallingBlock
from parlour.agents.human import HumanConfig
from parlour.agents.llm.config import LLMConfig
from parlour.agents.registry import AgentConfig
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.record import Covariates
from parlour.tournament.plan.schema import Fork, Limit, Schedule, Seeding

OTHER_RELEASE = "use the release of Parlour that made it"
"""The fix for a save with a version of a game that cannot be played here."""


def other_version(game: Game, version: int) -> str:
    """Both versions in words where that of a save cannot be played here, else ""."""
    if version == game.version:
        return ""
    return f"{game.name} has version {version} there and {game.version} here"


@dataclass(frozen=True, slots=True)
class GameEntry:
    """One game of a tournament: its variant, its settings, and a fixed line-up if it has one.

    ``matches`` is the number of matches per experiment in a game that is scheduled in blocks.
    ``version`` is the version of the game by which a save was begun, None for the installed one.
    ``only`` are the setting's number and the seed of its one match, which was played by hand.
    """

    game: Game
    variant: Frozen
    records: tuple[Frozen, ...]
    lineup: tuple[str, ...] | None = None
    matches: int | None = None
    version: int | None = None
    only: tuple[int, int] | None = None
    _made: dict[int, Frozen] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def condition(self) -> str:
        """The variant keys that differ from the game's defaults."""
        return self.game.condition(self.variant)

    @property
    def title(self) -> str:
        """The game with its condition, as the names of its experiments begin."""
        return self.game.name + (f" ({self.condition})" if self.condition else "")

    @property
    def played_version(self) -> int:
        """The version of the game that is played."""
        return self.version or self.game.version

    @property
    def setting_count(self) -> int:
        """Number of settings that matches are played on."""
        return len(self.records) * self.settings_of_a_record

    @property
    def settings_of_a_record(self) -> int:
        """Number of settings that each record makes."""
        return len(self.game.settings_file.expand_settings(self.variant))

    @property
    def played_settings(self) -> range:
        """The numbers of the settings that matches are played on."""
        numbers = range(self.setting_count)
        return numbers if self.only is None else numbers[self.only[0] :][:1]

    def settings(self) -> tuple[Frozen, ...]:
        """All settings that matches are played on, record by record."""
        return tuple(self.setting(number) for number in range(self.setting_count))

    def setting(self, number: int) -> Frozen:
        """The setting with this number, from 0. It is made once for all matches on it."""
        made = self._made
        if number not in made:
            made[number] = self.game.make_setting(self.record(number), self.variant, number)
        return made[number]

    def record(self, number: int) -> Frozen:
        """The record that the setting with this number is made from."""
        return self.records[number // self.settings_of_a_record]

    def covariates(self, number: int) -> Covariates:
        """The covariates of matches on the setting with this number."""
        return self.game.counting.covariates(self.record(number), self.setting(number))

    @property
    def agent_seats(self) -> int:
        """The number of seats that agents fill; the rules play the others."""
        setting = self.setting(0)
        return self.game.seats(setting) - self.game.seating.built_in(setting)

    def stored(self) -> dict[str, Any]:
        """Its part of the tournament as stored in a save."""
        return {
            "name": self.game.name,
            "variant": self.variant.model_dump(mode="json"),
            "records": [record.model_dump(mode="json") for record in self.records],
            "lineup": self.lineup,
            # Left out where unset, as in most tournaments.
            **({} if self.matches is None else {"matches": self.matches}),
            **({} if self.played_version == 1 else {"version": self.played_version}),
            **({} if self.only is None else {"only": self.only}),
        }

    def content(self) -> str:
        """The text by which blocks are compared."""
        return json.dumps(self.stored(), sort_keys=True)


def stored_agent(agent: AgentConfig) -> dict[str, Any]:
    """An agent as stored in a save."""
    stored: dict[str, Any] = agent.model_dump(mode="json")
    for key in ("meta", "tremble"):
        if not stored.get(key, True):
            del stored[key]  # left out where unset, as in most agents
    for key, usual in (("wording", "full"), ("worst_case", None)):
        if stored.get(key, "") == usual:
            del stored[key]
    return stored


@dataclass(frozen=True, slots=True)
class Source:
    """The file or the save that a tournament was read from.

    ``folder`` is the folder of a file, whose own files it may read; a save has none. ``settings``
    are the settings files that a tournament file names, ``included`` the tournament files.
    """

    path: Path
    folder: Path | None = None
    settings: tuple[Path, ...] = ()
    included: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Tournament:
    """A tournament with every file read and every default filled in.

    ``limits`` and budgets say how it is played, not what. They are not in ``to_json``; a save
    stores them separately. ``budget`` is in US dollars, for all agents together. ``seeding``:
    "independent" gives each match a seed of its own, "common" the matches of all agents and
    conditions on a setting the same one. ``fork`` is the origin of a forked match, which no
    leaderboard counts. ``most_matches`` bounds an adaptive schedule. ``source`` is None for a
    preset, and for what the user's own program or screen has put together.
    """

    name: str
    seed: int
    schedule: Schedule
    defender: str | None
    repetitions: int
    games: tuple[GameEntry, ...]
    agents: tuple[AgentConfig, ...]
    limits: tuple[Limit, ...] = ()
    budget: float | None = None
    seeding: Seeding = "independent"
    fork: Fork | None = None
    most_matches: int | None = None
    source: Source | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        games = ", ".join(dict.fromkeys(entry.game.name for entry in self.games))
        agents = ", ".join(agent.name for agent in self.agents)
        return f"<Tournament {self.name!r}: {games}; {agents}; {self.schedule}>"

    @property
    def models(self) -> dict[str, LLMConfig]:
        """The language models by name."""
        return {agent.name: agent for agent in self.agents if isinstance(agent, LLMConfig)}

    @property
    def callers(self) -> dict[str, CallingBlock]:
        """The agents whose answers are calls, by name: models, and code that may take its time."""
        called = [agent for agent in self.agents if isinstance(agent, CallingBlock)]
        return {agent.name: agent for agent in called if not getattr(agent, "pure", False)}

    @property
    def paid(self) -> dict[str, CallingBlock]:
        """The agents that may cost money, by name: models, and code with a ``worst_case``."""
        models, callers = self.models, self.callers
        return {name: its for name, its in callers.items() if name in models or its.worst_case}

    @property
    def people(self) -> dict[str, HumanConfig]:
        """The agents that people play, by name."""
        return {agent.name: agent for agent in self.agents if isinstance(agent, HumanConfig)}

    @property
    def agent_budgets(self) -> dict[str, float]:
        """The budgets of single agents in US dollars, for the agents that have one."""
        return {m.name: m.budget for m in self.callers.values() if m.budget is not None}

    def other_versions(self) -> str:
        """The games whose version cannot be played here, each with both versions; "" for none."""
        versions = [other_version(entry.game, entry.played_version) for entry in self.games]
        return ", ".join(dict.fromkeys(filter(None, versions)))

    def to_json(self) -> str:
        """Returns the canonical text by which a save stores and compares its tournament."""
        return json.dumps(
            {
                "name": self.name,
                "seed": self.seed,
                "schedule": self.schedule,
                "defender": self.defender,
                "repetitions": self.repetitions,
                "games": [entry.stored() for entry in self.games],
                "agents": list(map(stored_agent, self.agents)),
                "seeding": self.seeding,
                **({} if self.most_matches is None else {"matches": self.most_matches}),
                **({} if self.fork is None else {"fork": self.fork.model_dump(mode="json")}),
            },
            sort_keys=True,
        )
