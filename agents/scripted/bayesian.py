"""Bayesian word player: infers who holds which word, and chooses clues and votes accordingly."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import chain, combinations, product
from math import fsum
from typing import NamedTuple, TypeVar

from parlour.agents.scripted.words import Heard, HeardClue, WordPlayer, evidence_of
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.moves import Seat
from parlour.games.families.clues.clue_bank import UNIT, ClueBank

T = TypeVar("T")
MEANT = 0.95 * 0.37
"""Weight of a clue's evidence: the share of clues that are about a word, and understood."""

EVADES, STRAYS = 0.45, 0.05
"""Weight of clues that say nothing of a word: of the special player, and of the others. Such that
an unintelligible clue makes its speaker suspect in every role of every game."""

SURE = 0.2
"""Below this probability of being special it gives clues as a civilian does."""

CERTAIN = 0.9
"""Probability of its own role and the majority's word above which it declares itself."""

SHARED = 3
"""Number of words of the topic that the clue of a player who knows the word should fit."""


class Guess(NamedTuple):
    """A hypothesis: the special seats, and the word that the player does not hold."""

    special: tuple[Seat, ...]
    other_word: str


class BayesianPlayer(WordPlayer):
    """Computes the posterior of every hypothesis given the clues, and plays by it.

    Prior: all seats are equally likely to be special, and the other word is likelier the more clues
    it shares with the own one (squared). Likelihood of a clue: MEANT times the bank's evidence for
    the word, plus EVADES or STRAYS, since a clue may be about no word at all, of a special player
    more often. It gives clues for the word that it believes to be the common one. Beliefs of
    another player are computed from the same clues with the word that this player probably holds.

    Where players know the topic, every word of it may be the special player's guess. The others
    give a clue that fits a few words of the topic: enough for partners, too little for the special
    player.
    """

    def weigh(self, heard: Heard, seat: Seat) -> Mapping[Guess, float]:
        """Returns the posterior of each guess for a seat that holds ``heard.word``."""
        known = heard.word, heard.topic, heard.special, heard.specials
        return _posterior(self.bank, *known, tuple(heard.clues.items()), seat)

    def clue(self, heard: Heard, view: View, dice: Dice) -> str:
        """The most specific unsaid clue that suits its probable role.

        Never one that contains its own word, as a clue of the other word might. Almost surely a
        civilian: a clue that only its own word has, so that the other civilian recognises it.
        Probably special: a clue of the other word. In between: a clue that both words share.
        """
        weights = self.weigh(heard, view.seat)
        if heard.topic is not None:
            return self._among_topic(heard, weights)
        special = _by_seat(weights).get(view.seat, 0.0)
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
        # The bank orders clues from general to specific, hence the reversed order.
        for clues in (wanted, shared, own):
            for clue in reversed(clues):
                if clue not in said and not self.bank.names(clue, heard.word):
                    return clue
        return own[0]

    def _among_topic(self, heard: Heard, weights: Mapping[Guess, float]) -> str:
        """As the special one the likeliest clue; otherwise one that fits about SHARED words."""
        words = self.bank.of_topic(heard.topic or "")
        chances = _sums(((guess.other_word,), weight) for guess, weight in weights.items())
        clues = self.bank.clues[heard.word]
        if heard.special:
            of_topic = chain.from_iterable(self.bank.clues[word] for word in words)
            clues = tuple(dict.fromkeys(of_topic))

        def score(clue: str) -> float:
            likely = self.bank.evidence.of(words, clue)
            best = max(likely.values())
            if heard.special:
                return fsum(chances[word] * likely[word] / best for word in words)
            return -abs(sum(likely.values()) / best - SHARED)

        unsaid = [clue for clue in clues if clue not in heard.said()] or list(clues)
        return max(unsaid, key=score)

    def suppose(self, heard: Heard, view: View, dice: Dice) -> str:
        """The most probable secret word."""
        return _best(self.weigh(heard, view.seat)).other_word

    def vote(self, heard: Heard, view: View, dice: Dice) -> Seat:
        """The other seat that is most probably special."""
        odds = _by_seat(self.weigh(heard, view.seat))
        others = dice.shuffled([seat for seat in view.seats if seat != view.seat])
        if heard.special:  # votes as the others probably do, so that one of them is accused
            misfits = self.misfits(heard)
            return max(others, key=lambda seat: misfits[seat])
        return max(others, key=lambda seat: odds[seat])

    def declares(self, heard: Heard, view: View) -> str | None:
        """The majority's word, once it is sure of its own role and of that word."""
        weights = self.weigh(heard, view.seat)
        word = _best(weights).other_word
        sure = [
            weight
            for guess, weight in weights.items()
            if view.seat in guess.special and guess.other_word == word
        ]
        return word if fsum(sure) > CERTAIN else None

    def is_special(self, heard: Heard, view: View) -> bool:
        """True if it is told that it is special, or if it is not told but probably is."""
        if heard.special is not None:
            return heard.special
        return _by_seat(self.weigh(heard, view.seat))[view.seat] > 1 / 2

    def suspect(self, heard: Heard, view: View, viewer: Seat) -> Seat | None:
        """The viewer's most probable suspect, given the word that the viewer probably holds."""
        weights = self.weigh(heard, view.seat)
        if viewer != view.seat:
            # Take the viewer's place: its role and word as the best hypothesis has them. Its word
            # is another one than ours if exactly one of the two is special.
            best = _best(weights)
            if heard.special is not None:
                heard = replace(heard, special=None if heard.jester else viewer in best.special)
            if (viewer in best.special) != (view.seat in best.special):
                heard = replace(heard, word=best.other_word)
            weights = self.weigh(heard, viewer)
        odds = _by_seat(weights)
        likeliest = max(odds.values())
        seats = [seat for seat in odds if odds[seat] == likeliest]
        return seats[0] if len(seats) == 1 else None


@lru_cache(maxsize=16)  # small, since what is asked again is asked soon
def _posterior(
    bank: ClueBank,
    word: str,
    topic: str | None,
    is_special: bool | None,
    specials: int,
    clues: tuple[tuple[Seat, tuple[HeardClue, ...]], ...],
    seat: Seat,
) -> Mapping[Guess, float]:
    """Returns the posterior of each guess for a seat that holds a word.

    Sums use fsum: plain float sums changed between Python versions.
    """
    weights: dict[Guess, float] = {}
    rivals = bank.rivals(word, topic).items()
    others = [each for each in clues if each[0] != seat]  # its own say nothing about its own word
    likely = {
        (s, special): _likelihoods(bank, given, word, topic, special)
        for (s, given), special in product(others, (True, False))
    }
    for special in combinations(dict(clues), specials):
        own = seat in special
        if is_special is not None and is_special != own:
            continue  # contradicts the role that the player was told
        # Another seat has the same word unless one of the two alone is special.
        # A special one without a word takes all for players of one word.
        of_others = [
            (likely[s, s in special], word if (s in special) == own else "") for s, _given in others
        ]
        for other_word, shared in rivals:
            weight = float(shared * shared)
            for likelihoods, held in of_others:
                weight *= likelihoods[held or other_word]
            weights[Guess(special, other_word)] = weight
    total = fsum(weights.values())
    return {guess: weight / total for guess, weight in weights.items()}


@lru_cache(maxsize=64)
def _likelihoods(
    bank: ClueBank, given: tuple[HeardClue, ...], word: str, topic: str | None, special: bool
) -> dict[str, float]:
    """The likelihood of a seat's clues by the word that it holds."""
    idle = EVADES if special else STRAYS
    likelihoods = dict.fromkeys((word, *bank.rivals(word, topic)), 1.0)
    for said in given:
        for held, evidence in evidence_of(bank, said, word, topic).items():
            likelihoods[held] *= idle + MEANT * (evidence / UNIT)
    return likelihoods


def _best(weights: Mapping[Guess, float]) -> Guess:
    # Sorted, so that ties do not depend on the order of insertion.
    return max(sorted(weights), key=lambda guess: weights[guess])


def _by_seat(weights: Mapping[Guess, float]) -> dict[Seat, float]:
    """Returns the probability that each seat is special."""
    chances = _sums((guess.special, weight) for guess, weight in weights.items())
    return dict(sorted(chances.items()))


def _sums(weights: Iterable[tuple[Iterable[T], float]]) -> dict[T, float]:
    """Returns the sum of the weights of each key, of which a weight may have several."""
    by_key: defaultdict[T, list[float]] = defaultdict(list)
    for keys, weight in weights:
        for key in keys:
            by_key[key].append(weight)
    return {key: fsum(of_key) for key, of_key in by_key.items()}
