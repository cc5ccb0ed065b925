"""Game metadata: all that the rest of the program knows of a game besides its rules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import factorial
from pathlib import Path
from typing import Any

from parlour.games.engine.board import MakeBoards, no_boards
from parlour.games.engine.counting import Counting
from parlour.games.engine.dice import Dice
from parlour.games.engine.metadata import (
    Analysis,
    AskTexts,
    FieldTexts,
    Frozen,
    Hints,
    Rewards,
    Rounds,
    Scoring,
    Seating,
    Sentence,
    SettingsFile,
    Testing,
    Texts,
)
from parlour.games.engine.moves import Rules, Seat
from parlour.games.engine.settings_file import read_records
from parlour.games.engine.talk import MakeTalk, no_talk

__all__ = [
    "BUILT_IN",
    "Analysis",
    "AskTexts",
    "Counting",
    "FieldTexts",
    "Frozen",
    "Game",
    "Hints",
    "Rewards",
    "Rounds",
    "Scoring",
    "Seating",
    "Sentence",
    "SettingsFile",
    "Testing",
    "Texts",
    "variant_keys",
]

BUILT_IN = "(built in)"
"""The agent name of a seat that the rules themselves play."""


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """A game and its metadata; a game's folder exports one of these as ``GAME``.

    ``record`` is one entry of a settings file, ``variant`` the keys that a tournament file may
    set, and ``setting`` both together: what the rules are played with. ``probes`` are the kinds
    of private asks. ``board`` makes the pictures of a match, ``talk`` its conversation.

    ``version`` rises when the same tournament file is played differently than before. A save
    of another version is read but not continued.
    """

    name: str
    version: int
    folder: Path
    rules: Callable[[Any, Sequence[Seat], Dice], Rules]
    record: type[Frozen]
    variant: type[Frozen]
    setting: type[Frozen]
    texts: Texts
    seating: Seating
    scoring: Scoring
    settings_file: SettingsFile = field(default_factory=SettingsFile)
    testing: Testing = field(default_factory=Testing)
    hints: Hints = field(default_factory=Hints)
    counting: Counting = field(default_factory=Counting)
    probes: frozenset[str] = frozenset()
    board: MakeBoards = no_boards
    talk: MakeTalk = no_talk

    def sides(self, setting: Any) -> tuple[str, ...]:
        """The side of each seat under this setting."""
        return self.seating.sides(setting)

    def secrets(self, setting: Any) -> tuple[tuple[str, ...], ...]:
        """The strings that each seat must not see under this setting."""
        secrets = self.testing.secrets
        return secrets(setting) if secrets else ((),) * self.seats(setting)

    def seats(self, setting: Any) -> int:
        """Number of seats of a match under this setting."""
        return len(self.sides(setting))

    def agents(self, setting: Any) -> int:
        """Number of agents that meet in a match which the schedule plans: one a side, or two."""
        return len({*self.sides(setting)}) if self.seating.pairing == "sides" else 2

    def matches_of_a_group(self, setting: Any, defended: bool) -> int:
        """Number of matches of the agents that meet on one setting; ``defended``: with a defender.

        Where each plays a side, they do so in every order.
        """
        if self.seating.pairing == "each_seat":
            return self.seats(setting) * (1 if defended else 2)
        return factorial(self.agents(setting)) if self.seating.pairing == "sides" else 1

    def shipped(self) -> tuple[Frozen, ...]:
        """The settings that ship with the game."""
        return self.records(self.folder / "data" / "settings.json")

    def records(self, path: Path) -> tuple[Frozen, ...]:
        """The settings of a user's file. Raises BadInput naming file, record and field."""
        return read_records(self.record, self.settings_file.parse, path)

    def make_setting(self, record: Frozen, variant: Frozen, number: int = 0) -> Frozen:
        """The setting of a match, by its number; settings are numbered record by record.

        A setting with the field ``deal`` gets the number of its record.
        """
        further = self.settings_file.expand_settings(variant)
        deal, part = divmod(number, len(further))
        parts = {**record.model_dump(), **variant.model_dump(), **further[part], "deal": deal}
        fields = self.setting.model_fields
        return self.setting.model_validate({key: parts[key] for key in parts if key in fields})

    def defaults(self) -> dict[str, Any]:
        """The variant's keys where a file gives none."""
        return _all_keys(self.variant)

    def condition(self, variant: Frozen) -> str:
        """The variant keys that differ from the defaults, as ``key=value`` joined by commas."""
        usual = self.defaults()
        changed = variant.model_dump(mode="json")
        return ",".join(
            f"{key}={value}"
            for key, value in changed.items()
            # None: another key makes this one meaningless.
            if value != usual[key] and value is not None
        )


def _all_keys(variant: type[Frozen]) -> dict[str, Any]:
    """The variant's keys at their defaults, those included that are left out where unused."""
    usual = variant()
    dumped = usual.model_dump(mode="json")
    return {name: dumped.get(name, getattr(usual, name)) for name in variant.model_fields}


@lru_cache(maxsize=1024)
def variant_keys(variant: type[Frozen], condition: str) -> dict[str, Any]:
    """The variant's keys under a condition as ``Game.condition`` writes it."""
    keys = _all_keys(variant)
    for part in filter(None, condition.split(",")):
        key, _, text = part.partition("=")
        usual = keys.get(key)
        if isinstance(usual, bool):
            keys[key] = text == "True"
        else:
            keys[key] = float(text) if isinstance(usual, int | float) else text
    return keys
