"""Runners to steer: in this process with slow agents, or in one of their own."""

import asyncio
import os
import re
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parlour.agents.base import Agent, Call, Reply
from parlour.games.common.errors import ParlourError
from parlour.games.engine.events import View
from parlour.games.engine.moves import Ask, Fault
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.lock import holder
from parlour.tournament.session import SessionResult
from tests.tournaments import COMMAND, ROOT, called, environment, scripted, session_of

QUICK = """
name = "quick"
seed = 3

[[games]]
name = "undercover"
limit = 2
clue_rounds = 1
probes = "off"
""" + scripted(Ada="bayesian", Rob="random")
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
        """Answer of the agent inside, later."""
        self.session.line(f"begin {ask.kind} {view.seat}")
        await asyncio.sleep(self.seconds)
        await self.session.let_end.wait()
        self.session.line(f"end {ask.kind} {view.seat}")
        reply = await self.inner.act(ask, view, call)
        if self.session.notes and isinstance(reply, Reply):
            return Reply(reply.value, self.session.notes)
        return reply


class Quick(Slow):
    """The same for a quick agent, which holds up the whole process while it takes its time."""

    async def act(self, ask: Ask[Any], view: View, call: Call) -> Reply:
        """The decision as a reply."""
        return Reply(self.decide(ask, view, call))

    def decide(self, ask: Ask[Any], view: View, call: Call) -> object:
        """Decision of the agent inside, later."""
        self.session.line(f"begin {ask.kind} {view.seat}")
        time.sleep(self.seconds)
        self.session.line(f"end {ask.kind} {view.seat}")
        inner: Any = self.inner
        return inner.decide(ask, view, call)


@dataclass
class Session:
    """A session that runs in this process: its runner, and what its agents did."""

    save: Path
    runner: Runner = field(init=False)
    ended: "asyncio.Task[SessionResult]" = field(init=False)
    lines: list[str] = field(default_factory=list)
    on_act: Callable[[], None] = lambda: None
    """Called within an act, after each new line."""
    notes: dict[str, Any] = field(default_factory=dict)
    """Notes that the agents add to their answers."""
    let_end: asyncio.Event = field(default_factory=asyncio.Event)
    """While it is cleared no act comes to its end."""

    def __post_init__(self) -> None:
        self.let_end.set()

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
async def begun(
    save: Path,
    *,
    paused: bool = False,
    on_start: Callable[[Runner], None] = lambda _runner: None,
    **options: Any,
) -> AsyncIterator[tuple[Runner, "asyncio.Task[SessionResult]"]]:
    """A run in this process, from its start on; it is stopped at the end, if need be.

    ``paused``: nothing is played before the gate opens. ``on_start`` gets the runner before any
    match looks up its agents.
    """
    ready: asyncio.Future[Runner] = asyncio.get_running_loop().create_future()

    def started(runner: Runner, _progress: object) -> None:
        if paused:
            runner.gate.close()
        on_start(runner)
        ready.set_result(runner)

    ended = asyncio.create_task(session_of(save, on_start=started, **options))
    await asyncio.wait({ended, ready}, return_when=asyncio.FIRST_COMPLETED)
    if ended.done() and not ready.done():
        ended.result()  # it failed before it began
    runner = ready.result()
    try:
        yield runner, ended
    finally:
        runner.stop()
        await asyncio.wait({ended})


@asynccontextmanager
async def session(
    save: Path, *, seconds: float = 0.0, concurrency: int = 4, lane: str = "slow", **options: Any
) -> AsyncIterator[Session]:
    """Plays a save in this process, from a pause on; it is stopped at the end, if need be.

    ``seconds`` is how long each act takes. After the pause quick agents play in the ``lane``.
    """
    options = {"workers": 1, "concurrency": concurrency} | options
    here = Session(save)

    def slowed(runner: Runner) -> None:
        for name, agent in runner.agents.items():
            is_quick = lane == "fast" and hasattr(agent, "decide")
            runner.agents[name] = (Quick if is_quick else Slow)(agent, seconds, here)

    async with begun(save, paused=True, on_start=slowed, **options) as (here.runner, here.ended):
        yield here


TARDY = QUICK.replace('"bayesian"', '"tardy"').replace('"random"', '"tardy"')
"""The same tournament, played by the strategy below."""

_STRATEGY = '''
import os
import time

from parlour.agents.scripted.strategy import Strategy


class Tardy(Strategy):
    """Takes a moment for any legal answer, and writes a line for each act."""

    games = None

    def decide(self, ask, view, dice):
        with open(os.environ["TARDY_LOG"], "a", encoding="utf-8") as log:
            log.write(f"{ask.kind} {view.seat}\\n")
        time.sleep(float(os.environ["TARDY_SECONDS"]))
        return ask.sample(view.seat, dice)
'''


@dataclass(frozen=True)
class Plugin:
    """The strategy "tardy", installed beside Parlour as anybody's would be."""

    folder: Path

    @classmethod
    def installed(cls, folder: Path) -> "Plugin":
        """Puts the package into a folder: its module, and what names its entry point."""
        folder.mkdir()
        (folder / "tardy_players.py").write_text(_STRATEGY, encoding="utf-8")
        about = folder / "tardy_players-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Name: tardy-players\nVersion: 1.0\n", encoding="utf-8")
        (about / "entry_points.txt").write_text(
            "[parlour.agents]\ntardy = tardy_players:Tardy\n", encoding="utf-8"
        )
        return cls(folder)

    @property
    def acts(self) -> list[str]:
        """A line for each act that has begun."""
        log = self.folder / "acts.log"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def environment(self, seconds: float = 0.0) -> dict[str, str]:
        """The environment of a command that can play it, each act so many seconds long."""
        return environment(
            PYTHONPATH=f"{ROOT}{os.pathsep}{self.folder}",
            TARDY_LOG=str(self.folder / "acts.log"),
            TARDY_SECONDS=str(seconds),
        )


@contextmanager
def runner_process(save: Path, *words: object, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A headless run in a process of its own, once it can be spoken to; killed at the end."""
    process = subprocess.Popen(
        [*COMMAND, "run", "--save", str(save), "--plain", *map(str, words)],
        **{
            "env": environment(),
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "text": True,
            **options,
        },
    )
    try:
        until(lambda: process.poll() is not None or answers(save) is not None)
        yield process
    finally:
        process.kill()
        process.communicate()


def said(*words: object, cwd: Path, env: dict[str, str], code: int = 0) -> str:
    """Output of a command in the given environment."""
    done = called(*COMMAND, *words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, timeout=60)
    assert (done.returncode, done.stderr) == (code, ""), done
    return done.stdout


def answers(save: Path) -> RunnerStatus | None:
    """Status of the runner of a save, None where none answers."""
    try:
        return RunnerClient(save).status()
    except ParlourError:
        return None


def rested(save: Path) -> RunnerStatus:
    """The status of a runner, once nothing is in flight."""
    until(lambda: RunnerClient(save).status().state != "pausing")
    return RunnerClient(save).status()


def until(reached: Callable[[], bool], seconds: float = 30.0) -> None:
    """Waits for it; a failure if it does not come."""
    deadline = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def until_heard(process: "subprocess.Popen[Any]") -> None:
    """Waits until no signal waits for a process: two that wait would come as one. Linux only."""
    status = Path(f"/proc/{process.pid}/status")
    until(lambda: set(re.findall(r"Pnd:\t(\w+)", status.read_text())) == {"0" * 16})


@contextmanager
def ended_by_force(save: Path) -> Iterator[None]:
    """Kills whatever runs a save at the end, if anything does."""
    try:
        yield
    finally:
        process = holder(save)
        if process is not None:
            os.kill(process["pid"], signal.SIGKILL)
            until(lambda: holder(save) is None)
