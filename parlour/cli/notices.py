"""Notices of a run in this process: hooks, the file of metrics, and a note at its end."""

import asyncio
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from parlour.cli.output import safe_print
from parlour.games.common.errors import ParlourError
from parlour.games.common.text import notification
from parlour.tournament.control.hooks import Hooks, Notice, call_hook
from parlour.tournament.control.metrics import metrics_text, write_metrics
from parlour.tournament.control.server import status_of
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.queries import decided
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import Progress

if TYPE_CHECKING:
    from parlour.tournament.session import SessionResult

LOOK_SECONDS, METRICS_SECONDS = 1.0, 5.0
"""Seconds between two looks at a run, and between two writings of its metrics."""
LEFT_SECONDS = 60.0
"""Seconds after which a run without screens counts as left."""


class Notices:
    """The notices of one run. Nothing that goes wrong with them reaches it; each is named once."""

    def __init__(
        self, path: Path, hooks: Hooks, metrics: Path | None, say: Callable[..., None] = safe_print
    ) -> None:
        self._path, self._hooks, self._metrics, self._say = path, hooks, metrics, say
        self._calling = ThreadPoolExecutor(1, "parlour.hooks")
        self._begun, self._written = time.monotonic(), 0.0
        self._writing, self._over = Lock(), False
        self._seen: set[tuple[str, str]] = set()
        self._named: set[str] = set()
        self._waiting: set[str] = set()
        self._decided = ""
        self._now: RunnerStatus | None = None

    async def follow(self, runner: Runner, before: Progress) -> None:
        """Looks at the run each second, until it is cancelled."""
        is_adaptive = runner.tournament.schedule == "adaptive"
        while True:
            self._now = now = status_of(runner, before)
            self._look(now)
            if is_adaptive and self._hooks.on_decided:
                await asyncio.to_thread(self._look_at_decisions)
            if time.monotonic() >= self._written + METRICS_SECONDS:
                await asyncio.to_thread(self._write, now, now.state)
            await asyncio.sleep(LOOK_SECONDS)

    def _look(self, now: RunnerStatus) -> None:
        """Calls the hooks on what is new. What goes and comes again is told of once."""
        lines = [*now.failed, *(alarm.sentence for alarm in now.alarms)]
        events = [("on_trouble", line) for line in lines]
        for wait in now.waits:
            if wait.kind != "person":
                event = "on_budget" if wait.kind == "budget" else "on_trouble"
                events.append((event, f"waits for {wait.who}: {wait.why}"))
        for event, reason in events:
            key = (event, reason.partition(":")[0])  # the rest may count and quote
            if key not in self._seen:
                self._seen.add(key)
                self._call(event, reason)

    def _look_at_decisions(self) -> None:
        with suppress(ParlourError), Save(self._path) as save:
            self._take_decision((decided(save) or "").partition(";")[0])

    def _take_decision(self, line: str) -> None:
        if line != self._decided:
            self._decided = line
            if not line.startswith("0 "):
                self._call("on_decided", line)

    def _call(self, event: str, reason: str, *, done: bool = False) -> None:
        """Calls a hook in a thread of its own, unless it is still busy with an earlier event."""
        command = self._hooks.command(event)
        if command is None or (event in self._waiting and event != "on_finish"):
            return
        self._waiting.add(event)
        now = self._now or RunnerStatus(state="stopping")
        notice = Notice(
            *(event, str(self._path.absolute()), reason, done, now.matches, now.finished),
            *(now.frozen, now.answers, now.faults, now.failed, now.dollars, now.budget),
        )
        self._calling.submit(self._called, event, command, notice)

    def _called(self, event: str, command: list[str], notice: Notice) -> None:
        called = call_hook(command, self._hooks.seconds, notice)
        self._waiting.discard(event)
        if called.problem:
            self._name(f"hook {event}", called.problem)

    def _name(self, what: str, problem: str) -> None:
        if what not in self._named:
            self._named.add(what)
            line = f"{self._path}: {what}: {problem}; the run goes on"
            self._say(line, file=sys.stderr, flush=True)

    def _write(self, now: RunnerStatus, state: str) -> None:
        """Writes the metrics. The last time may come while an earlier one is under way."""
        with self._writing:
            if self._metrics is None or self._over:
                return
            self._over = state == "ended"
            self._written = time.monotonic()
            text = metrics_text(self._path.name, now, state, time.time())
            try:
                write_metrics(self._metrics, text)
            except OSError as error:
                self._name(f"metrics {self._metrics}", str(error.strerror))

    async def ended(self, reason: str, result: "SessionResult | None") -> None:
        """Tells of the end, and waits until the hooks are done."""
        now = self._now or RunnerStatus(state="stopping")
        if result is not None:
            self._now = now = now.model_copy(update=asdict(result.progress))
            for cap in result.stats.exceeded_budgets:
                self._call("on_budget", str(cap))
        await asyncio.to_thread(self._write, now, "ended")
        self._call("on_finish", reason, done=result is not None and result.progress.done)
        await asyncio.to_thread(partial(self._calling.shutdown, wait=True))
        if time.monotonic() - self._begun >= LEFT_SECONDS and sys.stderr.isatty():
            print(notification(f"{self._path.stem}: {reason}"), end="", file=sys.stderr, flush=True)
