"""What the rest of the program must know of a game besides its rules."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from parlour.games.common.errors import BadInput
from parlour.games.common.validation_messages import first_problem
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Rules, Seat

BUILT_IN = "(built in)"
"""What stands for an agent at a seat that the rules themselves play."""


class Frozen(BaseModel):
    """Base of settings and variants: immutable, nothing extra, no silent conversion."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


@dataclass(frozen=True, slots=True)
class Game:
    """A game and its metadata; a game's folder exports one of these as ``GAME``.

    ``record`` is one entry of a settings file, ``variant`` the keys that a tournament file may
    set, and ``setting`` both together: what the rules are played with. ``roles`` maps each role
    to the most credits a seat in it can earn (None: the game knows no credits); ``special`` is
    the role that the others look for, ``knowing`` the roles whose seats are told so, and
    ``deceived`` the endings in which the special one got away with it.
    ``sides`` names the side of each seat under a setting. ``endings`` and ``kinds`` explain every
    ending and every kind of event in plain words. ``secrets`` gives the strings that a seat must
    not see before the match is over.

    ``pairing`` says how two agents fill the seats: each a side, shared out evenly, or one of
    them in each seat in turn among copies of the other; the last ``built_in`` seats are played by
    the rules themselves. ``rated`` says what TrueSkill ranks: sides that win or lose, agents by
    their mean payoff, or nothing. ``wins``: where a game knows no credits, its win rate is the
    share of matches won. ``rehearsed`` are variant keys under which the conformance suite plays
    it: a long game is rehearsed with few seats.

    ``parse`` reads a settings file of a form of its own (text, place); ``chosen`` are the records
    that a variant is played on; ``spread`` is what a setting holds beyond record and variant: each
    record makes one setting with each of these.
    """

    name: str
    title: str
    version: int
    rules: Callable[[Any, Sequence[Seat], Dice], Rules]
    record: type[Frozen]
    variant: type[Frozen]
    setting: type[Frozen]
    sides: Callable[[Any], tuple[str, ...]]
    roles: Mapping[str, float | None]
    endings: Mapping[str, str]
    kinds: Mapping[str, str]
    secrets: Callable[[Any], tuple[tuple[str, ...], ...]]
    words: Callable[[Any], tuple[str, ...]]
    draw_probability: float
    folder: Path
    special: str | None = None
    knowing: frozenset[str] = frozenset()
    deceived: frozenset[str] = frozenset()
    pairing: Literal["sides", "shared", "each_seat", "blocks"] = "sides"
    rated: Literal["sides", "payoff", "none"] = "sides"
    wins: bool = False
    built_in: Callable[[Any], int] = lambda _setting: 0
    summary: str = ""
    probes: frozenset[str] = field(default=frozenset())
    rehearsed: Mapping[str, Any] = field(default_factory=dict)
    parse: Callable[[str, str], tuple[Frozen, ...]] | None = None
    chosen: Callable[[Sequence[Frozen], Any], tuple[Frozen, ...]] = lambda records, _: tuple(
        records
    )
    spread: tuple[Mapping[str, Any], ...] = ({},)

    def seats(self, setting: Any) -> int:
        """How many seats a match under this setting has."""
        return len(self.sides(setting))

    def matches_of_a_pair(self, setting: Any, defended: bool) -> int:
        """How many matches two agents play on one setting; ``defended``: one is the defender."""
        if self.pairing == "each_seat":
            return self.seats(setting) * (1 if defended else 2)
        return 2 if self.pairing == "sides" else 1

    def shipped(self) -> tuple[Frozen, ...]:
        """The settings that ship with the game."""
        return _read_records(self, self.folder / "data" / "settings.json")

    def records(self, path: Path) -> tuple[Frozen, ...]:
        """The settings of a user's file. Raises BadInput naming file, record and field."""
        return _read_records(self, path)

    def make_setting(self, record: Frozen, variant: Frozen, place: int = 0) -> Frozen:
        """The setting that a match is played with; ``place`` counts through the spread."""
        parts = {**record.model_dump(), **variant.model_dump(), **self.spread[place]}
        wanted = self.setting.model_fields
        return self.setting.model_validate({key: parts[key] for key in parts if key in wanted})

    def condition(self, variant: Frozen) -> str:
        """The variant keys that differ from the defaults, as ``key=value`` joined by commas."""
        usual = self.variant().model_dump(mode="json")
        changed = variant.model_dump(mode="json")
        return ",".join(
            f"{key}={value}"
            for key, value in changed.items()
            if value != usual[key] and value is not None  # None: another key leaves it no part
        )


def _read_records(game: Game, path: Path) -> tuple[Frozen, ...]:
    return _parsed(game.record, game.parse, path)


@cache
def _parsed(
    record: type[Frozen], parse: Callable[[str, str], tuple[Frozen, ...]] | None, path: Path
) -> tuple[Frozen, ...]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(str(path), f"cannot be read ({error})", "check the path") from None
    return parse(text, str(path)) if parse else parse_records(record, text, str(path))


def parse_records(record: type[Frozen], text: str, place: str) -> tuple[Frozen, ...]:
    """Settings from the text of a settings file: a JSON array of records.

    Raises BadInput naming the place, the record's number (from 1), the field and the value.
    """
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(place, f"is not JSON ({error})", "fix it at that line") from None
    if not isinstance(entries, list) or not entries:
        raise BadInput(place, "holds no settings", "give a JSON array of at least one record")
    records = []
    for number, entry in enumerate(entries, start=1):
        try:
            # Validated as JSON, where strict mode still lets an array stand for a tuple.
            records.append(record.model_validate_json(json.dumps(entry)))
        except ValidationError as error:
            where, problem = first_problem(error)
            fix = "fields: " + ", ".join(record.model_fields)
            raise BadInput(f"{place}, record {number}{where}", problem, fix) from None
    return tuple(records)
