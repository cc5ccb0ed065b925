"""What complaints list as known: the games, presets and keys that there are, as they are read."""

from agents.registry import strategies
from games.registry import games
from tournament.config import preset_names
from tournament.forms import File


def known(names: object) -> str:
    """The end of a complaint about an unknown name."""
    return "known: " + ", ".join(sorted(names))  # type: ignore[call-overload]


GAMES = known(games())
PRESETS = known(preset_names())
STRATEGIES = known(strategies())
KEYS = known([*File.model_fields, "preset"])
