"""Progress of a cost estimate, and its comparison with the budgets."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from parlour.tournament.calls.budget import dollars
from parlour.tournament.reports.cost_estimate import BudgetCheck

SILENT_SECONDS = 1.0
"""Seconds after which a terminal shows the progress of an estimate."""


@contextmanager
def estimating() -> Iterator[Callable[[int, int], None]]:
    """Context that shows the progress of an estimate on a terminal, after a delay."""
    shown, begun = False, time.monotonic()

    def show(done: int, total: int) -> None:
        nonlocal shown
        if sys.stderr.isatty() and time.monotonic() - begun > SILENT_SECONDS:
            shown = True
            sys.stderr.write(f"\rEstimating the cost: {100 * done // total} %")
            sys.stderr.flush()

    try:
        yield show
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def budget_line(check: BudgetCheck) -> str:
    """One line on a budget, and whether the estimate exceeds it."""
    whose = "all models" if check.agent is None else check.agent
    line = f"Budget of {whose}: {dollars(check.budget)}"
    if check.spent:
        line += f", of which {dollars(check.spent)} is spent"
    if check.expected is None:
        return f"{line}. It cannot be compared with the estimate: a price is missing (set prices)."
    verdict = "exceeds it" if check.exceeded else "is within it"
    rest = " for the rest" if check.spent else ""
    return f"{line}. The estimate of {dollars(check.expected)}{rest} {verdict}."
