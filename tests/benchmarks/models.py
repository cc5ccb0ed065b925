"""Calls of models: how near to the ideal, at what cost, beside a session without our code."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence

from tests.benchmarks.measuring import Reading, bench, sized
from tests.tournaments import ROOT, environment

CARRIERS = {
    "bare": "bare aiohttp session",
    "openai": "openai client",
    "route": "litellm client, on a route",
    "litellm": "litellm client",
    "acompletion": "litellm's acompletion",
}
ELSEWHERE = {"inspect_logs": "inspect_ai, a task and its log", "textarena": "TextArena's agent"}
Cost = dict[str, float]
BASE = "BASE"

SETTINGS = ((64, 0.3, 20, 0.95), (1000, 2.0, 4, 0.85))
"""Calls at once, seconds that the server takes, calls one after another in each line, aim."""
SLOTS = ((1, 0.5), (2, 0.5), (8, 1.0), (64, 1.0))
"""Requests that a server answers at once, and seconds that it takes for one on the average."""
MATCHES, SECONDS, TIMEOUT = 64, 180, 20
"""The load on such a server: its matches, its time, and how long an answer is awaited."""


def _command(*words: object) -> list[str]:
    return [sys.executable, "-m", "tests.benchmarks.calling", *map(str, words)]


def _run(serve: tuple[object, ...], *call: object, program: Sequence[str] = ()) -> Cost:
    """The output of a process that calls a server in another one; BASE is its address."""
    own = environment(OPENAI_API_KEY="not-needed")
    with subprocess.Popen(
        _command("serve", *serve), cwd=ROOT, env=own, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            base = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
            known = [str(base if word == BASE else word) for word in call]
            words = [*program, *known] if program else _command(*known)
            done = subprocess.run(
                words, cwd=ROOT, env=own, check=True, stdout=subprocess.PIPE, text=True
            )
        finally:
            server.kill()
    cost: Cost = json.loads(done.stdout.splitlines()[-1])
    return cost


@bench
def model_calls(runs: int) -> Iterator[Reading]:
    """Ideal time over actual time, CPU of a call and of the start, memory; others' beside ours."""
    for at_once, latency, calls, aim in SETTINGS:
        each = sized(calls, 1)
        for carrier, name in CARRIERS.items():
            costs = [
                _run((latency,), "call", carrier, BASE, at_once, each) for _ in range(min(runs, 3))
            ]
            what = f"{name}, {at_once:,} at once, {latency:g} s"
            ratios = tuple(latency * each / cost["wall"] for cost in costs)
            yield Reading(
                f"{what}: ideal / actual", "", ratios, aim=aim if carrier == "openai" else None
            )
            spent = tuple(1000 * cost["cpu"] / (at_once * each) for cost in costs)
            yield Reading(f"{what}: CPU a call", "ms", spent, better="less")
            starts = tuple(cost["start"] for cost in costs)
            yield Reading(f"{what}: CPU of the start", "s", starts, better="less")
            peaks = tuple(cost["peak"] / 1e6 for cost in costs)
            yield Reading(f"{what}: memory", "MB", peaks, better="less")


@bench
def calls_elsewhere(runs: int) -> Iterator[Reading]:
    """CPU of a call by frameworks that `make doors` has installed, beside our client."""
    at_once, each = 64, sized(20, 1)
    for name, what in (("", "openai client"), *ELSEWHERE.items()):
        python = ROOT / ".doors" / name / "bin" / "python"
        if name and not python.exists():
            continue
        program = [str(python), "-m", "tests.benchmarks.elsewhere", name] if name else []
        call = (BASE, at_once, each) if name else ("call", "openai", BASE, at_once, each)
        costs = [_run((0,), *call, program=program) for _ in range(min(runs, 3))]
        spent = tuple(1000 * cost["cpu"] / (at_once * each) for cost in costs)
        yield Reading(f"{what}: CPU a call", "ms", spent, better="less")
        rates = tuple(at_once * each / cost["wall"] for cost in costs)
        yield Reading(f"{what}: calls", "calls/s", rates)


@bench
def carrying(_runs: int) -> Iterator[Reading]:
    """Answers a second after the first minute, over those of the best fixed number at once."""
    seconds = sized(SECONDS, 6)
    for slots, each in SLOTS:
        load = ("load", BASE, MATCHES, seconds, TIMEOUT)
        fixed = [
            _run((each, slots), *load, number)["rate"] for number in {slots, min(64, 2 * slots)}
        ]
        ours = _run((each, slots), *load, 0)
        what = f"server with {slots} slots, {MATCHES} matches"
        yield Reading(f"{what}: of the best fixed", "", (ours["rate"] / max(fixed),), aim=0.9)
        yield Reading(f"{what}: timeouts", "", (ours["timeouts"],), better="less")
