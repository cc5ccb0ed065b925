"""The journal: milliseconds from an answer's arrival until it is durable.

    python -m tests.benchmarks.journal SAVE FILE

plays a save in a process of its own and writes the number of each stored answer into the file,
with the time at which those who wait for it go on.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from parlour.tournament.run.runner import Runner
from parlour.tournament.save.rows import RunOptions, StoredCall
from parlour.tournament.session import SessionHooks, run_session
from tests.benchmarks.measuring import Reading, bench, sized
from tests.models import clean_environment, provider
from tests.tournaments import ROOT, new_save

AT_ONCE = 64
LATENCY = 2.0
"""Seconds that the server takes on average: answers come at any time between 1 and 3."""
FAULTY = 0.1
FAULTS = "prose,thinking"
BUSY = "while True: pass"
AIM = 50.0
"""Milliseconds that 99 of 100 answers may take, also while other processes are busy."""


def _plan(base: str, client: str, repetitions: int) -> str:
    agents = "".join(
        f'[[agents]]\nname = "{name}"\nkind = "llm"\nmodel = "openai/{name.lower()}"\n'
        f'client = "{client}"\napi_base = "{base}"\nprices = [1.0, 10.0]\nretry_wait = 0.1\n'
        for name in ("Ada", "Bob")
    )
    limit = sized(20, 2)
    game = f'[[games]]\nname = "undercover"\nlimit = {limit}\nprobes = "off"\n'
    return f'name = "journal"\nseed = 5\nrepetitions = {repetitions}\n{game}{agents}'


async def _play(save: Path, out: Path) -> None:
    with out.open("w", encoding="utf-8") as stored:

        def note(call: StoredCall) -> None:
            stored.write(f"{(call.provider_id or '').rpartition('-')[2]} {time.monotonic()}\n")

        def started(runner: Runner, _before: object) -> None:
            runner.dispatcher.on_call_stored.append(note)

        await run_session(save, RunOptions(concurrency=AT_ONCE), SessionHooks(on_start=started))


@contextmanager
def _busy(processes: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(processes):
            spinning = stack.enter_context(subprocess.Popen([sys.executable, "-c", BUSY]))
            stack.callback(spinning.kill)
        yield


def _times(file: Path) -> dict[str, float]:
    pairs = (line.split() for line in file.read_text(encoding="utf-8").splitlines())
    return {pair[0]: float(pair[1]) for pair in pairs if len(pair) == 2}


def _lags(client: str, busy: int) -> list[float]:
    """Milliseconds of every answer of a tournament, sorted."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sent, stored = folder / "sent", folder / "stored"
        options = ("--latency", sized(LATENCY, 0.01), "--sent", sent)
        with (
            provider(folder, "--faults", FAULTY, "--modes", FAULTS, *options) as server,
            _busy(busy),
        ):
            save = new_save(folder, _plan(server.base, client, sized(2, 1)))
            subprocess.run(
                [sys.executable, "-m", "tests.benchmarks.journal", str(save), str(stored)],
                cwd=ROOT,
                env=clean_environment(folder),
                check=True,
            )
        arrived, durable = _times(sent), _times(stored)
    return sorted(
        1000 * (durable[number] - arrived[number]) for number in durable if number in arrived
    )


def _syncs() -> list[float]:
    """Milliseconds of each sync of a file that grows as a save's log does, sorted."""
    taken = []
    with tempfile.TemporaryFile() as file:
        for _ in range(sized(500, 20)):
            file.write(bytes(4096))
            file.flush()
            begun = time.monotonic()
            os.fsync(file.fileno())
            taken.append(1000 * (time.monotonic() - begun))
            time.sleep(0.03)  # between two answers
    return sorted(taken)


@bench
def journal_lag(runs: int) -> Iterator[Reading]:
    """From the server's sending of an answer to its commit, on one clock."""
    for busy, state in ((0, "idle"), (2, "two processes busy")):
        with _busy(busy):
            syncs = _syncs()
        for name, place in (("p50", 50), ("p99", 99)):
            took = (syncs[len(syncs) * place // 100],)
            yield Reading(f"yardstick: a sync of the disk, {state}, {name}", "ms", took)
        for client in ("litellm", "openai"):
            lags = [_lags(client, busy) for _ in range(min(runs, 3))]
            what = f"{client}, {AT_ONCE} at once, {state}"
            half = tuple(run[len(run) // 2] for run in lags)
            yield Reading(f"{what}: sent to durable, p50", "ms", half, better="less")
            most = tuple(run[len(run) * 99 // 100] for run in lags)
            yield Reading(f"{what}: sent to durable, p99", "ms", most, aim=AIM, better="less")


if __name__ == "__main__":
    asyncio.run(_play(Path(sys.argv[1]), Path(sys.argv[2])))
