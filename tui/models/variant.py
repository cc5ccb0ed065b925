"""Fields of a form from the model of a game's variant: choices, switches and numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from parlour.games.engine.game import Frozen, Game

SETTINGS, MATCHES, LINEUP = "limit", "matches", "lineup"
"""Keys of a game's block besides those of its variant."""
LINEUPS = ("pairs", "in_turn", "alone")
"""Line-ups; with "pairs" the schedule pairs the agents and the block has no such key."""
FEW_SETTINGS, FEW_MATCHES = 3, 4
"""Settings of a game, and matches of an experiment in blocks, that the form begins with."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a game's block: its options, or none if a number is typed.

    ``whole``: the number has no decimals. ``bounds`` says which numbers are allowed.
    """

    name: str
    default: object
    options: tuple[object, ...] = ()
    whole: bool = True
    bounds: str = ""

    def parsed(self, text: object) -> object:
        """The value of typed text; the text itself if it is no number, which is then refused."""
        if self.options or not isinstance(text, str):
            return text
        try:
            return int(text) if self.whole else float(text)
        except ValueError:
            return text


@cache
def keys_of(game: Game) -> tuple[Key, ...]:
    """The keys of a game's block in the order of the form."""
    keys: list[Key] = []
    if game.seating.pairing == "blocks":
        keys.append(Key(MATCHES, FEW_MATCHES, bounds="of an experiment"))
    else:
        records = shipped_settings(game)
        if records > 1:
            keys.append(Key(SETTINGS, min(FEW_SETTINGS, records), bounds=f"1 to {records}"))
        keys.append(Key(LINEUP, LINEUPS[0], LINEUPS))
    keys += [_key(name, info) for name, info in game.variant.model_fields.items()]
    return tuple(keys)


@cache
def shipped_settings(game: Game) -> int:
    """Number of settings that ship with a game."""
    return len(game.shipped())


def _key(name: str, info: FieldInfo) -> Key:
    annotation = info.annotation
    if annotation is bool:
        return Key(name, info.default, (True, False))
    options = tuple(_literals(annotation))
    if options:
        return Key(name, info.default, options)
    return Key(name, info.default, (), annotation is int, _bounds(info))


def _literals(annotation: Any) -> Iterator[object]:
    """Yields the values of a Literal. None is left out: a tournament file cannot say it."""
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif get_origin(annotation) in {Union, UnionType}:
        for part in get_args(annotation):
            yield from _literals(part)


def _bounds(info: FieldInfo) -> str:
    limits: dict[str, str] = {}
    for constraint in info.metadata:
        for name in ("ge", "gt", "le", "lt"):
            limit = getattr(constraint, name, None)
            if limit is not None:
                limits[name] = f"{limit:,.15g}"
    if "ge" in limits and "le" in limits:
        return f"{limits['ge']} to {limits['le']}"
    names = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}
    return ", ".join(f"{names[name]} {limit}" for name, limit in limits.items())


def legal_options(game: Game, key: Key, given: Mapping[str, object]) -> tuple[object, ...]:
    """The options of a key that the game accepts beside the others given."""
    if key.name not in game.variant.model_fields:
        return key.options
    return tuple(option for option in key.options if _accepts(game, {**given, key.name: option}))


def _accepts(game: Game, given: Mapping[str, object]) -> bool:
    fields = game.variant.model_fields
    model: type[Frozen] = game.variant
    try:
        model.model_validate({name: given[name] for name in given if name in fields})
    except ValidationError:
        return False
    return True
