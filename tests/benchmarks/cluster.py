"""A Ray cluster on this machine beside a run without one: throughput, and the head's own cost.

With Ray installed (the extra `ray`); else it measures nothing. The head's cost is its processor
time, which a busy machine changes little; rates need a quiet one.
"""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from parlour.tournament.run.workers import cores
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.trust.consent import agree
from parlour.tournament.trust.needs import needs
from tests.benchmarks.heads import Cost, cost_of
from tests.benchmarks.lanes import IMPOSTOR
from tests.benchmarks.measuring import Reading, bench, clocked, sized
from tests.crash.running import count
from tests.models import Served, provider
from tests.tournament.test_journal import planned
from tests.tournaments import tournament

WORKERS = (1, 2, 4)
IN_FLIGHT, LATENCY = 128, 0.3
CARRIERS = ("openai", "litellm")


def _cost(text: str, workers: int, ready: int, address: str | None) -> Cost:
    """The cost of a run, with the number of ``answers`` and ``calls``."""
    with TemporaryDirectory() as folder:
        save, wanted = Path(folder, "save.db"), tournament(Path(folder), text)
        agree(needs(wanted))
        create_save(save, wanted)
        cost = cost_of(save, workers, ready, address)
        return {**cost, "answers": count(save), "calls": count(save, "calls")}


def _read(what: str, unit: str, cost: Cost, ideal: float) -> Iterator[Reading]:
    """The readings of a run; ``ideal`` is its best rate, if that is known."""
    rate = cost[unit] / cost["wall"]
    yield Reading(what, f"{unit}/s", (rate,))
    yield Reading(f"{what}: ideal / actual", "", (rate / ideal if ideal else 1.0,))
    spent = 1e6 * cost["cpu"] / cost[unit]
    yield Reading(f"{what}: CPU of the head, each", "µs", (spent,), better="less")


def _scripted(address: str) -> Iterator[Reading]:
    text, alone = IMPOSTOR.format(sized(600, 20)), 0.0
    for where, to in (("this machine", None), ("Ray", address)):
        for n in WORKERS:
            cost = _cost(text, n, n if to else 0, to)
            alone = alone or cost["answers"] / cost["wall"]
            what = f"impostor, scripted, {n} workers, {where}"
            yield from _read(what, "answers", cost, alone * min(n, cores()))
            yield Reading(f"{what}: start", "s", (cost["start"],), better="less")


def _models(address: str, server: Served, carrier: str) -> Iterator[Reading]:
    text = planned(server, sized(60, 2), f'client = "{carrier}"', ["undercover"])
    if carrier == "litellm":
        text = text.replace('model = "', 'model = "openai/')
    text += f'[[limits]]\nendpoint = "{server.base}"\nin_flight = {IN_FLIGHT}\n'
    ways: list[tuple[str, int, str | None]] = [("this machine", 0, None)]
    ways += [(f"Ray, {n} workers", n, address) for n in WORKERS]
    for where, n, to in ways:
        what = f"models, {LATENCY:g} s, {IN_FLIGHT} in flight, {carrier}, {where}"
        yield from _read(what, "calls", _cost(text, max(n, 1), n, to), IN_FLIGHT / LATENCY)


@bench
def cluster(_runs: int) -> Iterator[Reading]:
    """Scripted matches, and models with 300 ms, on 1, 2 and 4 workers, without and with Ray."""
    if find_spec("ray") is None:
        return
    from ray.cluster_utils import Cluster

    node = {"num_cpus": max(WORKERS), "object_store_memory": 80_000_000}
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "OPENAI_API_KEY": "not-needed"}
    with clocked() as clock:
        on = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    yield Reading("a cluster starts", "s", (clock.seconds,), better="less")
    try:
        yield from _scripted(on.address)
        for carrier in CARRIERS:
            with (
                TemporaryDirectory() as folder,
                provider(Path(folder), "--latency", LATENCY) as server,
            ):
                yield from _models(on.address, server, carrier)
    finally:
        on.shutdown()
