"""Suggestions for misspelt names."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggestion(name: str, known: Iterable[str]) -> str:
    """The fix for an unknown name: the nearest known one, and all of them."""
    names = sorted(known)
    nearest = get_close_matches(name, names, n=1)
    hint = f"did you mean {nearest[0]!r}? " if nearest else ""
    return f"{hint}known: {', '.join(names)}"
