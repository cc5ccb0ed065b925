"""A save that is deleted, moved, locked by another program or made read-only while it is played."""

import ctypes
import os
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from parlour.tournament import session
from parlour.tournament.save import new_file
from parlour.tournament.save.new_file import DiskTrouble
from tests.crash.running import ANSWERS, TOURNAMENT, count, running, until
from tests.tournaments import COMMAND, contents, environment, finished, new_save, play, printed

DROP_FROM_BOUND, OVERRIDES = 24, (1, 2)
"""prctl's operation, and the capabilities by which root reads and writes whatever it likes."""


def delete(save: Path) -> None:
    save.unlink()


def move(save: Path) -> None:
    save.rename(save.with_name("elsewhere.db"))


def replace(save: Path) -> None:
    other = save.with_name("other.db")
    other.write_bytes(b"something else")
    other.rename(save)


@pytest.mark.parametrize("remove", [delete, move, replace])
def test_a_save_that_goes_away_is_rescued(
    tmp_path: Path, undisturbed: dict[str, Any], remove: Any
) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    copy = tmp_path / "save.rescued.db"
    with running(save, "--pace", 30, "--concurrency", 8) as process:
        assert until(lambda: count(save) > 30, process)
        remove(save)
        _out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err == (
        f"parlour: {save}: was deleted or moved while it was played; all that was stored is in"
        f" {copy}: continue with `parlour run {copy}`\n"
    )
    assert 30 < count(copy) < ANSWERS
    assert save.with_name("save.db-wal").exists() is (remove is replace)
    assert copy.stat().st_mode & 0o777 == 0o600
    printed("run", copy, "--plain", "--pace", "inf", cwd=tmp_path)
    assert contents(copy) == undisturbed


@pytest.mark.parametrize("moment", ["open_calls", "_store_leaderboard"])
def test_a_save_that_goes_away_before_or_after_the_matches_is_rescued(
    tmp_path: Path, undisturbed: dict[str, Any], monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    save, real = new_save(tmp_path, TOURNAMENT), getattr(session, moment)

    def going(*args: object) -> Any:
        save.unlink()
        return real(*args)

    monkeypatch.setattr(session, moment, going)
    with pytest.raises(DiskTrouble, match="all that was stored is in"):
        play(save)
    monkeypatch.setattr(session, moment, real)
    copy = tmp_path / "save.rescued.db"
    assert play(copy).progress.done
    assert contents(copy) == undisturbed


def test_a_save_whose_folder_is_moved_is_whole_at_its_new_place(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    folder, other = tmp_path / "saves", tmp_path / "other"
    folder.mkdir()
    save = new_save(folder, TOURNAMENT)
    with running(save, "--pace", 30) as process:
        assert until(lambda: count(save) > 30, process)
        folder.rename(other)
        _out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    whole = other / save.name
    assert err == (
        f"parlour: {save}: was deleted or moved while it was played; all that was stored is in"
        f" {whole}: continue with `parlour run {whole}`\n"
    )
    assert 30 < count(whole) < ANSWERS
    printed("run", whole, "--plain", "--pace", "inf", cwd=tmp_path)
    assert contents(whole) == undisturbed


def test_a_save_whose_folder_is_deleted_is_rescued_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, temporary = tmp_path / "saves", tmp_path / "temporary"
    folder.mkdir()
    save = finished(folder)
    before = contents(save)
    monkeypatch.setattr(new_file, "gettempdir", lambda: str(temporary))
    with closing(sqlite3.connect(save)) as connection:
        assert count(save) > 0
        connection.execute("SELECT count(*) FROM matches").fetchone()
        shutil.rmtree(folder)
        nowhere = str(new_file.rescued(save, connection))
        assert nowhere.endswith(
            f"no copy can be made: there is no folder {folder}; there is no folder {temporary}"
        )
        temporary.mkdir()
        copy = temporary / "save.rescued.db"
        assert f"all that was stored is in {copy}:" in str(new_file.rescued(save, connection))
    assert contents(copy) == before


def test_a_run_waits_for_the_lock_of_another_program(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    with running(save, "--pace", 400, "--concurrency", 8) as process:
        assert until(lambda: count(save) > 30, process)
        other = sqlite3.connect(save, isolation_level=None, timeout=60)
        other.execute("BEGIN IMMEDIATE")
        assert process.stderr is not None
        trouble = process.stderr.readline()
        other.execute("ROLLBACK")
        other.close()
        assert trouble == (
            f"{save}: database is locked; nothing is lost, retrying:"
            " close the program that has it open\n"
        )
        _out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err.endswith(f"{save}: can be written again\n")
    assert contents(save) == undisturbed


def test_a_long_reader_holds_nobody_up(tmp_path: Path, undisturbed: dict[str, Any]) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    reader = sqlite3.connect(save, isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM answers").fetchone() == (0,)
    assert play(save).progress.done
    assert reader.execute("SELECT count(*) FROM answers").fetchone() == (0,)
    reader.close()
    assert contents(save) == undisturbed


def without_privilege() -> None:
    """Takes from root what the permissions of files deny."""
    libc = ctypes.CDLL(None)
    for capability in OVERRIDES:
        libc.prctl(DROP_FROM_BOUND, capability, 0, 0, 0)


@contextmanager
def read_only(save: Path) -> Iterator[None]:
    """Context in which neither the save nor its folder can be written."""
    save.with_name(f"{save.name}.runner").unlink(missing_ok=True)
    save.chmod(0o444)
    save.parent.chmod(0o555)
    try:
        yield
    finally:
        save.parent.chmod(0o755)


@pytest.mark.parametrize(
    "words", [["check"], ["leaderboard"], ["leaderboard", "--view=measures"], ["status"]]
)
def test_a_read_only_save_can_be_read(tmp_path: Path, words: list[str]) -> None:
    save = finished(tmp_path)
    with read_only(save):
        before = set(tmp_path.iterdir())
        assert denied(*words, save).returncode == 0
        assert set(tmp_path.iterdir()) == before


def test_a_read_only_save_is_not_played(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    with read_only(save):
        done = denied("run", save, "--plain")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"parlour: {save}.runner: cannot be written (Permission denied);"
        " check the permissions of its folder, or remove it\n"
    )


def denied(*words: object) -> subprocess.CompletedProcess[str]:
    """A command of someone who may not write there, root or not."""
    return subprocess.run(
        [*COMMAND, *map(str, words)],
        env=environment(),
        preexec_fn=without_privilege if os.geteuid() == 0 else None,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_thirty_two_open_files_are_enough(tmp_path: Path, undisturbed: dict[str, Any]) -> None:
    save = new_save(tmp_path, TOURNAMENT)

    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))

    with running(save, "--workers", 1, preexec_fn=few) as process:
        _out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    assert contents(save) == undisturbed
