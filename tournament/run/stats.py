"""What a run has done so far, for whoever shows progress."""

import time
from collections import deque
from dataclasses import dataclass, field

from parlour.tournament.calls.budget import BudgetExceeded
from parlour.tournament.save.rows import Spent, StoredCall


@dataclass(slots=True)
class RunStatistics:
    """What this run has done so far, for whoever shows progress."""

    begun: float = field(default_factory=time.monotonic)
    answers: int = 0
    faults: int = 0
    finished: int = 0
    frozen: list[str] = field(default_factory=list)
    failed: dict[int, str] = field(default_factory=dict)
    """Why an agent's own error has stopped a match, by its number; it stays unfinished."""
    given_up: list[str] = field(default_factory=list)
    """Why the run ended by itself: providers that no waiting fixes, a line for each agent."""
    at_cap: list[BudgetExceeded] = field(default_factory=list)
    """Why the run ended by itself: budgets that are used up."""
    _seconds: deque[list[int]] = field(default_factory=lambda: deque(maxlen=6))

    calls: int = 0
    failed_calls: int = 0
    cached: int = 0
    """Answers that came from the cache; no call was sent for them."""
    dollars: float = 0.0
    seconds_left: float | None = None
    """How long it is expected to take yet, None while that cannot be told."""
    dollars_per_hour: float | None = None
    """What models take in an hour, as it goes lately; None while that cannot be told."""
    dollars_at_end: float | None = None
    """What all of it is expected to cost; None likewise, and where nothing costs anything."""

    def spent(self, before: Spent) -> None:
        """Adds what earlier runs spent: calls and dollars are counted over the whole save."""
        self.calls += before.calls
        self.cached += before.cached
        self.failed_calls += before.failed_calls
        self.dollars += before.dollars

    def called(self, call: StoredCall) -> None:
        """Counts one durable call of a model, or answer from the cache."""
        if call.copy_of is not None:
            self.cached += 1
            return
        self.calls += 1
        self.failed_calls += call.failure is not None
        self.dollars += call.price or 0.0

    def answered(self, faulty: bool) -> None:
        """Counts one durable answer."""
        self.answers += 1
        self.faults += faulty
        now = int(time.monotonic())
        if not self._seconds or self._seconds[-1][0] != now:
            self._seconds.append([now, 0])
        self._seconds[-1][1] += 1

    def per_second(self) -> float:
        """Answers a second over the last five whole seconds, or since the start if shorter."""
        now = time.monotonic()
        elapsed = now - self.begun
        if elapsed < 5:
            return self.answers / max(elapsed, 0.001)
        return sum(n for second, n in self._seconds if int(now) - 5 <= second < int(now)) / 5
