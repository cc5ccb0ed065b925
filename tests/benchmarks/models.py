"""Calls of models: how near to the ideal, at what cost, beside a session without our code."""

import json
import subprocess
import sys
from collections.abc import Iterator

from tests.benchmarks.measuring import Reading, bench, sized
from tests.tournaments import ROOT, environment

CARRIERS = {"bare": "bare aiohttp session", "openai": "openai client", "litellm": "litellm client"}
Cost = dict[str, float]

SETTINGS = ((64, 0.3, 20, 0.95), (1000, 2.0, 4, 0.85))
"""Calls at once, seconds that the server takes, calls one after another in each line, aim."""


def _command(*words: object) -> list[str]:
    return [sys.executable, "-m", "tests.benchmarks.calling", *map(str, words)]


def _cost(carrier: str, at_once: int, latency: float, each: int) -> Cost:
    """Time, CPU and memory of the calls, in a process that does nothing else."""
    own = environment(OPENAI_API_KEY="not-needed")
    with subprocess.Popen(
        _command("serve", latency), cwd=ROOT, env=own, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            base = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
            words = _command("call", carrier, base, at_once, each)
            done = subprocess.run(
                words, cwd=ROOT, env=own, check=True, stdout=subprocess.PIPE, text=True
            )
        finally:
            server.kill()
    cost: Cost = json.loads(done.stdout.splitlines()[-1])
    return cost


@bench
def model_calls(runs: int) -> Iterator[Reading]:
    """Ideal time over actual time, CPU a call and memory; litellm's and the bare one's told."""
    for at_once, latency, calls, aim in SETTINGS:
        each = sized(calls, 1)
        for carrier, name in CARRIERS.items():
            costs = [_cost(carrier, at_once, latency, each) for _ in range(min(runs, 3))]
            what = f"{name}, {at_once:,} at once, {latency:g} s"
            ratios = tuple(latency * each / cost["wall"] for cost in costs)
            yield Reading(
                f"{what}: ideal / actual", "", ratios, aim=aim if carrier == "openai" else None
            )
            spent = tuple(1000 * cost["cpu"] / (at_once * each) for cost in costs)
            yield Reading(f"{what}: CPU a call", "ms", spent, better="less")
            peaks = tuple(cost["peak"] / 1e6 for cost in costs)
            yield Reading(f"{what}: memory", "MB", peaks, better="less")
