"""Waits of a run: for providers, people, budgets and the disk, each with its end if known."""

import time
from collections import defaultdict
from datetime import UTC, datetime, timedelta
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
    waits = []
    if runner.stats.disk_trouble:
        waits.append(Wait(kind="disk", who="the save", why=runner.stats.disk_trouble))
    for hold in runner.limits.holds():
        wait = Wait(kind="provider", who=hold.endpoint, why=hold.why, until=_until(hold.seconds))
        waits.append(wait)
    return [*waits, *_parked(runner), *_people(runner)][:MOST_WAITS]


def _parked(runner: Runner) -> list[Wait]:
    """The parked matches, counted by agent and reason."""
    parking, now = runner.parking, time.monotonic()
    alike: dict[tuple[str, str], list[Parked]] = defaultdict(list)
    for parked in parking.parked.values():
        alike[parked.why.agent, parked.reason].append(parked)
    waits = []
    for (agent, reason), matches in alike.items():
        first = matches[0]
        due = inf if first.permanent else min(map(parking.due, matches)) - now
        waits.append(
            Wait(
                kind="budget" if isinstance(first.why, BudgetExceeded) else "provider",
                who=agent,
                why=reason,
                matches=len(matches),
                until=_until(due),
            )
        )
    return waits


def _people(runner: Runner) -> list[Wait]:
    """The people who are asked, until the first of their clocks runs out."""
    waits = []
    for agent in runner.people.configs:
        asks = runner.people.open_asks(agent)
        if not asks:
            continue
        # The clock of a question runs while its person is seated.
        seated = runner.people.is_seated(agent)
        left = min((ask.left for ask in asks if ask.left is not None), default=inf)
        waits.append(
            Wait(
                kind="person",
                who=agent,
                why="to answer" if seated else "to take the seat",
                matches=len({ask.match for ask in asks}),
                until=_until(left if seated else inf),
            )
        )
    return waits


def _until(seconds: float) -> str | None:
    """The time in so many seconds; None if that is unknown."""
    return None if seconds == inf else iso(datetime.now(UTC) + timedelta(seconds=seconds))
