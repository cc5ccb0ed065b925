"""The Bayesian word player: it weighs who holds which word, and speaks accordingly."""

from collections.abc import Mapping
from dataclasses import replace
from math import fsum
from typing import NamedTuple

from parlour.agents.scripted.words import Heard, WordPlayer
from parlour.games.common.text import names_word
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Seat
from parlour.games.engine.table import View

SLIP = 0.05
"""How likely a player is taken to say something that the bank does not list for its word."""

SURE = 0.2
"""Below this probability of being the special one, it speaks as a civilian."""


CERTAIN = 0.9
"""How probable its own role and the majority's word must be for it to declare itself."""

SHARED = 3
"""How many words of the topic should share the clue of a player that knows the word."""


class Guess(NamedTuple):
    """One way the words may lie: who is the special one, and what the other word is."""

    special: Seat
    other_word: str


class BayesianPlayer(WordPlayer):
    """Weighs every special seat and other word by the clues heard, and plays on the result.

    Before any clue each seat is equally likely to be the special one, and a word is the more
    likely to be the other one the more clues it shares with its own. A listed clue has
    likelihood (1 - slip) / clues of the word, any other slip / clues of the bank. It speaks for
    the word that it takes for the common one, and it answers for another player by weighing
    the same clues with the word that this player probably holds.

    Where players know the topic, every word of it may be the one that the special player has in
    mind, and the others say what two words of the topic have in common: enough for a partner.
    """

    def weigh(self, heard: Heard, seat: Seat) -> dict[Guess, float]:
        """The probability of each guess for a seat that holds ``heard.word``.

        Sums use fsum: plain float sums changed between Python versions.
        """
        if heard.topic is not None:
            similar_words = dict.fromkeys(self.bank.of_topic(heard.topic), 1)
        else:
            similar_words = self.bank.similar_words(heard.word) or dict.fromkeys(
                sorted(self.bank.clues), 1
            )
        own = {}
        if heard.word:  # without one there is nothing to weigh
            own = {s: self._likelihood(given, heard.word) for s, given in heard.clues.items()}
        weights: dict[Guess, float] = {}
        for word, shared in similar_words.items():
            other = {s: self._likelihood(given, word) for s, given in heard.clues.items()}
            for special in heard.clues:
                if heard.special is not None and heard.special != (special == seat):
                    continue
                weight = float(shared * shared)
                for s in heard.clues:
                    if s != seat:  # the own clues say nothing about the own word
                        # A seat shares my word unless one of the two of us is special.
                        weight *= own[s] if special not in {s, seat} else other[s]
                weights[Guess(special, word)] = weight
        total = fsum(weights.values())
        return {guess: weight / total for guess, weight in weights.items()}

    def _likelihood(self, given: tuple[str, ...], word: str) -> float:
        likelihood = 1.0
        for clue in given:
            if self.bank.fits(clue, word):
                likelihood *= (1 - SLIP) / len(self.bank.clues[word])
            else:
                likelihood *= SLIP / len(self.bank.words_by_clue)
        return likelihood

    def clue(self, heard: Heard, view: View, dice: Dice) -> str:
        """The most specific unsaid clue that suits what it takes itself for.

        Never one that names its own word, as a clue of the other word might.
        Surely a civilian: one that only its own word has, so that the other civilian knows it.
        Probably the special one: one of the other word. In between: one that both words share.
        """
        weights = self.weigh(heard, view.seat)
        if heard.topic is not None:
            return self._among_topic(heard, weights)
        special = _by_seat(weights)[view.seat]
        other_word = _best(weights).other_word
        own, other = self.bank.clues[heard.word], self.bank.clues[other_word]
        shared = [clue for clue in own if clue in other]
        if special > 1 / 2:
            wanted = list(other)
        elif special < SURE:
            wanted = [clue for clue in own if clue not in other]
        else:
            wanted = shared
        said = heard.said()
        for clues in (wanted, shared, own):
            for clue in reversed(clues):
                if clue not in said and not names_word(clue, heard.word):
                    return clue
        return own[0]

    def _among_topic(self, heard: Heard, weights: Mapping[Guess, float]) -> str:
        """As the special one the likeliest clue; else one that few, but not no other words have."""
        words = self.bank.of_topic(heard.topic or "")
        chances = {
            word: fsum(w for g, w in weights.items() if g.other_word == word) for word in words
        }
        clues = self.bank.clues[heard.word]
        if heard.special:
            clues = tuple(dict.fromkeys(clue for word in words for clue in self.bank.clues[word]))

        def worth(clue: str) -> float:
            having = [word for word in words if self.bank.fits(clue, word)]
            if heard.special:
                return fsum(chances[word] for word in having)
            return -abs(len(having) - SHARED)

        unsaid = [clue for clue in clues if clue not in heard.said()] or list(clues)
        return max(unsaid, key=worth)

    def suppose(self, heard: Heard, view: View, dice: Dice) -> str:
        """The word that most probably is the secret one."""
        return _best(self.weigh(heard, view.seat)).other_word

    def vote(self, heard: Heard, view: View, dice: Dice) -> Seat:
        """The other seat that is most probably the special one."""
        odds = _by_seat(self.weigh(heard, view.seat))
        others = dice.shuffled([seat for seat in view.seats if seat != view.seat])
        if heard.special:  # for whoever the others may suspect, too
            misfits = self.misfits(heard)
            return max(others, key=lambda seat: misfits[seat])
        return max(others, key=lambda seat: odds[seat])

    def declares(self, heard: Heard, view: View) -> str | None:
        """The majority's word, once it is sure of its own role and of that word."""
        weights = self.weigh(heard, view.seat)
        best = _best(weights)
        return best.other_word if best.special == view.seat and weights[best] > CERTAIN else None

    def is_special(self, heard: Heard, view: View) -> bool:
        """What its role says, else whether it is more probably the special one than not."""
        if heard.special is not None:
            return heard.special
        return _by_seat(self.weigh(heard, view.seat))[view.seat] > 1 / 2

    def suspect(self, heard: Heard, view: View, viewer: Seat) -> Seat | None:
        """Whom the viewer most probably suspects, seen with the word it probably holds."""
        weights = self.weigh(heard, view.seat)
        if viewer != view.seat:
            best = _best(weights)
            if heard.special is not None:
                heard = replace(heard, special=best.special == viewer)
            if best.special in {viewer, view.seat}:
                heard = replace(heard, word=best.other_word)
            weights = self.weigh(heard, viewer)
        odds = _by_seat(weights)
        likeliest = max(odds.values())
        seats = [seat for seat in odds if odds[seat] == likeliest]
        return seats[0] if len(seats) == 1 else None


def _best(weights: Mapping[Guess, float]) -> Guess:
    return max(sorted(weights), key=lambda guess: weights[guess])


def _by_seat(weights: Mapping[Guess, float]) -> dict[Seat, float]:
    """The probability that each seat is the special one."""
    seats = sorted({guess.special for guess in weights})
    return {s: fsum(w for guess, w in weights.items() if guess.special == s) for s in seats}
