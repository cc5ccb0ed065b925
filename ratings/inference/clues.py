"""Covariates of clues: length, hedging, sentiment, and similarity to words.

The words that hedge or have a tone are in ``clues.toml``. The similarity of a clue to a word is a
function that the caller gives, so that any measure will do.
"""

import re
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

_LEXICON = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
HEDGES, POSITIVE, NEGATIVE, NEGATIONS = (
    frozenset(_LEXICON[name].split()) for name in ("hedges", "positive", "negative", "negations")
)
HEDGING_PHRASES: list[str] = _LEXICON["hedging_phrases"]
Similarity = Callable[[str, str], float | None]
"""From a clue and a word to their similarity; None for a word that is not known."""
REACH = 3
"""Words before a word of tone in which a negation turns it round."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PHRASES = re.compile(rf"\b(?:{'|'.join(map(re.escape, HEDGING_PHRASES))})\b")


class ClueCovariates(NamedTuple):
    """The covariates of one clue.

    ``words`` counts words, ``hedges`` the hedging words and phrases per word. ``sentiment`` is
    positive less negative words, per word. Similarities are those to the own word and to the
    majority's word.
    """

    words: int
    hedges: float
    sentiment: float
    own_similarity: float | None
    majority_similarity: float | None


def covariates(
    text: str, own_word: str | None, majority_word: str, similarity: Similarity
) -> ClueCovariates:
    """Returns the covariates of a clue; a clue without words has 0 of everything."""
    words = words_of(text)
    count = max(1, len(words))
    own = None if own_word is None else similarity(text, own_word)
    rates = hedges(text) / count, sentiment(words) / count
    return ClueCovariates(len(words), *rates, own, similarity(text, majority_word))


def words_of(text: str) -> list[str]:
    """Returns the words of a text in small letters; "it's" is one word."""
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


def hedges(text: str) -> int:
    """Counts the hedging phrases of a text, and the hedging words outside them."""
    plain = " ".join(words_of(text))
    rest, phrases = _PHRASES.subn(" ", plain)
    return phrases + sum(word in HEDGES for word in rest.split())


def sentiment(words: Sequence[str]) -> int:
    """Returns the positive less the negative words; one after a negation counts the other way."""
    total = 0
    for index, word in enumerate(words):
        tone = (word in POSITIVE) - (word in NEGATIVE)
        if tone and any(map(_negates, words[max(0, index - REACH) : index])):
            tone = -tone
        total += tone
    return total


def _negates(word: str) -> bool:
    return word in NEGATIONS or word.endswith("n't")
