"""Disclosure: the facts of a game, and the prompts that tell them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from parlour.games.engine.events import View


@dataclass(frozen=True, slots=True)
class Reader:
    """The seat that a prompt is for: kind of ask, side, setting of the match, and view."""

    kind: str
    side: str
    setting: Any
    view: View


def _always(_reader: Reader) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Where:
    """Prompts for these kinds of ask and these sides (none: all) under these keys of a setting.

    ``once`` says from when on in a match; the name of the fact says the same in words.
    """

    asks: tuple[str, ...] = ()
    sides: tuple[str, ...] = ()
    keys: Mapping[str, object] = field(default_factory=dict)
    once: Callable[[Reader], bool] = _always

    def covers(self, reader: Reader) -> bool:
        """True if a prompt for this reader is among them."""
        return (
            (not self.asks or reader.kind in self.asks)
            and (not self.sides or reader.side in self.sides)
            and all(getattr(reader.setting, key) == value for key, value in self.keys.items())
            and self.once(reader)
        )


EVERYWHERE = (Where(),)
NOWHERE: tuple[Where, ...] = ()

Pattern = str | Callable[[Reader], str]
"""A regular expression, or a function that makes it for a reader.

Case does not count, and any white space in a prompt is one space.
"""


def amount(value: float) -> str:
    """The pattern of an amount, which no other digits follow."""
    return rf"{re.escape(f'{value:.15g}')}(?![\d.]*\d)"


@dataclass(frozen=True, slots=True)
class Fact:
    """A rule or circumstance that prompts tell where ``told`` covers them, and nowhere else.

    ``said`` must match each prompt that tells the fact. No other prompt may match ``hint``: a
    wider pattern, which finds other wordings as well ("": the same as ``said``). A fact that no
    prompt tells has no ``said`` but an ``example``, a sentence that would give it away.
    """

    name: str
    said: Pattern = ""
    told: tuple[Where, ...] = EVERYWHERE
    hint: Pattern = ""
    example: str = ""

    def is_told(self, reader: Reader) -> bool:
        """True if the prompt for this reader must tell the fact."""
        return any(where.covers(reader) for where in self.told)

    def pattern(self, reader: Reader) -> str:
        """The pattern that must match the reader's prompt, or that must not."""
        pattern = self.said if self.is_told(reader) else self.hint or self.said
        return pattern if isinstance(pattern, str) else pattern(reader)
