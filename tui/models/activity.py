"""Asks of the last half minute, for the sparkline in the header."""

from collections import Counter

CELLS, SECONDS_A_CELL = 16, 2


class Activity:
    """Counts the answers that come, by moments of two seconds."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._asks = 0

    def add(self, now: float, asks: int) -> None:
        """Takes the number of answers since the screen was opened."""
        moment = int(now // SECONDS_A_CELL)
        self._counts[moment] += asks - self._asks
        self._asks = asks
        for old in [other for other in self._counts if other <= moment - CELLS]:
            del self._counts[old]

    def values(self, now: float) -> list[float]:
        """Asks a second over the last 32 s, the oldest first."""
        last = int(now // SECONDS_A_CELL)
        moments = range(last - CELLS + 1, last + 1)
        return [self._counts[moment] / SECONDS_A_CELL for moment in moments]
