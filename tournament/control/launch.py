"""Starts a detached runner, which outlives its parent, and reads why it ended."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import fields
from os.path import samestat
from pathlib import Path
from threading import Thread
from typing import BinaryIO

from parlour.games.common.errors import ParlourError
from parlour.games.common.plain_files import is_plain, open_plain, read_plain
from parlour.games.common.text import clean
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.save.lock import holder
from parlour.tournament.save.rows import RunOptions

START_SECONDS = 20.0
RAY_SECONDS = 90.0
"""Seconds to start on a Ray cluster, which may have to be started itself."""
LAST_BYTES = 8192
"""Bytes at the end of a log that are read."""
SAYS = "parlour: "
"""The prefix of error lines."""
STORED_OPTIONS = RunOptions()
"""All options as they are stored in the save."""


class NotStarted(ParlourError):
    """The detached runner ended before it replied."""


def log_file(save: Path) -> Path:
    """The file that a detached runner prints to."""
    return save.with_name(save.name + ".log")


def last_words(save: Path) -> list[str]:
    """The error lines of the last run, without their prefix."""
    try:
        with os.fdopen(open_plain(log_file(save)), "rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - LAST_BYTES))
            lines = log.read().decode("utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [clean(line.removeprefix(SAYS)) for line in lines if line.startswith(SAYS)]


def keep_last_words(save: Path, words: list[str]) -> None:
    """Writes the error lines of a run that is not detached to the log."""
    with suppress(OSError):
        log = log_file(save)
        if _prints_to(log):
            return  # a detached runner has printed them there
        with _emptied(log) as out:
            out.writelines(f"{SAYS}{line}\n".encode() for line in words)


def forget_last_words(save: Path) -> None:
    """Removes the log of an earlier run when one begins that is not detached."""
    with suppress(OSError):
        log = log_file(save)
        if not _prints_to(log):
            log.unlink()


def _prints_to(log: Path) -> bool:
    """True if this process prints to the log, as a detached runner does."""
    return is_plain(log) and samestat(os.fstat(1), log.lstat())


def _emptied(log: Path) -> BinaryIO:
    """A new log that only its owner can read; what lies at its place, a link too, is removed."""
    log.unlink(missing_ok=True)
    return os.fdopen(open_plain(log, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb")


def start_detached(save: Path, run_options: RunOptions = STORED_OPTIONS) -> int:
    """Starts a detached runner on an existing save; returns its pid.

    Returns once the runner replies or has finished. Options that are None stay as they are stored.
    Raises NotStarted with the last line that the runner printed.
    """
    log = log_file(save)
    command = [sys.executable, "-m", "parlour", "run", "--save", str(save.absolute()), "--plain"]
    for name in (each.name for each in fields(run_options)):
        value = getattr(run_options, name)
        if value is not None and name not in {"limits", "agent_budgets"}:  # stored already
            command += [f"--{name.replace('_', '-')}", str(value)]
    with _emptied(log) as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # Not the user's folder: with -m, its modules would shadow installed ones.
            cwd=Path(__file__).parents[3],
        )
    # A screen may outlive its runner by hours: without this, the runner would stay as a zombie.
    Thread(target=process.wait, daemon=True, name="parlour.runner").start()
    deadline = time.monotonic() + (START_SECONDS if run_options.ray is None else RAY_SECONDS)
    while time.monotonic() < deadline:
        code = process.poll()
        if code == 0:
            return process.pid
        if code is not None:
            lines = read_plain(log).decode(errors="replace").strip().splitlines()
            raise NotStarted(lines[-1].removeprefix(SAYS) if lines else f"exit code {code}")
        running = holder(save)
        if running is not None and running.get("pid") == process.pid:
            try:
                RunnerClient(save, seconds=1).status()
            except ParlourError:
                pass  # it holds the lock and does not listen yet
            else:
                return process.pid
        time.sleep(0.02)
    raise NotStarted(f"{save}: the runner did not reply in time; see {log}")
