"""Intervals between two drawings of the parts of a screen, stretched over a slow line."""

from collections.abc import Mapping

MOST_BYTES, FEW_BYTES = 40_000, 15_000
"""Bytes in a second above which all intervals double, and below which they halve again."""
LONGEST = 8
"""The most that intervals are stretched."""


class ByteBudget:
    """Bytes that go to the terminal, second by second; ``factor`` stretches all intervals."""

    def __init__(self) -> None:
        self.factor = 1
        self.written = 0
        self._second: int | None = None
        self._in_second = 0

    def add(self, now: float, count: int) -> None:
        """Takes bytes that were just written; 0 where time has passed without any."""
        second = int(now)
        if self._second is None:
            self._second = second
        if second != self._second:
            self._judge(self._in_second)
            if second - self._second > 1:  # a second without a byte lies between
                self._judge(0)
            self._second, self._in_second = second, 0
        self._in_second += count
        self.written += count

    def _judge(self, count: int) -> None:
        if count > MOST_BYTES:
            self.factor = min(LONGEST, 2 * self.factor)
        elif count < FEW_BYTES:
            self.factor = max(1, self.factor // 2)


class Cadence:
    """When each part of a screen is due; ``seconds`` are the intervals of a quick terminal."""

    def __init__(self, seconds: Mapping[str, float], budget: ByteBudget) -> None:
        self._seconds, self._budget = dict(seconds), budget
        self._last: dict[str, float] = {}

    def due(self, part: str, now: float) -> bool:
        """True if a part may be drawn now, which then counts as drawn."""
        # A tenth early: clocks that tick in step with the interval must not miss every second one.
        interval = 0.9 * self._seconds[part] * self._budget.factor
        if now - self._last.get(part, float("-inf")) < interval:
            return False
        self._last[part] = now
        return True

    def reset(self) -> None:
        """Makes every part due."""
        self._last.clear()
