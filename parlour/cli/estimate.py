"""Progress of a cost estimate on a terminal, and the estimate beside the budgets."""

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
    """Context that shows on a terminal how far the estimate is, once it has taken a while."""
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
    """A budget, and whether the estimate keeps within it."""
    whose = "all models" if check.agent is None else check.agent
    line = f"Budget of {whose}: {dollars(check.budget)}"
    if check.spent:
        line += f", of which {dollars(check.spent)} is spent"
    if check.expected is None:
        return f"{line}. Whether it is enough is not known: a price is missing (set prices)."
    verdict = "exceeds it" if check.exceeded else "is within it"
    rest = " for the rest" if check.spent else ""
    return f"{line}. The estimate of {dollars(check.expected)}{rest} {verdict}."
