"""A Ray cluster on this machine beside a run without one: throughput, and the head's own cost.

With Ray installed (the extra `ray`); else it measures nothing.
"""

import os
import resource
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from parlour.tournament.save.create import create_save
from parlour.tournament.trust.consent import agree
from parlour.tournament.trust.needs import needs
from tests.benchmarks.lanes import IMPOSTOR
from tests.benchmarks.measuring import Reading, bench, clocked, sized
from tests.crash.running import count, running
from tests.models import provider
from tests.tournament.test_journal import planned
from tests.tournaments import tournament

WORKERS = (1, 2, 4)
IN_FLIGHT, LATENCY = 32, 0.3


def _played(folder: Path, text: str, *options: object) -> tuple[float, float, int]:
    """Seconds and processor seconds of the runner, and answers, of a run in its own process."""
    save = folder / "save.db"
    wanted = tournament(folder, text)
    agree(needs(wanted))
    create_save(save, wanted)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with clocked() as clock, running(save, *options) as process:
        _, errors = process.communicate()
    assert process.returncode == 0, errors
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return clock.seconds, cpu, count(save)


def _compared(what: str, text: str, address: str, ideal: float | None) -> Iterator[Reading]:
    """A run without a cluster, then with each number of workers."""
    ways: list[tuple[str, tuple[object, ...]]] = [("no cluster", ())]
    ways += [(f"{n} workers", ("--ray", address, "--workers", n)) for n in WORKERS]
    for name, options in ways:
        with TemporaryDirectory() as folder:
            seconds, cpu, answers = _played(Path(folder), text, "--concurrency", 256, *options)
        yield Reading(f"{what}, {name}", "answers/s", (answers / seconds,))
        if ideal is not None:
            yield Reading(f"{what}, {name}: ideal / actual", "", (ideal * answers / seconds,))
        yield Reading(
            f"{what}, {name}: CPU of the head", "µs", (1e6 * cpu / answers,), better="less"
        )


@bench
def cluster(_runs: int) -> Iterator[Reading]:
    """Scripted matches and models with 300 ms on 1, 2 and 4 workers, and without a cluster."""
    if find_spec("ray") is None:
        return
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    node = {"num_cpus": max(WORKERS), "object_store_memory": 80_000_000}
    on = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    try:
        text = IMPOSTOR.format(sized(600, 20))
        yield from _compared("impostor, scripted", text, on.address, None)
        with TemporaryDirectory() as folder, provider(Path(folder), "--latency", LATENCY) as server:
            text = planned(server, sized(100, 1), games=["undercover"])
            text += f'[[limits]]\nendpoint = "{server.base}"\nin_flight = {IN_FLIGHT}\n'
            name = f"models, {LATENCY:g} s, {IN_FLIGHT} in flight"
            yield from _compared(name, text, on.address, LATENCY / IN_FLIGHT)
    finally:
        on.shutdown()
