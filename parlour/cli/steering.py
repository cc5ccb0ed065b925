"""Shared parts of the commands that steer a runner: find the save, wait, report its end."""

import time
from pathlib import Path
from shlex import quote

from parlour.cli.output import find_save, program, safe_print
from parlour.games.common.errors import BadSave
from parlour.games.engine.moves import player
from parlour.games.engine.transcript import counted
from parlour.tournament.control.client import ControlFailed, RunnerClient
from parlour.tournament.control.heartbeat import hung
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save

PATIENCE_SECONDS = 3600.0
"""The longest wait for answers in flight: a slow model may think for minutes."""
LOOK_SECONDS = 0.05
LONG_SECONDS = 5.0
"""Seconds after which a line says what the command waits for."""


def find_unfinished(save: Path | None) -> Path:
    """The save to steer. BadSave if it is finished."""
    path = find_save(save)
    refuse_finished(path)
    return path


def refuse_finished(path: Path) -> None:
    """BadSave if every match is over, though its runner may still compute the ratings."""
    if not path.exists():
        return
    with Save(path) as opened:
        if not opened.match_count().done:
            return
    fix = f"see it with `parlour leaderboard {quote(str(path))}`"
    is_rating = holder(path) is not None
    problem = "is finished, and its ratings are being computed" if is_rating else "is finished"
    raise BadSave(str(path), problem, fix)


def wait_until_paused(path: Path, match: int | None = None) -> RunnerStatus | None:
    """Waits until nothing is in flight, or the runner was resumed; returns its status then.

    None once the runner's process has ended. ``match`` is one that the status is to describe.
    """
    begun, is_announced = time.monotonic(), False
    while (waited := time.monotonic() - begun) < PATIENCE_SECONDS:
        try:
            now = RunnerClient(path).status(match)
        except (BadSave, ControlFailed):  # it is ending, or has ended
            if holder(path) is None:
                return None
        else:
            if now.state in {"quiesced", "running"}:
                return now
            if waited > LONG_SECONDS and not is_announced and now.in_flight:
                is_announced = True
                safe_print(f"{path}: {_in_flight(now)}", flush=True)
        time.sleep(LOOK_SECONDS)
    named = quote(str(path))
    waiting = f"answers are still in flight; see `parlour status {named}`"
    raise ControlFailed(f"{path}: {hung(path) or waiting}")


def print_ended(path: Path) -> int:
    """Reports that all matches are finished. ControlFailed if the runner ended before that."""
    with Save(path) as save:
        progress = save.match_count()
    named = quote(str(path))
    if not progress.done:
        raise ControlFailed(
            f"{path}: its runner ended at {progress.finished}/{progress.matches} matches;"
            f" continue with: parlour resume {named}"
        )
    board = f"{program()} leaderboard {named}"
    safe_print(f"{path}: all matches are finished. See the leaderboard with: {board}")
    return 0


def _in_flight(now: RunnerStatus) -> str:
    """The number of answers in flight, and the first seat that is waited for."""
    waits: list[str] = []
    for number, seats in now.waiting.items():
        waits += [f"match {number} waits for {player(seat)}" for seat in seats]
    more = ", …" if len(waits) > 1 else ""
    return f"{counted(now.in_flight, 'answer')} still to come: {''.join(waits[:1])}{more}"
