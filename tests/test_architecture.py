"""Which room may know of which: the arrows of docs/rooms.md, held on the real imports."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tournaments import ROOT, environment, written

ARROWS = {
    "games": set(),
    "agents": {"games"},
    "ratings": {"games"},
    "tournament": {"agents", "ratings", "games"},
    "tui": {"tournament", "ratings", "games"},
    "parlour": {"games", "agents", "ratings", "tournament", "tui"},
}


def imported_rooms(path: Path) -> set[str]:
    """The rooms that a module imports, wherever in it the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add((node.module or "").split(".")[0])
    return found & set(ARROWS)


@pytest.mark.parametrize("room", sorted(ARROWS))
def test_a_room_imports_only_along_its_arrows(room: str) -> None:
    modules = sorted((ROOT / room).rglob("*.py"))
    assert modules
    for module in modules:
        extra = imported_rooms(module) - ARROWS[room] - {room}
        assert not extra, f"{module.relative_to(ROOT)} imports {sorted(extra)}"


def test_the_headless_rooms_load_no_screen_and_no_model_library() -> None:
    code = (
        "import pkgutil, importlib, sys\n"
        "import games, agents, ratings, tournament\n"
        "for room in (games, agents, ratings, tournament):\n"
        "    for found in pkgutil.walk_packages(room.__path__, room.__name__ + '.'):\n"
        "        importlib.import_module(found.name)\n"
        "print(sorted({'textual', 'litellm', 'rich', 'typer'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


LOADED = """
import sys
from parlour.cli import main
sys.argv = ["parlour", *sys.argv[1:]]
try:
    main()
finally:
    print(sorted({"litellm", "openai", "httpx", "aiohttp"} & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "words", [["--help"], ["run", "tournament.toml", "--plain", "--save", "save.db"], ["doctor"]]
)
def test_what_asks_no_model_loads_no_way_to_one(tmp_path: Path, words: list[str]) -> None:
    written(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "[]\n"
    assert done.stdout


def test_modules_stay_short_enough_to_read() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for room in ARROWS
        for path in (ROOT / room).rglob("*.py")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 320
    }
    assert not long
