"""Lists of known games, presets and keys, as error messages give them."""

from parlour.agents.registry import strategies
from parlour.games.engine.registry import games
from parlour.tournament.plan.expansion import preset_names
from parlour.tournament.plan.schema import File


def known(names: object) -> str:
    """The end of a complaint about an unknown name."""
    return "known: " + ", ".join(sorted(names))  # type: ignore[call-overload]


GAMES = known(games())
PRESETS = known(preset_names())
STRATEGIES = known(strategies())
KEYS = known([*File.model_fields, "preset", "include", "defaults"])
