"""The lock: one runner per save, released when its process ends."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import pytest

from parlour.games.common.errors import BadSave
from parlour.tournament.control.client import ControlFailed, RunnerClient
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.lock import holder, locked, runner_file, socket_path
from tests.tournaments import environment, new_save, parlour, printed_json

HOLD = """
import sys
from pathlib import Path
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_elsewhere(save: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until it is killed or its input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, save],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_a_second_runner_is_refused_naming_the_process_that_has_the_save(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    with held_elsewhere(save) as process:
        with pytest.raises(BadSave) as refusal, locked(save):
            pass
        line = (
            f"{save}: is in use by process {process.pid}; watch it with `parlour attach {save}`,"
            f" or end it with `parlour stop {save}`"
        )
        assert str(refusal.value) == line
        done = parlour("run", "--save", save, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert "its runner does not answer" in done.stderr


def test_the_holder_is_known_while_it_lives_and_not_after_its_end(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    assert holder(save) is None
    with held_elsewhere(save) as process:
        runner = holder(save)
        assert runner is not None
        assert runner["pid"] == process.pid
        status = printed_json("status", save, "--format", "json", cwd=tmp_path)
        assert (status["state"], status["pid"]) == ("running", process.pid)
        process.communicate(input="")  # ends in good order
        assert holder(save) is None
    status = printed_json("status", save, "--format", "json", cwd=tmp_path)
    assert (status["state"], status["pid"]) == ("unfinished", None)


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    with held_elsewhere(save) as process:
        process.kill()
        process.wait()
        assert holder(save) is None
        with locked(save):
            runner = holder(save)
            assert runner is not None
            assert runner["pid"] == os.getpid()


def test_asking_for_the_holder_does_not_block_a_runner(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    asking = """
import sys, time
from pathlib import Path
from parlour.tournament.control.client import ControlFailed, RunnerClient
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.lock import holder
print("asking", flush=True)
while True:
    holder(Path(sys.argv[1]))
    time.sleep(0.0002)
"""
    with locked(save):
        pass  # so that there is a file to ask
    with subprocess.Popen(
        [sys.executable, "-c", asking, save], env=environment(), stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            for _ in range(1000):
                with locked(save):
                    pass
        finally:
            process.kill()


def test_a_save_and_its_links_have_one_lock(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    other = tmp_path / "other.db"
    other.symlink_to(save)
    with locked(save):
        assert holder(other) is not None
        with pytest.raises(BadSave, match="is in use by process"), locked(other):
            pass


def test_the_lock_is_freed_when_the_work_under_it_fails(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    with pytest.raises(ZeroDivisionError), locked(save):
        raise ZeroDivisionError
    assert holder(save) is None
    with locked(save):
        pass


def test_a_lock_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    runner_file(save).mkdir()
    with pytest.raises(BadSave) as refusal, locked(save):
        pass
    assert str(refusal.value) == (
        f"{runner_file(save)}: cannot be written (Is a directory);"
        " check the permissions of its folder, or remove it"
    )
    assert holder(save) is None


def test_the_default_save_is_the_newest_running_one_else_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "saves"
    folder.mkdir()
    for age, name in enumerate(("new.db", "older.db", "oldest.db")):
        save = new_save(folder, name=name)
        os.utime(save, (1e9 - age, 1e9 - age))
    assert chosen(None).name == "new.db"
    with held_elsewhere(folder / "oldest.db"):
        assert chosen(None).name == "oldest.db"
        with held_elsewhere(folder / "older.db"):
            assert chosen(None).name == "older.db"
    assert chosen(None).name == "new.db"


def test_a_command_waits_for_a_runner_that_has_the_lock_and_does_not_listen_yet(
    tmp_path: Path,
) -> None:
    save = new_save(tmp_path)
    with locked(save), socket.socket(socket.AF_UNIX) as listener, ThreadPoolExecutor() as threads:
        asked = threads.submit(RunnerClient(save).resume)
        assert wait([asked], 0.1).not_done
        listener.bind(str(socket_path(save)))
        listener.listen()
        with listener.accept()[0] as connection:
            connection.sendall(b'{"error": "heard"}\n')
        with pytest.raises(ControlFailed, match="heard"):
            asked.result()
