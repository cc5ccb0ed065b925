"""The workers of a run as the runner sees them: processes of this machine, unless it has others."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

from parlour.agents.base import Agent
from parlour.agents.llm.keys import keyless_environment
from parlour.agents.registry import AgentConfig, make_agent
from parlour.tournament.plan.model import Tournament
from parlour.tournament.run.state import WorkerState
from parlour.tournament.run.worker import END_SECONDS, HEADER, Lot, packed, unpacked

RATE_SECONDS = 5.0
"""Seconds over which the answers a second of a worker are counted."""


class WorkerEnded(Exception):
    """A worker process has ended by itself, or could not be started."""


@dataclass(slots=True)
class WorkerActivity:
    """The messages of a worker: matches and answers that it has played, and when it was heard."""

    matches: int = 0
    heard: float = field(default_factory=time.monotonic)
    _answers: deque[tuple[float, int]] = field(default_factory=deque)

    def hear(self, matches: int = 0, answers: int = 0) -> None:
        """Counts a message with so many matches that are over, and new answers."""
        self.heard = time.monotonic()
        self.matches += matches
        self._answers.append((self.heard, answers))

    def state(self, host: str, pid: int, in_flight: int = 0) -> WorkerState:
        """The state of the worker now."""
        now = time.monotonic()
        while self._answers and self._answers[0][0] < now - RATE_SECONDS:
            self._answers.popleft()
        per_second = sum(answers for _, answers in self._answers) / RATE_SECONDS
        return WorkerState(host, pid, self.matches, per_second, in_flight, now - self.heard)


class LotWorker(Protocol):
    """A worker that plays lots of matches; ``agents`` are those that it can play."""

    agents: frozenset[str]
    activity: WorkerActivity

    def play(self, lot: Lot) -> None:
        """Has a lot played after those before it."""

    def recall(self, number: int) -> None:
        """Has no lot up to this number played on."""

    async def received(self) -> Any:
        """The next message: the number of a lot, and progress of its matches.

        Raises WorkerEnded.
        """

    async def close(self) -> None:
        """Ends the worker's part in the run."""


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


MOST_BYTES = 2**20
"""Bytes that are read ahead of a worker process before it has to wait."""


class WorkerProcess:
    """A connection to a process that plays matches."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._process, self._reader, self._writer = process, reader, writer
        self.agents: frozenset[str] = frozenset()
        """The names of the agents that it can play, once it is ready."""
        self.activity = WorkerActivity()

    @classmethod
    async def started(cls, tournament: str, agents: list[str]) -> "WorkerProcess":
        """Starts a process for these agents of a tournament (in JSON). Raises WorkerEnded."""
        here, there = socket.socketpair()
        # Not multiprocessing, whose processes import the user's script again. The path is ours, so
        # that a user's function finds the modules that it finds here.
        code = (
            f"import sys; sys.path[:] = {list(map(str, sys.path))!r};"
            f" from parlour.tournament.run.worker import main; main({there.fileno()})"
        )
        with there:
            reader, writer = await asyncio.open_connection(sock=here, limit=MOST_BYTES)
            try:
                process = subprocess.Popen(
                    [sys.executable, "-c", code],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[there.fileno()],
                    process_group=0,  # Ctrl-C is for the runner
                    env=keyless_environment(),
                )
            except (OSError, ValueError) as error:
                writer.close()
                raise WorkerEnded(str(error)) from None
        worker = cls(process, reader, writer)
        try:
            worker._send((tournament, agents))
            worker.agents = frozenset(await worker.received())
        except BaseException:
            process.kill()
            await worker.close()
            raise
        return worker

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def play(self, lot: Lot) -> None:
        """Has a lot played after those before it."""
        self._send(tuple(lot))

    def recall(self, number: int) -> None:
        """Has no lot up to this number played on."""
        self._send(number)

    def _send(self, message: Any) -> None:
        self._writer.write(packed(message))

    async def received(self) -> Any:
        """The next message from the process. Raises WorkerEnded."""
        try:
            header = await self._reader.readexactly(HEADER.size)
            return unpacked(await self._reader.readexactly(HEADER.unpack(header)[0]))
        except (asyncio.IncompleteReadError, OSError):
            await self.close()
            raise WorkerEnded(f"exit code {self._process.returncode}") from None

    @property
    def is_open(self) -> bool:
        """True until it is closed."""
        return not self._writer.is_closing()

    async def close(self) -> None:
        """Ends the process."""
        self._writer.transport.abort()
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(2 * END_SECONDS)
        self._process.kill()
        self._process.wait()


class Workers:
    """The workers of a run: processes of this machine, by default one for each core.

    ``RayCluster`` has workers on other machines. After ``most_ended`` of them have ended by
    themselves, the runner plays on alone.
    """

    most_ended: float = 2

    def __init__(self, count: int | None = None) -> None:
        self.count = count or cores()
        self._started: list[WorkerProcess] = []

    def make_agent(self, config: AgentConfig, players: Mapping[str, object] | None) -> Agent:
        """The agent of a block, as ``registry.make_agent`` makes it."""
        return make_agent(config, players)

    async def started(self, tournament: str, agents: list[str]) -> LotWorker:
        """Starts a worker for these agents of a tournament (in JSON). Raises WorkerEnded."""
        process = await WorkerProcess.started(tournament, agents)
        self._started = [*filter(lambda each: each.is_open, self._started), process]
        return process

    def states(self) -> list[WorkerState]:
        """The workers of now."""
        host = socket.gethostname()
        return [each.activity.state(host, each.pid) for each in self._started if each.is_open]

    async def begin(self, tournament: Tournament) -> None:
        """Prepares for a tournament, or for one that has grown. BadInput if that fails."""

    async def refuse_unready(self, tournament: Tournament) -> None:
        """BadInput if a worker could not take part in a tournament."""

    async def lost(self) -> NoReturn:
        """Waits until no worker can be had any more. Raises BadInput then."""
        await asyncio.Event().wait()  # without its processes the runner plays on alone
        raise AssertionError

    async def close(self) -> None:
        """Ends all workers; the pool has closed each process."""


async def unless_lost(workers: Workers, running: Coroutine[None, None, None]) -> None:
    """Runs to the end. BadInput as soon as the workers are lost, and all that is with them."""
    try:
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(workers.lost())
            await running  # not in a task of its own, so that it begins at once
            watching.cancel()
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
