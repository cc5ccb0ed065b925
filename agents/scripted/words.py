"""Scripted players of word games, over a clue bank: random, literal, cautious."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from agents.scripted.strategy import Strategy
from games.dice import Dice
from games.moves import Ask, Seat
from games.table import View
from games.words import Belief, Beliefs, Clue, OwnRole, Vote


@dataclass(frozen=True, slots=True)
class Heard:
    """What a word player has to go on: its own word, and the clues each seat gave."""

    word: str
    clues: Mapping[Seat, tuple[str, ...]]

    @classmethod
    def of(cls, view: View) -> "Heard":
        """Reads the own word and all clues from a view."""
        clues: dict[Seat, list[str]] = {seat: [] for seat in view.seats}
        for event in view.told("said"):
            clues[event.record["speaker"]].append(event.record["text"])
        word: str = view.told("word")[0].record["word"]
        return cls(word, {seat: tuple(given) for seat, given in clues.items()})

    def said(self) -> set[str]:
        """Every clue that was given, by whomever. For membership only: sets have no order."""
        return {clue for given in self.clues.values() for clue in given}


class WordPlayer(Strategy):
    """Plays by counting, for each seat, the clues that do not fit its own word.

    Children choose the clue. The seat with the most misfits is the suspect; a player whose
    word misfits everybody else's clues takes itself for the special one.
    """

    games: ClassVar[frozenset[str] | None] = frozenset({"undercover"})
    needs_bank: ClassVar[bool] = True

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """Hands the ask to the method for its kind."""
        heard = Heard.of(view)
        if ask.kind == "clue":
            return Clue(text=self.clue(heard, view, dice))
        if ask.kind == "vote":
            return Vote(suspect=self.vote(heard, view, dice))
        if ask.kind == "own_role":
            return OwnRole(role="special" if self.is_special(heard, view) else "ordinary")
        return Beliefs(
            beliefs=tuple(
                Belief(viewer=seat, suspect=self.suspect(heard, view, seat)) for seat in view.seats
            )
        )

    def unsaid(self, heard: Heard) -> list[str]:
        """The own word's clues that nobody has given yet, general first; all if none is left."""
        said = heard.said()
        clues = self.bank.clues[heard.word]
        return [clue for clue in clues if clue not in said] or list(clues)

    def misfits(self, heard: Heard) -> dict[Seat, int]:
        """How many of each seat's clues do not fit the own word."""
        return {
            seat: sum(not self.bank.fits(clue, heard.word) for clue in given)
            for seat, given in heard.clues.items()
        }

    def clue(self, heard: Heard, view: View, dice: Dice) -> str:
        """The clue to give."""
        raise TypeError(f"{type(self).__name__} gives no clues")

    def vote(self, heard: Heard, view: View, dice: Dice) -> Seat:
        """Another seat with the most misfits; the dice decide between equals."""
        misfits = self.misfits(heard)
        others = [seat for seat in view.seats if seat != view.seat]
        worst = max(misfits[seat] for seat in others)
        return dice.choice([seat for seat in others if misfits[seat] == worst])

    def is_special(self, heard: Heard, view: View) -> bool:
        """Whether every other seat has given a clue that does not fit the own word."""
        misfits = self.misfits(heard)
        return all(misfits[seat] > 0 for seat in view.seats if seat != view.seat)

    def suspect(self, heard: Heard, view: View, viewer: Seat) -> Seat | None:
        """The one seat with the most misfits, itself if it looks special, else nobody yet.

        The same is expected of every other player: it does not put itself in their place.
        """
        if viewer == view.seat and self.is_special(heard, view):
            return view.seat
        misfits = self.misfits(heard)
        worst = max(misfits.values())
        seats = [seat for seat in view.seats if misfits[seat] == worst]
        return seats[0] if worst > 0 and len(seats) == 1 else None


class LiteralPlayer(WordPlayer):
    """Says the most specific thing it knows; suspects whoever fits its own word the least."""

    def clue(self, heard: Heard, view: View, dice: Dice) -> str:
        """The most specific clue not yet given."""
        return self.unsaid(heard)[-1]


class CautiousPlayer(WordPlayer):
    """Says the most general thing it knows; suspects whoever fits its own word the least."""

    def clue(self, heard: Heard, view: View, dice: Dice) -> str:
        """The most general clue not yet given."""
        return self.unsaid(heard)[0]


class RandomPlayer(Strategy):
    """Gives any clue of its word and answers everything else by a fair draw."""

    games: ClassVar[frozenset[str] | None] = None
    needs_bank: ClassVar[bool] = True

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """A clue from the bank where one is asked for, else any legal answer."""
        if ask.kind == "clue":
            return Clue(text=dice.choice(self.bank.clues[Heard.of(view).word]))
        return ask.sample(view.seat, dice)
