"""Which games there are: one folder each here, and those that other packages bring."""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from games.errors import BadInput
from games.game import Game
from games.near import suggestion


@cache
def games() -> dict[str, Game]:
    """All games by name: every folder of this package with a ``GAME``, then entry points.

    Another package adds a game through the entry point group ``parlour.games``, pointing at
    its ``GAME``. A name that is taken is refused: BadInput.
    """
    found: dict[str, Game] = {}
    for folder in sorted(Path(__file__).parent.iterdir()):
        if (folder / "game.py").is_file():
            game: Game = import_module(f"games.{folder.name}").GAME
            found[game.name] = game
    for point in sorted(entry_points(group="parlour.games"), key=lambda point: point.name):
        game = point.load()
        if game.name in found:
            raise BadInput(
                f"entry point {point.value}",
                f"brings a game named {game.name!r}, which there already is",
                "uninstall one of the two or rename the game",
            )
        found[game.name] = game
    return found


def find_game(name: str, place: str) -> Game:
    """The game of that name; BadInput, with ``place`` and the nearest name, if there is none."""
    known = games()
    if name not in known:
        raise BadInput(place, f"unknown game {name!r}", suggestion(name, known))
    return known[name]
