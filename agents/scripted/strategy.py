"""Base class of scripted players, and the agent that wraps them."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from pydantic import BaseModel

from parlour.agents.base import Call, Reply
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask
from parlour.games.families.clues.clue_bank import ClueBank


class Parameters(BaseModel, frozen=True, extra="forbid"):
    """Keys that a strategy takes in its agent block; none by default."""


class Strategy(ABC):
    """A rule that answers asks from its seat's view alone; it never sees setting, roles or seed.

    ``games`` are the games it can play (None: all). ``needs_bank`` says that its clues come from
    the clue bank, so every word of a setting must be in it. ``parameters`` are further keys of the
    agent block.
    """

    games: ClassVar[frozenset[str] | None]
    needs_bank: ClassVar[bool] = False
    parameters: ClassVar[type[Parameters]] = Parameters

    def __init__(self, bank: ClueBank, keys: Any = None) -> None:
        """``keys`` is an instance of ``parameters``; None means the defaults."""
        self.bank = bank
        self.keys: Any = self.parameters() if keys is None else keys

    @classmethod
    def needs_bank_for(cls, game: str) -> bool:
        """True if it takes its clues in this game from the clue bank."""
        return cls.needs_bank

    def speaking(self, view: View) -> "Strategy":
        """The player with the clue bank of the language that all speak."""
        bank = self.bank.of_language(view.language)
        return self if bank is self.bank else type(self)(bank, self.keys)

    @abstractmethod
    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """Returns the answer to one ask: an instance of ``ask.answer``, or plain data for it."""


class ScriptedAgent:
    """An agent that plays each game with the first of its strategies that can play it.

    With probability ``tremble`` it answers as ``hand`` would instead: levels of skill between a
    strategy and a random player (the trembling hand of Selten, 1975).
    """

    def __init__(
        self, name: str, *strategies: Strategy, tremble: float = 0.0, hand: Strategy | None = None
    ) -> None:
        self.name, self.strategies = name, strategies
        self._tremble, self._hand = tremble, hand

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """Answers at once, with the dice of the call."""
        return Reply(self.decide(ask, view, call))

    def decide(self, ask: Ask[Any], view: View, call: Call) -> object:
        """The value of its reply; scripted agents are quick."""
        # Without a tremble no dice are thrown, so that older saves replay.
        if self._hand is not None and call.dice.chance(self._tremble):
            return self._hand.speaking(view).decide(ask, view, call.dice)
        for strategy in self.strategies:
            if strategy.games is None or view.game in strategy.games:
                return strategy.speaking(view).decide(ask, view, call.dice)
        raise ValueError(f"no strategy of {self.name!r} plays {view.game!r}")
