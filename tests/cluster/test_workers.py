"""The two ends of a worker without a cluster: lots that are recalled, and errors of Ray."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.model_calls import ProviderFailure, Request
from parlour.tournament.cluster.identity import own_identity
from parlour.tournament.cluster.ray_cluster import RayCluster, RemoteClient, RemoteWorker
from parlour.tournament.cluster.worker import ClusterWorker, Ready
from parlour.tournament.run.worker import Lot, LotProgress
from parlour.tournament.save.reader import Save
from tests.tournaments import MATCHES, new_save


class _Failing:
    """An actor whose calls fail in one way."""

    def __init__(self, error: Exception) -> None:
        self._error = error
        self.complete = self.play = self

    async def remote(self, *_values: object) -> Any:
        """Fails."""
        raise self._error


def remote_worker(error: Exception) -> RemoteWorker:
    return RemoteWorker(_Failing(error), Ready("there", 1, own_identity(), frozenset(), ()))


def lot_of(save: Path) -> Lot:
    with Save(save) as opened:
        return Lot.of(3, opened.matches("unfinished"))


def test_a_recalled_lot_is_not_played_on(tmp_path: Path) -> None:
    save = new_save(tmp_path)
    with Save(save) as opened:
        spec = opened.tournament.to_json()

    async def answers(recalled: int) -> list[int]:
        worker = ClusterWorker(spec)
        await worker.ready()
        await worker.recall(recalled)
        played = [LotProgress(*each) for each in await worker.play(tuple(lot_of(save)))]
        return [len(each.answers or ()) for each in played]

    assert asyncio.run(answers(3)) == [0] * MATCHES
    assert asyncio.run(answers(2)) == [21] * MATCHES


async def test_errors_of_ray_are_one_line_and_end_no_run(tmp_path: Path) -> None:
    exceptions = pytest.importorskip("ray.exceptions")
    traceback = "ray::complete()\n  File ...\nRuntimeError: TypeError: no list\n"
    task = exceptions.RayTaskError("complete", traceback, RuntimeError("TypeError"))
    full = exceptions.ObjectStoreFullError("Failed to put object.\nFailed to put full.")

    cluster = RayCluster("local", 1, print)
    client = RemoteClient("Ada", cluster)
    cluster._workers = [remote_worker(task)]
    with pytest.raises(RuntimeError, match=r"^RuntimeError: TypeError: no list$"):
        await client.complete(Request(()))
    cluster._workers = [remote_worker(full)]
    with pytest.raises(ProviderFailure, match="on there cannot be had: Failed to put"):
        await client.complete(Request(()))
    assert not cluster._workers[0].is_lost
    assert cluster._workers[0].in_flight == 0
    lot = lot_of(new_save(tmp_path))
    for error in (task, full):
        worker = remote_worker(error)
        worker.play(lot)
        refused = [LotProgress(number, None, None) for number in range(1, MATCHES + 1)]
        assert await worker.received() == (3, refused)
