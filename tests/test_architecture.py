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


def modules(room: str) -> list[Path]:
    """The modules of a room; ``parlour`` has those of the front door and the command line."""
    found = sorted((ROOT / room).rglob("*.py"))
    if room == "parlour":  # the links to the other rooms lie in it
        found = [path for path in found if path.relative_to(ROOT).parts[1] not in ARROWS]
    assert found
    return found


def imported(path: Path) -> set[str]:
    """The dotted names that a module imports, wherever in it the import stands."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def room_of(dotted: str) -> str | None:
    """The room that a name of ours belongs to, None for a name of another package."""
    first, _, rest = dotted.partition(".")
    inner = rest.partition(".")[0]
    return None if first != "parlour" else inner if inner in ARROWS else "parlour"


@pytest.mark.parametrize("room", sorted(ARROWS))
def test_a_room_imports_only_along_its_arrows(room: str) -> None:
    for module in modules(room):
        rooms = {room_of(name) for name in imported(module)}
        extra = rooms - ARROWS[room] - {room, None}
        assert not extra, f"{module.relative_to(ROOT)} imports {extra}"


def test_the_rooms_have_one_import_name() -> None:
    """A folder ``games`` or ``agents`` of a user's project is not ours: ``parlour.games`` is."""
    checked = [path for room in ARROWS for path in modules(room)]
    checked += sorted((ROOT / "tests").rglob("*.py")) + sorted((ROOT / "scripts").rglob("*.py"))
    bare = set(ARROWS) - {"parlour"}
    for module in checked:
        wrong = {name for name in imported(module) if name.partition(".")[0] in bare}
        assert not wrong, f"{module.relative_to(ROOT)} imports {wrong}"


@pytest.mark.really_started
def test_the_headless_rooms_load_no_screen_and_no_model_library() -> None:
    code = (
        "import pkgutil, importlib, sys\n"
        "from parlour import games, agents, ratings, tournament\n"
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
from parlour.cli.app import main
sys.argv = ["parlour", *sys.argv[1:]]
try:
    main()
finally:
    print(sorted({"litellm", "openai", "httpx", "aiohttp"} & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.really_started
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
        for path in modules(room)
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 320
    }
    assert not long
