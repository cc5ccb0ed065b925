"""Ray clusters on this machine, and runs that use them."""

import os
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from parlour.tournament.control.client import RunnerClient
from parlour.tournament.run.state import WorkerState
from tests.crash.running import running
from tests.models import Served
from tests.tournament.test_journal import planned
from tests.tournaments import new_save, scripted

NODE = {"num_cpus": 2, "object_store_memory": 80_000_000}
SCRIPTED = """
name = "scripted"
seed = 11
repetitions = {repetitions}
[[games]]
name = "undercover"
limit = 4
""" + scripted(Ada="cautious", Rob="random", Lin="literal")
"""24 matches of 21 answers in a repetition."""
IN_FLIGHT = 8
AT_ONCE = """
from parlour.cli.app import main
from parlour.tournament.run import pool

pool.START_SECONDS, pool.FEW, pool.LOT = 0.0, 1, 3
main()
"""
"""The command line that uses workers from the start, for any number of matches."""
IMPATIENT = "from parlour.tournament.cluster import joining\n\njoining.GONE_SECONDS = 3.0\n"
IMPATIENT += AT_ONCE
"""The same, with a cluster that is soon taken for one that has ended."""


@contextmanager
def started(**options: Any) -> Iterator[Any]:
    """A cluster of one node with further options, which is gone at the end."""
    from ray.cluster_utils import Cluster

    head = {**NODE, "include_dashboard": False, **options}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        yield cluster
    finally:
        cluster.shutdown()


def workers(save: Path) -> list[WorkerState]:
    """The workers of a run, as its status has them; none while it does not listen."""
    try:
        return RunnerClient(save).status().workers
    except Exception:  # it begins or ends
        return []


def kill(pid: int) -> None:
    """Kills a worker that may have ended by itself."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def limited(folder: Path, server: Served, repetitions: int, budget: float = 50.0) -> Path:
    """A save of two models of that server, under a budget and a limit."""
    text = planned(server, repetitions, "parameters = { max_tokens = 50 }", ["undercover"])
    text += f'[[limits]]\nendpoint = "{server.base}"\nin_flight = {IN_FLIGHT}\n'
    return new_save(folder, f"budget = {budget}\n{text}")


class Kills:
    """Runs of a save on a cluster, of which workers and heads are killed, and how many were."""

    def __init__(self, save: Path, address: str, seed: int) -> None:
        self.save, self.address = save, address
        self.is_finished = False
        self.dice, self.numbers = random.Random(seed), Counter[str]()

    def worker(self) -> None:
        """Kills a worker, if there is one."""
        if pids := [each.pid for each in workers(self.save)]:
            kill(self.dice.choice(pids))
            self.numbers["workers"] += 1

    @contextmanager
    def head(self) -> Iterator[subprocess.Popen[str]]:
        """A run, whose head is killed at the end."""
        with running(self.save, "--ray", self.address, "--workers", 3) as process:
            yield process
            process.kill()
            self.is_finished = process.wait() == 0
        self.numbers["heads"] += not self.is_finished
