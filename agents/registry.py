"""Registry of strategies, and construction of agents from the blocks of a tournament file."""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, field_validator

from parlour.agents.base import Agent, AgentBlock
from parlour.agents.code_blocks import FunctionConfig, PythonConfig, refuse_unreadable
from parlour.agents.human import HumanAgent, HumanConfig
from parlour.agents.llm.config import LLMConfig
from parlour.agents.model_calls import Client
from parlour.agents.scripted import dilemmas, negotiators
from parlour.agents.scripted.bayesian import BayesianPlayer
from parlour.agents.scripted.norms import NormPlayer
from parlour.agents.scripted.strategy import ScriptedAgent, Strategy
from parlour.agents.scripted.words import CautiousPlayer, LiteralPlayer, RandomPlayer
from parlour.games.common.errors import BadInput
from parlour.games.common.plugins import broken_plugins, brought
from parlour.games.common.suggestions import suggestion
from parlour.games.common.validation_messages import first_problem, path_of, place_in
from parlour.games.engine.game import Frozen, Game
from parlour.games.engine.wordings import KEY, LABELS, PLAIN
from parlour.games.families.clues.clue_bank import ClueBank, extended_bank, shipped_bank


class ScriptedConfig(AgentBlock, extra="allow"):
    """An agent block of kind "scripted".

    ``strategy`` is a name, or several: each game is then played by the first of them that can.
    ``tremble`` is the probability of an answer that ``random`` would give instead.
    ``clue_bank`` is a user's file of clues that overrides the shipped bank. Further keys are the
    strategies' own.
    """

    kind: Literal["scripted"] = "scripted"
    strategy: str | Annotated[tuple[str, ...], Field(min_length=1)]
    clue_bank: str | None = None
    tremble: float = Field(default=0.0, ge=0, le=1)

    @field_validator("strategy", mode="before")
    @classmethod
    def _names(cls, raw: object) -> object:
        if not isinstance(raw, list):
            return raw
        odd = [name for name in raw if not isinstance(name, str)]
        if odd:
            raise ValueError(f"{odd[0]!r} is not a strategy name: write it in quotation marks")
        return tuple(raw)

    @property
    def strategies(self) -> tuple[str, ...]:
        """The names as a tuple."""
        return (self.strategy,) if isinstance(self.strategy, str) else self.strategy


AgentConfig = ScriptedConfig | LLMConfig | FunctionConfig | PythonConfig | HumanConfig
"""The kinds of agent blocks."""
AGENT_KINDS: dict[str, type[AgentConfig]] = {
    "scripted": ScriptedConfig,
    "llm": LLMConfig,
    "function": FunctionConfig,
    "python": PythonConfig,
    "human": HumanConfig,
}
STRATEGIES = "parlour.agents"
"""The entry points of strategies."""


@cache
def strategies() -> dict[str, type[Strategy]]:
    """All strategies by name: shipped ones, then the entry point group ``parlour.agents``."""
    known: dict[str, type[Strategy]] = {
        "random": RandomPlayer,
        "literal": LiteralPlayer,
        "cautious": CautiousPlayer,
        "bayesian": BayesianPlayer,
        "cooperate": dilemmas.Cooperator,
        "greedy": dilemmas.GreedyPlayer,
        "fearful": dilemmas.FearfulPlayer,
        "grim": dilemmas.GrimTrigger,
        "image_scoring": dilemmas.ImageScorer,
        "tit_for_tat": dilemmas.TitForTat,
        "equilibrium": dilemmas.EquilibriumPlayer,
        "norm": NormPlayer,
        "heir": dilemmas.Heir,
        "fair": negotiators.FairNegotiator,
        "haggler": negotiators.Haggler,
        "yielding": negotiators.YieldingNegotiator,
        "stubborn": negotiators.StubbornNegotiator,
    }
    own = brought(STRATEGIES, "strategy", _is_strategy, known, lambda point, _loaded: point.name)
    return known | own


def _is_strategy(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Strategy)


def find_strategy(name: str, place: str) -> type[Strategy]:
    """The strategy of that name. BadInput, with ``place`` and the nearest name, if unknown."""
    known = strategies()
    if name in broken_plugins(STRATEGIES) and name not in known:
        raise broken_plugins(STRATEGIES)[name]
    if name not in known:
        raise BadInput(place, f"unknown strategy {name!r}", suggestion(name, known))
    return known[name]


def bank_of(config: ScriptedConfig, language: str | None = None) -> ClueBank:
    """The clue bank that an agent plays from, in a language as players are told of it."""
    if config.clue_bank:
        return extended_bank(Path(config.clue_bank), language)
    return shipped_bank(language)


def make_agent(config: AgentConfig, players: Mapping[str, object] | None = None) -> Agent:
    """The agent that a block describes. BadInput if its strategy, function or object is missing.

    ``players`` are the objects behind agents of kind "python", by agent name.
    """
    if isinstance(config, LLMConfig):
        return model_behind(config, make_client(config))
    if isinstance(config, HumanConfig):
        return HumanAgent(config)
    if not isinstance(config, ScriptedConfig):
        # Here and below, since asyncio takes long to load, and what only reads a save needs none.
        from parlour.agents.user_code import FunctionAgent, PureFunctionAgent, made_in_python

        if isinstance(config, PythonConfig):
            return made_in_python(config, players or {})
        return PureFunctionAgent(config) if config.pure else FunctionAgent(config)
    made = []
    for name in config.strategies:
        strategy = find_strategy(name, f"agent {config.name!r}")
        own = {
            key: value
            for key, value in (config.model_extra or {}).items()
            if key in strategy.parameters.model_fields
        }
        made.append(strategy(bank_of(config), strategy.parameters.model_validate(own)))
    hand = RandomPlayer(bank_of(config)) if config.tremble else None
    return ScriptedAgent(config.name, *made, tremble=config.tremble, hand=hand)


def make_client(config: LLMConfig) -> Client:
    """The client of a model block; the libraries are loaded only if a model plays.

    BadInput if its key is missing.
    """
    from parlour.agents.llm.a2a_client import A2AClient
    from parlour.agents.llm.http_clients import HTTPClient, OpenAIClient
    from parlour.agents.llm.litellm_client import LiteLLMClient
    from parlour.agents.llm.local_server import LocalClient

    refuse_keyless(config)
    carriers: dict[str, Callable[[LLMConfig], Client]] = {
        "openai": OpenAIClient,
        "http": HTTPClient,
        "a2a": A2AClient,
        "litellm": LiteLLMClient,
        "local": LocalClient,
    }
    return carriers[config.carrier](config)


def model_behind(config: LLMConfig, client: Client) -> Agent:
    """The agent of a model block, of the class for its kind of deliberation.

    What the block leaves open is as the doctor found it.
    """
    from parlour.agents.llm.agent import LLMAgent
    from parlour.agents.llm.deliberation import DeliberatingAgent, ScratchpadAgent
    from parlour.agents.llm.endpoint_facts import as_found

    config = as_found(config)
    kinds = {"none": LLMAgent, "scratchpad": ScratchpadAgent}
    return kinds.get(config.deliberation, DeliberatingAgent)(config, client)


def refuse_unready(config: AgentConfig) -> None:
    """BadInput if the agent's function is missing, or its key is not set or cannot be a key.

    Runs the file of a function.
    """
    if isinstance(config, FunctionConfig):
        from parlour.agents.user_code import find_function

        find_function(config, f"agent {config.name!r}")
    refuse_keyless(config)


def refuse_keyless(config: AgentConfig) -> None:
    """BadInput if the key of a model is not set, or cannot be a key."""
    if isinstance(config, LLMConfig):
        from parlour.agents.llm.keys import key_named, load_keys
        from parlour.agents.llm.routes import missing_key

        load_keys()
        key = key_named(config.api_key_env or missing_key(config))
        if key is not None and not (key.isascii() and key.isprintable() and key.strip() == key):
            reason = "contains a space, a line break or a character that a header cannot carry"
            raise BadInput(f"key {config.api_key_env}", reason, "copy it again")


def refuse_unable(
    config: AgentConfig, game: Game, settings: tuple[Frozen, ...], place: str
) -> None:
    """BadInput if the agent cannot play the game, or lacks clues for a word of its settings.

    Runs no code of the user's: the tournament may be a stranger's.
    """
    _refuse_unworded(config, game, settings, place)
    if isinstance(config, LLMConfig | PythonConfig | HumanConfig):
        return  # its prompt holds the rules of any game
    if isinstance(config, FunctionConfig):
        refuse_unreadable(config, place)
        return
    own = {name: find_strategy(name, f"{place}.strategy") for name in config.strategies}
    _refuse_keys(config, own, place)
    playing = next((s for s in own.values() if s.games is None or game.name in s.games), None)
    if playing is None:
        playable = sorted(set(chain.from_iterable(s.games or () for s in own.values())))
        raise BadInput(
            f"{place}.strategy",
            f"{' and '.join(map(repr, own))} cannot play {game.name!r}",
            f"it plays: {', '.join(playable)}; see `parlour list agents`",
        )
    trembles = config.tremble > 0 and RandomPlayer.needs_bank_for(game.name)
    if trembles or playing.needs_bank_for(game.name):
        words = chain.from_iterable(map(game.hints.words, settings))
        language = getattr(settings[0], "told_language", None)
        missing = bank_of(config, language).missing(words)
        if missing:
            name = next(name for name, strategy in own.items() if strategy is playing)
            raise BadInput(
                f"{place}.clue_bank",
                f"{name!r} has no clues for the word {missing[0]!r} of {game.name!r}",
                "give this agent a clue_bank file that has it, or use words of the shipped bank",
            )


def _refuse_unworded(
    config: AgentConfig, game: Game, settings: tuple[Frozen, ...], place: str
) -> None:
    """BadInput for an agent whose questions would not be told in another wording of a game."""
    wording = getattr(next(iter(settings), None), KEY, PLAIN)
    if wording == PLAIN:
        return
    keys = {"prompts", "wording", "deliberation", "cache"}
    own = config.model_dump(include=keys) if isinstance(config, LLMConfig) else {}
    for key, value in own.items():
        if value != LLMConfig.model_fields[key].default:
            problem = f"cannot be {value!r} where {game.name!r} has wording = {wording!r}"
            raise BadInput(place_in(place, key), problem, "leave one of them out")
    if isinstance(config, LLMConfig) and config.is_agent:
        reason = "gets no prompts"
    elif isinstance(config, FunctionConfig | PythonConfig) and wording in LABELS:
        reason = "gets the game's own words and order"
    else:
        return
    problem = f"{reason}, so it cannot play {game.name!r} with wording = {wording!r}"
    raise BadInput(place, problem, "leave one of them out")


def _refuse_keys(config: ScriptedConfig, own: dict[str, type[Strategy]], place: str) -> None:
    """BadInput for a key that no strategy has, or a value that one rejects."""
    extra = config.model_extra or {}
    fields = (strategy.parameters.model_fields for strategy in own.values())
    known = list(chain.from_iterable(fields))
    fix = f"keys of {' and '.join(map(repr, own))}: " + ", ".join(
        dict.fromkeys([*ScriptedConfig.model_fields, *known])
    )
    for key in extra:
        if key not in known:
            raise BadInput(place_in(place, key), "is not a valid key here", fix)
    for strategy in own.values():
        keys = {key: extra[key] for key in extra if key in strategy.parameters.model_fields}
        try:
            strategy.parameters.model_validate(keys)
        except ValidationError as error:
            path = path_of(error.errors(include_url=False)[0]["loc"])
            raise BadInput(place_in(place, path), first_problem(error)[1], fix) from None
