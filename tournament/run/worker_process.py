"""The worker processes of this machine as the runner sees them."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NoReturn

from parlour.agents.base import Agent
from parlour.agents.llm.keys import keyless_environment
from parlour.agents.registry import AgentConfig, make_agent
from parlour.tournament.plan.model import Tournament
from parlour.tournament.run.state import WorkerState
from parlour.tournament.run.worker import END_SECONDS, HEADER, Lot, packed, unpacked
from parlour.tournament.run.workers import Activity, WorkerEnded, cores

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
        self.activity = Activity()

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


class LocalWorkers:
    """Worker processes of this machine; ``count`` of them, by default one for each core."""

    most_ended: float = 2

    def __init__(self, count: int | None = None) -> None:
        self.count = count or cores()
        self._started: list[WorkerProcess] = []

    def make_agent(self, config: AgentConfig, players: Mapping[str, object] | None) -> Agent:
        """The agent of a block; its calls are sent from here."""
        return make_agent(config, players)

    async def started(self, tournament: str, agents: list[str]) -> WorkerProcess:
        """Starts a process. Raises WorkerEnded."""
        process = await WorkerProcess.started(tournament, agents)
        self._started = [*filter(lambda each: each.is_open, self._started), process]
        return process

    def states(self) -> list[WorkerState]:
        """The processes of now."""
        host = socket.gethostname()
        return [each.activity.state(host, each.pid) for each in self._started if each.is_open]

    async def begin(self, tournament: Tournament) -> None:
        """Does nothing: each process gets its tournament when it starts."""

    async def refuse_unready(self, tournament: Tournament) -> None:
        """Does nothing: whoever adds agents on this machine looks at its keys."""

    async def lost(self) -> NoReturn:
        """Waits for ever: without its processes the runner plays on alone."""
        await asyncio.Event().wait()
        raise AssertionError

    async def close(self) -> None:
        """Does nothing: the pool closes each process."""
