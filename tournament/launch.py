"""Starting a runner of its own process, which outlives whoever started it."""

import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from games.errors import ParlourError
from tournament.asking import ask_runner
from tournament.lock import holder

START_SECONDS = 20.0


class NotStarted(ParlourError):
    """The detached runner ended before it answered."""


def log_file(save: Path) -> Path:
    """Where a detached runner writes what it would have printed."""
    return save.with_name(save.name + ".log")


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a save is to be played; what is left out is as the last time."""

    concurrency: int | None = None
    pace: float | None = None
    budget: float | None = None


def start_detached(save: Path, wishes: Wishes = Wishes()) -> int:
    """Starts a runner on an existing save, in a session of its own; returns its pid.

    Comes back once the runner answers, or has already
    finished. Raises NotStarted with the last line that the runner wrote.
    """
    log = log_file(save)
    command = [sys.executable, "-m", "parlour", "run", "--save", str(save.absolute()), "--plain"]
    for name, value in asdict(wishes).items():
        if value is not None:
            command += [f"--{name}", str(value)]
    with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # Not the user's folder, where another package may go by the name of one of ours.
            cwd=Path(__file__).parent.parent,
        )
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        code = process.poll()
        if code == 0:
            return process.pid
        if code is not None:
            lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise NotStarted(lines[-1].removeprefix("parlour: ") if lines else f"exit code {code}")
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
