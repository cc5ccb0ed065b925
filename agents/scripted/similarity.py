"""Similarity of the two words of a setting, from the clues of a bank, and by difficulty.

The impostor paper takes the similarity of embeddings; here a word is the vector of the terms of
its clues, weighted by TF-IDF. Clues that fit both words are among them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from math import log, sqrt
from statistics import fmean, stdev

from parlour.games.engine.game import Frozen, Game
from parlour.games.families.clues.clue_bank import ClueBank

Vector = Mapping[str, float]
"""A vector of length 1: the weight of each term."""
_TERM = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class TierSimilarity:
    """Similarity of the words of each pair of one tier: mean, its standard error, and range."""

    game: str
    tier: str | None
    pairs: int
    mean: float
    se: float | None
    least: float
    most: float


def clue_vectors(bank: ClueBank) -> dict[str, Vector]:
    """The vector of each word: terms of its clues, weighted by how few words have them."""
    weights = _weights(bank)
    return {word: _vector(Counter(_terms(clues)), weights) for word, clues in bank.clues.items()}


def _weights(bank: ClueBank) -> dict[str, float]:
    """The weight of each term of a bank: the fewer words have it, the more it says."""
    of_words = [set(_terms(clues)) for clues in bank.clues.values()]
    words_with = Counter(chain.from_iterable(of_words))
    return {term: log((1 + len(of_words)) / (1 + n)) + 1 for term, n in words_with.items()}


def _vector(counts: Counter[str], of_terms: Mapping[str, float]) -> Vector:
    """The vector of some terms, without those that have no weight."""
    weights = {term: n * of_terms[term] for term, n in counts.items() if term in of_terms}
    length = sqrt(sum(weight**2 for weight in weights.values()))
    return {term: weight / length for term, weight in weights.items()}


def _terms(clues: tuple[str, ...]) -> list[str]:
    return _TERM.findall(" ".join(clues).casefold())


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of two vectors: 0 without a common term, 1 if they are equal."""
    return sum(weight * other.get(term, 0.0) for term, weight in one.items())


class ClueSimilarity:
    """Similarity of any text to the words of a bank: the cosine of their vectors."""

    def __init__(self, bank: ClueBank) -> None:
        self._weights = _weights(bank)
        self._vectors = clue_vectors(bank)

    def __call__(self, text: str, word: str) -> float | None:
        """Returns the similarity; None for a word without clues, 0 for a text of other terms."""
        known = self._vectors.get(word)
        if known is None:
            return None
        return cosine(_vector(Counter(_terms((text,))), self._weights), known)


def pair_similarities(
    game: Game, records: Iterable[Frozen], variant: Frozen, bank: ClueBank
) -> dict[str | None, list[float]]:
    """Returns the similarity of the words of each pair by tier.

    Settings without two words are left out, and pairs with a word that has no clues.
    """
    vectors = clue_vectors(bank)
    by_tier: dict[str | None, list[float]] = defaultdict(list)
    for record in records:
        setting = game.make_setting(record, variant)
        words = game.hints.words(setting)
        if len(words) == 2 and vectors.keys() >= {*words}:
            tier = game.counting.covariates(record, setting).tier
            by_tier[tier].append(cosine(vectors[words[0]], vectors[words[1]]))
    return by_tier


def similarity_by_tier(game: Game, bank: ClueBank) -> Iterator[TierSimilarity]:
    """Yields the similarity of the game's shipped pairs, tier by tier; nothing without pairs."""
    by_tier = pair_similarities(game, game.shipped(), game.variant(), bank)
    for tier, values in by_tier.items():
        se = stdev(values) / sqrt(len(values)) if len(values) > 1 else None
        yield TierSimilarity(
            *(game.name, tier, len(values), fmean(values), se, min(values), max(values))
        )
