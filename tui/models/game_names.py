"""Games by their names: titles, families, and their order."""

from parlour.games.engine.registry import games
from parlour.tui.look.palette import FANCY, Signs

FAMILIES = tuple(FANCY.suits)
"""The families of games, in the order of their suits."""


def game_title(name: str) -> str:
    """The title of a game, its name where it is not installed."""
    game = games().get(name)
    return name if game is None else game.texts.title


def title_with_suit(name: str, signs: Signs) -> str:
    """The title of a game behind the sign of its family."""
    return f"{signs.suits.get(family_of(name), '')} {game_title(name)}".strip()


def family_of(name: str) -> str:
    """The family of a game, "" where it is not known."""
    game = games().get(name)
    return "" if game is None else game.texts.family


def family_place(family: str) -> int:
    """The place of a family, which is the last one where it has no suit."""
    return FAMILIES.index(family) if family in FAMILIES else len(FAMILIES)
