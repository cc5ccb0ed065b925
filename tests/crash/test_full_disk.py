"""A disk that is full: nothing goes on, nothing is lost, and room makes it go on."""

import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.crash.running import ANSWERS, TOURNAMENT, count, running
from tests.runners import until_heard
from tests.tournaments import contents, environment, new_save, printed

FULL = 100_000
"""Bytes that a file may have, so that the log is full after some answers."""


def limited() -> None:
    """Lets this process write no longer file; the limit can be lifted from outside."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL, resource.RLIM_INFINITY))


def test_on_a_full_disk_it_waits_says_so_and_goes_on_when_there_is_room(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    with running(save, preexec_fn=limited) as process:
        assert process.stderr is not None
        trouble = process.stderr.readline()
        assert trouble == (f"{save}: disk I/O error; nothing is lost, retrying: free some space\n")
        stored = count(save)
        time.sleep(0.3)
        assert count(save) == stored < ANSWERS, "something went on"
        everything = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, everything)
        _out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err.splitlines()[-1] == f"{save}: can be written again"
    assert contents(save) == undisturbed


IMPATIENT = """
import sys
from functools import partial
from parlour.tournament import session
from parlour.tournament.save import writer
writer.RETRY_SECONDS = 0.05
session.run_session = partial(session.run_session, patience=0.3)
from parlour.cli.app import main
sys.argv = ["parlour", "run", "--save", sys.argv[1]]
main()
"""
"""The command with less patience than it has."""


def test_it_gives_up_after_a_while_and_the_save_goes_on_later(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    done = subprocess.run(
        [sys.executable, "-c", IMPATIENT, save],
        env=environment(),
        preexec_fn=limited,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    *waiting, last = done.stderr.splitlines()
    assert set(waiting) == {f"{save}: disk I/O error; nothing is lost, retrying: free some space"}
    assert last == (
        f"parlour: {save}: cannot be written (disk I/O error); nothing stored is lost:"
        f" free some space and continue with `parlour run {save}`"
    )
    assert 0 < count(save) < ANSWERS
    printed("run", "--save", save, cwd=tmp_path)
    assert contents(save) == undisturbed


def test_whoever_will_not_wait_for_room_can_leave(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    with running(save, preexec_fn=limited) as process:
        assert process.stderr is not None
        process.stderr.readline()
        process.send_signal(signal.SIGINT)  # in good order: it waits for the commit
        time.sleep(0.5)
        until_heard(process)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)  # at once
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert out.endswith(f"Continue with: parlour run {save}\n")
    printed("run", "--save", save, cwd=tmp_path)
    assert contents(save) == undisturbed


def test_a_save_that_there_is_no_room_for_is_not_made(tmp_path: Path) -> None:
    planned = tmp_path / "big.toml"
    planned.write_text(TOURNAMENT.replace("seed = 11", "seed = 11\nrepetitions = 100"))
    folder = tmp_path / "saves"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "parlour", "run", planned, "--save", folder / "big.db"],
        env=environment(),
        preexec_fn=limited,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr == (
        f"parlour: {folder}/big.db: cannot be created (disk I/O error);"
        " free some space, or choose another place with --save\n"
    )
    assert list(folder.iterdir()) == []
