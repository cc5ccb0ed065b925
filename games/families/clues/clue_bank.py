"""Clue bank: the clues for each word, ordered from general to specific."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError, field_validator, model_validator

from parlour.games.common.errors import BadInput
from parlour.games.common.plain_files import read_plain
from parlour.games.common.text import ENGLISH, clean, names_word
from parlour.games.common.validation_messages import first_problem
from parlour.games.families.languages import word_pairs

if TYPE_CHECKING:
    from parlour.games.families.clues.evidence import Evidence

UNIT = 1 << 16
"""Evidence of 1: a word is as likely as before the clue."""

IDLE = 4
"""Evidence of a clue below which it hardly speaks of a word."""

HARDLY = 1 / 3
"""Fit with a word below which a clue counts as an error."""

FEWEST_CLUES = 6
"""Clues that every word must have, so that a two-round game never runs out of them."""


class _BankFile(BaseModel, extra="forbid", strict=True):
    """A bank file: ``{"words": {"word": ["general clue", ..., "specific clue"]}}``.

    Optionally ``"topics": {"topic": ["word", ...]}``: the candidate words of a topic.
    """

    words: dict[str, list[str]]
    topics: dict[str, list[str]] = {}

    @field_validator("words")
    @classmethod
    def _usable(cls, words: dict[str, list[str]]) -> dict[str, list[str]]:
        for word, clues in words.items():
            if len(set(clues)) < FEWEST_CLUES or len(set(clues)) < len(clues):
                raise ValueError(f"{word!r} needs at least {FEWEST_CLUES} different clues")
            for clue in clues:
                if names_word(clue, word):
                    raise ValueError(f"the clue {clue!r} names its word {word!r}")
                if not clue.strip() or clean(clue) != clue:
                    raise ValueError(f"a clue of {word!r} is blank or has control characters")
        return words

    @model_validator(mode="after")
    def _topics_are_covered(self) -> "_BankFile":
        for topic, words in self.topics.items():
            for word in words:
                if word not in self.words:
                    raise ValueError(
                        f"the topic {topic!r} has the word {word!r}, which has no clues"
                    )
        return self


class ClueBank:
    """Clues by word, words by clue, and the candidate words of each topic."""

    def __init__(
        self,
        words: Mapping[str, Iterable[str]],
        topics: Mapping[str, Iterable[str]] | None = None,
        language: str | None = None,
    ) -> None:
        self.file: Path | None = None
        self.language = language
        self.clues = {word: tuple(clues) for word, clues in words.items()}
        self.topics = {topic: tuple(names) for topic, names in (topics or {}).items()}
        self.words_by_clue: dict[str, list[str]] = {}
        for word in sorted(self.clues):
            for clue in self.clues[word]:
                self.words_by_clue.setdefault(clue, []).append(word)
        self._similar: dict[str, dict[str, int]] = {}

    @cached_property
    def evidence(self) -> "Evidence":
        """The evidence of clues, also of those that the bank does not list, for its words."""
        # Read when a player first listens: most commands never need word vectors.
        from parlour.games.families.clues.evidence import Evidence

        return Evidence(self.clues, self.words_by_clue, UNIT, self.language)

    def of_language(self, language: str | None) -> "ClueBank":
        """The bank in a language as players are told of it, with the same file of the user's."""
        if language == self.language:
            return self
        return extended_bank(self.file, language) if self.file else shipped_bank(language)

    def names(self, clue: str, word: str) -> bool:
        """True if the clue names the word, in the bank's language."""
        return names_word(clue, word, self.language or ENGLISH)

    def similar_words(self, word: str) -> dict[str, int]:
        """The other words that share clues with this one, with the number of shared clues."""
        if word not in self._similar:
            with_each = map(self.words_by_clue.__getitem__, self.clues[word])
            self._similar[word] = Counter(chain.from_iterable(with_each))
            del self._similar[word][word]
        return self._similar[word]

    def of_topic(self, topic: str) -> tuple[str, ...]:
        """The candidate words of a topic; all words if the topic is unknown."""
        return self.topics.get(topic) or tuple(sorted(self.clues))

    def rivals(self, word: str, topic: str | None) -> Mapping[str, int]:
        """The words that others may hold: those that share clues with a word, and how many.

        Those of a topic, or any where no word shares a clue, count as sharing one.
        """
        shared = self.similar_words(word) if topic is None else {}
        return shared or dict.fromkeys(self.of_topic(topic or ""), 1)

    def missing(self, words: Iterable[str]) -> list[str]:
        """The words without clues in the bank, in their order."""
        return [word for word in dict.fromkeys(words) if word not in self.clues]


@cache
def shipped_bank(language: str | None = None) -> ClueBank:
    """Returns the shipped bank, which has clues for the words of every shipped setting.

    That of a ``language`` has those of its pairs; None is English without them.
    """
    words: dict[str, Sequence[str]] = {}
    topics: dict[str, list[str]] = {}
    if language is not None:
        for pair in word_pairs(language):
            words |= pair.clues
            topics.setdefault(pair.topic, []).extend(pair.words)
        return ClueBank(words, topics, language)
    for path in sorted((Path(__file__).parent / "data").glob("*.json")):
        # Not validated here, which would take longer than a short match: a test does.
        entries = json.loads(path.read_text(encoding="utf-8"))
        words |= entries["words"]
        topics |= entries.get("topics", {})
    return ClueBank(words, topics)


@cache
def extended_bank(path: Path, language: str | None = None) -> ClueBank:
    """Returns the shipped bank extended by a user's file, whose entries take precedence."""
    file, shipped = _read(path), shipped_bank(language)
    words, topics = {**shipped.clues, **file.words}, {**shipped.topics, **file.topics}
    bank = ClueBank(words, topics, language)
    bank.file = path
    return bank


def _read(path: Path) -> _BankFile:
    try:
        entries = json.loads(read_plain(path.resolve()))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(str(path), f"cannot be read ({error})", "check the path") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(str(path), f"is not JSON ({error})", "correct that line") from None
    try:
        return _BankFile.model_validate(entries)
    except ValidationError as error:
        where, problem = first_problem(error)
        raise BadInput(f"{path}{where}", problem, "correct that word's clues") from None
