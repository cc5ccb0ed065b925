"""Languages of the word games: thirty pairs of words with their clues in each."""

import tomllib
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from parlour.games.common.text import ENGLISH
from parlour.games.engine.game import Frozen, read_records
from parlour.games.engine.wordings import Told

_SPOKEN = frozenset({"language", "difficulty"})


class Spoken(Told):
    """Base of variants and settings of a word game in several languages."""

    def in_english(self, record: Frozen) -> Frozen:
        """The record with the English words of its pair: one setting in all languages."""
        if self.told_language is None:
            return record
        words = _english_words(self.told_language)
        texts = {key: value for key, value in record if isinstance(value, str)}
        return record.model_copy(update={key: words.get(texts[key], texts[key]) for key in texts})

    @cached_property
    def told_language(self) -> str | None:
        """The language as players are told of it; None: English, with words from before the key."""
        keys = self.when_changed & type(self).model_fields.keys() & _SPOKEN
        return getattr(self, "language", ENGLISH) if keys - self.unchanged() else None


class WordPair(BaseModel, frozen=True, extra="forbid"):
    """Two words of a topic, with clues that fit both, the first and the second, general first."""

    topic: str
    tier: Literal["easy", "medium", "hard"]
    words: tuple[str, str]
    both: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]

    @property
    def clues(self) -> dict[str, tuple[str, ...]]:
        """The clues of each word."""
        one, other = self.words
        return {one: self.both + self.first, other: self.both + self.second}


@cache
def word_pairs(language: str) -> tuple[WordPair, ...]:
    """The thirty pairs of a language: the same in all of them, pair by pair."""
    path = Path(__file__).parent / "words" / f"{language}.toml"
    pairs = tomllib.loads(path.read_text(encoding="utf-8"))["pairs"]
    return tuple(map(WordPair.model_validate, pairs))


@cache
def _english_words(language: str) -> dict[str, str]:
    """The English word or topic for each of another language."""
    english: dict[str, str] = {}
    for own, other in zip(word_pairs(language), word_pairs(ENGLISH), strict=True):
        english |= zip((own.topic, *own.words), (other.topic, *other.words), strict=True)
    return english


def with_pairs(
    record: type[Frozen],
    folder: Path,
    usual: Callable[[Sequence[Frozen], Any], tuple[Frozen, ...]],
    made: Callable[[int, WordPair], Frozen],
    parse: Callable[[str, str], tuple[Frozen, ...]] | None = None,
) -> Callable[[Sequence[Frozen], Any], tuple[Frozen, ...]]:
    """Makes ``select_records`` of a game: pairs of the language take the place of those shipped.

    ``made`` makes a record of the number of a pair and the pair. Records of a user's file, and
    English ones that are no such pairs, are picked as ``usual``.
    """

    def select(records: Sequence[Frozen], variant: Any) -> tuple[Frozen, ...]:
        shipped = read_records(record, parse, folder / "data" / "settings.json")
        if variant.told_language is None or records is not shipped:
            return usual(records, variant)
        wanted = {getattr(variant, "difficulty", "all")}
        pairs = word_pairs(variant.told_language)
        picked = [pair for pair in pairs if wanted & {pair.tier, "all", "mixed"}]
        return tuple(made(number, pair) for number, pair in enumerate(picked))

    return select
