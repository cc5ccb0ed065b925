"""Scripted players of word games with a clue bank: random, literal, cautious."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, product
from typing import Any, ClassVar, Literal

from parlour.agents.scripted.strategy import Parameters, Strategy
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.game import JESTER
from parlour.games.engine.moves import Ask, Seat, player
from parlour.games.engine.registry import find_game
from parlour.games.families.clues.clue_bank import HARDLY, IDLE, UNIT, ClueBank
from parlour.games.families.word_games import Belief, Beliefs, Clue, OwnRole

HeardClue = tuple[str, tuple[str, ...]]
"""A clue, and the clues that were said before it."""


@dataclass(frozen=True, slots=True, eq=False)  # equal to itself alone: a key of ``_fits``
class Heard:
    """A word player's information: its own word and the clues of each seat.

    For a player without a word, ``word`` is its guess of the secret one. ``special`` says whether
    it was told that it is the special one, None where players are told no roles. Only such games
    have a ``topic``. ``jester``: it was told that it is the jester, so not a special one.
    """

    word: str
    clues: Mapping[Seat, tuple[HeardClue, ...]]
    special: bool | None = None
    topic: str | None = None
    specials: int = 1
    jester: bool = False

    @classmethod
    def of(cls, view: View) -> "Heard":
        """Returns role, topic, own word ("" if there is none) and all clues of a view."""
        clues: dict[Seat, tuple[HeardClue, ...]] = dict.fromkeys(view.seats, ())
        earlier: tuple[str, ...] = ()
        dealt: dict[str, str | None] = {}
        specials = 1
        for event in view.events:
            if event.by is not None:
                continue
            if event.kind == "said" and not event.record.get("talk"):
                clues[event.record["speaker"]] += ((event.record["text"], earlier),)
                earlier += (event.record["text"],)
            elif event.kind in {"word", "role", "topic"}:
                dealt[event.kind] = event.record[event.kind]
            elif event.kind == "rules":
                specials = event.record.get("special_seats", 1)
            elif event.kind == "out":
                del clues[event.record["player"]]
                specials -= event.record["role"] == find_game(view.game, view.game).scoring.special
        special = None
        if "role" in dealt:
            special = dealt["role"] == find_game(view.game, view.game).scoring.special
        jester = dealt.get("role") == JESTER
        return cls(dealt.get("word") or "", clues, special, dealt.get("topic"), specials, jester)

    def said(self) -> set[str]:
        """Every clue given so far. For membership tests only: sets have no stable order."""
        return {text for text, _earlier in chain.from_iterable(self.clues.values())}


# Small, since what is asked again is asked soon.
@lru_cache(maxsize=64)
def evidence_of(bank: ClueBank, said: HeardClue, word: str, topic: str | None) -> Mapping[str, int]:
    """The evidence of a clue for a word ("": for none) and for all that others may hold."""
    return bank.evidence.of(filter(None, (word, *bank.rivals(word, topic))), *said)


def _fit(bank: ClueBank, said: HeardClue, word: str, topic: str | None) -> float:
    """The fit of a clue with a word: 1 if no rival is likelier, less the more one is."""
    evidence = evidence_of(bank, said, word, topic)
    return evidence[word] / max(*evidence.values(), IDLE * UNIT)


@lru_cache(maxsize=4)
def _fits(bank: ClueBank, heard: Heard) -> Mapping[Seat, list[float]]:
    """The fit of each clue of each seat with the own word."""
    fits: dict[Seat, list[float]] = {}
    for seat, given in heard.clues.items():
        fits[seat] = [_fit(bank, said, heard.word, heard.topic) for said in given]
    return fits


class WordParameters(Parameters):
    """Keys of the agent block: what it does as the jester."""

    jester: Literal["draws", "hides"] = "draws"


class WordPlayer(Strategy):
    """Base of players that judge how badly each seat's clues fit their own word.

    A clue fits a word as well as the bank's evidence says, from 0 to 1. Subclasses choose the
    clue. The seat whose clues fit worst is the suspect. A player to whom each other seat, but
    for as many as may be special too, gave a clue that hardly fits its word believes that it is
    special. A player without a word plays as if it held the word of the topic that fits the clues
    best so far. As the jester it draws suspicion on itself, or hides and plays like the others.
    """

    parameters: ClassVar[type[Parameters]] = WordParameters
    games: ClassVar[frozenset[str] | None] = frozenset({"undercover", "chameleon", "impostor"})
    needs_bank: ClassVar[bool] = True

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """Dispatches the ask to the method for its kind."""
        heard = Heard.of(view)
        if len(heard.clues) < len(view.seats):
            view = view._replace(seats=tuple(heard.clues))
        if heard.special:
            heard = replace(heard, word=self.suppose(heard, view, dice))
        if ask.kind == "clue":
            draws = heard.jester and self.keys.jester == "draws"
            return Clue(text=self.odd_clue(heard) if draws else self.clue(heard, view, dice))
        if ask.kind == "talk":
            return Clue(text=f"I would vote for {player(self.vote(heard, view, dice))}.")
        if ask.kind == "vote":
            vote = {"suspect": self.vote(heard, view, dice)}
            declarable = "self_declaration" in ask.answer.model_fields
            guess = self.declares(heard, view) if declarable else None
            more = {} if guess is None else {"self_declaration": True, "word_guess": guess}
            return ask.answer(**vote, **more)
        if ask.kind == "own_role":
            return OwnRole(role="special" if self.is_special(heard, view) else "ordinary")
        if ask.kind in {"guess", "supposed_word"}:
            return {"word": heard.word}
        return Beliefs(
            beliefs=tuple(
                Belief(viewer=seat, suspect=self.suspect(heard, view, seat))
                for seat in view.seats
                if not (heard.special and seat == view.seat)
            )
        )

    def suppose(self, heard: Heard, view: View, dice: Dice) -> str:
        """The word of the topic that fits the clues best; ties are broken by the dice."""
        words = self.bank.of_topic(heard.topic or "")
        said = list(chain.from_iterable(heard.clues.values()))
        fits = dict.fromkeys(words, 0.0)
        for word, clue in product(words, said):
            fits[word] += _fit(self.bank, clue, word, heard.topic)
        return dice.choice([word for word in words if fits[word] == max(fits.values())])

    def unsaid(self, heard: Heard) -> list[str]:
        """The own word's clues that are not given yet, general first; all if none is left."""
        said = heard.said()
        clues = self.bank.clues[heard.word]
        return [clue for clue in clues if clue not in said] or list(clues)

    def odd_clue(self, heard: Heard) -> str:
        """The most specific clue of the word nearest to its own, which its own does not have."""
        shared = self.bank.rivals(heard.word, heard.topic)
        nearest = max(sorted(shared), key=lambda word: shared[word])
        own, taken = self.bank.clues[heard.word], heard.said().union(self.bank.clues[heard.word])
        odd = [clue for clue in self.bank.clues[nearest] if not self.bank.names(clue, heard.word)]
        return next((clue for clue in reversed(odd) if clue not in taken), (*odd, own[0])[0])

    def misfits(self, heard: Heard) -> dict[Seat, float]:
        """The misfit of each seat's clues with the own word: 0 if they fit, 1 a clue if not."""
        fits = _fits(self.bank, heard)
        return {seat: len(of_seat) - sum(of_seat) for seat, of_seat in fits.items()}

    def clue(self, heard: Heard, view: View, dice: Dice) -> str:
        """The clue to give."""
        raise TypeError(f"{type(self).__name__} gives no clues")

    def vote(self, heard: Heard, view: View, dice: Dice) -> Seat:
        """The other seat whose clues fit worst; ties are broken by the dice."""
        misfits = self.misfits(heard)
        others = [seat for seat in view.seats if seat != view.seat]
        worst = max(misfits[seat] for seat in others)
        return dice.choice([seat for seat in others if misfits[seat] == worst])

    def declares(self, heard: Heard, view: View) -> str | None:
        """The guessed word if it declares itself the impostor; None if it does not."""
        return None

    def is_special(self, heard: Heard, view: View) -> bool:
        """Its role if known, else whether all others but those special too err."""
        if heard.special is not None:
            return heard.special
        errs = [self._errs(heard, seat) for seat in view.seats if seat != view.seat]
        return sum(errs) > len(errs) - heard.specials

    def _errs(self, heard: Heard, seat: Seat) -> bool:
        """True if some clue of a seat hardly fits the own word."""
        return min(_fits(self.bank, heard)[seat], default=1) < HARDLY

    def suspect(self, heard: Heard, view: View, viewer: Seat) -> Seat | None:
        """The seat that fits worst, itself if it seems special, None if undecided.

        It assumes that every other viewer has the same opinion as itself.
        """
        if viewer == view.seat and self.is_special(heard, view):
            return view.seat
        misfits = self.misfits(heard)
        seats = [seat for seat in view.seats if seat != viewer or heard.special is None]
        worst = max(misfits[seat] for seat in seats)
        seats = [seat for seat in seats if misfits[seat] == worst]
        return seats[0] if len(seats) == 1 and self._errs(heard, seats[0]) else None


class LiteralPlayer(WordPlayer):
    """Gives the most specific clue; suspects the seat that fits its own word least."""

    def clue(self, heard: Heard, view: View, dice: Dice) -> str:
        """The most specific clue not yet given."""
        return self.unsaid(heard)[-1]


class CautiousPlayer(WordPlayer):
    """Gives the most general clue; suspects the seat that fits its own word least."""

    def clue(self, heard: Heard, view: View, dice: Dice) -> str:
        """The most general clue not yet given."""
        return self.unsaid(heard)[0]


class RandomPlayer(Strategy):
    """Gives a random clue of its word and draws every other answer uniformly."""

    games: ClassVar[frozenset[str] | None] = None
    needs_bank: ClassVar[bool] = True

    @classmethod
    def needs_bank_for(cls, game: str) -> bool:
        """True for the games of the word players alone."""
        return game in (WordPlayer.games or ())

    def decide(self, ask: Ask[Any], view: View, dice: Dice) -> object:
        """A clue or a word from the bank in the games that it covers, else any legal answer."""
        if not self.needs_bank_for(view.game) or ask.kind not in {"clue", "guess", "supposed_word"}:
            return ask.sample(view.seat, dice)
        heard = Heard.of(view)
        word = heard.word or dice.choice(self.bank.of_topic(heard.topic or ""))
        return (
            Clue(text=dice.choice(self.bank.clues[word])) if ask.kind == "clue" else {"word": word}
        )
