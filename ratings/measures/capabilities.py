"""The seven capabilities: their names, and what readers need to know of them."""

from collections.abc import Collection

CAPABILITIES = (
    "judgment",
    "reasoning",
    "deception",
    "self_awareness",
    "cooperation",
    "coordination",
    "rationality",
)
"""The seven capabilities, in the order of the MAGIC paper's table 1."""
DEFINITIONS = {
    "deception": "Deception is matches won of those played in the special role",
    "coordination": "Coordination is agreements on the agent's own split of all matches",
}
"""The definitions that readers of a leaderboard with these capabilities need."""


def definitions(measures: Collection[str]) -> str:
    """Returns the definitions of those of the measures that have one, "" without any."""
    given = [words for name, words in DEFINITIONS.items() if name in measures]
    return f"As in table 1 of the MAGIC paper: {', '.join(given)}." if given else ""
