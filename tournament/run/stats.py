"""Run statistics: counts of answers, calls and dollars, for progress displays."""

import time
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime

from parlour.agents.model_calls import PERMANENT
from parlour.tournament.calls.errors import BudgetExceeded
from parlour.tournament.save.provenance.alarms import ConductCounts
from parlour.tournament.save.rows import Spent, StoredAnswer, StoredCall, StoredMatch


@dataclass(slots=True)
class RunStatistics:
    """Counts of one run; calls and dollars are of the whole save."""

    begun: float = field(default_factory=time.monotonic)
    answers: int = 0
    faults: int = 0
    finished: int = 0
    frozen: list[str] = field(default_factory=list)
    failed: dict[int, str] = field(default_factory=dict)
    """The agents' own errors that stopped a match, by match number; it stays unfinished."""
    given_up: list[str] = field(default_factory=list)
    """A line for each agent whose permanent provider errors ended the run."""
    out_of_time: str = ""
    """Why the run gave up or came to its deadline, in words."""
    exceeded_budgets: list[BudgetExceeded] = field(default_factory=list)
    """The used-up budgets that ended the run."""
    _by_second: deque[list[int]] = field(default_factory=lambda: deque(maxlen=6))
    """[second, answers] of the last few seconds."""

    calls: int = 0
    failed_calls: int = 0
    cached: int = 0
    """Answers that came from the cache; no call was sent for them."""
    conduct: ConductCounts = field(default_factory=ConductCounts)
    """The counts behind the alarms, of the whole save."""
    stopped_by: str = ""
    """The signal or command that stopped the run, in words."""
    unanswered: StoredCall | None = None
    """The first failed call that waiting may help, if none of this run was answered before it."""
    _is_answered: bool = False
    disk_trouble: str = ""
    """The reason why the last commit failed; empty once commits succeed."""
    _state: tuple[str, datetime] = ("", datetime.min)
    """The last observed state, and when it was first observed."""
    dollars: float = 0.0
    seconds_left: float | None = None
    """Forecast of the remaining time, None while unknown: of the planned matches."""
    seconds_at_most: float | None = None
    """The same if an adaptive tournament plays the most matches; None for a fixed schedule."""
    dollars_per_hour: float | None = None
    """Recent spending, None while unknown."""
    dollars_at_end: float | None = None
    """Forecast of the total cost, None while unknown or if nothing costs anything."""
    dollars_at_most: float | None = None
    """The same if an adaptive tournament plays the most matches; None for a fixed schedule."""

    def since(self, state: str) -> datetime:
        """When the present state began: when it was first observed, in UTC."""
        if self._state[0] != state:
            self._state = (state, datetime.now(UTC))
        return self._state[1]

    def failures(self) -> list[str]:
        """The agents' own errors in order of match number."""
        return [self.failed[match] for match in sorted(self.failed)]

    def add_spent(self, before: Spent) -> None:
        """Adds the calls and dollars of earlier runs."""
        self.calls += before.calls
        self.cached += before.cached
        self.failed_calls += before.failed_calls
        self.dollars += before.dollars

    def call_stored(self, call: StoredCall) -> None:
        """Counts a durable call of a model, or answer from the cache."""
        if call.copy_of is not None:
            self.cached += 1
            return
        if call.failure is None:
            self.conduct.add_calls(call.agent, call.model, call.served)
            self._is_answered = True
        elif not self._is_answered and call.failure not in PERMANENT:
            self.unanswered = self.unanswered or call
        self.calls += 1
        self.failed_calls += call.failure is not None
        self.dollars += call.price or 0.0

    def answer_stored(self, match: StoredMatch, answer: StoredAnswer) -> None:
        """Counts a durable answer."""
        self.conduct.add_answer(match.game, match.agents[answer.seat], answer.fault)
        self.answers += 1
        self.faults += answer.fault is not None
        now = int(time.monotonic())
        if not self._by_second or self._by_second[-1][0] != now:
            self._by_second.append([now, 0])
        self._by_second[-1][1] += 1

    def per_second(self) -> float:
        """Answers per second over the last five whole seconds, or since the start if shorter."""
        now = time.monotonic()
        elapsed = now - self.begun
        if elapsed < 5:
            return self.answers / max(elapsed, 0.001)
        return sum(n for second, n in self._by_second if int(now) - 5 <= second < int(now)) / 5
