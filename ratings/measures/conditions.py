"""Names of conditions; a condition is the variant under which a game is played.

A match stores the keys that differ from the game's defaults, as ``key=value`` joined by commas:
an empty text for the defaults. What is shown or exported has a name in its place, in which values
stand as a tournament file has them, and which cannot be taken for a missing value.
"""

import re
from functools import cache

from parlour.games.engine.registry import find_game

ALL_CONDITIONS = "all"
"""Names all conditions of a game together."""
DEFAULT_CONDITION = "default"
"""Names the condition without any changed key."""
_OTHERWISE = re.compile(r"(?<==)(?:True|False)(?=[,)]|$)|(?<=\d)\.0(?=[,)]|$)")
"""Values of Python that a file has in other words: true, false and whole numbers."""


@cache
def condition_name(condition: str) -> str:
    """Returns the name of a stored condition."""
    name = _OTHERWISE.sub(lambda value: value[0].removesuffix(".0").lower(), condition)
    return name or DEFAULT_CONDITION


@cache
def is_condition(text: str, game: str, condition: str) -> bool:
    """True if a text as a user writes it names the stored condition of a game.

    It has the keys that differ from the defaults, in any order; a key at its default may stand
    in it. "default" is the condition without any.
    """
    usual = find_game(game, "condition").defaults()
    written = {}
    for part in text.split(",") if text not in {"", DEFAULT_CONDITION} else []:
        key, _, value = part.partition("=")
        written[key.strip()] = _part(key.strip(), value.strip())
    if not written.keys() <= usual.keys():
        return False
    changed = [written[k] for k in usual if k in written and written[k] != _part(k, usual[k])]
    return ",".join(changed) == (condition and condition_name(condition).casefold())


def _part(key: str, value: object) -> str:
    """A key and its value as a name has them, without regard to case."""
    return condition_name(f"{key}={value}".casefold())
