"""Disclosure in games of rounds: their number, the one that is played, and those before."""

from collections.abc import Callable

from parlour.games.engine.disclosure import Pattern, Reader


def length_of(before: str, one: str, many: str) -> Pattern:
    """The number of rounds after the words ``before``: in the words ``one``, or in ``many``."""

    def said(reader: Reader) -> str:
        rounds = reader.setting.rounds
        return rf"{before} {one if rounds == 1 else many.format(rounds)}\b"

    return said


def round_of(kind: str) -> Pattern:
    """The round after those of which the event of this kind was told."""

    def said(reader: Reader) -> str:
        number = len(reader.view.told(kind)) + 1
        return rf"it is round {number} of {reader.setting.rounds}\."

    return said


def before(kind: str) -> Callable[[Reader], bool]:
    """True once an event of this kind was told."""
    return lambda reader: bool(reader.view.told(kind))
