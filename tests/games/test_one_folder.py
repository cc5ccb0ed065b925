"""A game is one folder: no other code names a game, by a string, an attribute or an import."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from parlour.games.engine.registry import games

ROOT = Path(__file__).parents[2]
NAMES = sorted(
    name for name, game in games().items() if game.folder.resolve().is_relative_to(ROOT / "games")
)
ROOMS = ("agents", "ratings", "tournament", "tui", "parlour/cli")
SHARED = ("engine", "families", "mechanisms", "common", "testing")
NAMED = re.compile(rf"(?<![\w.])(?:{'|'.join(NAMES)})(?!\w)")


def code_outside() -> Iterator[Path]:
    """Every module that belongs to no game."""
    for folder in (*(ROOT / room for room in ROOMS), *(ROOT / "games" / room for room in SHARED)):
        yield from sorted(folder.rglob("*.py"))


def games_named_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of every game that a module names.

    A docstring may tell of a game, and a scripted player declares the ``games`` that it knows.
    """
    excused = {id(node) for node in chain.from_iterable(map(_excused, ast.walk(tree)))}
    for node in ast.walk(tree):
        if id(node) in excused:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ((node.lineno, name) for name in NAMED.findall(node.value))
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            yield node.lineno, node.attr
        elif isinstance(node, ast.keyword) and node.arg in NAMES:
            yield node.value.lineno, node.arg
        elif isinstance(node, ast.Import | ast.ImportFrom):
            paths = [alias.name for alias in node.names]
            paths.append(getattr(node, "module", None) or "")
            parts = set(chain.from_iterable(path.split(".") for path in paths))
            yield from ((node.lineno, name) for name in NAMES if name in parts)


def _excused(node: ast.AST) -> Iterator[ast.AST]:
    """Strings that stand alone (docstrings), and the ``games`` of a class."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "games":
        yield from ast.walk(node)


def test_no_code_outside_of_its_folder_names_a_game() -> None:
    for path in code_outside():
        named = list(games_named_in(ast.parse(path.read_text(encoding="utf-8"))))
        assert not named, [f"{path}:{line}: {name}" for line, name in named]


@pytest.mark.parametrize(
    "code",
    [
        "if view.game == 'donation': pass",
        "BY_GAME = {'public_good': 1}",
        "text = f'play undercover'",
        "counts.impostor",
        "make(reciprocity=1)",
        "from parlour.games.investment.rules import Setting",
        "from parlour.games import chameleon",
        "import parlour.games.cost_sharing",
    ],
)
def test_each_way_of_naming_a_game_is_found(code: str) -> None:
    assert len(list(games_named_in(ast.parse(code)))) == 1


@pytest.mark.parametrize(
    "code",
    [
        '"""As in undercover."""',
        "class Fair(Strategy):\n    games: ClassVar[frozenset[str]] = frozenset({'donation'})",
        "measure = 'investment_ratio'",
    ],
)
def test_a_docstring_and_a_players_games_may_name_a_game(code: str) -> None:
    assert not list(games_named_in(ast.parse(code)))


@pytest.mark.parametrize("room", ["engine", "families", "mechanisms", "common", "testing"])
def test_the_rooms_of_games_import_downwards(room: str) -> None:
    """The nine, mechanisms, families, engine, common; testing stands above the engine."""
    allowed = {
        "common": {"common"},
        "engine": {"engine", "common"},
        "families": {"families", "engine", "common"},
        "mechanisms": {"mechanisms", "families", "engine", "common"},
        "testing": {"testing", "engine", "common"},
    }[room]
    for path in sorted((ROOT / "games" / room).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = getattr(node, "module", None) if isinstance(node, ast.ImportFrom) else None
            if module and module.startswith("parlour.games."):
                assert module.split(".")[2] in allowed, f"{path.name} imports {module}"


@pytest.mark.parametrize("name", NAMES)
def test_a_game_imports_no_other_game_and_no_room_above(name: str) -> None:
    own = {name, "mechanisms", "families", "engine", "common"}
    for path in sorted((ROOT / "games" / name).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = getattr(node, "module", None) if isinstance(node, ast.ImportFrom) else None
            if module and module.startswith("parlour."):
                _, room, part, *_ = module.split(".")
                assert room == "games", f"{path.name} imports {module}"
                assert part in own, f"{path.name} imports {module}"
