"""Waits of a run: for providers, people, budgets and the disk, each with its end if known."""

import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from math import inf

from parlour.tournament.calls.errors import BudgetExceeded
from parlour.tournament.control.status import Wait
from parlour.tournament.run.parking import Parked
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.lock import iso

MOST_WAITS = 50
"""The most entries, so that a status stays short."""


def waits_of(runner: Runner) -> list[Wait]:
    """Everything that a run waits for now: the disk, endpoints, parked matches, people."""
    return list(islice(_waits(runner), MOST_WAITS))


def _waits(runner: Runner) -> Iterator[Wait]:
    if runner.stats.disk_trouble:
        yield Wait(kind="disk", who="the save", why=runner.stats.disk_trouble)
    for hold in runner.limits.holds():
        until = _until(hold.seconds)
        yield Wait(kind="provider", who=hold.endpoint, why=hold.why, until=until)
    yield from _parked(runner)
    yield from _people(runner)


def _parked(runner: Runner) -> Iterator[Wait]:
    """Yields the parked matches, counted by agent and reason."""
    parking, now = runner.parking, time.monotonic()
    alike: dict[tuple[str, str], list[Parked]] = defaultdict(list)
    for parked in parking.parked.values():
        alike[parked.why.agent, parked.reason].append(parked)
    for (agent, reason), matches in alike.items():
        first = matches[0]
        due = inf if first.permanent else min(map(parking.due, matches)) - now
        yield Wait(
            kind="budget" if isinstance(first.why, BudgetExceeded) else "provider",
            who=agent,
            why=reason,
            matches=len(matches),
            until=_until(due),
        )


def _people(runner: Runner) -> Iterator[Wait]:
    """Yields the people who are asked, until the first of their clocks runs out."""
    for agent in runner.people.configs:
        if not (asks := runner.people.open_asks(agent)):
            continue
        # The clock of a question runs while its person is seated.
        seated = runner.people.is_seated(agent)
        left = min((ask.left for ask in asks if ask.left is not None), default=inf)
        yield Wait(
            kind="person",
            who=agent,
            why="to answer" if seated else "to take the seat",
            matches=len({ask.match for ask in asks}),
            until=_until(left if seated else inf),
        )


def _until(seconds: float) -> str | None:
    """The time in so many seconds; None if that is unknown."""
    return None if seconds == inf else iso(datetime.now(UTC) + timedelta(seconds=seconds))
