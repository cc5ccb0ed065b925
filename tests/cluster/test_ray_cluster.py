"""Runs on a real Ray cluster of two nodes on this machine. Skipped where Ray is not installed."""

import os
import time
from pathlib import Path

import pytest

from parlour.tournament.control.client import RunnerClient
from tests.cluster.clusters import (
    AT_ONCE,
    IN_FLIGHT,
    NODE,
    SCRIPTED,
    Kills,
    limited,
    started,
    workers,
)
from tests.crash.running import count, running, until
from tests.crash.test_everyone import calls_lost, stored
from tests.crash.test_money import billed, spent
from tests.models import provider
from tests.tournament.test_journal import planned
from tests.tournaments import contents, new_save, parlour, play, printed

FAULTS = "prose,empty,refusal,rate_limit,server_error,drop"
KEY = "canary-5e1f77c0ffee"


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
            until(lambda: client.status().state == "paused", process)
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
    save = new_save(tmp_path, SCRIPTED.format(repetitions=600))
    alone = new_save(tmp_path, SCRIPTED.format(repetitions=600), "alone.db")
    kills = Kills(save, address, seed=4)
    killed = kills.numbers
    while (killed["heads"] < 20 or killed["workers"] < 50) and not kills.is_finished:
        more = count(save) + kills.dice.randrange(500, 4000)
        with kills.head() as process:
            while process.poll() is None and count(save) < more:
                time.sleep(kills.dice.uniform(0, 0.3))
                if kills.numbers["workers"] < 50:
                    kills.worker()
    assert parlour("run", save, "--plain", cwd=tmp_path).returncode == 0
    assert play(alone).progress.done
    assert contents(save) == contents(alone)
    with capsys.disabled():
        print(f"\n{dict(kills.numbers)}: as an uninterrupted run")
    assert kills.numbers["workers"] >= 50
    assert kills.numbers["heads"] >= 20


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_kills_lose_only_calls_in_flight(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--dear", "--latency", 0.05, "--faults", 0.3, "--modes", FAULTS)
    with provider(tmp_path, *options) as server:
        save = limited(tmp_path, server, repetitions=120)
        kills = Kills(save, address, seed=5)
        while kills.numbers["heads"] < 10 and not kills.is_finished:
            before, more = stored(save), count(save, "calls") + kills.dice.randrange(100, 300)
            with kills.head() as process:
                while process.poll() is None and count(save, "calls") < more:
                    answered = count(save, "calls") + kills.dice.randrange(20, 60)
                    until(lambda least=answered: count(save, "calls") >= least, process)
                    kills.worker()
            assert before.items() <= stored(save).items()
            assert billed(server) - 1e-9 <= spent(save) <= 50.0
        assert play(save, budget=1e6).progress.done
        log = server.requests
    lost, ended = calls_lost(save, log), kills.numbers.total()
    assert 0 <= lost <= ended * IN_FLIGHT
    assert printed("check", save, cwd=tmp_path).endswith(". OK: every match replays identically\n")
    with capsys.disabled():
        print(f"\n{dict(kills.numbers)}, {lost} calls lost: none asked twice")


@pytest.mark.soak
@pytest.mark.parametrize("keys", [("", ""), (KEY, ""), ("", KEY)])
def test_a_node_without_a_key_is_refused(tmp_path: Path, keys: tuple[str, str]) -> None:
    pytest.importorskip("ray")
    (tmp_path / "own").mkdir()
    own = {"RAY_USAGE_STATS_ENABLED": "0", "XDG_CONFIG_HOME": str(tmp_path / "own")}
    head, other = ({"env_vars": {"LAB_KEY": key} if key else {}} for key in keys)
    with pytest.MonkeyPatch.context() as patch, provider(tmp_path) as server:
        for name, value in own.items():
            patch.setenv(name, value)
        with started(**head) as cluster:
            cluster.add_node(**NODE, **other)
            patch.setenv("LAB_KEY", KEY)
            save = new_save(tmp_path, planned(server, 1, 'api_key_env = "LAB_KEY"', ["undercover"]))
            words = "run", "--save", save, "--plain", "--ray", cluster.address
            done = parlour(*words, cwd=tmp_path, env=dict(os.environ))
        assert not server.requests
    assert done.returncode == 2
    assert done.stderr.count("LAB_KEY: is not set") == 1
    assert "cannot take part" in done.stderr
    assert KEY not in done.stderr + done.stdout
    sessions = Path(os.environ.get("RAY_TMPDIR", "/tmp")) / "ray" / "session_latest"
    for file in filter(Path.is_file, sessions.rglob("*")):
        assert KEY.encode() not in file.read_bytes(), file
