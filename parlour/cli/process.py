"""The process of a run: signals that stop it cleanly, and its limit of open files."""

import asyncio
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from parlour.tournament.run.runner import Runner

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
