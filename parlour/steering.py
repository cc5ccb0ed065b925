"""Commands that steer a running tournament from another terminal."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from games.errors import BadInput
from games.moves import player
from tournament.control import ControlFailed, Message, ask_runner
from tournament.folder import chosen
from tournament.gate import Unit
from tournament.lock import holder

PATIENCE_SECONDS = 3600.0
"""How long to wait for what is in flight: a slow model may think for minutes."""


def pause(save: Path | None) -> int:
    """Pauses and waits until nothing is in flight and everything is stored."""
    path = chosen(save)
    ask_runner(path, {"do": "pause"})
    now = _until(path, lambda status: status["state"] != "pausing")
    print(f"{path}: {now['state']}, {now['finished']}/{now['matches']} matches finished")
    if now["state"] == "quiesced":
        print(f"Nothing is in flight. Go on with: parlour resume {path}")
    return 0


def stop(save: Path | None) -> int:
    """Stops the runner and waits for its process to let go of the save."""
    path = chosen(save)
    ask_runner(path, {"do": "stop"})
    deadline = time.monotonic() + PATIENCE_SECONDS
    while holder(path) is not None and time.monotonic() < deadline:
        time.sleep(0.05)
    print(f"{path}: stopped; everything answered is saved. Go on with: parlour resume {path}")
    return 0


def step(save: Path | None, units: list[str], match: int | None) -> int:
    """Lets one step through, waits for its end, and says who is next."""
    path = chosen(save)
    if len(units) > 1:
        raise BadInput("parlour step", f"cannot step by {' and '.join(units)} at once", "take one")
    unit = units[0] if units else get_args(Unit)[0]
    stepped = ask_runner(path, {"do": "step", "unit": unit, "match": match})["stepped"]
    now = _until(path, lambda status: status["state"] != "pausing", stepped)
    seats = now["waiting"].get(str(stepped))
    if seats is None:
        print(f"{path}: match {stepped} is over")
    else:
        names = " and ".join(player(seat) for seat in seats)
        print(f"{path}: match {stepped} waits for {names}")
    return 0


def _until(path: Path, reached: Callable[[Message], bool], match: int | None = None) -> Message:
    """Asks for the status until it is reached. ControlFailed if the runner ends first."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        status = ask_runner(path, {"do": "status", "match": match})
        if reached(status):
            return status
        time.sleep(0.05)
    raise ControlFailed(f"{path}: something is still in flight; see `parlour status {path}`")
