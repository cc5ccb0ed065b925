"""A run in this process: its progress in plain lines, its signals, its limit of open files."""

import asyncio
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

from parlour.agents.model_calls import FailureKind, ProviderFailure
from parlour.cli.notices import Notices
from parlour.cli.output import program, safe_print
from parlour.games.engine.transcript import counted
from parlour.tournament.calls.budget import dollars
from parlour.tournament.calls.errors import Unanswered
from parlour.tournament.control.hooks import read_hooks
from parlour.tournament.control.server import status_of
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.new_file import fix_of
from parlour.tournament.save.rows import Progress, RunOptions, StoredCall

if TYPE_CHECKING:
    from parlour.tournament.session import SessionResult
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

MOST_FILES = 10_240
"""Open files that a run asks for: each call in flight is one, and some systems begin with 256."""


def allow_many_files() -> None:
    """Raises the limit of open files and connections to what a run may need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):  # it runs with fewer
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@contextmanager
def stopped_by_signals(runner: Runner) -> Iterator[None]:
    """Stops the runner at SIGINT, SIGTERM and SIGHUP: what is in flight is stored.

    The second signal ends the process at once.
    """
    loop = asyncio.get_running_loop()

    def stop(number: int, _frame: object) -> None:
        # Not a handler of the loop: it has no turn while an agent keeps the process busy.
        quick = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, quick)
        runner.stats.stopped_by = f"signal {signal.Signals(number).name}"
        loop.call_soon_threadsafe(runner.stop)

    handled = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as under nohup
        handled.append(signal.SIGHUP)
    before = {which: signal.signal(which, stop) for which in handled}
    try:
        yield
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)


TICK_SECONDS = 1.0
WAITING_SECONDS = 60.0
"""Seconds between lines while nothing changes."""
CLOCKED = re.compile(r"[\d,]+/s|(?:waiting|paused for) \d+ s|\(about [^)]* in all\)")
"""Parts of a line that change by themselves."""


async def session(path: Path, run_options: RunOptions) -> "SessionResult":
    """Plays a save here; prints its progress and stops cleanly on a signal."""
    from parlour.tournament.session import SessionHooks, run_session

    printer = _ProgressPrinter(path)
    metrics = None if run_options.metrics is None else Path(run_options.metrics)
    notices = Notices(path, read_hooks(), metrics)
    ticking: list[asyncio.Task[None]] = []

    def started(runner: Runner, progress: Progress) -> None:
        while ticking:  # there is another runner once the tournament has grown
            ticking.pop().cancel()
        tasks = printer.follow(runner, progress), notices.follow(runner, progress)
        ticking.extend(map(asyncio.create_task, tasks))

    allow_many_files()
    because, ended = "error", None
    try:
        hooks = SessionHooks(started, printer.trouble, printer.warn, stopped_by_signals)
        ended = await run_session(path, run_options, hooks)
        because = ended.stopped_because
        return ended
    finally:
        for task in ticking:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await notices.ended(because, ended)


def people_waited_for(path: Path, now: RunnerStatus) -> str:
    """One line on the seats that wait for a person and how to take one; empty if none does."""
    people = now.people
    asked = [name for name, person in people.items() if person.asks]
    count = sum(len(people[name].asks) for name in asked)
    if not asked:
        return ""
    waits = "waits for a person" if count == 1 else "wait for people"
    return (
        f"{counted(count, 'seat')} {waits} ({', '.join(asked)}):"
        f" {program()} attach {quote(str(path))}, then press s"
    )


def held_up(now: RunnerStatus) -> str:
    """Limits that calls wait for, and parked matches with a reason; mostly empty."""
    words = list(now.limits)
    if reasons := list(now.parked.values()):
        count = "5+" if len(reasons) == 5 else len(reasons)  # the status names at most five
        words.append(f"{count} parked: {reasons[0]}")
    return "".join(f"; {each}" for each in words)


def _how_to_give_up(call: StoredCall) -> str:
    """One line on a model that has never answered, which a run waits for without an end."""
    failure = ProviderFailure(cast(FailureKind, call.failure), call.message or "")
    why = Unanswered(call.agent, failure)
    return (
        f"{call.agent}: {why} (the run tries again until it answers; Ctrl-C ends it, and"
        " --give-up-after 10m would by itself)"
    )


def _money(now: RunnerStatus) -> str:
    """Dollars spent, the budget, and the estimate for the whole run; empty if nothing is spent."""
    if not now.dollars:
        return ""
    of = "" if now.budget is None else f" of {dollars(now.budget)}"
    at_end = now.dollars_at_end
    in_all = "" if at_end is None else f" (about {dollars(at_end)} in all)"
    if at_end is not None and now.dollars_at_most is not None:
        most = dollars(now.dollars_at_most)
        in_all = f" (about {dollars(at_end)} by the next decision, at most {most})"
    return f", {dollars(now.dollars)}{of}{in_all}"


class _ProgressPrinter:
    """Prints the progress of a headless run in plain lines.

    It prints in a thread of its own: a reader that stops reading (a pager, a terminal after
    Ctrl-S) holds up the lines, but not the run.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._printing = ThreadPoolExecutor(1, "parlour.progress")

    def _print(self, line: str, **how: Any) -> asyncio.Future[None]:
        """Prints a line after those before it; done once it is printed."""
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self._printing, partial(safe_print, line, flush=True, **how))

    async def follow(self, runner: Runner, before: Progress) -> None:
        """Prints the runner's statistics until it is cancelled.

        Each second while they change; each minute while nothing does, however long that is.
        """
        agents = ", ".join(runner.agents)
        pace = runner.gate.pace
        at_most = "" if pace is None else f", at most {pace:g} questions per second"
        matches = counted(before.matches, "match")
        await self._print(f"{self._path}: {matches} of {agents}{at_most}")
        last_waiting, last_line, printed = "", "", 0.0
        is_warned = runner.run_options.give_up_after is not None
        while True:
            now = status_of(runner, before)
            if (waiting := people_waited_for(self._path, now)) != last_waiting:
                last_waiting = waiting
                await self._print(waiting or "no seat is waiting for a person")
            if (silent := runner.stats.unanswered) is not None and not is_warned:
                is_warned = True
                self.warn(_how_to_give_up(silent))
            line = self._line(now)
            # A run may wait for days for a person or a provider.
            comparable = CLOCKED.sub("", line)
            if comparable != last_line or time.monotonic() >= printed + WAITING_SECONDS:
                await self._print(line)
                last_line, printed = comparable, time.monotonic()
            await asyncio.sleep(TICK_SECONDS)

    def _line(self, now: RunnerStatus) -> str:
        faults = f", {now.faults} faults" if now.faults else ""
        state = "" if now.state == "running" else f", {now.state}"
        if now.in_flight and state:
            state += f" ({now.in_flight} in flight)"
        return (
            f"{now.finished}/{now.matches} matches, {now.answers} answers{faults},"
            f" {now.per_second:,.0f}/s{_money(now)}{state}{held_up(now)}"
        )

    def warn(self, line: str) -> None:
        """Reports at once that the run goes on in another way."""
        self._print(f"{self._path}: {line}", file=sys.stderr)

    def trouble(self, reason: str | None) -> None:
        """Reports at once that the save cannot be written, and when it can be written again."""
        if reason is None:
            line = f"{self._path}: can be written again"
        else:
            line = f"{self._path}: {reason}; nothing is lost, retrying: {fix_of(reason)}"
        self._print(line, file=sys.stderr)
