"""Every refusal is one line on stderr with place, value and fix, and exit code 2."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import parlour as parlour_api
from parlour.ratings.measures.role_counts import paired_counters
from parlour.tournament.save.growing.create import create_save
from tests.known import GAMES, KEYS, PRESETS, known
from tests.tournaments import SMALL, new_save, play, refused, tamper, written

KNOWN = {"{KEYS}": KEYS, "{PRESETS}": PRESETS, "{GAMES}": GAMES}
KNOWN["{MEASURES}"] = known(paired_counters())
"""The names that are known, by the signs that stand for them."""


def misuses() -> dict[str, tuple[str, str]]:
    """The words and the refusal of each case in ``misuses.txt``; any text may stand for "…"."""
    text = Path(__file__).with_name("misuses.txt").read_text(encoding="utf-8")
    for mark, names in KNOWN.items():
        text = text.replace(mark, names)
    cases = {}
    for part in text.rstrip().split("\n\n"):
        case, words, line = part.split("\n")
        cases[case.removeprefix("# ")] = words.removeprefix("$ parlour").strip(), line
    return cases


MISUSES = misuses()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("misused")
    written(folder, name="good.toml")
    written(folder, SMALL.replace("seed", "sede"), name="bad.toml")
    written(folder, SMALL.replace("seed = 7", "repetitions = 1_000_000_000"), name="endless.toml")
    written(folder, SMALL.replace("[[games]]", "[games]"), name="onegame.toml")
    written(folder, SMALL.replace("seed = 7", "seed = 8"), name="other.toml")
    made_in_python = SMALL.replace('strategy = "literal"', 'kind = "python"').replace("Lin", "Mine")
    written(folder, made_in_python, name="python.toml")
    create_save(folder / "python.db", parlour_api.load(folder / "python.toml"))
    agent = '[[agents]]\nname = "Zoe"\nstrategy = "random"\n'
    written(folder, agent, name="zoe.toml")
    written(folder, agent.replace("random", "randon"), name="odd.toml")
    written(folder, 2 * agent, name="two.toml")
    written(folder, f'{agent}[[games]]\nname = "donation"\n', name="both.toml")
    (folder / "tables").mkdir()
    (folder / "tables" / "seats.csv").touch()
    for name in ("good.db", "newer.db", "tampered.db", "finished.db"):
        new_save(folder, name=name)
    play(folder / "finished.db")
    tamper(folder / "newer.db", "PRAGMA user_version = 99")
    tamper(
        folder / "tampered.db",
        "INSERT INTO answers (match, ask, seat, kind, round, value, tries, digest)"
        " VALUES (1, 0, 0, 'vote', 9, '{}', 1, '')",
    )
    tamper(folder / "other.db", "CREATE TABLE t (x)")
    return folder


@pytest.mark.parametrize("case", MISUSES)
def test_a_refusal_is_one_line_with_place_value_and_fix(folder: Path, case: str) -> None:
    words, expected = MISUSES[case]
    before = {path.name for path in folder.iterdir()}
    line = refused(*shlex.split(words), cwd=folder)
    start, rest, _ = expected.partition("…")
    assert line.startswith(start) if rest else line == start
    assert {path.name for path in folder.iterdir()} <= before | _beside(before)


def _beside(names: set[str]) -> set[str]:
    """Files that a reader leaves beside a save: the log's shared memory, and an empty log."""
    return {f"{name}-shm" for name in names} | {f"{name}-wal" for name in names}


def saves_is_a_dangling_link(folder: Path) -> None:
    (folder / "saves").symlink_to(folder / "gone" / "away")


def saves_is_a_file(folder: Path) -> None:
    (folder / "saves").write_text("")


PLACES: dict[str, Callable[[Path], None]] = {
    "saves: cannot be created (File exists)": saves_is_a_dangling_link,
    "saves/small.db: cannot be created (Not a directory)": saves_is_a_file,
}


@pytest.mark.parametrize("problem", PLACES)
def test_where_there_is_no_place_for_saves_it_says_so(tmp_path: Path, problem: str) -> None:
    PLACES[problem](tmp_path)
    written(tmp_path)
    line = f"parlour: {problem}; choose another place with --save"
    assert refused("run", "tournament.toml", cwd=tmp_path) == line


def test_a_named_save_is_not_taken_for_another_argument(tmp_path: Path) -> None:
    new_save(tmp_path)
    assert refused("replay", "save.db", cwd=tmp_path).startswith(
        "parlour replay: Missing argument 'MATCH'. See `"
    )
    assert "'Ada' is one side" in refused("compare", "save.db", "Ada", cwd=tmp_path)
