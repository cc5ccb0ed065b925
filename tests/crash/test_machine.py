"""Troubles of the machine: a full disk, no memory left, a clock that jumps, a long suspension.

Those that need root, a file system or a memory group of their own run in soak.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.crash.running import ANSWERS, TOURNAMENT, count, finish, running, until
from tests.crash.test_pool import IN_POOL, children
from tests.models import provider
from tests.tournament.test_journal import planned, rows
from tests.tournaments import contents, new_save, printed

SUSPENDED = float(os.environ.get("PARLOUR_SUSPENDED_SECONDS", "300"))
HOG = """
import os, sys, time
open(sys.argv[1], "w").write(str(os.getpid()))
taken = bytearray(1 << 30)
time.sleep(60)
"""
INTRUDER = """
import os, socket, sys
for path in sys.argv[1:]:
    if path.endswith(".toml"):
        continue
    try:
        if path.endswith(".sock"):
            socket.socket(socket.AF_UNIX).connect(path)
        else:
            open(path, "rb")
        print(f"{os.path.basename(path)}: open")
    except OSError as error:
        print(f"{os.path.basename(path)}: {error.strerror}")
"""
"""Opens each of some files, and connects to each socket."""
MEMORY = Path("/sys/fs/cgroup/memory")
ROOT_ALONE = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of that size at a folder."""
    folder.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", f"size={size}", "parlour-test", str(folder)]
    if subprocess.run(options, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@ROOT_ALONE
@pytest.mark.soak
def test_a_really_full_disk_stops_nothing_for_good(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    with small_disk(tmp_path / "disk", "320k") as disk:
        save = new_save(disk, TOURNAMENT)
        with running(save, "--workers", 1) as process:
            assert process.stderr is not None
            trouble = process.stderr.readline()
            assert trouble.startswith(f"{save}: ")
            assert trouble.endswith("; nothing is lost, retrying: free some space\n")
            assert count(save) < ANSWERS
            subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
            _out, err = process.communicate(timeout=60)
        assert (process.returncode, err.splitlines()[-1]) == (0, f"{save}: can be written again")
        assert contents(save) == undisturbed


@contextmanager
def memory_group(megabytes: int) -> Iterator[Path]:
    """A group of processes that have so much memory together."""
    group = MEMORY / f"parlour-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(megabytes << 20))
    except OSError:
        pytest.skip("no memory group can be made here")
    try:
        yield group
    finally:
        for pid in (group / "cgroup.procs").read_text().split():
            os.kill(int(pid), signal.SIGKILL)
        while (group / "cgroup.procs").read_text():
            time.sleep(0.05)
        group.rmdir()


def oom_kills(group: Path) -> int:
    """Number of times the kernel killed a process of a group for want of memory."""
    words = (group / "memory.oom_control").read_text().split()
    return int(words[words.index("oom_kill") + 1])


@ROOT_ALONE
@pytest.mark.soak
@pytest.mark.really_started
@pytest.mark.parametrize("victim", ["runner", "worker"])
def test_what_the_kernel_kills_for_want_of_memory_loses_nothing(
    tmp_path: Path, victim: str
) -> None:
    save = new_save(tmp_path, TOURNAMENT.replace("seed = 11", "seed = 11\nrepetitions = 100"))
    with memory_group(400) as group, running(save, "--workers", 2, code=IN_POOL) as process:
        assert until(lambda: count(save) > 500, process)
        doomed = process.pid if victim == "runner" else min(children(process.pid))[0]
        # The group holds the victim and a process that takes all its memory.
        Path(f"/proc/{doomed}/oom_score_adj").write_text("1000")
        (group / "cgroup.procs").write_text(str(doomed))
        hog = subprocess.Popen([sys.executable, "-c", HOG, group / "cgroup.procs"])
        deadline = time.monotonic() + 60
        while not oom_kills(group):
            assert time.monotonic() < deadline, "the kernel killed nothing"
            time.sleep(0.1)
        hog.kill()
        hog.wait()
        _out, err = process.communicate(timeout=120)
    if victim == "runner":
        assert process.returncode == -signal.SIGKILL
    else:
        assert "Traceback" not in err
    finish(save)


@ROOT_ALONE
@pytest.mark.soak
def test_another_user_reads_no_save_and_steers_no_runner(tmp_path: Path) -> None:
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o755)
    save = new_save(tmp_path, TOURNAMENT)
    with running(save, "--pace", 5) as process:
        assert until(lambda: count(save) > 5, process)
        done = subprocess.run(
            ["setpriv", "--reuid", "65534", "--clear-groups", "/usr/bin/python3", "-c", INTRUDER]
            + [str(path) for path in sorted(tmp_path.iterdir())],
            capture_output=True,
            text=True,
            check=False,
        )
        refused = dict(line.split(": ") for line in done.stdout.splitlines())
        assert refused.keys() >= {"save.db", "save.db-wal", "save.db.runner", "save.db.sock"}
        assert set(refused.values()) == {"Permission denied"}
        assert process.poll() is None


@pytest.mark.soak
@pytest.mark.timeout(SUSPENDED + 300)
@pytest.mark.usefixtures("own_config")
def test_a_runner_that_is_suspended_with_calls_in_flight_goes_on(tmp_path: Path) -> None:
    """Its calls in flight may be lost; no stored one is asked again."""
    with provider(tmp_path, "--latency", 0.5) as server:
        save = new_save(tmp_path, planned(server, 4, games=["undercover"]))
        with running(save, "--concurrency", 8) as process:
            assert until(lambda: count(save, "calls") > 20, process)
            process.send_signal(signal.SIGSTOP)
            time.sleep(SUSPENDED)
            process.send_signal(signal.SIGCONT)
            _out, err = process.communicate(timeout=240)
        assert (process.returncode, "Traceback" in err) == (0, False)
        calls = rows(save, "SELECT * FROM calls WHERE failure IS NULL")
        assert 0 <= len(server.requests) - len(calls) <= 8 * 3
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")


@pytest.mark.soak
@pytest.mark.usefixtures("own_config")
@pytest.mark.parametrize("jump", ["-3h", "+3h", "-400d", "+400d"])
def test_a_clock_that_jumps_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: str
) -> None:
    """The library libfaketime (package of that name) moves the clock of the runner alone."""
    package = find_spec("libfaketime")
    if package is None or package.origin is None:
        pytest.skip("libfaketime is not installed")
    library = next(Path(package.origin).parent.rglob("libfaketime.so.1"))
    clock = tmp_path / "clock"
    clock.write_text("+0")
    with provider(tmp_path, "--latency", 0.2, "--faults", 0.2, "--modes", "prose,hang") as server:
        save = new_save(tmp_path, planned(server, 2, games=["undercover"]))
        with monkeypatch.context() as patched:
            patched.setenv("LD_PRELOAD", str(library))
            patched.setenv("FAKETIME_TIMESTAMP_FILE", str(clock))
            patched.setenv("FAKETIME_NO_CACHE", "1")
            # As it is for real: the monotonic clock never jumps.
            patched.setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            with running(save, "--concurrency", 8) as process:
                assert until(lambda: count(save, "calls") > 10, process)
                clock.write_text(jump)
                _out, err = process.communicate(timeout=240)
        assert (process.returncode, "Traceback" in err) == (0, False)
        calls = rows(save, "SELECT * FROM calls")
    assert len(calls) > 10
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")
