"""The base of every scripted player: it sees what a model sees, and decides by a fixed rule."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from parlour.agents.base import Call, Reply
from parlour.agents.scripted.clue_bank import ClueBank
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Ask
from parlour.games.engine.table import View


class Parameters(BaseModel):
    """The keys that a strategy takes in its agent block; none unless it says so."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Strategy(ABC):
    """A rule that answers asks from the seat's view alone: never setting, roles or seed.

    ``games`` names the games it can play (None: any). ``needs_bank``: it gives its clues from
    the clue bank, so each word it may be dealt must be there. ``parameters`` are further keys of
    the agent block.
    """

    games: ClassVar[frozenset[str] | None]
    needs_bank: ClassVar[bool] = False
    parameters: ClassVar[type[Parameters]] = Parameters

    def __init__(self, bank: ClueBank, keys: Any = None) -> None:
        """``keys`` is an instance of ``parameters``; None takes its defaults."""
        self.bank = bank
        self.keys: Any = self.parameters() if keys is None else keys

    @classmethod
    def needs_bank_for(cls, game: str) -> bool:
        """True if it takes its clues in this game from the clue bank."""
        return cls.needs_bank

    @abstractmethod
    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """The answer to one ask: a model of ``ask.answer`` or plain data of its form."""


class ScriptedAgent:
    """A contestant that plays each game by the first of its strategies that can."""

    def __init__(self, name: str, *strategies: Strategy) -> None:
        self.name, self.strategies = name, strategies

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Decides at once; the dice come with the call."""
        playing = (s for s in self.strategies if s.games is None or view.game in s.games)
        return Reply(next(playing).decide(ask, view, call.dice))
