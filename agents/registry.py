"""Which strategies there are, and how an agent of a tournament file comes to life."""

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.bank import ClueBank, extended_bank, shipped_bank
from agents.base import Agent
from agents.llm.config import LLMConfig
from agents.scripted.bayesian import BayesianPlayer
from agents.scripted.gossip import (
    Cooperator,
    EquilibriumPlayer,
    GreedyPlayer,
    GrimTrigger,
    ImageScorer,
)
from agents.scripted.strategy import ScriptedAgent, Strategy
from agents.scripted.words import CautiousPlayer, LiteralPlayer, RandomPlayer
from games.errors import BadInput
from games.game import Frozen, Game, first_problem
from games.near import suggestion
from games.outside import brought, taken


class ScriptedConfig(BaseModel):
    """An agent block of kind "scripted".

    ``clue_bank`` is a user's file of clues that goes before the shipped bank. Further keys are
    the strategy's own.
    """

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    name: str = Field(min_length=1, max_length=60)
    kind: Literal["scripted"] = "scripted"
    strategy: str
    clue_bank: str | None = None


AgentConfig = ScriptedConfig | LLMConfig
"""What an agent block may be."""
AGENT_KINDS: dict[str, type[ScriptedConfig] | type[LLMConfig]] = {
    "scripted": ScriptedConfig,
    "llm": LLMConfig,
}


@cache
def strategies() -> dict[str, type[Strategy]]:
    """All strategies by name: ours, then those of the entry point group ``parlour.agents``."""
    found: dict[str, type[Strategy]] = {
        "random": RandomPlayer,
        "literal": LiteralPlayer,
        "cautious": CautiousPlayer,
        "bayesian": BayesianPlayer,
        "cooperate": Cooperator,
        "greedy": GreedyPlayer,
        "grim": GrimTrigger,
        "image_scoring": ImageScorer,
        "equilibrium": EquilibriumPlayer,
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


def bank_of(config: ScriptedConfig) -> ClueBank:
    """The clue bank that an agent plays from."""
    return extended_bank(Path(config.clue_bank)) if config.clue_bank else shipped_bank()


def make_agent(config: AgentConfig) -> Agent:
    """The contestant that an agent block describes. BadInput if this program has not got it."""
    if isinstance(config, LLMConfig):
        return _make_model(config)
    strategy = find_strategy(config.strategy, f"agent {config.name!r}")
    keys = strategy.parameters.model_validate(config.model_extra or {})
    return ScriptedAgent(config.name, strategy(bank_of(config), keys))


def _make_model(config: LLMConfig) -> Agent:
    """A model behind its client; the libraries are loaded only where one plays."""
    from agents.llm.agent import LLMAgent
    from agents.llm.litellm_client import LiteLLMClient
    from agents.llm.openai_client import OpenAIClient

    refuse_keyless(config)
    if config.carrier == "openai":
        return LLMAgent(config, OpenAIClient(config))
    return LLMAgent(config, LiteLLMClient(config))


def refuse_keyless(config: AgentConfig) -> None:
    """BadInput if the agent names a key that is not set here, or no key at all by its looks."""
    if isinstance(config, LLMConfig):
        from agents.llm.keys import key_named, load_keys

        load_keys()
        key = key_named(config.api_key_env)
        if key is not None and not (key.isascii() and key.isprintable() and key.strip() == key):
            reason = "holds a space, a line break or a letter that no header can carry"
            raise BadInput(f"key {config.api_key_env}", reason, "copy it anew")


def refuse_unable(
    config: AgentConfig, game: Game, settings: tuple[Frozen, ...], place: str
) -> None:
    """BadInput if the agent cannot play the game, or lacks clues for a word of its settings."""
    if isinstance(config, LLMConfig):
        return  # it is told the rules of whatever it plays
    strategy = find_strategy(config.strategy, f"{place}.strategy")
    try:
        strategy.parameters.model_validate(config.model_extra or {})
    except ValidationError as error:
        where, problem = first_problem(error)
        own = [*ScriptedConfig.model_fields, *strategy.parameters.model_fields]
        mend = f"keys of {config.strategy!r}: {', '.join(own)}"
        raise BadInput(place + where, problem, mend) from None
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
