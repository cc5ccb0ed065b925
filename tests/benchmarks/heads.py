"""A head that measures itself, in a process of its own.

    python -m tests.benchmarks.heads SAVE WORKERS READY [ADDRESS]

plays a save with so many workers, on a Ray cluster if its address is given. Matches begin once
READY workers are. It prints as JSON the seconds until then, and the seconds and processor seconds
of this process alone while matches are played.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from parlour.tournament.run import pool
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.session import SessionHooks, run_session
from tests.tournaments import ROOT, environment

CONCURRENCY = 256
Cost = dict[str, float]


class Meter:
    """The cost of a run from the moment at which enough workers are ready."""

    def __init__(self, ready: int = 0) -> None:
        self._ready, self._begun = ready, time.monotonic()
        self.cost: Cost = {}
        self._opening: asyncio.Task[None] | None = None

    def started(self, runner: Runner, _before: object) -> None:
        """Holds the run until workers are ready."""
        runner.gate.close()
        self._opening = asyncio.create_task(self._open(runner))

    async def _open(self, runner: Runner) -> None:
        while len(runner.workers.states()) < self._ready:
            await asyncio.sleep(0.01)
        self.cost["start"] = time.monotonic() - self._begun
        self.cost |= {"wall": -time.monotonic(), "cpu": -time.process_time()}
        runner.gate.open()

    @contextmanager
    def around(self, _runner: Runner) -> Iterator[None]:
        """Ends with the last match."""
        yield
        self.cost["wall"] += time.monotonic()
        self.cost["cpu"] += time.process_time()


async def measured(save: Path, ready: int, **options: Any) -> Cost:
    """Plays a save in this process."""
    meter = Meter(ready)
    hooks = SessionHooks(on_start=meter.started, around=meter.around)
    ended = await run_session(save, RunOptions(CONCURRENCY, **options), hooks)
    assert ended.progress.done
    return meter.cost


def cost_of(save: Path, workers: int, ready: int, address: str | None) -> Cost:
    """The same in a process of its own."""
    words = [str(save), str(workers), str(ready), *filter(None, [address])]
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.heads", *words],
        cwd=ROOT,
        env=environment(),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    cost: Cost = json.loads(done.stdout.splitlines()[-1])
    return cost


if __name__ == "__main__":
    pool.START_SECONDS = 0.0
    _save, _workers, _ready = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    _address = sys.argv[4] if len(sys.argv) > 4 else None
    _cost = asyncio.run(measured(_save, _ready, workers=_workers, ray=_address))
    print(json.dumps(_cost))
