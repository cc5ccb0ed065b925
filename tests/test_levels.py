"""One level per comprehension, and no conditional expression directly in another."""

import ast
from pathlib import Path

import pytest

from tests.test_architecture import ROOMS, modules
from tests.tournaments import ROOT

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def has_two_levels(node: ast.AST) -> bool:
    """True for a comprehension of two loops or around another, and for a stacked conditional."""
    if isinstance(node, Comprehension):
        inside = [each for each in ast.walk(node) if isinstance(each, Comprehension)]
        return len(node.generators) > 1 or len(inside) > 1  # the first is the node itself
    if isinstance(node, ast.IfExp):
        return any(isinstance(part, ast.IfExp) for part in (node.test, node.body, node.orelse))
    return False


def findings(path: Path) -> list[int]:
    """The lines of a module where an expression of two levels begins."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return sorted({node.lineno for node in ast.walk(tree) if has_two_levels(node)})


@pytest.mark.parametrize("folder", [*ROOMS, "scripts", "tests"])
def test_an_expression_has_one_level(folder: str) -> None:
    stacked = {
        str(path.relative_to(ROOT)): lines for path in modules(folder) if (lines := findings(path))
    }
    assert not stacked, f"{stacked}: name a part, or use a loop or a function"


TWO_LEVELS = [
    "[cell for row in rows for cell in row]",
    "{cell for row in rows for cell in row}",
    "{cell: row for row in rows for cell in row}",
    "any(cell for row in rows for cell in row)",
    "[[cell for cell in row] for row in rows]",
    "{name: sum(cell for cell in row) for name, row in rows}",
    "[row for row in (read(line) for line in lines)]",
    "[row for row in rows if any(cell for cell in row)]",
    "[lambda row: [cell for cell in row] for row in rows]",
    "1 if one else 2 if two else 3",
    "(1 if one else 2) if two else 3",
    "1 if (one if two else three) else 2",
]
ONE_LEVEL = [
    "[cell for cell in chain.from_iterable(rows)]",
    "[list(map(read, row)) for row in rows if row]",
    "{*(row for row in rows), *(line for line in lines)}",
    "[1 if row else 2 for row in rows]",
    "[row for row in rows] if rows else [line for line in lines]",
    "first(1 if one else 2) if two else 3",
]


def test_two_levels_are_noticed_and_one_is_not(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    for code in (*TWO_LEVELS, *ONE_LEVEL):
        module.write_text(f'"""A module."""\nvalue = {code}\n', encoding="utf-8")
        assert findings(module) == ([2] if code in TWO_LEVELS else []), code
