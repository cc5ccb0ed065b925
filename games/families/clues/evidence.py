"""Evidence of clues: how much likelier each word of a bank is once a clue is heard.

Whole numbers alone, from the vectors of words to the evidence: it is the same on every machine.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from parlour.games.common.text import ENGLISH, languages, names_word
from parlour.games.families.clues.meaning import LENGTH, WEIGHTS, Meanings, forms, tokens

NEAR = (8.5, 7.8, 3.5)
"""Natural logarithm of a word's odds by the cosine of a clue with the word, with the nearest of
the word's clues, and by the mean cosine with them: fitted by ``scripts/word_vectors.py``."""

ECHO = (0.65, 0.85)
"""Cosine with an earlier clue from which a clue repeats it in part, and wholly."""

_STEPS = 64  # steps of a bit, in which likelihoods are counted
_BITS = 30
_POWERS = np.array(
    [int(Decimal(2) ** (_BITS - Decimal(step) / _STEPS)) for step in range(_STEPS)], np.int64
)
"""2 ** -(step / _STEPS) in units of 2 ** -_BITS."""

_SLOPES = np.array([int(Decimal(slope) * _STEPS / Decimal(2).ln()) for slope in NEAR], np.int64)
"""NEAR in steps."""


_T = TypeVar("_T", int, NDArray[np.int64])


class Evidence:
    """The evidence of clues for the words of a bank.

    A softmax over all words of the bank, of how near the clue is to each word and to the word's
    clues, times the number of words. A clue is worth the less, the more of it is no known word.
    Of a clue that repeats an earlier one only what it adds counts. Nobody may say its own word, so
    a clue that names a word is none of it, and a list of words fits a word as its worst part does.
    """

    def __init__(
        self,
        words: Mapping[str, Sequence[str]],
        clues: Collection[str],
        unit: int,
        language: str | None = None,
    ) -> None:
        """``words``: the clues of each word; ``unit``: the evidence of a clue that says nothing."""
        self._words, self._clues, self._unit, self._language = words, clues, unit, language
        self.place = {word: n for n, word in enumerate(words)}
        # One cache for each bank, which its players share.
        self._alone = lru_cache(1 << 14)(self._of_text)
        self._likeness = lru_cache(1 << 16)(self._of_pair)
        self._vector = lru_cache(1 << 12)(self._of_meaning)
        self._echo = lru_cache(1 << 14)(self._of_earlier)

    def __call__(self, clue: str, earlier: Iterable[str] = ()) -> NDArray[np.int64]:
        """Returns the evidence of a clue for each word, in units of 1 / unit, by ``place``.

        ``earlier`` are the clues that were said before it.
        """
        return self._without(self._echo(clue, tuple(earlier)), self._alone(clue))

    def of(self, word: str, clue: str, earlier: tuple[str, ...] = ()) -> int:
        """Returns the evidence of a clue for one word, in units of 1 / unit."""
        evidence: int = self._alone(clue).item(self.place[word])
        return self._without(self._echo(clue, earlier), evidence)

    @cached_property
    def _meanings(self) -> Meanings:
        return Meanings(chain(self._words, self._clues), self._language)

    @cached_property
    def _vectors(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        """Vectors of the words and then of the clues; the clues of each word, and their starts."""
        clues = {clue: n for n, clue in enumerate(self._clues)}
        vectors = [self._meanings(text)[0] for text in chain(self._words, clues)]
        listed = [clues[clue] for clue in chain.from_iterable(self._words.values())]
        ends = np.cumsum([len(of_word) for of_word in self._words.values()])
        return np.array(vectors), np.array(listed), np.array([0, *ends[:-1]])

    def _of_text(self, clue: str) -> NDArray[np.int64]:
        if clue == languages()[self._language or ENGLISH].no_clue:
            return np.full(len(self.place), self._unit)
        named = self._named(clue)
        weights = {token: self._meanings.weight(token) for token in tokens(clue, self._language)}
        listed = sum(weights.get(token, 0) for token in named)
        if len(named) > 1 and 2 * listed > sum(weights.values()):
            evidence: NDArray[np.int64] = np.min([self._of_part(token) for token in named], 0)
        else:
            evidence = self._of_part(clue)
        evidence[[self.place[word] for word in named.values()]] = 0
        return evidence

    def _named(self, clue: str) -> dict[str, str]:
        """The words of the bank that a clue names, by their forms in it."""
        named = {}
        if self._language is not None:
            return {word: word for word in self.place if names_word(clue, word, self._language)}
        for token in tokens(clue):
            for form in forms(token):
                if form in self.place:
                    named[token] = form
                    break
        return named

    def _of_part(self, text: str) -> NDArray[np.int64]:
        near, clear = self.nearness(text)
        scores = _SLOPES @ near
        # Steps below the best word, first in finer units.
        below = (scores.max() - scores) // LENGTH * clear // (WEIGHTS * LENGTH)
        chances = _POWERS[below % _STEPS] >> np.minimum(below // _STEPS, _BITS + 1)
        evidence: NDArray[np.int64] = chances * (len(scores) * self._unit) // chances.sum()
        return evidence

    def nearness(self, text: str) -> tuple[NDArray[np.int64], int]:
        """Returns how near a text is to each word, as NEAR lists it, and how clear it is.

        Rows: cosine with the word, with the nearest of its clues, mean cosine with them, in units
        of LENGTH ** -2.
        """
        vector, clear = self._meanings(text)
        vectors, listed, starts = self._vectors
        cosines = (vectors @ vector).astype(np.int64)
        of_clues = cosines[len(self.place) :][listed]
        sizes = np.diff(np.append(starts, len(listed)))
        nearest = np.maximum.reduceat(of_clues, starts)
        mean = np.add.reduceat(of_clues, starts) // sizes
        return np.array([cosines[: len(self.place)], nearest, mean]), clear

    def _without(self, echo: int, evidence: _T) -> _T:
        """The evidence of that part of a clue which is no echo."""
        return (evidence * (LENGTH - echo) + self._unit * echo) // LENGTH if echo else evidence

    def _of_earlier(self, clue: str, earlier: tuple[str, ...]) -> int:
        """The part of a clue that repeats any earlier one, in units of 1 / LENGTH."""
        return max((self._likeness(clue, other) for other in earlier), default=0)

    def _of_meaning(self, text: str) -> NDArray[np.int64]:
        return self._meanings(text)[0].astype(np.int64)

    def _of_pair(self, clue: str, earlier: str) -> int:
        """The part of a clue that repeats an earlier one, in units of 1 / LENGTH."""
        if tokens(clue, self._language) == tokens(earlier, self._language):
            return LENGTH
        cosine = int(self._vector(clue) @ self._vector(earlier)) // LENGTH
        none, wholly = (int(end * LENGTH) for end in ECHO)
        return min(max(cosine - none, 0) * LENGTH // (wholly - none), LENGTH)
