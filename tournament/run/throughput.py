"""Throughput estimate: answers or dollars per second of running time."""

from collections import deque

WINDOW_SECONDS = 30.0
"""The running time that a recent estimate covers."""


class ThroughputEstimate:
    """Amount per second over the last 30 seconds of running time, or in all if that was 0.

    Updated about every second. Only time between two updates while running counts, so a pause and
    the steps taken in it change nothing.
    """

    def __init__(self) -> None:
        self._recent: deque[tuple[float, float]] = deque()
        self._last: tuple[float, float] | None = None
        self._seconds, self._amount = 0.0, 0.0

    def update(self, now: float, total: float, running: bool) -> float | None:
        """The estimate, given the total amount so far; None while paused or without any amount."""
        last, self._last = self._last, (now, total) if running else None
        if not running:
            return None
        if last is not None:
            self._add(now - last[0], total - last[1])
        seconds = sum(span for span, _ in self._recent)
        amount = sum(amount for _, amount in self._recent)
        if amount == 0:
            seconds, amount = self._seconds, self._amount
        return amount / seconds if amount and seconds else None

    def _add(self, seconds: float, amount: float) -> None:
        self._seconds += seconds
        self._amount += amount
        self._recent.append((seconds, amount))
        while sum(span for span, _ in self._recent) > WINDOW_SECONDS + seconds / 2:
            self._recent.popleft()
