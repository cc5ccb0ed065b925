"""Meaning of short English texts: whole-number vectors made of the vectors of their words.

The file of word vectors is made once, by ``scripts/word_vectors.py``. What is computed here takes
whole numbers alone, so it is the same on every machine.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from itertools import chain
from math import isqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parlour.games.common.text import languages

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
