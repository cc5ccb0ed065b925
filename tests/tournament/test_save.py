"""The save: created completely or not at all, read without a trace, refused if damaged."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from parlour.games.common.errors import BadInput, BadSave
from parlour.games.engine.moves import Outcome
from parlour.tournament.plan.schedule import schedule
from parlour.tournament.reports.leaderboards import current_leaderboard
from parlour.tournament.save import reader
from parlour.tournament.save.database import READS_OLDER, SCHEMA_VERSION, connect
from parlour.tournament.save.directory import new_save as next_save
from parlour.tournament.save.directory import no_such_save
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import Progress, outcome_from_json, outcome_to_json
from tests.known import GAMES
from tests.tournaments import (
    ANSWERS,
    MATCHES,
    SMALL,
    environment,
    finished,
    in_save,
    new_save,
    parlour,
    printed_json,
    sql,
    tamper,
    tournament,
)


@contextmanager
def not_root() -> Iterator[None]:
    """Temporary change from root, which may do anything, to another user."""
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def said(read: Callable[[], object]) -> str:
    """The one line with which a save is refused."""
    with pytest.raises(BadInput) as refusal:
        read()
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


def read_all(path: Path) -> None:
    """Reads whatever a save holds, as the commands do."""
    with Save(path) as save:
        save.progress()
        save.matches()
        save.unfinished_answers()
        save.records()
        current_leaderboard(save)


# How it is made


def test_a_new_save_holds_the_whole_plan_and_nothing_else(tmp_path: Path) -> None:
    planned = tournament(tmp_path)
    with Save(new_save(tmp_path)) as save:
        assert save.tournament == planned
        assert save.progress() == Progress(MATCHES, finished=0, frozen=0, answers=0, faults=0)
        stored = [(m.number, m.agents, m.counted, m.seed) for m in save.matches()]
        assert first_difference(save) is None
    assert stored == [(m.number, m.agents, m.counted, m.seed) for m in schedule(planned)]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_no_folder_is_made_for_a_save_but_the_default_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for where in ("svaes/save.db", "saves/deep/save.db"):
        with pytest.raises(BadSave, match=f"there is no folder {Path(where).parent}; make it fir"):
            create_save(Path(where), tournament(tmp_path))
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == []
    create_save(Path("saves/save.db"), tournament(tmp_path))
    assert Path("saves").stat().st_mode & 0o777 == 0o700


def test_an_existing_folder_keeps_its_permissions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("saves").mkdir()
    Path("saves").chmod(0o750)
    create_save(next_save("x"), tournament(tmp_path))
    assert Path("saves").stat().st_mode & 0o777 == 0o750


def test_a_save_in_a_folder_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    played = finished(tmp_path)
    with Save(played) as save:  # all that reading loads is loaded now
        board = current_leaderboard(save)
    # Not below tmp_path, which only the user may enter whom the tests run as.
    with TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        shutil.copy(played, folder / "save.db")
        (folder / "save.db").chmod(0o444)
        folder.chmod(0o555)
        with not_root(), Save(folder / "save.db") as save:
            assert not os.access(folder, os.W_OK)
            assert save.progress() == Progress(MATCHES, MATCHES, 0, ANSWERS, 0)
            assert current_leaderboard(save) == board
        assert [path.name for path in folder.iterdir()] == ["save.db"]
        folder.chmod(0o755)


def test_a_save_and_the_files_beside_it_are_readable_by_its_owner_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        finished(tmp_path)
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("save.db*")}
    assert set(modes.values()) == {0o600}
    assert {"save.db", "save.db.runner"} <= modes.keys()


def test_an_existing_file_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "save.db"
    path.write_text("precious")
    assert said(lambda: create_save(path, tournament(tmp_path))) == (
        f"{path}: already exists; continue it without a tournament, or choose another name"
    )
    assert path.read_text() == "precious"
    assert {entry.name for entry in tmp_path.iterdir()} == {"save.db", "tournament.toml"}


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "save.db"
    assert said(lambda: create_save(path, tournament(tmp_path))) == (
        f"{path}: cannot be created (Not a directory); choose another place with --save"
    )


def test_a_leftover_log_is_not_taken_into_a_new_save(tmp_path: Path) -> None:
    path = tmp_path / "save.db"
    log = tmp_path / "save.db-wal"
    log.write_bytes(b"left behind")
    assert said(lambda: create_save(path, tournament(tmp_path))) == (
        f"{log}: is the log of a save that no longer exists; restore the save that it"
        " belongs to or delete it, or choose another place with --save"
    )
    assert not path.exists()
    assert log.read_bytes() == b"left behind"
    log.write_bytes(b"")  # as a reader leaves it
    create_save(path, tournament(tmp_path))


CREATING = """
import os, random, sys, time
from pathlib import Path
from parlour.tournament.plan.loader import read_tournament
from parlour.tournament.save import reader
from parlour.tournament.save.growing.create import create_save

folder, tournament = Path(sys.argv[1]), read_tournament(Path(sys.argv[2]))
begun = time.monotonic()
create_save(folder / "timing.db", tournament)
whole = time.monotonic() - begun
dice = random.Random(1)
for number in range(25):
    child = os.fork()
    if child == 0:
        create_save(folder / f"{number}.db", tournament)
        os._exit(0)
    time.sleep(dice.uniform(0, 1.2 * whole))
    os.kill(child, 9)
    os.waitpid(child, 0)
"""


def test_a_kill_during_creation_leaves_a_whole_save_or_none(tmp_path: Path) -> None:
    # 1,200 matches, so that most kills land in the middle of writing them.
    text = SMALL.replace("seed = 7", "seed = 7\nrepetitions = 100")
    folder = tmp_path / "saves"
    folder.mkdir()
    read = tournament(tmp_path, text)
    subprocess.run(
        [sys.executable, "-c", CREATING, folder, tmp_path / "tournament.toml"],
        env=environment(),
        check=True,
        timeout=60,
    )
    made = sorted(folder.glob("*.db"))
    drafts = [path for path in folder.iterdir() if path.name.startswith(".")]
    assert len(made) < 26, "no kill came before the end"
    assert drafts, "no kill came in the middle"
    for path in made:
        with Save(path) as save:
            assert save.progress() == Progress(100 * MATCHES, 0, 0, 0, 0)
            assert save.tournament == read
    # What was left behind is in nobody's way, and nobody's newest save.
    newest = json.loads(parlour("status", "--format", "json", cwd=tmp_path).stdout)
    assert newest["matches"] == 100 * MATCHES


# How it is read


def test_a_finished_save_is_one_file_that_can_be_copied_alone(tmp_path: Path) -> None:
    path = finished(tmp_path)
    copy = tmp_path / "copy" / "save.db"
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())
    with Save(copy) as save:
        assert save.progress() == Progress(MATCHES, MATCHES, 0, ANSWERS, 0)
        assert save.stored_leaderboard() is not None


def test_a_reader_leaves_file_and_log_as_they_are_while_a_writer_has_them(tmp_path: Path) -> None:
    path = new_save(tmp_path)
    writer = connect(path, writable=True)
    try:
        writer.execute("UPDATE matches SET frozen = 'by hand' WHERE number = 3")
        files = (path, path.with_name("save.db-wal"))
        before = [(file.read_bytes(), file.stat().st_mtime_ns) for file in files]
        assert len(before[1][0]) > 0, "nothing stands in the log"
        read_all(path)
        assert [match.number for match in in_save(path, lambda s: s.matches("frozen"))] == [3]
        printed_json("status", path, "--format", "json", cwd=tmp_path)
        printed_json("leaderboard", path, "--format", "json", cwd=tmp_path)
        assert [(file.read_bytes(), file.stat().st_mtime_ns) for file in files] == before
    finally:
        writer.close()


def test_a_reader_leaves_a_save_at_rest_as_it_is(played: Path) -> None:
    before = played.read_bytes(), played.stat().st_mtime_ns
    read_all(played)
    assert (played.read_bytes(), played.stat().st_mtime_ns) == before


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    connection = connect(new_save(tmp_path), writable=False)
    try:
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("DELETE FROM matches")
    finally:
        connection.close()


def test_progress_counts_what_is_stored(played: Path) -> None:
    tamper(played, "UPDATE matches SET outcome = NULL WHERE number IN (2, 3)")
    tamper(played, "UPDATE matches SET frozen = 'x' WHERE number = 3")
    tamper(played, "UPDATE answers SET fault = 'empty' WHERE match = 5 AND ask = 0")
    with Save(played) as save:
        progress = save.progress()
        assert progress == Progress(MATCHES, MATCHES - 2, 1, ANSWERS, 1)
        assert not progress.done
        assert [len(a) for a in save.unfinished_answers().values()] == [21, 21]
        assert [record.number for record in save.records()] == [1, *range(4, 13)]


def test_records_that_are_read_in_parts_are_those_of_the_whole(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every third match is open again, so that parts begin, end and lie around open ones.
    tamper(played, "UPDATE matches SET outcome = NULL WHERE number % 3 = 0")
    with Save(played) as save:
        whole = save.records()
        monkeypatch.setattr(reader, "MATCHES_READ", 2)
        assert save.records() == whole
        finished = [match.number for match in save.matches("finished")]
        assert [record.number for record in whole] == finished
        for record in whole:
            stored = save.answers_of(record.number)
            assert [(a.ask, a.seat) for a in record.answers] == [(a.ask, a.seat) for a in stored]
            assert [a.value for a in record.answers] == [json.loads(a.value) for a in stored]


def test_an_outcome_reads_back_the_same() -> None:
    outcome = Outcome("tie", (2.0, 1.0, 0.5), ("a", "b", "b"), ("a", "b", "b"), ())
    assert outcome_from_json(outcome_to_json(outcome)) == outcome
    # Whole payoffs of the rules are integers; stored and read again they are the same text.
    whole = Outcome("tie", (2, 1, 1), ("a", "b", "b"), ("a", "b", "b"), ())
    text = outcome_to_json(whole)
    assert outcome_to_json(outcome_from_json(text)) == text
    assert json.loads(text)["payoffs"] == [2.0, 1.0, 1.0]


# What is refused


def other_program(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE tournament (name TEXT)")
    connection.close()


NOT_OURS = "is not a save of Parlour; name another file"
NO_DATABASE = "is not a save of Parlour, or is damaged; name another file, or restore a copy of it"
FOREIGN: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing": (
        lambda path: None,
        "there is no such save; see `ls saves` for what there is, or start one with `parlour run`",
    ),
    "a folder": (
        lambda path: path.mkdir(),
        "is a folder, not a save; name a file in it, such as FOLDER/NAME.db",
    ),
    "an empty file": (lambda path: path.write_bytes(b""), NOT_OURS),
    "a text": (lambda path: path.write_text("name = 'x'\n" * 100), NO_DATABASE),
    "noise": (lambda path: path.write_bytes(bytes(range(256)) * 64), NO_DATABASE),
    "another program's database": (other_program, NOT_OURS),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_a_file_that_is_no_save_is_refused(tmp_path: Path, case: str) -> None:
    make, expected = FOREIGN[case]
    path = tmp_path / "other.db"
    make(path)
    assert said(lambda: Save(path)) == f"{path}: {expected.replace('FOLDER', str(path))}"


TABLES = "does not have the tables of a save; name another file"
CHANGED = {
    "made by a newer version": (
        "PRAGMA user_version = 99",
        f"was made by a newer Parlour (save version 99, this one reads {SCHEMA_VERSION});"
        " update Parlour",
    ),
    "made by an older version": (
        "PRAGMA user_version = 9",
        f"was made by an older Parlour (save version 9, this one reads {SCHEMA_VERSION});"
        f" read it with commit {READS_OLDER} of Parlour",
    ),
    "of no version": ("PRAGMA user_version = 0", TABLES),
    "with a trigger": (
        "CREATE TRIGGER t AFTER INSERT ON stored_answers BEGIN DELETE FROM matches; END",
        TABLES,
    ),
    "without a trigger": ("DROP TRIGGER update_match", TABLES),
    "with a view": ("CREATE VIEW v AS SELECT * FROM answers", TABLES),
    "with a view in a table's place": (
        "DROP TABLE leaderboards;"
        " CREATE VIEW leaderboards AS SELECT 1 AS seq, '' AS input, '' AS body",
        TABLES,
    ),
    "with another table": ("CREATE TABLE extra (x)", TABLES),
    "without a table": ("DROP TABLE leaderboards", TABLES),
    "without its index": ("DROP INDEX answers_once", TABLES),
    "with another column": ("ALTER TABLE stored_answers ADD COLUMN extra TEXT", TABLES),
}


@pytest.mark.parametrize("case", CHANGED)
def test_a_save_with_other_tables_is_refused(tmp_path: Path, case: str) -> None:
    sql, expected = CHANGED[case]
    path = new_save(tmp_path)
    connection = sqlite3.connect(path)
    connection.executescript(sql)
    connection.close()
    assert said(lambda: Save(path)) == f"{path}: {expected}"
    assert said(lambda: connect(path, writable=True)) == f"{path}: {expected}"


def test_a_save_with_statistics_tables_of_sqlite_opens(played: Path) -> None:
    tamper(played, "ANALYZE")
    read_all(played)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6])
def test_a_truncated_save_is_damaged(played: Path, share: float) -> None:
    os.truncate(played, int(played.stat().st_size * share))
    line = said(lambda: read_all(played))
    assert line == f"{played}: is damaged (database disk image is malformed); restore a copy of it"


def spec(change: Callable[[dict], object]) -> Callable[[Path], None]:
    """A save whose stored tournament is changed like that."""

    def apply(path: Path) -> None:
        connection = sqlite3.connect(path)
        (text,) = connection.execute("SELECT spec FROM tournament").fetchone()
        connection.close()
        stored = json.loads(text)
        change(stored)
        tamper(path, "UPDATE tournament SET spec = ?", json.dumps(stored))

    return apply


NOT_OF_IT = ": is not of this tournament"
OF_MATCHES = {
    "agents = '['": ": invalid JSON: EOF while parsing a list at line 1 column 1 (got '[')",
    "agents = '[1, 2, 3]'": ", field [0]: must be a text (got 1)",
    """agents = '["Ada", "Ada", "Eve"]'""": NOT_OF_IT,
    """agents = '["Ada", "Rob"]'""": NOT_OF_IT,
    "entry = 1": NOT_OF_IT,
    "entry = -1": NOT_OF_IT,
    "game = 'chess'": NOT_OF_IT,
    "setting = 2": NOT_OF_IT,
    "counted = '[0, 3]'": NOT_OF_IT,
    """outcome = '{"ending":"tie","payoffs":[1],"roles":["x"],"sides":["x"],"winners":[]}'""": (
        NOT_OF_IT
    ),
    "outcome = 'tie'": ": invalid JSON: expected ident at line 1 column 2 (got 'tie')",
    "outcome = ''": ": invalid JSON: EOF while parsing a value at line 1 column 0 (got '')",
    "outcome = replace(outcome, 'civilian', 'wolf')": (
        ': outcome {"ending": "caught", "facts": {}, "payoffs": [3.0, 0.0, 3.0], "roles": ["wolf",'
        ' "un'
    ),
}
"""Changes of match 4, each with what is said of it."""
OF_ANSWERS = {
    "value = '{' WHERE match = 4 AND ask = 0": (
        ", ask 0: invalid JSON: EOF while parsing an object at line 1 column 1 (got '{')"
    ),
    "value = '3' WHERE match = 4 AND ask = 0": ", ask 0: must be an object (got 3)",
    "value = '{}' WHERE match = 4 AND kind = 'vote'": (
        ", ask 10, Player 1, field suspect: is missing"
    ),
    "seat = 7 WHERE match = 4 AND kind = 'clue' AND ask = 0": (
        ", ask 0, Player 8: the replay does not wait for this player"
    ),
}
"""The same of its answers."""
CHANGED_ROWS = [
    *((f"UPDATE matches SET {each} WHERE number = 4", OF_MATCHES[each]) for each in OF_MATCHES),
    *((f"UPDATE answers SET {each}", OF_ANSWERS[each]) for each in OF_ANSWERS),
]
DAMAGED: dict[str, tuple[Callable[[Path], None], str]] = {
    statement: (sql(statement), f": is damaged (match 4{words}); restore a copy of it")
    for statement, words in CHANGED_ROWS
}
DAMAGED |= {
    "a tournament that is no JSON": (
        sql("UPDATE tournament SET spec = '{'"),
        ": is damaged (Expecting property name enclosed in double quotes: line 1 column 2"
        " (char 1)); restore a copy of it",
    ),
    "a tournament nested too deep": (
        sql("UPDATE tournament SET spec = ?", "[" * 100_000),
        ": is damaged (maximum recursion depth exceeded while decoding a JSON array from a unicode"
        " string); restore a copy of it",
    ),
    "a tournament that is a list": (
        sql("UPDATE tournament SET spec = '[]'"),
        ": must be an object (got [])",
    ),
    "no tournament": (
        sql("DELETE FROM tournament"),
        ": is damaged (a row is missing); restore a copy of it",
    ),
    "repetitions in words": (
        spec(lambda stored: stored.update(repetitions="two")),
        ": repetitions: must be a whole number (got 'two')",
    ),
    "an agent that is a number": (
        spec(lambda stored: stored["agents"].__setitem__(0, 3)),
        ": agents[0]: must be an object (got 3)",
    ),
    "an agent's name with an escape sequence": (
        spec(lambda stored: stored["agents"][0].update(name="\x1b[2JAda")),
        ": agents[0].name: '[2JAda' has leading or trailing spaces, "
        "control characters, or letters not in NFC; remove them",
    ),
    "a line-up of numbers": (
        spec(lambda stored: stored["games"][0].update(lineup=[1, 2, 3])),
        ": games[0].lineup[0]: must be a text (got 1)",
    ),
    "a line-up with an unknown agent": (
        spec(lambda stored: stored["games"][0].update(lineup=["Ada", "Ada", "Eve"])),
        ": games[0].lineup: unknown agent 'Eve'; known: Ada, Lin, Rob",
    ),
    "a game that is not installed": (
        spec(lambda stored: stored["games"][0].update(name="whist")),
        ": games[0].name: unknown game 'whist'; " + GAMES,
    ),
    "a setting of another game": (
        spec(lambda stored: stored["games"][0]["records"][0].update(trumps="hearts")),
        ": games[0].trumps: is not a valid key here;"
        " known: civilian_word, openings, undercover_seat,"
        " undercover_word",
    ),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_a_save_with_invalid_rows_is_refused(played: Path, case: str) -> None:
    damage, expected = DAMAGED[case]
    tamper(played, "DELETE FROM leaderboards")  # so that the rows are read for a new one
    tamper(played, "DELETE FROM counts")
    damage(played)
    assert said(lambda: read_all(played)) == f"{played}{expected}"


BOARDS = {
    "no JSON": "{",
    "a list": "[]",
    "nothing in it": "{}",
    "a number of standings": '{"standings": 3, "matches": 0, "skipped": 0, "clusters": {}}',
    "nested too deep": "[" * 100_000,
}


@pytest.mark.parametrize("case", BOARDS)
def test_a_damaged_leaderboard_is_computed_again(played: Path, case: str) -> None:
    right = in_save(played, current_leaderboard)
    tamper(played, "UPDATE leaderboards SET body = ?", BOARDS[case])
    assert in_save(played, current_leaderboard) == right


def test_an_outdated_leaderboard_is_computed_again(played: Path) -> None:
    tamper(played, "UPDATE matches SET outcome = NULL WHERE number = 1")
    assert in_save(played, current_leaderboard).matches == MATCHES - 1


def test_a_save_that_went_away_names_its_rescued_copy(tmp_path: Path) -> None:
    gone = tmp_path / "small.db"
    assert str(no_such_save(gone, "a fix")).endswith("there is no such save; a fix")
    copy = new_save(tmp_path, name="small.rescued.db")
    with pytest.raises(BadSave, match=f"what was stored of it when it went away is in {copy}"):
        Save(gone)
