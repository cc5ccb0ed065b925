"""A new game to begin with: a folder that plays, with a text of players in it and a test."""

import re
from keyword import iskeyword
from pathlib import Path

from parlour.games.common.errors import BadInput

SCAFFOLD = Path(__file__).parent / "scaffold"
FILES = {
    "pyproject.toml": "pyproject.toml",
    "NAME.toml": "tournament.toml",
    "NAME/__init__.py": "init.py",
    **{f"NAME/{name}": name for name in ("rules.py", "game.py", "disclosure.toml")},
    "NAME/data/settings.json": "settings.json",
    **{f"NAME/prompts/{name}": name for name in ("system.j2", "hint.j2", "guess.j2")},
    "tests/test_NAME.py": "test.py",
    # As an installer would write them: the folder is found on Python's path without one.
    "NAME_game-0.1.0.dist-info/METADATA": "METADATA",
    "NAME_game-0.1.0.dist-info/entry_points.txt": "entry_points",
}
"""The files of a new game, each with its template; NAME stands for the name."""


def write_game(folder: Path) -> list[Path]:
    """Writes a game named like a folder that is not there yet, and returns its files.

    BadInput for a name that Python cannot import, or that is taken.
    """
    from parlour.games.engine.registry import games

    name = folder.name
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name) or iskeyword(name):
        fix = "use small letters, digits and _, such as two_truths"
        raise BadInput("NAME", f"{name!r} cannot be the name of a game", fix)
    if name in games():
        raise BadInput("NAME", f"there is a game {name!r}", "choose another name")
    written = []
    try:
        folder.mkdir(parents=True)
        for place, template in FILES.items():
            text = (SCAFFOLD / f"{template}.txt").read_text(encoding="utf-8")
            path = folder / place.replace("NAME", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            title = name.replace("_", " ").capitalize()
            path.write_text(text.replace("NAME", name).replace("TITLE", title), encoding="utf-8")
            written.append(path)
    except FileExistsError:
        raise BadInput(str(folder), "already exists", "choose another name, or remove it") from None
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise BadInput(str(error.filename or folder), problem, "choose another folder") from None
    return written
