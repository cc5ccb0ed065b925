"""Which strategies there are, and how an agent of a tournament file comes to life."""

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agents.bank import ClueBank, extended_bank, shipped_bank
from agents.base import Agent
from agents.scripted.bayesian import BayesianPlayer
from agents.scripted.strategy import ScriptedAgent, Strategy
from agents.scripted.words import CautiousPlayer, LiteralPlayer, RandomPlayer
from games.errors import BadInput
from games.game import Frozen, Game
from games.near import suggestion
from games.outside import brought, taken


class ScriptedConfig(BaseModel):
    """An agent block of kind "scripted".

    ``clue_bank`` is a user's file of clues that goes before the shipped bank.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=60)
    kind: Literal["scripted"] = "scripted"
    strategy: str
    clue_bank: str | None = None


AgentConfig = ScriptedConfig
"""What an agent block may be."""


@cache
def strategies() -> dict[str, type[Strategy]]:
    """All strategies by name: ours, then those of the entry point group ``parlour.agents``."""
    found: dict[str, type[Strategy]] = {
        "random": RandomPlayer,
        "literal": LiteralPlayer,
        "cautious": CautiousPlayer,
        "bayesian": BayesianPlayer,
    }
    for point, strategy in brought("parlour.agents", "strategy", _is_strategy):
        if point.name in found:
            raise taken(point, "strategy", point.name)
        found[point.name] = strategy
    return found


def _is_strategy(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, Strategy)


def find_strategy(name: str, place: str) -> type[Strategy]:
    """The strategy of that name; BadInput, with ``place`` and the nearest name, otherwise."""
    known = strategies()
    if name not in known:
        raise BadInput(place, f"unknown strategy {name!r}", suggestion(name, known))
    return known[name]


def bank_of(config: AgentConfig) -> ClueBank:
    """The clue bank that an agent plays from."""
    return extended_bank(Path(config.clue_bank)) if config.clue_bank else shipped_bank()


def make_agent(config: AgentConfig) -> Agent:
    """The contestant that an agent block describes. BadInput if this program has not got it."""
    strategy = find_strategy(config.strategy, f"agent {config.name!r}")
    return ScriptedAgent(config.name, strategy(bank_of(config)))


def refuse_unable(
    config: AgentConfig, game: Game, settings: tuple[Frozen, ...], place: str
) -> None:
    """BadInput if the agent cannot play the game, or lacks clues for a word of its settings."""
    strategy = find_strategy(config.strategy, f"{place}.strategy")
    if strategy.games is not None and game.name not in strategy.games:
        raise BadInput(
            f"{place}.strategy",
            f"{config.strategy!r} cannot play {game.name!r}",
            f"it plays: {', '.join(sorted(strategy.games))}; see `parlour agents`",
        )
    if strategy.needs_bank:
        words = [word for setting in settings for word in game.words(setting)]
        missing = bank_of(config).missing(words)
        if missing:
            raise BadInput(
                f"{place}.clue_bank",
                f"{config.strategy!r} has no clues for the word {missing[0]!r} of {game.name!r}",
                "give this agent a clue_bank file that has it, or use words of the shipped bank",
            )
