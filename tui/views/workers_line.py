"""The line on the worker processes of a run."""

from collections.abc import Sequence
from math import ceil

from rich.text import Text

from parlour.games.engine.transcript import counted
from parlour.tournament.run.state import WorkerState
from parlour.tui.look.look import Look


def workers_line(look: Look, workers: Sequence[WorkerState]) -> Text:
    """The workers in sum: matches, answers a second, calls in flight, and their silence."""
    palette = look.palette
    hosts = len({worker.host for worker in workers})
    on = f" on {hosts} machines" if hosts > 1 else ""
    line = Text(f"{counted(len(workers), 'worker')}{on}", palette.soft, no_wrap=True)
    parts = [
        (f"{sum(worker.matches for worker in workers):,}", "matches"),
        (f"{sum(worker.per_second for worker in workers):,.0f}", "answers/s"),
        (f"{sum(worker.in_flight for worker in workers)}", "calls in flight"),
    ]
    for number, words in parts:
        line.append("  ·  ", palette.faint).append(number, f"bold {palette.text}")
        line.append(f" {words}", palette.soft)
    silence = ceil(max(worker.heard for worker in workers))
    return line.append(f"  ·  all heard of within {silence} s", palette.soft)
