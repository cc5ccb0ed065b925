"""Suggestions for misspelt names."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant; None if none is near."""
    return next(iter(get_close_matches(name, sorted(known), n=1)), None)


def suggestion(name: str, known: Iterable[str]) -> str:
    """The fix for an unknown name: the nearest known one, and all of them."""
    names = sorted(known)
    meant = nearest(name, names)
    hint = f"did you mean {meant!r}? " if meant else ""
    return f"{hint}known: {', '.join(names)}"
