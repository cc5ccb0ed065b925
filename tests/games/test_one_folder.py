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


def test_each_way_of_naming_a_game_is_found_but_in_docstrings_and_a_players_games() -> None:
    for code, times in (
        ("if view.game == 'donation': pass", 1),
        ("BY_GAME = {'public_good': 1}", 1),
        ("text = f'play undercover'", 1),
        ("counts.impostor", 1),
        ("make(reciprocity=1)", 1),
        ("from parlour.games.investment.rules import Setting", 1),
        ("from parlour.games import chameleon", 1),
        ("import parlour.games.cost_sharing", 1),
        ('"""As in undercover."""', 0),
        ("class F(S):\n    games: ClassVar[frozenset[str]] = frozenset({'donation'})", 0),
        ("measure = 'investment_ratio'", 0),
    ):
        assert len(list(games_named_in(ast.parse(code)))) == times, code


ORDER = ("common", "engine", "families", "mechanisms")
ALLOWED = {
    **{room: {*ORDER[: place + 1]} for place, room in enumerate(ORDER)},
    "testing": {"testing", "engine", "common"},
    **{name: {name, *ORDER} for name in NAMES},
}
"""The parts of games that each of them, and each game, may import; nothing above them."""


@pytest.mark.parametrize("room", ALLOWED)
def test_the_rooms_of_games_import_downwards(room: str) -> None:
    for path in sorted((ROOT / "games" / room).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = getattr(node, "module", None) if isinstance(node, ast.ImportFrom) else None
            if module and module.startswith("parlour.") and (room in NAMES or "games" in module):
                _, above, part, *_ = module.split(".")
                assert (above, part in ALLOWED[room]) == ("games", True), f"{path} imports {module}"
