"""Evidence of clues: how much likelier each word of a bank is once a clue is heard.

It comes from the meaning of short texts: whole-number vectors made of the vectors of their words.
The file of word vectors is made once, by ``scripts/word_vectors.py``. What is computed here takes
whole numbers alone, so it is the same on every machine.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from hashlib import blake2b
from itertools import chain
from math import isqrt
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from parlour.games.common.text import ENGLISH, languages, names_word

FILE = Path(__file__).parent / "data" / "word_vectors.npz"
LENGTH = 1 << 14
"""The length of a text's vector."""

WEIGHTS = 1 << 12
"""The weight of a word that tells as much as a word can; "the" has almost none."""

LEAST = WEIGHTS // 2
"""Weight that the words of a clear text have together."""

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_ENDINGS = {
    "'s": ("",),
    "ies": ("y", "ie"),
    "es": ("", "e"),
    "s": ("",),
    "ied": ("y",),
    "ed": ("", "e"),
    "ing": ("", "e"),
    "iest": ("y",),
    "est": ("", "e"),
    "ier": ("y",),
    "er": ("", "e"),
    "ly": ("",),
}
"""Endings of inflected words, and what stands in their place in the base form."""

_DOUBLED = ("ed", "ing", "est", "er")
_BASE = 3
"""The fewest letters of a base form."""


def tokens(text: str, language: str | None = None) -> list[str]:
    """The words of a text, in lower case; of another language than English without endings.

    Where there are no spaces, each character is a word.
    """
    text = text.casefold().replace("\u2019", "'")
    if language is None:
        return _TOKEN.findall(text)
    own, words = languages()[language], _TOKEN.findall(text.replace("'", " "))
    if not own.spaced:
        return [*chain.from_iterable(words)]
    return [re.sub(rf"(?<=\w{{{_BASE}}})(?:{own.inflections})$", "", word) for word in words]


def forms(token: str) -> Iterator[str]:
    """Yields a word and the base forms that it may be inflected from, likeliest first."""
    yield token
    for ending, others in _ENDINGS.items():
        base = token.removesuffix(ending)
        if base == token or len(base) < _BASE:
            continue
        yield from (base + other for other in others)
        if ending in _DOUBLED and base[-1] == base[-2]:
            yield base[:-1]  # bigger, swimming


class Meanings:
    """Word vectors: of the file, and one for each further word of some texts.

    A further word means itself alone: its vector is drawn from its letters. So texts in a
    ``language``, which has no file, are heard to the letter; there a word weighs the less, the
    more texts have it. Words that stand in neither are noise.
    """

    def __init__(self, texts: Iterable[str] = (), language: str | None = None) -> None:
        self._place, self._weight, self._scale, self._vectors = _file()
        self._language = language
        if language is not None:
            self._place = {}
        of_texts = (dict.fromkeys(tokens(text, language)) for text in texts)
        words = Counter(chain.from_iterable(of_texts))
        new = [word for word in words if self._find(word) < 0]
        if new:
            size = self._vectors.shape[1]
            drawn = [np.frombuffer(_drawn(token, size), np.int8) >> 5 for token in new]
            first = len(self._weight)
            self._place = self._place | {token: first + n for n, token in enumerate(new)}
            # As loud as a rare word of the file.
            texts_with = np.array([words[word] if language else 1 for word in new], np.int64)
            loud = np.median(self._scale).astype(np.int64)
            self._weight = np.append(self._weight, WEIGHTS // texts_with)
            self._scale = np.append(self._scale, loud // texts_with)
            self._vectors = np.vstack([self._vectors, *drawn])

    def __call__(self, text: str) -> tuple[NDArray[np.int32], int]:
        """Returns a text's vector of length LENGTH, 0 without a known word, and its clearness.

        That is the known share of the weight of its words, in units of 1 / WEIGHTS. Common words
        alone are not clear: a text without LEAST misses it.
        """
        at = [self._find(token) for token in tokens(text, self._language)]
        places = np.array([place for place in at if place >= 0], np.int64)
        known = int(self._weight[places].sum())
        total = max(known + WEIGHTS * at.count(-1), LEAST)
        vector = (self._vectors[places] * self._scale[places, None]).sum(0)
        norm = isqrt(int(vector @ vector))
        if not norm:
            return vector.astype(np.int32), 0
        return (vector * LENGTH // norm).astype(np.int32), WEIGHTS * known // total

    def weight(self, token: str) -> int:
        """The weight of a word, in units of 1 / WEIGHTS; an unknown one weighs most."""
        place = self._find(token)
        return WEIGHTS if place < 0 else int(self._weight[place])

    def _find(self, token: str) -> int:
        likely = forms(token) if self._language is None else (token,)
        return next((self._place[form] for form in likely if form in self._place), -1)


def _drawn(token: str, size: int) -> bytes:
    parts = (blake2b(f"{n} {token}".encode()).digest() for n in range(-(-size // 64)))
    return b"".join(parts)[:size]


@cache
def _file() -> tuple[dict[str, int], NDArray[np.int64], NDArray[np.int64], NDArray[np.int8]]:
    """Returns the place of each word, weights, and vectors as scales and small numbers."""
    with np.load(FILE, allow_pickle=False) as file:
        words = file["words"].tobytes().decode().split("\n")
        weight, scale = (file[name].astype(np.int64) for name in ("weights", "scales"))
        packed = file["vectors"]
    # Two numbers of four bits, from -8 to 7, are one byte.
    vectors = np.empty((len(words), 2 * packed.shape[1]), np.int8)
    vectors[:, 0::2], vectors[:, 1::2] = packed << 4, packed & 0xF0
    return {word: n for n, word in enumerate(words)}, weight, scale, vectors >> 4


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
        self._echo = lru_cache(1 << 6)(self._of_earlier)

    def __call__(self, clue: str, earlier: Iterable[str] = ()) -> NDArray[np.int64]:
        """Returns the evidence of a clue for each word, in units of 1 / unit, by ``place``.

        ``earlier`` are the clues that were said before it.
        """
        return self._without(self._echo(clue, tuple(earlier)), self._alone(clue))

    def of(self, words: Iterable[str], clue: str, earlier: tuple[str, ...] = ()) -> dict[str, int]:
        """Returns the evidence of a clue for some of the words, in units of 1 / unit."""
        alone, echo, place = self._alone(clue).item, self._echo(clue, earlier), self.place
        return {word: self._without(echo, alone(place[word])) for word in words}

    @cached_property
    def _meanings(self) -> Meanings:
        return Meanings(chain(self._words, self._clues), self._language)

    @cached_property
    def _vectors(self) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Vectors of the words and then of the clues; the clues of each word, and their starts."""
        clues = {clue: n for n, clue in enumerate(self._clues)}
        vectors = [self._meanings(text)[0] for text in chain(self._words, clues)]
        listed = [clues[clue] for clue in chain.from_iterable(self._words.values())]
        ends = np.cumsum([len(of_word) for of_word in self._words.values()])
        # As such numbers whole ones are multiplied fastest, and as exactly.
        return np.array(vectors, np.float64), np.array(listed), np.array([0, *ends[:-1]])

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
