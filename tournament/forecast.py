"""The expected time left: the asks left over how many of them went by in a second lately."""

from collections import deque

WINDOW_SECONDS = 30.0
"""How much running time "lately" is."""


class Forecast:
    """Looked at every second or so; only the time between two looks while running counts.

    ``asks`` is how many are expected in all. A pause, and the steps taken in it, leave no trace.
    """

    def __init__(self, asks: int) -> None:
        self._asks = asks
        self._lately: deque[tuple[float, int]] = deque()
        self._last: tuple[float, int] | None = None
        self._seconds, self._answers = 0.0, 0

    def look(self, now: float, answers: int, running: bool) -> float | None:
        """The seconds left, None while paused or before anything was seen to go by."""
        last, self._last = self._last, (now, answers) if running else None
        if not running:
            return None
        if last is not None:
            self._went_by(now - last[0], answers - last[1])
        seconds = sum(span for span, _ in self._lately)
        count = sum(count for _, count in self._lately)
        if count == 0:  # answers come more rarely than that: by all the running time there was
            seconds, count = self._seconds, self._answers
        return max(0, self._asks - answers) * seconds / count if count else None

    def _went_by(self, seconds: float, answers: int) -> None:
        self._seconds += seconds
        self._answers += answers
        self._lately.append((seconds, answers))
        while sum(span for span, _ in self._lately) > WINDOW_SECONDS + seconds / 2:
            self._lately.popleft()
