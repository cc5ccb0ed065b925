"""Sliding-window counter of requests or tokens per minute."""

from collections import deque
from dataclasses import dataclass

MINUTE_SECONDS = 60.0


@dataclass(slots=True)
class Usage:
    """An amount that was used at a time; it may be corrected once the real amount is known."""

    time: float
    amount: int


class SlidingWindow:
    """Counter that allows at most ``limit`` in any 60 seconds (None: any amount).

    A single amount above the limit is allowed when nothing else was used within the window.
    Times are seconds of any monotonic clock.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._usages: deque[Usage] = deque()
        self._sum = 0

    def use(self, amount: int, now: float) -> Usage:
        """Counts an amount."""
        usage = Usage(now, amount)
        if self._limit is not None:
            self._usages.append(usage)
            self._sum += amount
        return usage

    def correct(self, usage: Usage, amount: int) -> None:
        """Replaces the amount of an earlier usage."""
        if self._usages and usage.time >= self._usages[0].time:
            self._sum += amount - usage.amount
        usage.amount = amount

    def wait(self, amount: int, now: float) -> float:
        """Seconds until the amount may be used; 0 if it may be used now."""
        if self._limit is None:
            return 0.0
        while self._usages and self._usages[0].time <= now - MINUTE_SECONDS:
            self._sum -= self._usages.popleft().amount
        excess = self._sum + amount - self._limit
        wait = 0.0
        for usage in self._usages:
            if excess <= 0:
                break
            excess -= usage.amount
            wait = usage.time + MINUTE_SECONDS - now
        return wait
