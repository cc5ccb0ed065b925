"""The workers of a run on a Ray cluster, as the runner sees them. Nothing else knows of Ray.

The runner stays the one who decides and writes: it asks the players, admits and stores each call,
and gives workers what takes time, the call itself and lots of matches of scripted players. So a
pause, a limit or a budget holds over all workers, and a worker that dies costs at most its calls
in flight. Reference: Moritz et al., "Ray: a distributed framework for emerging AI applications",
2018.
"""

import asyncio
import math
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from parlour.agents.base import Agent
from parlour.agents.llm.config import LLMConfig
from parlour.agents.model_calls import Completion, ProviderFailure, Request
from parlour.agents.registry import AgentConfig, make_agent, model_behind
from parlour.games.common.errors import BadInput
from parlour.games.common.text import one_line
from parlour.tournament.cluster.identity import own_identity
from parlour.tournament.cluster.worker import ClusterWorker, Failed, Ready
from parlour.tournament.plan.model import Tournament
from parlour.tournament.run.state import WorkerState
from parlour.tournament.run.worker import Lot
from parlour.tournament.run.workers import Activity, WorkerEnded

LOCAL = "local"
"""The address of a new cluster on this machine."""
READY_SECONDS = 60.0
"""Seconds until the first worker has to be ready."""
NODE_SECONDS = 30.0
"""Seconds until a node counts as one that does not answer."""
AGAIN_SECONDS = 10.0
"""Seconds until a worker is tried again in the place of one that cannot take part."""
CALLS_AT_ONCE = 10_000
"""The most calls that a worker has in flight: the limits of the runner come first."""


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

    async def _played(self, lot: Lot) -> tuple[int, Any]:
        return lot.number, await self.actor.play.remote(tuple(lot))

    def recall(self, number: int) -> None:
        """Does nothing: the pool ignores what is reported of lots that are back."""

    async def received(self) -> Any:
        """The progress of its next lot. Raises WorkerEnded."""
        from ray.exceptions import RayError

        lot = await self._lots.get()
        try:
            return await lot
        except RayError:
            self.is_lost = True
            raise WorkerEnded(f"the worker on {self.host}") from None

    async def close(self) -> None:
        """Has no more lots played; it goes on with calls."""
        while not self._lots.empty():
            lot = self._lots.get_nowait()
            lot.cancel()
            with suppress(Exception, asyncio.CancelledError):
                await lot
        self.plays = False


class RemoteClient:
    """The client of a model whose calls are sent by the workers of a cluster."""

    def __init__(self, agent: str, cluster: "RayCluster") -> None:
        self._agent, self._cluster = agent, cluster

    async def complete(self, request: Request) -> Completion:
        """Sends one request once, from the worker with the fewest calls in flight.

        Raises ProviderFailure, also if the worker ends meanwhile: the call may have been answered
        and billed, so it counts as sent.
        """
        from ray.exceptions import ObjectLostError, RayActorError

        worker = await self._cluster.least_busy()
        worker.in_flight += 1
        try:
            result = await worker.actor.complete.remote(self._agent, request)
        except (RayActorError, ObjectLostError):
            worker.is_lost = True
            self._cluster.look_after()
            message = f"the worker on {worker.host} ended while it waited for the answer"
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


class RayCluster:
    """The workers of a run on a Ray cluster; a worker that ends is replaced."""

    most_ended: float = math.inf

    def __init__(
        self, tournament: Tournament, count: int, on_warning: Callable[[str], None]
    ) -> None:
        self.count = count
        self._tournament, self._on_warning = tournament.to_json(), on_warning
        self._identity = own_identity()
        self._workers: list[RemoteWorker] = []
        self._changed = asyncio.Event()
        self._starting: set[asyncio.Task[None]] = set()
        self._warned: set[str] = set()

    @classmethod
    async def joined(
        cls,
        address: str,
        tournament: Tournament,
        count: int | None,
        on_warning: Callable[[str], None],
    ) -> "RayCluster":
        """Joins a cluster and starts workers there, by default one for each of its cores.

        ``address`` is "local", "auto", or the host and port of its head. BadInput if Ray is not
        installed, if the cluster cannot be reached, or if its workers are of another version.
        """
        cores = await asyncio.to_thread(_connect, address)
        cluster = cls(tournament, count or cores, on_warning)
        try:
            await cluster._check_nodes()
            cluster.look_after()
            async with asyncio.timeout(READY_SECONDS):
                while not cluster._workers:
                    await cluster._changed.wait()
        except TimeoutError:
            await cluster.close()
            fix = "see `ray status`: it needs a free core for each worker"
            raise BadInput(f"--ray {address}", "no worker of the cluster is ready", fix) from None
        except BadInput:
            await cluster.close()
            raise
        return cluster

    async def _check_nodes(self) -> None:
        """Looks at the installation and the keys on each node. BadInput if a node differs.

        A node that does not answer is left to Ray, which finds out whether it has ended.
        """
        import ray
        from ray.exceptions import RayActorError, RayError
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        async def checked(node: dict[str, Any]) -> None:
            here = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            options = {"num_cpus": 0, "scheduling_strategy": here}
            actor = ray.remote(ClusterWorker).options(**options).remote(self._tournament)
            host = node["NodeManagerHostname"]
            try:
                async with asyncio.timeout(NODE_SECONDS):
                    why = self._refusal(await actor.ready.remote())
            except (RayError, TimeoutError) as error:
                if not (isinstance(error, RayActorError) and error.actor_init_failed):
                    self._warn(f"no worker on {host} yet ({_words(error)})")
                    return
                why = f"a worker on {host} could not start: {_words(error)}"
            if why:
                fix = "install the same Parlour, and set the same keys, on every machine"
                raise BadInput("--ray", why, fix)
            ray.kill(actor)

        nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        await asyncio.gather(*map(checked, nodes))

    def _refusal(self, ready: Ready) -> str:
        why = self._identity.difference(ready.identity) or "; ".join(ready.missing)
        return f"the worker on {ready.host} cannot take part: {why}" if why else ""

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
        import ray
        from ray.exceptions import RayError

        # A dead node may take its workers along: another one is then started elsewhere.
        options = {"max_concurrency": CALLS_AT_ONCE, "num_cpus": 1, "scheduling_strategy": "SPREAD"}
        kind = ray.remote(ClusterWorker).options(**options)
        while True:
            actor = kind.remote(self._tournament)
            try:
                ready: Ready = await actor.ready.remote()
            except RayError as error:
                await asyncio.sleep(1)
                self._warn(f"a worker could not start ({_words(error)}); trying again")
                continue
            if why := self._refusal(ready):
                ray.kill(actor)
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

    async def close(self) -> None:
        """Ends all workers and leaves the cluster."""
        import ray

        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.to_thread(ray.shutdown)


def _words(error: Exception) -> str:
    """The last line of an error of Ray, which names the cause after addresses and tracebacks."""
    return one_line(str(error).strip().rpartition("\n")[2])[:200] or "no answer"


def _connect(address: str) -> int:
    """Joins the cluster. Returns its number of cores. BadInput if that is not possible."""
    # Ray reports usage to its makers unless told not to.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        fix = "install it: pip install 'parlour[ray]'"
        raise BadInput("--ray", "Ray is not installed", fix) from None
    if address.startswith("ray://"):
        fix = "run on the cluster's head and write --ray auto, or give its HOST:PORT"
        raise BadInput(f"--ray {address}", "Ray Client is not supported", fix)
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    join = partial(ray.init, **quiet)
    try:
        if address == LOCAL:
            join(include_dashboard=False)
        else:
            join(address=address)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        problem = f"the cluster cannot be joined ({one_line(str(error))[:200]})"
        fix = f"name a cluster that runs (see `ray status`), or --ray {LOCAL}"
        raise BadInput(f"--ray {address}", problem, fix) from None
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
