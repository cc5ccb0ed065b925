"""The worker processes of a run: what the pool asks of one, and where they come from."""

import asyncio
import os
import time
from collections import deque
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

from parlour.agents.base import Agent
from parlour.agents.registry import AgentConfig
from parlour.tournament.plan.model import Tournament
from parlour.tournament.run.state import WorkerState
from parlour.tournament.run.worker import Lot

RATE_SECONDS = 5.0
"""Seconds over which the answers a second of a worker are counted."""


class WorkerEnded(Exception):
    """A worker process has ended by itself, or could not be started."""


@dataclass(slots=True)
class Activity:
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
    activity: Activity

    def play(self, lot: Lot) -> None:
        """Has a lot played after those before it."""
        ...

    def recall(self, number: int) -> None:
        """Has no lot up to this number played on."""
        ...

    async def received(self) -> Any:
        """The next message: the number of a lot, and progress of its matches.

        Raises WorkerEnded.
        """
        ...

    async def close(self) -> None:
        """Ends the worker's part in the run."""
        ...


class Workers(Protocol):
    """The workers of a run, on this machine or on others.

    After ``most_ended`` workers have ended by themselves, the runner plays on alone.
    """

    count: int
    most_ended: float

    def make_agent(self, config: AgentConfig, players: Mapping[str, object] | None) -> Agent:
        """The agent of a block, as ``registry.make_agent`` makes it."""
        ...

    async def started(self, tournament: str, agents: list[str]) -> LotWorker:
        """Starts a worker for these agents of a tournament (in JSON). Raises WorkerEnded."""
        ...

    def states(self) -> list[WorkerState]:
        """The workers of now."""
        ...

    async def begin(self, tournament: Tournament) -> None:
        """Prepares for a tournament, or for one that has grown. BadInput if that fails."""
        ...

    async def refuse_unready(self, tournament: Tournament) -> None:
        """BadInput if a worker could not take part in a tournament."""
        ...

    async def lost(self) -> NoReturn:
        """Waits until no worker can be had any more. Raises BadInput then."""
        ...

    async def close(self) -> None:
        """Ends all workers."""
        ...


async def unless_lost(workers: Workers, running: Coroutine[None, None, None]) -> None:
    """Runs to the end. BadInput as soon as the workers are lost, and all that is with them."""
    try:
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(workers.lost())
            await running  # not in a task of its own, so that it begins at once
            watching.cancel()
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
