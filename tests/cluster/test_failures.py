"""Clusters that end, lose nodes, or cannot start a worker. Nothing stored is lost, none hangs."""

import os
import signal
import time
from pathlib import Path
from socket import gethostname
from subprocess import Popen
from typing import Any

import pytest

from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.reader import Save
from tests.cluster.clusters import IMPATIENT, IN_FLIGHT, NODE, SCRIPTED, limited, started, workers
from tests.crash.running import count, running, until
from tests.crash.test_everyone import calls_lost, stored
from tests.models import provider
from tests.tournaments import contents, new_save, parlour, play, refused, written

BROKEN = 'raise ImportError("no games here")\n'


def stop(cluster: Any) -> None:
    """Ends a cluster as `ray stop` does."""
    for node in cluster.list_all_nodes():
        for kind in ("raylet", "gcs_server"):
            for each in node.all_processes.get(kind, []):
                os.kill(each.process.pid, signal.SIGTERM)


def ends_in_one_line(process: "Popen[str]", address: str) -> None:
    """Waits for a run whose cluster has just ended."""
    begun = time.monotonic()
    _, errors = process.communicate(timeout=120)
    print(f"\n{time.monotonic() - begun:.0f} s: {errors}")
    assert process.returncode == 2
    (line,) = (line for line in errors.splitlines() if line.startswith("parlour: "))
    assert line.startswith(f"parlour: --ray {address}: the cluster has ended; every answer is")
    assert "Traceback" not in errors


@pytest.mark.soak
def test_a_run_ends_with_its_cluster_and_goes_on_without(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    text = SCRIPTED.format(repetitions=200)
    save, alone = new_save(tmp_path, text), new_save(tmp_path, text, "alone.db")
    with started() as cluster, running(save, "--ray", cluster.address, code=IMPATIENT) as process:
        assert until(lambda: sum(each.matches for each in workers(save)) > 0, process)
        stop(cluster)
        ends_in_one_line(process, cluster.address)
        with Save(save) as opened:
            assert first_difference(opened) is None
            assert not opened.match_count().done
        again = refused(
            *("run", save, "--plain", "--ray", cluster.address), cwd=tmp_path, timeout=60
        )
        assert "the cluster cannot be joined" in again
    assert play(save).progress.done
    assert play(alone).progress.done
    assert contents(save) == contents(alone)


@pytest.mark.soak
def test_calls_in_flight_do_not_hold_up_a_run_whose_cluster_ends(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    with provider(tmp_path, "--dear", "--latency", 0.3) as server:
        save = limited(tmp_path, server, repetitions=60)
        with (
            started() as cluster,
            running(save, "--ray", cluster.address, code=IMPATIENT) as process,
        ):
            until(lambda: count(save, "calls") >= 2 * IN_FLIGHT, process)
            stop(cluster)
            ends_in_one_line(process, cluster.address)
        before = stored(save)
        assert play(save).progress.done
        assert before.items() <= stored(save).items()
        assert 0 <= calls_lost(save, server.requests) <= IN_FLIGHT
    assert parlour("check", save, cwd=tmp_path).returncode == 0


@pytest.mark.soak
def test_a_node_leaves_and_comes_back(cluster: Any, address: str, tmp_path: Path) -> None:
    with provider(tmp_path, "--dear", "--latency", 0.1) as server:
        save = limited(tmp_path, server, repetitions=200)
        with running(save, "--ray", address, "--workers", 4) as process:
            until(lambda: len(workers(save)) == 4, process)
            for _ in range(2):
                node = next(each for each in cluster.list_all_nodes() if not each.head)
                cluster.remove_node(node, allow_graceful=False)
                more = count(save, "calls") + 5 * IN_FLIGHT
                assert until(lambda least=more: count(save, "calls") > least, process)
                assert until(lambda: len(workers(save)) == 2, process)
                cluster.add_node(**NODE)
                assert until(lambda: len(workers(save)) == 4, process)
            assert process.wait() == 0, process.communicate()
        # Each time the calls of two workers may be lost.
        assert 0 <= calls_lost(save, server.requests) <= 2 * IN_FLIGHT
    assert parlour("check", save, cwd=tmp_path).returncode == 0


@pytest.mark.soak
def test_workers_that_cannot_import_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    (tmp_path / "broken" / "parlour").mkdir(parents=True)
    written(tmp_path / "broken" / "parlour", BROKEN, "__init__.py")
    save = new_save(tmp_path)
    with monkeypatch.context() as patch:
        patch.setenv("PYTHONPATH", str(tmp_path / "broken"))
        with started() as cluster:
            patch.undo()
            address = cluster.address
            words = "run", "--save", save, "--plain", "--ray", address
            done = parlour(*words, cwd=tmp_path, timeout=100)
    assert done.returncode == 2
    line = done.stderr.splitlines()[-1]
    assert line.startswith(f"parlour: --ray {address}: a worker on {gethostname()} could not start")
    assert "ImportError: no games here;" in line
