"""A worker of a Ray cluster as the head sees it."""

import asyncio
from contextlib import suppress
from typing import Any

from parlour.tournament.cluster.worker import Ready
from parlour.tournament.run.state import WorkerState
from parlour.tournament.run.worker import Lot, Progress
from parlour.tournament.run.workers import Activity, WorkerEnded


class RemoteWorker:
    """A worker of the cluster: an actor, what it plays, and its calls in flight."""

    def __init__(self, actor: Any, ready: Ready) -> None:
        self.actor, self.host, self.pid, self.able = actor, ready.host, ready.pid, ready.agents
        self.agents: frozenset[str] = frozenset()
        """The agents whose matches it is given."""
        self.activity = Activity()
        self.in_flight = 0
        self.plays = False
        """True while the pool gives it lots."""
        self.is_lost = False
        self._lots: asyncio.Queue[asyncio.Task[Any]] = asyncio.Queue()

    def state(self) -> WorkerState:
        """Its state now."""
        return self.activity.state(self.host, self.pid, self.in_flight)

    def play(self, lot: Lot) -> None:
        """Has a lot played after those before it."""
        self._lots.put_nowait(asyncio.create_task(self._played(lot)))

    async def _played(self, lot: Lot) -> tuple[int, list[Any]]:
        from ray.exceptions import RayActorError, RayError

        try:
            return lot.number, await self.actor.play.remote(tuple(lot))
        except RayActorError:
            self.is_lost = True
            raise WorkerEnded(f"the worker on {self.host}") from None
        except RayError:  # its result cannot be had: the runner plays these matches
            refused = [Progress(match.number, None, None) for match in lot.planned()]
            return lot.number, refused

    def recall(self, number: int) -> None:
        """Has no lot up to this number played on; what is reported of them is ignored."""
        self.actor.recall.remote(number)

    async def received(self) -> Any:
        """The progress of its next lot. Raises WorkerEnded."""
        return await (await self._lots.get())

    async def close(self) -> None:
        """Has no more lots played; it goes on with calls."""
        while not self._lots.empty():
            lot = self._lots.get_nowait()
            lot.cancel()
            with suppress(Exception, asyncio.CancelledError):
                await lot
        self.plays = False
