"""Commands that steer a running tournament from another terminal."""

import time
from pathlib import Path
from shlex import quote
from typing import get_args

from parlour.cli.safe_print import print
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.engine.moves import player
from parlour.games.engine.transcript import counted
from parlour.tournament.calls.gate import Unit
from parlour.tournament.control.client import ControlFailed, ask_runner
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save

PATIENCE_SECONDS = 3600.0
"""How long to wait for what is in flight: a slow model may think for minutes."""
LOOK_SECONDS = 0.05
LONG_SECONDS = 5.0
"""After how long it is said what is waited for."""


def pause(save: Path | None) -> int:
    """Pauses and waits until nothing is in flight and everything is stored."""
    path = _unfinished(save)
    ask_runner(path, {"do": "pause"})
    now = _rest(path)
    if now is None:
        return _ended(path)
    print(f"{path}: {now.state}, {now.finished}/{now.matches} matches finished")
    if now.state == "quiesced":
        print(f"Nothing is in flight. Go on with: parlour resume {path}")
    return 0


def stop(save: Path | None) -> int:
    """Stops the runner and waits for its process to let go of the save."""
    path = _unfinished(save)
    ask_runner(path, {"do": "stop"})
    _rest(path)  # that is, until it has ended
    with Save(path) as stopped:
        if stopped.match_count().done:
            return _ended(path)
    print(f"{path}: stopped; everything answered is saved. Go on with: parlour resume {path}")
    return 0


def step(save: Path | None, units: list[str], match: int | None) -> int:
    """Lets one step through, waits for its end, and says who is next."""
    path = _unfinished(save)
    if len(units) > 1:
        raise BadInput("step", f"cannot step by {' and '.join(units)} at once", "take one")
    unit = units[0] if units else get_args(Unit)[0]
    if match is not None:
        _refuse_unplayable(path, match)
    stepped = ask_runner(path, {"do": "step", "unit": unit, "match": match}).stepped
    assert stepped is not None
    now = _rest(path, stepped)
    if now is None:
        return _ended(path)
    for failure in now.failed:
        if failure.startswith(f"match {stepped}:"):
            raise ControlFailed(f"{path}: {failure}")
    if stepped in now.parked:
        raise ControlFailed(f"{path}: match {stepped} is parked: {now.parked[stepped]}")
    seats = now.waiting.get(stepped)
    if seats:
        names = " and ".join(player(seat) for seat in seats)
        print(f"{path}: match {stepped} waits for {names}")
    else:
        print(f"{path}: match {stepped} is over")
    return 0


def _unfinished(save: Path | None) -> Path:
    """The save that is meant. BadSave if nothing is left to steer."""
    path = chosen(save)
    if path.exists() and holder(path) is None:
        with Save(path) as idle:
            if idle.match_count().done:
                raise BadSave(str(path), "is finished", f"see it with `parlour leaderboard {path}`")
    return path


def _refuse_unplayable(path: Path, match: int) -> None:
    """BadInput for a match that is over or that there is not."""
    with Save(path) as save:
        try:
            stored = save.match(match)
        except BadSave:
            raise
        except BadInput as refusal:
            raise BadInput("--of", refusal.problem, refusal.fix) from None
    if stored.outcome is not None or stored.frozen is not None:
        seen = f"parlour replay {quote(str(path))} {match}"
        raise BadInput("--of", f"match {match} is over", f"see it with: {seen}")


def _rest(path: Path, match: int | None = None) -> RunnerStatus | None:
    """Waits until nothing is in flight, or somebody has resumed it; the status then.

    None once the runner's process has ended.
    """
    begun, told = time.monotonic(), False
    while (waited := time.monotonic() - begun) < PATIENCE_SECONDS:
        try:
            now = ask_runner(path, {"do": "status", "match": match})
        except (BadSave, ControlFailed):  # it is ending, or has ended
            if holder(path) is None:
                return None
        else:
            if now.state in {"quiesced", "running"}:
                return now
            if waited > LONG_SECONDS and not told and now.in_flight:
                told = True
                print(f"{path}: {_in_flight(now)}", flush=True)
        time.sleep(LOOK_SECONDS)
    raise ControlFailed(f"{path}: something is still in flight; see `parlour status {path}`")


def _in_flight(now: RunnerStatus) -> str:
    """Whose answers have not come yet."""
    waits = [
        f"match {number} waits for {player(seat)}"
        for number, seats in now.waiting.items()
        for seat in seats
    ]
    more = ", …" if len(waits) > 1 else ""
    return f"{counted(now.in_flight, 'answer')} still to come: {''.join(waits[:1])}{more}"


def _ended(path: Path) -> int:
    """Says that all has been played. ControlFailed if the runner ended before that."""
    with Save(path) as save:
        progress = save.match_count()
    if not progress.done:
        raise ControlFailed(
            f"{path}: its runner has ended at {progress.finished}/{progress.matches} matches;"
            f" go on with: parlour resume {path}"
        )
    print(f"{path}: every match is over. See it with: parlour leaderboard {path}")
    return 0
