"""The arrows of docs/rooms.md, compared with the real imports."""

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain, pairwise, product, starmap
from pathlib import Path

import networkx as nx
import pytest

from tests.blocks import blocks
from tests.tournaments import ROOT, called, environment, finished, new_save

ROOMS = ("games", "agents", "tournament", "ratings", "tui", "parlour")


def drawing(number: int) -> list[str]:
    """The lines of one part of the drawing: 0 has the rooms, 1 the inner rooms."""
    (text,) = blocks("docs/rooms.md", "text")
    return text.split("\n\n")[number].splitlines()


def edges(line: str) -> set[tuple[str, str]]:
    """The arrows of one line: "a, b → c" has two."""
    stations = [re.split(r",\s*", station.strip()) for station in line.split("→")]
    return set(chain.from_iterable(starmap(product, pairwise(stations))))


def room_arrows() -> nx.DiGraph:
    """The rooms, with an arrow to each that they may import."""
    graph = nx.DiGraph()
    graph.add_nodes_from(ROOMS)
    for line in drawing(0):
        graph.add_edges_from(edges(line))
    return nx.transitive_closure_dag(graph)


def inner_arrows() -> dict[str, nx.DiGraph]:
    """For each room its inner rooms, with an arrow to each that they may import."""
    drawn: dict[str, set[tuple[str, str]]] = defaultdict(set)
    room = ""
    for line in drawing(1):
        room = line[:11].strip() or room
        drawn[room] |= edges(line[11:])
    return {
        room: nx.transitive_closure_dag(nx.DiGraph(list(arrows))) for room, arrows in drawn.items()
    }


def modules(room: str) -> list[Path]:
    """The modules of a room; those of ``parlour`` without the links to the other rooms."""
    paths = sorted((ROOT / room).rglob("*.py"))
    if room == "parlour":
        paths = [path for path in paths if path.relative_to(ROOT).parts[1] not in ROOMS]
    assert paths
    return paths


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


def room_of(dotted: str) -> tuple[str, str] | None:
    """The room and inner room of a dotted name of ours; None for another package's."""
    first, *rest = dotted.split(".")
    if first != "parlour" or not rest:
        return None
    if rest[0] in ROOMS:
        return rest[0], rest[1] if len(rest) > 1 else ""
    return "parlour", rest[0]


def inner_room(path: Path) -> str:
    """The inner room that a module lies in; a module beside the inner rooms is one itself.

    The folders of games are drawn as one, "a game".
    """
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "a game" if is_game(parts[1]) else parts[1]


def is_game(folder: str) -> bool:
    """True for the folder of a game, which has rules."""
    return (ROOT / "games" / folder / "rules.py").is_file()


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_along_its_arrows(room: str) -> None:
    allowed = {room, *room_arrows().successors(room)}
    for module in modules(room):
        for name in imported(module):
            target = room_of(name)
            assert target is None or target[0] in allowed, f"{module} imports {name}"


@pytest.mark.parametrize("room", ROOMS)
def test_an_inner_room_imports_only_along_its_arrows(room: str) -> None:
    arrows = inner_arrows()[room]
    for module in modules(room):
        inner = inner_room(module)
        if inner in {"__init__", "__main__"}:
            continue
        assert inner in arrows, f"{module} is in no inner room of docs/rooms.md"
        own = module.relative_to(ROOT).parts[1]
        allowed = {own.removesuffix(".py"), *arrows.successors(inner)}
        for name in imported(module):
            target = room_of(name)
            wrong = target is not None and target[0] == room and target[1] not in allowed
            assert not wrong, f"{module.relative_to(ROOT)} imports {name}"


def test_every_inner_room_is_drawn_and_introduces_itself() -> None:
    for room, arrows in inner_arrows().items():
        folders = {path.parent.name for path in (ROOT / room).glob("*/__init__.py")}
        inner = folders - set(ROOMS) if room == "parlour" else folders
        undrawn = {name for name in inner if not is_game(name)} - set(arrows)
        assert not undrawn, f"{room}: {undrawn} not drawn"
        for name in inner:
            text = (ROOT / room / name / "__init__.py").read_text(encoding="utf-8")
            introduction = ast.get_docstring(ast.parse(text)) or ""
            assert len(introduction) > 20, f"{room}/{name}/__init__.py does not say what it is"


def test_the_rooms_have_one_import_name() -> None:
    """A folder ``games`` or ``agents`` of a user's project is not ours: ``parlour.games`` is."""
    checked = list(chain.from_iterable(map(modules, ROOMS)))
    checked += sorted((ROOT / "tests").rglob("*.py")) + sorted((ROOT / "scripts").rglob("*.py"))
    bare = set(ROOMS) - {"parlour"}
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
    done = called(sys.executable, "-c", code, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


LOADED = """
import sys
from parlour.cli.app import main
heavy, sys.argv = sys.argv[1].split(","), ["parlour", *sys.argv[2:]]
try:
    main()
finally:
    print(sorted({*heavy} & set(sys.modules)), file=sys.stderr)
"""
MODELS = ("litellm", "openai", "httpx", "aiohttp")
NUMBERS = ("numpy", "scipy", "networkx", "trueskill", "pandas", "textual", *MODELS)
RATINGS = ("parlour.ratings", *NUMBERS)
SCREENS = ("parlour.tui", *RATINGS)


@pytest.mark.really_started
@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        ("--help", SCREENS),
        ("doctor", SCREENS),
        ("run tournament.toml --plain --save other.db", MODELS),
        ("status save.db", RATINGS),
        ("budget save.db", RATINGS),
        ("check save.db", RATINGS),
        ("list presets", RATINGS),
        ("leaderboard over/save.db", (*NUMBERS, "asyncio", "tomlkit")),
        ("pause no.db", SCREENS),
        ("stop no.db", SCREENS),
        ("replay no.db", SCREENS),
    ],
)
def test_a_command_loads_nothing_that_it_does_not_use(
    tmp_path: Path, words: str, heavy: tuple[str, ...]
) -> None:
    new_save(tmp_path)
    if "over/" in words:
        (tmp_path / "over").mkdir()
        finished(tmp_path / "over")
    command = sys.executable, "-c", LOADED, ",".join(heavy), *words.split()
    done = called(*command, cwd=tmp_path, env=environment())
    assert done.stderr.splitlines()[-1] == "[]"
    assert done.returncode == (2 if "no.db" in words else 0)
    assert bool(done.stdout) != ("no.db" in words)


def test_a_room_of_the_save_imports_only_along_its_arrows() -> None:
    """The modules beside the rooms are "the file", which imports none of them."""
    arrows, home = inner_arrows()["save"], ROOT / "tournament" / "save"
    rooms = {path.parent.name for path in home.glob("*/__init__.py")}
    assert rooms == set(arrows) - {"the file"}
    for module in sorted(home.rglob("*.py")):
        inner = module.relative_to(home).parts[0] if module.parent != home else "the file"
        for name in imported(module):
            target = name.removeprefix("parlour.tournament.save.").partition(".")[0]
            wrong = target in rooms and target not in {inner, *arrows.successors(inner)}
            assert not wrong, f"{module.relative_to(ROOT)} imports {name}"


NAMED = ("tournament", "parlour/api", "ratings/reference", "games/testing")
"""Folders whose introductions name everything in them, and those of the folders inside."""


def introductions() -> list[Path]:
    return sorted(chain.from_iterable((ROOT / room).rglob("__init__.py") for room in NAMED))


@pytest.mark.parametrize(
    "path", introductions(), ids=lambda path: str(path.parent.relative_to(ROOT))
)
def test_an_introduction_names_all_modules_and_what_to_read_first(path: Path) -> None:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    inside = {module.stem for module in path.parent.glob("*.py")} - {"__init__", "__main__"}
    inside |= {room.parent.name for room in path.parent.glob("*/__init__.py")}
    named = set(re.findall(r"`(\w+)(?:\.py|/)?`", text))
    assert not inside - named, "not named"
    assert len(inside) < 3 or re.search("Begin with|Read first", text), (
        "does not say what to read first"
    )


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Wherever the import stands: late ones and those for types alone count too."""
    names = {}
    for path in chain.from_iterable(map(modules, ROOMS)):
        parts = path.relative_to(ROOT).with_suffix("").parts
        parts = parts if parts[0] == "parlour" else ("parlour", *parts)
        names[".".join(parts)] = path
    graph = nx.DiGraph()
    for name, path in names.items():
        # A name is that of a module, or of something in one.
        for target in chain.from_iterable(
            (each, each.rpartition(".")[0]) for each in imported(path)
        ):
            if target in names:
                graph.add_edge(name, target)
    assert [group for group in nx.strongly_connected_components(graph) if len(group) > 1] == []


SQL = re.compile(r"\b(SELECT|FROM|WHERE|INSERT INTO|UPDATE|DELETE|PRAGMA|ORDER BY) [a-z_(*]")
"""Words of SQL in capitals, followed by a name in small letters."""


@pytest.mark.parametrize("room", ROOMS)
def test_all_sql_lives_in_the_save(room: str) -> None:
    home = ROOT / "tournament" / "save"
    for module in modules(room):
        if home in module.parents:
            continue
        nodes = list(ast.walk(ast.parse(module.read_text(encoding="utf-8"))))
        texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
        queries = [text for text in texts if isinstance(text, str) and SQL.search(text)]
        assert not queries, module.relative_to(ROOT)
        called = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        assert "_select" not in called, f"{module.relative_to(ROOT)} reads past Save"


OPENS = {
    "open",
    "read_text",
    "read_bytes",
    "write_text",
    "write_bytes",
    "touch",
    "connect",
    "utime",
}
"""The calls that open a file, or follow a link to one."""
GUARDED = (
    *("tournament/save", "tournament/control", "tournament/trust"),
    *("games/engine/game.py", "agents/user_code.py", "games/families/clues/clue_bank.py"),
)
"""The rooms and modules that open what lies beside a save or below a tournament file."""
OPENED = {
    "games/families/clues/clue_bank.py": {"path.read_text": 1},  # of the package
    "tournament/control/client.py": {"connection.connect": 1},  # for a save that the server names
    "tournament/control/hooks.py": {"path.read_text": 1},  # the user's settings, maybe a link
    "tournament/control/server.py": {"runner.gate.open": 1},
    # SQLite follows no link beside a save; drafts are files of our own.
    "tournament/save/database.py": {**{"SCHEMA.read_text": 1, "sqlite3.connect": 2, "connect": 1}},
    "tournament/save/growing/create.py": {"sqlite3.connect": 1},
    "tournament/save/lock.py": {"os.utime": 1},  # of the link itself
    "tournament/save/merging/taking.py": {"sqlite3.connect": 1, "os.open": 1},
    "tournament/save/merging/merge.py": {"connect": 1},
    "tournament/save/new_file.py": {"sqlite3.connect": 2, "connect": 1, "os.open": 1},
    "tournament/save/reader.py": {"connect": 1},
    "tournament/save/summary.py": {"connect": 1},
}
"""Calls that do not go through the gate, each for a reason."""


def test_what_a_stranger_may_have_placed_is_opened_at_one_gate() -> None:
    opened: dict[str, Counter[str]] = defaultdict(Counter)
    for place in GUARDED:
        for module in [ROOT / place] if place.endswith(".py") else (ROOT / place).rglob("*.py"):
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    name = ast.unparse(node.func)
                    if name.rpartition(".")[2] in OPENS:
                        opened[str(module.relative_to(ROOT))][name] += 1
    assert opened == OPENED


def printed_commands(module: Path) -> Iterator[tuple[int, str]]:
    """Yields line and expression of each value that stands in a command for the user to type."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        in_command = False
        for part in node.values if isinstance(node, ast.JoinedStr) else ():
            if isinstance(part, ast.Constant):
                rest = re.split(r"parlour (?=[a-z])", str(part.value))
                in_command = "`" not in rest[-1] and (in_command or len(rest) > 1)
            elif in_command:
                assert isinstance(part, ast.FormattedValue)
                yield node.lineno, ast.unparse(part.value)


PLAIN_WORDS = {"number", "match", "match.number", "least", "name", "tournament.seed", "FILE"}
"""Numbers, names of presets and views, a placeholder. Others are ``quote(...)`` or ``named``."""


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_in_a_printed_command_is_quoted(room: str) -> None:
    for module in modules(room):
        for line, value in printed_commands(module):
            quoted = value.startswith("quote(") or value == "named" or value in PLAIN_WORDS
            joined = value == "words" and module.name == "new_tournament.py"  # quoted one by one
            assert quoted or joined, f"{module.relative_to(ROOT)}:{line}: {value}"


DECODED = {
    "agents/llm/keys.py": 2,  # the one way, and letters of base64
    # A host, which is compared alone; templates and settings of a user; words that ship.
    "agents/llm/frames.py": 1,  # a request of ours
    "agents/llm/http_clients.py": 2,  # an event of a stream, whose texts are cleaned as JSON's
    **{"agents/llm/litellm_patch.py": 1, "games/engine/prompts.py": 1},
    **{"games/engine/game.py": 1, "games/families/clues/evidence.py": 1},
}
"""Calls that decode bytes in the rooms that texts come in by."""


def test_texts_from_outside_go_one_way() -> None:
    decoded: Counter[str] = Counter()
    for module in chain(modules("agents"), modules("games")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                decoded[str(module.relative_to(ROOT))] += ast.unparse(node.func).endswith(".decode")
    assert +decoded == DECODED
    # It cleans by itself, and in its own order.
    for module in chain.from_iterable(map(modules, ROOMS)):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "from_outside":
                inner = ast.unparse(node.args[0])
                assert not re.match(r"clean|one_line", inner), f"{module}:{node.lineno}"
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "clean":
                assert "from_outside" not in ast.unparse(node), f"{module}:{node.lineno}"
