"""Runs on a real Ray cluster of two nodes on this machine. Skipped where Ray is not installed."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from parlour.tournament.control.client import RunnerClient
from parlour.tournament.run.state import WorkerState
from tests.crash.running import count, running, until
from tests.crash.test_everyone import calls_lost, stored
from tests.crash.test_money import billed, spent
from tests.models import Served, provider
from tests.tournament.test_journal import planned
from tests.tournaments import contents, new_save, parlour, play, printed

pytest.importorskip("ray")

SCRIPTED = """
name = "scripted"
seed = 11
repetitions = {repetitions}
[[games]]
name = "undercover"
limit = 4
[[agents]]
name = "Ada"
strategy = "cautious"
[[agents]]
name = "Rob"
strategy = "random"
[[agents]]
name = "Lin"
strategy = "literal"
"""
"""24 matches of 21 answers in a repetition."""
IN_FLIGHT = 8
FAULTS = "prose,empty,refusal,rate_limit,server_error,drop"
KEY = "canary-5e1f77c0ffee"
AT_ONCE = """
from parlour.cli.app import main
from parlour.tournament.run import pool

pool.START_SECONDS, pool.FEW, pool.LOT = 0.0, 1, 3
main()
"""
"""The command line that uses workers from the start, for any number of matches."""


@contextmanager
def cluster(folder: Path, *keys: str) -> Iterator[str]:
    """The address of a cluster of two cores a node; the nodes' values of LAB_KEY, "" for none."""
    from ray.cluster_utils import Cluster

    own = {"RAY_USAGE_STATS_ENABLED": "0", "XDG_CONFIG_HOME": str(folder)}
    before = {name: os.environ.get(name) for name in own}
    os.environ.update(own)
    head, *others = [
        {
            "num_cpus": 2,
            "object_store_memory": 80_000_000,
            "env_vars": {"LAB_KEY": key} if key else {},
        }
        for key in keys
    ]
    nodes = Cluster(initialize_head=True, head_node_args={**head, "include_dashboard": False})
    try:
        for node in others:
            nodes.add_node(**node)
        yield nodes.address
    finally:
        nodes.shutdown()
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster of two nodes without a key."""
    with cluster(tmp_path_factory.mktemp("own"), "", "") as started:
        yield started


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


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_run_on_a_cluster_stores_what_a_local_run_stores(address: str, tmp_path: Path) -> None:
    save = new_save(tmp_path, SCRIPTED.format(repetitions=10))
    alone = new_save(tmp_path, SCRIPTED.format(repetitions=10), "alone.db")
    with running(save, "--ray", address, "--workers", 2, code=AT_ONCE) as process:
        seen = until(lambda: sum(each.matches for each in workers(save)) > 0, process)
        assert process.wait() == 0, process.communicate()
    assert seen, "no worker played a match"
    assert play(alone).progress.done
    assert contents(save) == contents(alone)


@pytest.mark.soak
def test_a_pause_a_limit_and_a_budget_hold_over_all_workers(address: str, tmp_path: Path) -> None:
    with provider(tmp_path, "--dear", "--latency", 0.3) as server:
        save = limited(tmp_path, server, repetitions=200, budget=1.0)
        with running(save, "--ray", address, "--workers", 3, "--concurrency", 64) as process:
            until(lambda: count(save, "calls") >= 2 * IN_FLIGHT, process)
            until(lambda: len(workers(save)) == 3, process)
            assert sum(each.in_flight for each in workers(save)) <= IN_FLIGHT
            client = RunnerClient(save)
            client.pause()
            until(lambda: client.status().state == "quiesced", process)
            asked = len(server.requests)
            time.sleep(1)
            assert len(server.requests) == asked == count(save, "calls")
            client.resume()
            assert "budget" in process.communicate()[1]
            assert process.returncode == 1
        assert billed(server) - 1e-9 <= spent(save) <= 1.0
        assert max(line["at_once"] for line in server.requests) <= IN_FLIGHT


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_workers_and_heads_are_killed(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dice, numbers = random.Random(4), Counter[str]()
    save = new_save(tmp_path, SCRIPTED.format(repetitions=600))
    alone = new_save(tmp_path, SCRIPTED.format(repetitions=600), "alone.db")
    while numbers["heads"] < 20:
        more = count(save) + dice.randrange(500, 4000)
        with running(save, "--ray", address, "--workers", 3) as process:
            while process.poll() is None and count(save) < more:
                time.sleep(dice.uniform(0, 0.3))
                if numbers["workers"] < 50 and (pids := [each.pid for each in workers(save)]):
                    kill(dice.choice(pids))
                    numbers["workers"] += 1
            process.kill()
            if process.wait() == 0:
                break
            numbers["heads"] += 1
    assert parlour("resume", save, "--plain", cwd=tmp_path).returncode == 0
    assert play(alone).progress.done
    assert contents(save) == contents(alone)
    with capsys.disabled():
        print(f"\n{dict(numbers)}: as an uninterrupted run")
    assert numbers["workers"] >= 50
    assert numbers["heads"] >= 20


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_kills_lose_only_calls_in_flight(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dice, numbers = random.Random(5), Counter[str]()
    options = ("--dear", "--latency", 0.05, "--faults", 0.3, "--modes", FAULTS)
    with provider(tmp_path, *options) as server:
        save = limited(tmp_path, server, repetitions=120)
        while numbers["heads"] < 10:
            before, more = stored(save), count(save, "calls") + dice.randrange(100, 300)
            with running(save, "--ray", address, "--workers", 3) as process:
                while process.poll() is None and count(save, "calls") < more:
                    answered = count(save, "calls") + dice.randrange(20, 60)
                    until(lambda least=answered: count(save, "calls") >= least, process)
                    if pids := [each.pid for each in workers(save)]:
                        kill(dice.choice(pids))
                        numbers["workers"] += 1
                process.kill()
                if process.wait() == 0:
                    break
                numbers["heads"] += 1
            assert before.items() <= stored(save).items()
            assert billed(server) - 1e-9 <= spent(save) <= 50.0
        assert play(save, budget=1e6).progress.done
        log = server.requests
    numbers["calls_lost"] = calls_lost(save, log)
    kills = numbers["workers"] + numbers["heads"]
    assert 0 <= numbers["calls_lost"] <= kills * IN_FLIGHT
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")
    with capsys.disabled():
        print(f"\n{dict(numbers)}: none asked twice")


@pytest.mark.soak
@pytest.mark.parametrize("keys", [("", ""), (KEY, ""), ("", KEY)])
def test_a_node_without_a_key_is_refused(tmp_path: Path, keys: tuple[str, str]) -> None:
    with provider(tmp_path) as server, cluster(tmp_path / "own", *keys) as address:
        text = planned(server, 1, 'api_key_env = "LAB_KEY"', ["undercover"])
        os.environ["LAB_KEY"] = KEY
        try:
            save = new_save(tmp_path, text)
            words = "run", "--save", save, "--plain", "--ray", address
            done = parlour(*words, cwd=tmp_path, env=dict(os.environ))
        finally:
            del os.environ["LAB_KEY"]
        assert not server.requests
    assert done.returncode == 2
    assert done.stderr.count("LAB_KEY: is not set") == 1
    assert "cannot take part" in done.stderr
    assert KEY not in done.stderr + done.stdout
    sessions = Path(os.environ.get("RAY_TMPDIR", "/tmp")) / "ray" / "session_latest"
    for file in filter(Path.is_file, sessions.rglob("*")):
        assert KEY.encode() not in file.read_bytes(), file
