"""The table of what is tested: whatever a game has, there is a test that is named for it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from parlour.agents.registry import strategies
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Seat
from parlour.games.engine.registry import games
from parlour.games.testing.playthrough import opened
from parlour.ratings.measures.measures import measures
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.models.save_view import Focus
from parlour.tui.views import side_pane as side
from tests.blocks import section, table_rows
from tests.ratings.records import drawn, numbered
from tests.tournaments import ROOT

TABLE = "tests/coverage.md"
SCREENS = ("list", "transcript", "replay", "leaderboard")

every_game = pytest.mark.parametrize("name", games())


def panes(game: Game) -> tuple[str, str]:
    """The two side panes of the live screen on a match of the game."""
    table = opened(game, game.shipped()[0], game.variant(), 0)
    agents = ("Ada",) * len(table.seats)
    counted = tuple(Seat(seat) for seat in range(len(agents)))
    match = StoredMatch(1, 0, 0, "key", game.name, "", "Ada", agents, counted, 1, None, None)
    return side.names(Focus(match, [], 0, table))


def found_in(name: str) -> dict[str, list[str]]:
    """What the program has for a game, by kind."""
    game = games()[name]
    seats = len(opened(game, game.shipped()[0], game.variant(), 0).seats)
    records = [drawn(name, ("ab" * seats)[:seats], seed) for seed in range(12)]
    return {
        "variant": list(game.variant.model_fields),
        "prompt": sorted(path.stem for path in (game.folder / "prompts").glob("*.j2")),
        "player": [n for n, s in strategies().items() if s.games is None or name in s.games],
        "measure": sorted({row.measure for row in measures(numbered(records))}),
        "screen": [*SCREENS, *(pane.lower() for pane in panes(game))],
    }


@every_game
def test_the_table_has_every_variant_prompt_player_measure_and_screen(name: str) -> None:
    listed: dict[str, list[str]] = {}
    for kind, item, _ in table_rows(section(TABLE, name)):
        listed.setdefault(kind, []).append(item.strip("`"))
    expected = found_in(name)
    assert list(listed) == list(expected)
    for kind, items in expected.items():
        assert sorted(listed[kind]) == sorted(items), f"{name}, {kind}"


def test_the_table_is_of_the_games_that_there_are() -> None:
    text = (ROOT / TABLE).read_text(encoding="utf-8")
    assert re.findall(r"^## (\w+)$", text, re.MULTILINE) == list(games())


@cache
def names_in(path: Path) -> set[str]:
    """The names of the tests in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in tree.body if isinstance(node, functions)}


@every_game
def test_every_cell_names_a_test_that_exists_and_is_of_this_game(name: str) -> None:
    for kind, item, cell in table_rows(section(TABLE, name)):
        place = f"{name}, {kind} {item}"
        assert cell, f"{place}: no test is named"
        for named in cell.split(", "):
            file, _, test = named.strip("`").partition("::")
            path = ROOT / "tests" / file
            assert path.is_file(), f"{place}: there is no file {file}"
            assert test.startswith("test_"), f"{place}: {named} names no test"
            assert test in names_in(path), f"{place}: there is no test {named}"
            # A test in a file that neither knows this game nor goes through all is of another.
            text = path.read_text(encoding="utf-8")
            known = (name, name.upper(), "games()")
            assert any(word in text for word in known), f"{place}: {file} is not of {name}"
