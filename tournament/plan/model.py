"""A resolved tournament: what is played, by which agents, on which settings."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from parlour.agents.human import HumanConfig
from parlour.agents.llm.config import LLMConfig
from parlour.agents.registry import AgentConfig
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.transcript import counted
from parlour.tournament.plan.schema import Limit


@dataclass(frozen=True, slots=True)
class GameEntry:
    """One game of a tournament: its variant, its settings, and a fixed line-up if it has one.

    ``matches`` is the number of matches per experiment in a game that is scheduled in blocks.
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
        """All settings that matches are played on, record by record."""
        numbers = range(len(self.records) * len(self.game.settings_file.expand_settings))
        return tuple(self.setting(number) for number in numbers)

    def setting(self, number: int) -> Frozen:
        """The setting with this number, from 0."""
        record, part = divmod(number, len(self.game.settings_file.expand_settings))
        return self.game.make_setting(self.records[record], self.variant, part)

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
            # Left out where unset: saves made before the key existed compare equal.
            **({} if self.matches is None else {"matches": self.matches}),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Tournament:
    """A tournament with every file read and every default filled in.

    ``limits`` and budgets say how it is played, not what. They are not in ``to_json``; a save
    stores them separately. ``budget`` is in US dollars, for all agents together.
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

    def __repr__(self) -> str:
        from parlour.tournament.plan.schedule import match_count  # which imports this module

        games = ", ".join(dict.fromkeys(entry.game.name for entry in self.games))
        agents = ", ".join(agent.name for agent in self.agents)
        matches = counted(match_count(self), "match")
        return f"<Tournament {self.name!r}: {games}; {agents}; {matches}>"

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
        """The budgets of single agents in US dollars, for the agents that have one."""
        return {m.name: m.budget for m in self.models.values() if m.budget is not None}

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
                "agents": [agent.model_dump(mode="json") for agent in self.agents],
            },
            sort_keys=True,
        )
