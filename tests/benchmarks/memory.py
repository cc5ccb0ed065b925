"""Many calls in flight for long: the memory of the runner, against the suite's own provider.

``PARLOUR_BENCH_SECONDS`` says for how long, half a minute unless it is set: an hour is 3600.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory

from tests.benchmarks.measuring import Reading, bench, sized
from tests.models import clean_environment, provider
from tests.runners import runner_process
from tests.tournaments import new_save

SECONDS = float(os.environ.get("PARLOUR_BENCH_SECONDS", "30"))
SETTINGS = ((256, 2.5), (1000, 8.0))
"""Calls in flight, and seconds that the server takes for each: about 100 answers a second."""
OF_A_MATCH = 21
"""Answers of the matches below."""
TOURNAMENT = """
name = "long"
seed = 3
repetitions = {repetitions}
[[limits]]
endpoint = "{base}"
in_flight = {at_once}
[[games]]
name = "undercover"
limit = 5
"""
AGENT = """
[[agents]]
name = "{name}"
kind = "llm"
model = "{name}"
api_base = "{base}"
timeout = 60.0
prices = [1.0, 10.0]
"""
START_SHARE, PART = 0.2, 0.1
"""Of the time: what goes by before memory is looked at, and how much a mean is taken over."""


def resident(pid: int) -> float:
    """Megabytes that a process holds."""
    done = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True
    )
    return int(done.stdout) / 1000


def _watched(at_once: int, latency: float, seconds: float) -> tuple[list[float], int, float]:
    """Megabytes at every moment, calls that were in flight (median), and calls a second."""
    with TemporaryDirectory() as name, provider(Path(name), "--latency", latency) as server:
        enough = 2 * seconds * at_once / latency / OF_A_MATCH + 2 * at_once
        text = TOURNAMENT.format(
            repetitions=round(enough / 10) + 1, base=server.base, at_once=at_once
        )
        text += "".join(AGENT.format(name=who, base=server.base) for who in ("Ada", "Bob"))
        save = new_save(Path(name), text)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        env = clean_environment(Path(name))
        with runner_process(save, "--concurrency", at_once, **quiet, env=env) as process:
            held = []
            begun = time.monotonic()
            while time.monotonic() - begun < seconds:
                time.sleep(min(1.0, seconds / 20))
                assert process.poll() is None, "there were too few matches to measure with"
                held.append(resident(process.pid))
            rate = sum(1 for _ in server.log.open()) / (time.monotonic() - begun)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=120)
        with server.log.open() as log:
            flights = [json.loads(line)["at_once"] for line in log]
    return held, round(median(flights)), rate


@bench
def long_flights(runs: int) -> Iterator[Reading]:
    """256 and 1,000 calls in flight: the most memory, and what it grows by once all are."""
    seconds = sized(SECONDS, 3.0)
    for calls, seconds_each in SETTINGS:
        at_once, latency = sized(calls, calls // 10), sized(seconds_each, 0.5)
        held, flying, rate = _watched(at_once, latency, seconds)
        what = f"{at_once:,} in flight for {seconds:,.0f} s"
        yield Reading(f"{what}: in flight, median", "", (flying,))
        yield Reading("  calls", "a second", (rate,))
        yield Reading("  most memory of the runner", "MB", (max(held),), aim=400, better="less")
        part = max(1, round(PART * len(held)))
        first = round(START_SHARE * len(held))
        grown = mean(held[-part:]) - mean(held[first : first + part])
        yield Reading("  growth after the first fifth", "MB", (grown,), aim=20, better="less")
