"""The heartbeat of a run: a sign of life each second, from which a hung runner is told apart."""

import asyncio
import time
from pathlib import Path

from parlour.tournament.save.lock import give_sign, holder, last_sign

BEAT_SECONDS = 1.0
HUNG_SECONDS = 15.0
"""Seconds without a sign after which a runner counts as hung: loading a large save takes a few."""


async def heart(save: Path) -> None:
    """Gives a sign of life each second, until it is cancelled.

    The sign is the time of change of the lock file; nothing is written to the save. It comes from
    the event loop, so it stops when an agent or a command keeps the loop busy.
    """
    while True:
        give_sign(save)
        await asyncio.sleep(BEAT_SECONDS)


def silence(save: Path) -> float | None:
    """Seconds since the last sign of life of the process that runs a save; None if none runs it."""
    sign = last_sign(save)
    if sign is None or holder(save) is None:
        return None
    return max(0.0, time.time() - sign)


def hung(save: Path) -> str:
    """A sentence on a runner without a sign of life, with the commands that help; else empty."""
    runner, seconds = holder(save), silence(save)
    if runner is None or seconds is None or seconds < HUNG_SECONDS:
        return ""
    pid = runner.get("pid", "unknown")
    return (
        f"no sign of process {pid} for {seconds:.0f} s: hung or suspended? `kill -CONT {pid}` wakes"
        f" a suspended one, `kill -KILL {pid}` ends a hung one; stored answers stay"
    )
