"""The bar with the time left that long work shows on a terminal."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from parlour.games.common.progress import listening

SILENT_SECONDS = 1.0
"""Seconds of work after which its bar appears."""


@contextmanager
def signs_of_life(work: str) -> Iterator[None]:
    """Context of work that shows a bar on standard error, on a terminal, after a second.

    Nothing may be printed in it. At its end the bar is gone.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") in {"dumb", ""}:
        yield
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    left = (TextColumn("left:"), TimeRemainingColumn())
    bar = Progress(*columns, *left, console=Console(file=sys.stderr), transient=True)
    task, part = bar.add_task(work, total=None), ""

    def show(name: str, done: int, total: int) -> None:
        nonlocal part
        if done >= total:  # what comes next may not be counted
            part = ""
            bar.reset(task, description=work)
            bar.update(task, total=None)
            return
        if name != part:
            part = name
            bar.reset(task, description=name, total=total)
        bar.update(task, completed=done)

    timer = Timer(SILENT_SECONDS, bar.start)
    timer.start()
    try:
        with listening(show):
            yield
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
