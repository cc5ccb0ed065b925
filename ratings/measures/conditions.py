"""Names of conditions; a condition is the variant under which a game is played.

A match stores the keys that differ from the game's defaults, as ``key=value`` joined by commas:
an empty text for the defaults. What is shown or exported has a name in its place, so that it
cannot be taken for a missing value.
"""

ALL_CONDITIONS = "all"
"""Names all conditions of a game together."""
DEFAULT_CONDITION = "default"
"""Names the condition without any changed key."""


def condition_name(condition: str) -> str:
    """Returns the name of a stored condition."""
    return condition or DEFAULT_CONDITION
