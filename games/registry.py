"""Which games there are: one folder each here, and those that other packages bring."""

from functools import cache
from importlib import import_module
from pathlib import Path

from games.errors import BadInput
from games.game import Game
from games.near import suggestion
from games.outside import brought, taken


@cache
def games() -> dict[str, Game]:
    """All games by name: every folder of this package with a ``GAME``, then entry points.

    Another package adds a game through the entry point group ``parlour.games``, pointing at
    its ``GAME``. A name that is taken is refused, as is what cannot be loaded: BadInput.
    """
    found: dict[str, Game] = {}
    for folder in sorted(Path(__file__).parent.iterdir()):
        if (folder / "game.py").is_file():
            game: Game = import_module(f"games.{folder.name}").GAME
            found[game.name] = game
    for point, game in brought("parlour.games", "game", lambda it: isinstance(it, Game)):
        if game.name in found:
            raise taken(point, "game", game.name)
        found[game.name] = game
    return found


def find_game(name: str, place: str) -> Game:
    """The game of that name; BadInput, with ``place`` and the nearest name, if there is none."""
    known = games()
    if name not in known:
        raise BadInput(place, f"unknown game {name!r}", suggestion(name, known))
    return known[name]
