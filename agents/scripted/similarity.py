"""Similarity of the two words of a setting, from the clues of a bank, and by difficulty.

The impostor paper takes the similarity of embeddings; here a word is the vector of the terms of
its clues, weighted by TF-IDF. Clues that fit both words are among them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from math import log, sqrt
from statistics import fmean, stdev

from parlour.agents.scripted.clue_bank import ClueBank
from parlour.games.engine.game import Game

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
    terms = {word: Counter(_terms(clues)) for word, clues in bank.clues.items()}
    words_with = Counter(chain.from_iterable(terms.values()))
    rarity = {term: log((1 + len(terms)) / (1 + n)) + 1 for term, n in words_with.items()}

    def vector(counts: Counter[str]) -> Vector:
        weights = {term: count * rarity[term] for term, count in counts.items()}
        length = sqrt(sum(weight**2 for weight in weights.values()))
        return {term: weight / length for term, weight in weights.items()}

    return {word: vector(counts) for word, counts in terms.items()}


def _terms(clues: tuple[str, ...]) -> list[str]:
    return _TERM.findall(" ".join(clues).casefold())


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of two vectors: 0 without a common term, 1 if they are equal."""
    return sum(weight * other.get(term, 0.0) for term, weight in one.items())


def similarity_by_tier(game: Game, bank: ClueBank) -> Iterator[TierSimilarity]:
    """Yields the similarity of the game's shipped pairs, tier by tier; nothing without pairs."""
    vectors, variant = clue_vectors(bank), game.variant()
    by_tier: dict[str | None, list[float]] = defaultdict(list)
    for record in game.shipped():
        setting = game.make_setting(record, variant)
        words = game.hints.words(setting)
        if len(words) == 2:
            tier = game.counting.covariates(record, setting).tier
            by_tier[tier].append(cosine(vectors[words[0]], vectors[words[1]]))
    for tier, values in by_tier.items():
        se = stdev(values) / sqrt(len(values)) if len(values) > 1 else None
        yield TierSimilarity(
            *(game.name, tier, len(values), fmean(values), se, min(values), max(values))
        )
