"""How fast it goes: the rates by which the time and the money that are left are foretold."""

from collections import deque

WINDOW_SECONDS = 30.0
"""How much running time "lately" is."""


class Rate:
    """How much goes by in a second of running time: lately, or in all where that was nothing.

    Looked at every second or so; only the time between two looks while running counts. A pause,
    and the steps taken in it, leave no trace.
    """

    def __init__(self) -> None:
        self._lately: deque[tuple[float, float]] = deque()
        self._last: tuple[float, float] | None = None
        self._seconds, self._amount = 0.0, 0.0

    def look(self, now: float, amount: float, running: bool) -> float | None:
        """The rate, given how much went by so far; None while paused or before anything did."""
        last, self._last = self._last, (now, amount) if running else None
        if not running:
            return None
        if last is not None:
            self._went_by(now - last[0], amount - last[1])
        seconds = sum(span for span, _ in self._lately)
        lately = sum(amount for _, amount in self._lately)
        if lately == 0:
            seconds, lately = self._seconds, self._amount
        return lately / seconds if lately and seconds else None

    def _went_by(self, seconds: float, amount: float) -> None:
        self._seconds += seconds
        self._amount += amount
        self._lately.append((seconds, amount))
        while sum(span for span, _ in self._lately) > WINDOW_SECONDS + seconds / 2:
            self._lately.popleft()
