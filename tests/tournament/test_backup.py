"""Backups: a whole save in one file, also of a tournament that is being played."""

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from parlour.games.common.errors import BadSave
from parlour.tournament.save.new_file import back_up, new_file
from tests.runners import QUICK, runner_process, until
from tests.tournaments import contents, finished, new_save, parlour, play, printed, refused


def test_backups_of_a_running_save_pass_check_and_can_be_resumed(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK, "live.db")
    copies = [tmp_path / f"copy{number}.db" for number in range(3)]
    with runner_process(save, "--pace", "20"):
        for number, copy in enumerate(copies):
            until(lambda least=number: stored(save) > least)
            said = printed("backup", save, copy, cwd=tmp_path)
            assert said.startswith(f"Written: {copy}, ")
    assert {path.name for path in tmp_path.glob("copy*")} == {copy.name for copy in copies}
    counts = []
    for copy in copies:
        assert "OK: every match replays identically" in printed("check", copy, cwd=tmp_path)
        counts.append(stored(copy))
    assert counts == sorted(counts)
    assert 0 < counts[0] <= 24
    assert play(copies[0]).progress.done
    assert play(save).progress.done
    assert contents(copies[0]) == contents(save)
    assert not list(tmp_path.glob(".*.new*"))


def stored(save: Path) -> int:
    """The number of answers in a save."""
    return len(contents(save)["answers"])


def test_a_backup_never_overwrites_anything(tmp_path: Path) -> None:
    save, other = finished(tmp_path, QUICK), new_save(tmp_path, QUICK, "other.db")
    before = other.read_bytes()
    fix = "choose another place for the backup"
    for out in (other, save):
        line = f"parlour: {out}: already exists; {fix}"
        assert refused("backup", save, out, cwd=tmp_path) == line
    assert other.read_bytes() == before
    orphan = tmp_path / "gone.db-wal"
    orphan.write_bytes(b"log")
    line = refused("backup", save, tmp_path / "gone.db", cwd=tmp_path)
    assert "is the log of a save that no longer exists" in line
    assert orphan.read_bytes() == b"log"
    assert not (tmp_path / "gone.db").exists()


@pytest.mark.parametrize(
    ("out", "problem"),
    [
        (".", "is a folder; name a file in it, such as save.db"),
        ("none/copy.db", "there is no folder none; make it first (mkdir -p none)"),
    ],
)
def test_a_backup_without_a_place_is_refused_in_one_line(
    tmp_path: Path, out: str, problem: str
) -> None:
    finished(tmp_path, QUICK)
    assert problem in refused("backup", "save.db", out, cwd=tmp_path)


def test_what_is_no_save_is_not_backed_up(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no save")
    assert "text.db: is not a save of Parlour" in refused(
        "backup", "text.db", "copy.db", cwd=tmp_path
    )
    assert "there is no such save" in refused("backup", "none.db", "copy.db", cwd=tmp_path)
    assert "Missing argument" in parlour("backup", cwd=tmp_path).stderr
    assert not (tmp_path / "copy.db").exists()


def test_a_file_system_without_links_takes_a_backup_and_keeps_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused_link(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    save, out = finished(tmp_path, QUICK), tmp_path / "stick" / "copy.db"
    out.parent.mkdir()
    monkeypatch.setattr(os, "link", refused_link)
    assert back_up(save, out).finished > 0
    assert out.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in out.parent.iterdir()] == ["copy.db"]
    assert contents(out) == contents(save)
    taken = out.with_name("taken.db")
    with pytest.raises(BadSave, match="already exists"), new_file(taken, "", ""):
        taken.write_bytes(b"another file")
    assert taken.read_bytes() == b"another file"
    assert not list(out.parent.glob(".*"))


def test_a_file_that_cannot_be_made_names_the_fix_of_its_reason(tmp_path: Path) -> None:
    for reason, fix in (
        ("unable to open database file", "make its folder writable"),
        ("database is locked", "close the program that has it open"),
        ("database or disk is full", "free some space"),
    ):
        line = rf"cannot be created \({reason}\); {fix}, or elsewhere"
        with pytest.raises(BadSave, match=line), new_file(tmp_path / "new.db", "elsewhere", ""):
            raise sqlite3.OperationalError(reason)
    assert list(tmp_path.iterdir()) == []
