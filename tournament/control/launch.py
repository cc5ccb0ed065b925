"""Starting a runner of its own process, which outlives whoever started it."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from os.path import samestat
from pathlib import Path
from typing import BinaryIO

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import clean
from parlour.tournament.control.client import ask_runner
from parlour.tournament.save.lock import holder

START_SECONDS = 20.0
LAST_BYTES = 8192
"""How much of the end of a log is read."""
SAYS = "parlour: "
"""What a line of the program begins with that says what went wrong."""


class NotStarted(ParlourError):
    """The detached runner ended before it answered."""


def log_file(save: Path) -> Path:
    """Where a detached runner writes what it would have printed."""
    return save.with_name(save.name + ".log")


def last_words(save: Path) -> list[str]:
    """Why the last runner has ended before its tournament, if it has said so."""
    try:
        with log_file(save).open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - LAST_BYTES))
            lines = log.read().decode("utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [clean(line.removeprefix(SAYS)) for line in lines if line.startswith(SAYS)]


def keep_last_words(save: Path, words: list[str]) -> None:
    """A run that is not detached leaves there as well why it has ended."""
    with suppress(OSError):
        log = log_file(save)
        if _prints_to(log):
            return  # it is all there already
        with _emptied(log) as out:
            out.writelines(f"{SAYS}{line}\n".encode() for line in words)


def forget_last_words(save: Path) -> None:
    """A run that is not detached makes what another said a thing of the past."""
    with suppress(OSError):
        log = log_file(save)
        if not _prints_to(log):
            log.unlink()


def _prints_to(log: Path) -> bool:
    """Whether what this process prints goes there: it is a detached one."""
    return log.exists() and samestat(os.fstat(1), log.stat())


def _emptied(log: Path) -> BinaryIO:
    """The log, begun anew and for its owner alone."""
    return os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a save is to be played; what is left out is as the last time."""

    concurrency: int | None = None
    pace: float | None = None
    budget: float | None = None


def start_detached(save: Path, run_options: RunOptions = RunOptions()) -> int:
    """Starts a runner on an existing save, in a session of its own; returns its pid.

    Comes back once the runner answers, or has already
    finished. Raises NotStarted with the last line that the runner wrote.
    """
    log = log_file(save)
    command = [sys.executable, "-m", "parlour", "run", "--save", str(save.absolute()), "--plain"]
    for name, value in asdict(run_options).items():
        if value is not None:
            command += [f"--{name}", str(value)]
    with _emptied(log) as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # Not the user's folder, where another package may go by the name of one of ours.
            cwd=Path(__file__).parents[3],
        )
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        code = process.poll()
        if code == 0:
            return process.pid
        if code is not None:
            lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise NotStarted(lines[-1].removeprefix(SAYS) if lines else f"exit code {code}")
        found = holder(save)
        if found is not None and found.get("pid") == process.pid:
            try:
                ask_runner(save, {"do": "status"}, seconds=1)
            except ParlourError:
                pass  # it holds the lock and is about to listen
            else:
                return process.pid
        time.sleep(0.02)
    raise NotStarted(f"{save}: the runner did not answer in time; see {log}")
