"""The workers of a run on a Ray cluster, as the runner sees them. Other folders know no Ray.

The runner stays the one who decides and writes: it asks the players, admits and stores each call,
and gives workers what takes time, the call itself and lots of matches of scripted players. So a
pause, a limit or a budget holds over all workers, and a worker that dies costs at most its calls
in flight. Reference: Moritz et al., "Ray: a distributed framework for emerging AI applications",
2018.
"""

import asyncio
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

from parlour.agents.base import Agent
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.keys import from_outside
from parlour.agents.model_calls import Completion, ProviderFailure, Request
from parlour.agents.registry import AgentConfig, make_agent, model_behind
from parlour.games.common.errors import BadInput
from parlour.games.common.text import one_line
from parlour.tournament.cluster.identity import own_identity
from parlour.tournament.cluster.joining import MOST_WORDS, ended, join, last_words
from parlour.tournament.cluster.worker import ClusterWorker, Failed, Ready
from parlour.tournament.plan.model import Tournament
from parlour.tournament.run.state import WorkerState
from parlour.tournament.run.worker import Lot, LotProgress
from parlour.tournament.run.workers import WorkerActivity, WorkerEnded, Workers


class RemoteWorker:
    """A worker of the cluster: an actor, what it plays, and its calls in flight."""

    def __init__(self, actor: Any, ready: Ready) -> None:
        self.actor, self.host, self.pid, self.able = actor, ready.host, ready.pid, ready.agents
        self.agents: frozenset[str] = frozenset()
        """The agents whose matches it is given."""
        self.activity = WorkerActivity()
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
            refused = [LotProgress(match.number, None, None) for match in lot.planned()]
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


READY_SECONDS = 60.0
"""Seconds until the first worker has to be ready."""
NODE_SECONDS = 30.0
"""Seconds until a node counts as one that does not answer."""
AGAIN_SECONDS = 10.0
"""Seconds until a worker is tried again in the place of one that cannot take part."""
CALLS_AT_ONCE = 10_000
"""The most calls that a worker has in flight: the limits of the runner come first."""


class RemoteClient:
    """The client of a model whose calls are sent by the workers of a cluster."""

    def __init__(self, agent: str, cluster: "RayCluster") -> None:
        self._agent, self._cluster = agent, cluster

    async def complete(self, request: Request) -> Completion:
        """Sends one request once, from the worker with the fewest calls in flight.

        Raises ProviderFailure, also if the worker ends meanwhile: the call may have been answered
        and billed, so it counts as sent.
        """
        from ray.exceptions import RayActorError, RayError, RayTaskError

        worker = await self._cluster.least_busy()
        worker.in_flight += 1
        try:
            result = await worker.actor.complete.remote(self._agent, request)
        except RayTaskError as error:
            raise RuntimeError(last_words(error)) from None
        except RayActorError:
            worker.is_lost = True
            self._cluster.look_after()
            message = f"the worker on {worker.host} ended while it waited for the answer"
            raise ProviderFailure("worker", message) from None
        except RayError as error:
            words = one_line(from_outside(str(error)))[:MOST_WORDS]
            message = f"the answer on {worker.host} cannot be had: {words}"
            raise ProviderFailure("worker", message) from None
        finally:
            worker.in_flight -= 1
        worker.activity.hear()
        if isinstance(result, Failed):
            raise ProviderFailure(*result)
        assert isinstance(result, Completion)
        return result

    async def close(self) -> None:
        """Does nothing: connections end with the workers."""


class RayCluster(Workers):
    """The workers of a run on a Ray cluster; a worker that ends is replaced."""

    most_ended: float = math.inf

    def __init__(self, address: str, count: int, on_warning: Callable[[str], None]) -> None:
        super().__init__(count)
        self.address, self._on_warning = address, on_warning
        self._tournament = ""
        self._kind: Any = None
        self._identity = own_identity()
        self._workers: list[RemoteWorker] = []
        self._changed = asyncio.Event()
        self._starting: set[asyncio.Task[None]] = set()
        self._warned: set[str] = set()

    @classmethod
    async def joined(
        cls, address: str, count: int | None, on_warning: Callable[[str], None], *, keyless: bool
    ) -> "RayCluster":
        """Joins a cluster, for so many workers, by default one for each of its cores.

        ``address`` is "local", "auto", or the host and port of its head. BadInput if Ray is not
        installed, or if the cluster cannot be reached. ``keyless``: no model is played, so that a
        new cluster gets no keys.
        """
        cores = await asyncio.to_thread(partial(join, address, keyless=keyless))
        import ray

        cluster = cls(address, count or cores, on_warning)
        # One class for all workers, since Ray stores each, and waits for a cluster that has ended.
        cluster._kind = ray.remote(ClusterWorker)
        return cluster

    async def begin(self, tournament: Tournament) -> None:
        """Starts workers for a tournament; those of the one before end.

        BadInput if none can be started, or if a node has another version or lacks a key.
        """
        import ray

        await self._cancel_starts()
        workers, self._workers = self._workers, []
        for worker in workers:
            await asyncio.to_thread(ray.kill, worker.actor)  # so that its core is free
        self._tournament = tournament.to_json()
        try:
            await self._check_nodes()
            self.look_after()
            async with asyncio.timeout(READY_SECONDS):
                while not self._workers:
                    await self._changed.wait()
        except TimeoutError:
            fix = "see `ray status`: it needs a free core for each worker"
            problem = "no worker of the cluster is ready"
            raise BadInput(f"--ray {self.address}", problem, fix) from None

    async def _check_nodes(self) -> None:
        """Looks at the installation and the keys on each node. BadInput if a node differs.

        A node that does not answer is left to Ray, which finds out whether it has ended.
        """
        import ray
        from ray.exceptions import RayError, RayTaskError
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        async def checked(node: dict[str, Any]) -> None:
            here = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            options = {"num_cpus": 0, "scheduling_strategy": here}
            # Ray ends the actor once nothing refers to it.
            actor = self._kind.options(**options).remote(self._tournament)
            host = node["NodeManagerHostname"]
            try:
                async with asyncio.timeout(NODE_SECONDS):
                    why = self._refusal(await actor.ready.remote())
            except (RayError, TimeoutError) as error:
                is_refused = getattr(error, "actor_init_failed", False)
                if not (is_refused or isinstance(error, RayTaskError)):
                    self._warn(f"no worker on {host} yet ({last_words(error)})")
                    return
                why = f"a worker on {host} could not start: {last_words(error)}"
            if why:
                raise self._unable(why)

        every = await asyncio.to_thread(ray.nodes)
        nodes = [node for node in every if node["Alive"] and node["Resources"].get("CPU")]
        await asyncio.gather(*map(checked, nodes))

    def _refusal(self, ready: Ready) -> str:
        why = self._identity.difference(ready.identity) or "; ".join(ready.missing)
        return _cannot(ready.host, why) if why else ""

    def _unable(self, why: str) -> BadInput:
        fix = "install the same Parlour, and set the same keys, on every machine"
        return BadInput(f"--ray {self.address}", why, fix)

    def _warn(self, line: str) -> None:
        """Says a line once, however many workers and attempts have it."""
        if line not in self._warned:
            self._warned.add(line)
            self._on_warning(line)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    # --- Workers

    def look_after(self) -> None:
        """Replaces workers that have ended."""
        self._workers = [worker for worker in self._workers if not worker.is_lost]
        for _ in range(self.count - len(self._workers) - len(self._starting)):
            task = asyncio.create_task(self._start())
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    async def _start(self) -> None:
        """Starts one worker; again if it ends before it is ready."""
        from ray.exceptions import RayError

        # A dead node may take its workers along: another one is then started elsewhere.
        options = {"max_concurrency": CALLS_AT_ONCE, "num_cpus": 1, "scheduling_strategy": "SPREAD"}
        kind = self._kind.options(**options)
        while True:
            actor = kind.remote(self._tournament)
            try:
                ready: Ready = await actor.ready.remote()
            except RayError as error:
                await asyncio.sleep(1)
                self._warn(f"a worker could not start ({last_words(error)}); trying again")
                continue
            if why := self._refusal(ready):
                del actor  # Ray ends it
                self._warn(f"{why}; trying again")
                await asyncio.sleep(AGAIN_SECONDS)
                continue
            self._workers.append(RemoteWorker(actor, ready))
            self._wake()
            return

    async def least_busy(self) -> RemoteWorker:
        """The worker with the fewest calls in flight; waits while there is none."""
        while not (ready := [worker for worker in self._workers if not worker.is_lost]):
            self.look_after()
            await self._changed.wait()
        return min(ready, key=lambda worker: worker.in_flight)

    # --- As the runner sees it

    def make_agent(self, config: AgentConfig, players: Mapping[str, object] | None) -> Agent:
        """The agent of a block; a model's calls are sent by the workers."""
        if isinstance(config, LLMConfig):
            return model_behind(config, RemoteClient(config.name, self))
        return make_agent(config, players)

    async def started(self, tournament: str, agents: list[str]) -> RemoteWorker:
        """A worker that plays matches of these agents; waits until one is free for it."""
        while True:
            self.look_after()
            free = next((each for each in self._workers if not each.plays), None)
            if free is not None:
                free.plays, free.agents = True, free.able.intersection(agents)
                return free
            await self._changed.wait()

    def states(self) -> list[WorkerState]:
        """The workers of now."""
        return [worker.state() for worker in self._workers if not worker.is_lost]

    async def refuse_unready(self, tournament: Tournament) -> None:
        """BadInput if a worker lacks a key of the agents of a tournament."""
        from ray.exceptions import RayError

        for worker in self._workers:
            with suppress(RayError):  # another one takes its place
                if missing := await worker.actor.missing.remote(tournament.to_json()):
                    raise self._unable(_cannot(worker.host, "; ".join(missing)))

    async def lost(self) -> NoReturn:
        """Waits until the cluster has ended. Raises BadInput then."""
        await ended()
        fix = "every answer is stored: start a cluster again, then `parlour run` with --ray"
        raise BadInput(f"--ray {self.address}", "the cluster has ended", fix)

    async def _cancel_starts(self) -> None:
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)

    async def close(self) -> None:
        """Leaves the cluster, which ends all workers."""
        import ray

        await self._cancel_starts()
        await asyncio.to_thread(ray.shutdown)


def _cannot(host: str, why: str) -> str:
    return f"the worker on {host} cannot take part: {why}"
