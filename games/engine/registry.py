"""Registry of games: the folders of ``games/``, and those that other packages bring."""

from copyreg import pickle
from functools import cache
from importlib import import_module
from pathlib import Path

from parlour.games.common.errors import BadInput
from parlour.games.common.plugins import broken_plugins, brought
from parlour.games.common.suggestions import suggestion
from parlour.games.engine.game import Game

GAMES = "parlour.games"
"""The entry points of games."""


@cache
def games() -> dict[str, Game]:
    """All games by name: every folder of ``games/`` with rules, then entry points.

    Another package adds a game through the entry point group ``parlour.games``, pointing at
    its ``GAME``. One whose name is taken, or that cannot be loaded, is left out.
    """
    by_name: dict[str, Game] = {}
    for folder in sorted(Path(__file__).parents[1].iterdir()):
        if (folder / "rules.py").is_file():
            game: Game = import_module(f"parlour.games.{folder.name}").GAME
            by_name[game.name] = game

    def fits(loaded: object) -> bool:
        return isinstance(loaded, Game)

    return by_name | brought(GAMES, "game", fits, by_name, lambda _point, game: str(game.name))


def find_game(name: str, place: str) -> Game:
    """The game of that name; BadInput, with ``place`` and the nearest name, if there is none."""
    known = games()
    if name in broken_plugins(GAMES) and name not in known:
        raise broken_plugins(GAMES)[name]
    if name not in known:
        raise BadInput(place, f"unknown game {name!r}", suggestion(name, known))
    return known[name]


# The functions of a game cannot be pickled; where it is read again it has the same name.
pickle(Game, lambda game: (find_game, (game.name, "pickled game")))
