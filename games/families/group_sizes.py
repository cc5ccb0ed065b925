"""Sizes of the word games: how many play, and which seats have the special role.

The papers play one size each. The impostor paper (appendix O) asks for others, since a fixed size
favours players that coordinate well in small groups.
"""

from collections.abc import Collection, Generator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from pydantic import Field, ValidationInfo, field_validator, model_validator

from parlour.games.common.text import ENGLISH
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import JESTER, Frozen
from parlour.games.engine.moves import Seat, Tell
from parlour.games.engine.record import Covariates
from parlour.games.families.languages import Spoken

LARGER: tuple[Mapping[str, Any], ...] = (
    {"players": 5, "special_seats": 2},
    {"players": 10, "special_seats": 3, "clue_rounds": 2, "probes": "off"},
    {"players": 6, "special_seats": 2, "clue_rounds": 4, "elimination": True, "probes": "off"},
    {"clue_rounds": 2, "elimination": True, "talk_rounds": 2},
)
"""Groups for the conformance suite."""


class Group(Spoken):
    """Keys of the group: its ``players``, how many have the special role, and rounds of clues.

    ``elimination``: each round of clues ends in a vote, and whoever alone is named most is out. The
    special side has lost once none of it is left. It has won once it is no minority any more, or if
    one of it is left after the last round. ``talk_rounds``: before a vote each player says what it
    likes so many times.
    """

    when_changed: ClassVar = frozenset(
        {"players", "special_seats", "elimination", "talk_rounds", "deal"}
    )
    players: int = Field(default=3, ge=3, le=10)
    special_seats: int = Field(default=1, ge=1, le=3)
    clue_rounds: int = Field(default=1, ge=1, le=5)
    elimination: bool = False
    talk_rounds: int = Field(default=0, ge=0, le=3)

    @model_validator(mode="after")
    def _possible(self) -> "Group":
        special, jester = self.special_seats, bool(getattr(self, JESTER, False))
        if 2 * special >= self.players - jester:
            problem = f"special_seats = {special} is no minority of {self.players} players"
            if jester:
                needed = f"needs players = {2 * special + 2} or more"
                problem = f"a jester beside special_seats = {special} {needed}"
            raise ValueError(problem)
        usual = self.is_usual and getattr(self, "language", ENGLISH) == ENGLISH
        if getattr(self, "first_moves", "asked") == "shipped" and not usual:
            raise ValueError("first_moves = 'shipped' needs the usual group, in english")
        return self

    @cached_property
    def is_usual(self) -> bool:
        """True if the group is that of the paper."""
        return {"players", "special_seats"} <= self.unchanged()

    @cached_property
    def told(self) -> dict[str, Any]:
        """The group as all are told of it, and the language if it is told."""
        keys = ("players", "special_seats", "clue_rounds", "elimination", "talk_rounds")
        untold = self.unchanged() - {"players"}
        group = {key: getattr(self, key) for key in keys if key not in untold}
        if self.told_language is not None:
            group["language"] = self.told_language
        return group


class Dealt(Group):
    """A setting of a group; ``deal`` is the number by which special seats are drawn."""

    deal: int = Field(default=0, ge=0)

    @field_validator("deal")
    @classmethod
    def _nothing_to_deal(cls, deal: int, info: ValidationInfo) -> int:
        """No deal in the group of the paper, so that its settings are as they always were."""
        keys = ("players", "special_seats")
        usual = {key: cls.model_fields[key].default for key in keys}
        return 0 if usual.items() <= info.data.items() else deal

    @cached_property
    def special(self) -> tuple[Seat, ...]:
        """The seats of the special role, in their order."""
        raise NotImplementedError

    @property
    def words(self) -> tuple[str, ...]:
        """The word of each seat, "" for one that is dealt none."""
        raise NotImplementedError

    def with_others(self, first: int) -> tuple[Seat, ...]:
        """The special seats: the first one, and others that are drawn.

        The draw depends on nothing that players are told, and over all first seats each seat is
        special equally often.
        """
        return tuple(sorted(drawn_seats(self.players, self.deal, first)[: self.special_seats]))

    def roles(self, special: str, ordinary: str) -> tuple[str, ...]:
        """The role of each seat."""
        seats = self.special
        return tuple(special if seat in seats else ordinary for seat in range(self.players))


@lru_cache(maxsize=4096)
def drawn_seats(players: int, deal: int, first: int) -> tuple[Seat, ...]:
    """All seats in a drawn order, from the first one on."""
    steps = Dice("special seats", deal).shuffled(range(1, players))
    return tuple(Seat((first + step) % players) for step in (0, *steps))


def words_of(_record: Frozen, setting: Dealt) -> Covariates:
    """The words of a match, with what players are told of their topic and language."""
    topic = getattr(setting, "topic", None)
    return Covariates(words=setting.words, topic=topic, language=setting.told_language)


def other_words(setting: Dealt) -> tuple[tuple[str, ...], ...]:
    """The words of the match that each seat must not see, since it holds another or none."""
    words = {*filter(None, setting.words)}
    return tuple(tuple(words - {own}) for own in setting.words)


def vote_out(
    accused: tuple[Seat, ...], playing: tuple[Seat, ...], roles: Sequence[str], round: int
) -> Generator[Tell, Any, tuple[Seat, ...]]:
    """Tells who is out, if one player alone was named most; returns those who go on."""
    if len(accused) != 1:
        return playing
    yield Tell("out", {"player": accused[0], "role": roles[accused[0]]}, round=round)
    return tuple(seat for seat in playing if seat != accused[0])


def special_won(setting: Dealt, playing: Collection[Seat], round: int) -> bool | None:
    """True if the special side has won by those who are left, False if it has lost, else None."""
    left = sum(seat in setting.special for seat in playing)
    if not left:
        return False
    return True if round == setting.clue_rounds or 2 * left >= len(playing) else None
