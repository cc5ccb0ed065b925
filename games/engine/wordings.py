"""Wording and language of a match: how it is told, with the same rules.

A wording tells the same facts in other words, under other names, or in another order. Both are
keys of a game's variant, so that the matches of two wordings or languages are two conditions of one
game.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Any, ClassVar, Final, Literal, get_args

from pydantic import model_validator

from parlour.games.common.text import ENGLISH
from parlour.games.common.validation_messages import in_toml
from parlour.games.engine.events import View
from parlour.games.engine.game import JESTER, Game, Sparse
from parlour.games.engine.moves import Seat, player

KEY: Final = "wording"
PLAIN: Final = "plain"
"""The key of a variant, and its value for the prompts as they are."""
Wording = Literal["plain", "again", "paraphrase", "paraphrase_2", "neutral", "reversed", "renamed"]
LabelledWording = Literal[
    "plain", "again", "paraphrase", "paraphrase_2", "neutral", "swapped", "reversed", "renamed"
]
"""The wordings of a game in which players choose between two labels."""
Language = Literal["english", "german", "spanish", "french", "chinese"]
"""Value of the key ``language``: what the prompts are written in and all players speak."""
LANGUAGES = frozenset(get_args(Language)) - {ENGLISH}
"""The languages that have templates of their own, like the wordings below."""
TEMPLATES = frozenset({"paraphrase", "paraphrase_2"})
"""The wordings that have templates of their own, in a folder of that name beside the others."""
LABELS = frozenset({"neutral", "swapped", "reversed", "renamed"})
"""The wordings that come to be as a model is sent its prompt."""
NAMES = (
    *("Alex", "Bruno", "Carla", "Dora", "Emil", "Fatima"),
    *("Goran", "Hanna", "Ivan", "Jonas", "Katya", "Lena"),
)
"""The names of renamed players, by seat."""
_EXCHANGED = str.maketrans("JF", "FJ")
_WITHOUT_WORDS = frozenset({PLAIN, "again", "reversed", "renamed", ENGLISH})
"""Wordings of whatever the prompts say, and the language that says everything."""
_GROUP = frozenset({"players", "special_seats", "elimination", "talk_rounds", JESTER})
_UNTOLD = {
    KEY: {"language", "mechanism", "generations", *_GROUP},
    "language": {"mechanism", "generations", JESTER},
}
"""Keys of which other words and other languages tell nothing: they stay at their defaults."""


class Told(Sparse):
    """Base of the keys of a game, among them ``wording`` and ``language``.

    "again" is the plain wording once more, a control; the paraphrases say the same in other
    sentences; "neutral" puts words without a frame in the place of "cooperate" or "undercover", and
    "swapped" does so with the labels of both choices exchanged; "reversed" turns the order of
    choices round; "renamed" gives players other names. Prompts of a language are in a folder of its
    name, among those of the game.
    """

    when_changed: ClassVar = frozenset({KEY, "language"})

    @model_validator(mode="after")
    def _usual_otherwise(self) -> "Told":
        fields = type(self).model_fields
        for key, untold in _UNTOLD.items():
            value = getattr(self, key, PLAIN)
            for other in fields if value not in _WITHOUT_WORDS else ():
                usual = fields[other].default
                if other in untold and getattr(self, other) != usual:
                    needs = f"{other} = {in_toml(usual)}"
                    raise ValueError(f"{key} = {in_toml(value)} needs {needs}")
        return self

    @cached_property
    def told_otherwise(self) -> dict[str, Any]:
        """The language and the wording as the rules tell them: nothing of the usual ones."""
        changed = type(self).model_fields.keys() - self.unchanged()
        return {key: getattr(self, key) for key in ("language", KEY) if key in changed}


@cache
def wordings_of(game: Game) -> tuple[str, ...]:
    """The wordings in which a game can be played; the plain one alone for most games."""
    key = game.variant.model_fields.get(KEY)
    return get_args(key.annotation) if key else (PLAIN,)


def wording_of(view: View) -> str:
    """The wording of a match, as its rules tell it."""
    return str(view.rules.get(KEY, PLAIN))


def parted(condition: str) -> tuple[str, str]:
    """The wording of a condition, and what is left of it: the same in all wordings of a match."""
    parts = condition.split(",")
    own = [part for part in parts if part.startswith(f"{KEY}=")]
    rest = ",".join(part for part in parts if part not in own)
    return own[0].partition("=")[2] if own else PLAIN, rest


@dataclass(frozen=True, slots=True)
class Labels:
    """Words in the place of others: ``words`` in texts alone, ``answers`` also in answers."""

    words: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)

    def sent(self, text: str) -> str:
        """A text as a model is sent it."""
        return replaced(text, {**self.words, **self.answers})

    def schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema of an answer with the labels that a model is offered."""
        offered: dict[str, Any] = _throughout(schema, self.answers)
        return offered

    def read(self, value: object) -> object:
        """The answer that a model gave with these labels, with the game's own."""
        return _throughout(value, {label: own for own, label in self.answers.items()})


_NONE = Labels()


def labels_of(game: Game, wording: str, seats: Sequence[Seat]) -> Labels:
    """The labels of a wording at a table with these seats."""
    if wording == "renamed":
        return Labels({}, {player(seat): NAMES[seat] for seat in seats})
    return _neutral(game, wording) if wording in {"neutral", "swapped"} else _NONE


@cache
def _neutral(game: Game, wording: str) -> Labels:
    """The labels of ``prompts/neutral.toml``: those of choices are named J and F there."""
    text = (game.folder / "prompts" / "neutral.toml").read_text(encoding="utf-8")
    labels = tomllib.loads(text)
    words, answers = labels["words"], labels.get("answers", {})
    if wording == "swapped":
        answers = {own: label.translate(_EXCHANGED) for own, label in answers.items()}
    return Labels(words, answers)


def replaced(text: str, by: Mapping[str, str]) -> str:
    """A text with whole words and phrases replaced, all at once."""
    return _pattern(tuple(by)).sub(lambda match: by[match[0]], text) if by else text


@lru_cache(maxsize=64)
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(phrases, key=len, reverse=True)
    whole = rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)"
    return re.compile(whole, re.ASCII)  # Chinese has no spaces beside a name


def _throughout(value: object, by: Mapping[str, str]) -> Any:
    """JSON values with the phrases in all their texts and names replaced."""
    if not by:  # as in most matches
        return value
    if isinstance(value, str):
        return replaced(value, by)
    if isinstance(value, dict):
        return {replaced(name, by): _throughout(each, by) for name, each in value.items()}
    return [_throughout(each, by) for each in value] if isinstance(value, list) else value
