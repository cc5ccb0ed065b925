"""Runners to steer: in this process with slow agents, or in one of their own."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.base import Agent, Call, Reply
from games.moves import Ask, Fault
from games.table import View
from tournament.runner import Runner
from tournament.session import Ended, run_session

QUICK = """
name = "quick"
seed = 3

[[games]]
name = "undercover"
limit = 2
clue_rounds = 1
probes = "off"

[[agents]]
name = "Ada"
strategy = "bayesian"

[[agents]]
name = "Rob"
strategy = "random"
"""
"""Two settings, one pair, two sides: 4 matches of 3 clues and 3 votes, 24 answers in all."""


@dataclass
class Slow:
    """An agent that takes its time, and keeps a line for each act that begins and that ends."""

    inner: Agent
    seconds: float
    session: "Session"

    @property
    def name(self) -> str:
        """The name of the agent inside."""
        return self.inner.name

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply | Fault:
        """What the agent inside answers, later."""
        self.session.line(f"begin {ask.kind} {view.seat}")
        await asyncio.sleep(self.seconds)
        self.session.line(f"end {ask.kind} {view.seat}")
        return await self.inner.act(ask, view, call)


@dataclass
class Session:
    """A session that runs in this process: its runner, and what its agents did."""

    save: Path
    runner: Runner
    ended: "asyncio.Task[Ended]"
    lines: list[str] = field(default_factory=list)
    on_act: Callable[[], None] = lambda: None
    """Called within an act, after each new line."""

    def line(self, text: str) -> None:
        """An act has begun or ended."""
        self.lines.append(text)
        self.on_act()

    async def reaches(self, *states: str) -> str:
        """Waits for one of these states, looking at every turn of the loop; says which."""
        async with asyncio.timeout(10):
            while self.runner.state not in states:
                await asyncio.sleep(0)
        return self.runner.state


@asynccontextmanager
async def session(
    save: Path, *, seconds: float = 0.0, concurrency: int = 4
) -> AsyncIterator[Session]:
    """Plays a save in this process, from a pause on; it is stopped at the end, if need be.

    ``seconds`` is how long each act takes.
    """
    ready: asyncio.Future[Runner] = asyncio.get_running_loop().create_future()

    def started(runner: Runner, _progress: object) -> None:
        runner.gate.close()
        ready.set_result(runner)

    ended = asyncio.create_task(run_session(save, concurrency=concurrency, on_start=started))
    await asyncio.wait({ended, ready}, return_when=asyncio.FIRST_COMPLETED)
    if ended.done():
        ended.result()
    here = Session(save, ready.result(), ended)
    for name, agent in here.runner.agents.items():
        here.runner.agents[name] = Slow(agent, seconds, here)
    try:
        yield here
    finally:
        here.runner.stop()
        await ended
