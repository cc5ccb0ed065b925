"""A forked command is what a started one would be."""

import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.forks import popen
from tests.tournaments import called, environment, finished, parlour

HERE = """
import os, sys, parlour
print(os.getcwd(), os.environ["OWN"], sys.argv[1:], os.getsid(0) == os.getpid())
print(sys.stdin.read(), file=sys.stderr)
sys.exit(3)
"""
WAITING = "import parlour, time; print('there', flush=True); time.sleep(60)"


def run(code: str, cwd: Path, forked: bool) -> subprocess.CompletedProcess[str]:
    """Runs code with an environment, a folder, an argument, an input and a session of its own."""
    with nullcontext() if forked else popen.really_started():
        return called(
            sys.executable,
            "-c",
            code,
            "argument",
            cwd=cwd,
            env=environment(OWN="yes"),
            input="typed",
            start_new_session=True,
        )


def test_folder_environment_arguments_streams_session_and_exit_code_are_its_own(
    tmp_path: Path,
) -> None:
    forked, started = (run(HERE, tmp_path, forked) for forked in (True, False))
    assert forked.stdout == f"{tmp_path} yes ['argument'] True\n"
    assert (forked.stderr, forked.returncode) == ("typed\n", 3)
    assert (started.stdout, started.stderr, started.returncode) == (
        forked.stdout,
        forked.stderr,
        forked.returncode,
    )


@pytest.mark.parametrize(
    "typed",
    [
        *("--help", "games", "nothing", "status no.db", "check", "leaderboard", "replay 1"),
        *("export --out {} --format csv --force", "site --out {} --force", "leaderboard --by x"),
    ],
)
def test_a_command_prints_the_same_forked_started_or_here(typed: str, tmp_path: Path) -> None:
    finished(tmp_path).rename(tmp_path / "a save.db")
    words = typed.format(tmp_path / "out").split()
    done = [parlour(*words, cwd=tmp_path), parlour(*words, cwd=tmp_path, stdin=None)]
    with popen.really_started():
        done.append(parlour(*words, cwd=tmp_path))
    printed = {(each.stdout, each.stderr, each.returncode) for each in done}
    assert len(printed) == 1, printed


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_it_as_it_would_end_a_started_one(which: signal.Signals) -> None:
    words = [sys.executable, "-c", WAITING]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout.readline() == b"there\n"
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.01)
        assert Path(f"/proc/{process.pid}/stat").read_text().split()[3] != str(os.getpid())
        process.send_signal(which)
        assert process.wait(timeout=10) == -which


def test_what_it_starts_itself_is_forked_as_well(tmp_path: Path) -> None:
    code = "import parlour, subprocess; print(subprocess.Popen.__module__)"
    assert run(code, tmp_path, forked=True).stdout.startswith("tests.forks.popen")
    assert not run(code, tmp_path, forked=False).stdout.startswith("tests.forks.popen")
