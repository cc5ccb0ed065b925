"""Circuit breaker of an endpoint: open after repeated failures, so that no call waits for it."""

from parlour.agents.model_calls import FAILURES, ProviderFailure

FAILURES_TO_OPEN = 10
"""Consecutive failures that open the circuit."""
FIRST_OPEN_SECONDS, LONGEST_OPEN_SECONDS = 15.0, 600.0
"""Seconds that the circuit stays open before a trial call: doubled each time, up to the second."""


class CircuitBreaker:
    """Closed while a provider answers; open for some time after repeated failures.

    After that time the circuit is half-open: one trial call is sent. Its success closes
    the circuit, its failure opens it for twice as long. ``failure`` is the one that opened the
    circuit, None while it is closed. Times are seconds of the event loop's clock.
    """

    def __init__(self) -> None:
        self.failure: ProviderFailure | None = None
        self._half_open = False
        self._until = self._seconds = 0.0
        self._consecutive_failures = 0

    @property
    def due(self) -> float:
        """When a trial call may be sent; inf while one is in flight."""
        return float("inf") if self._half_open else self._until

    def half_open(self, now: float) -> bool:
        """Makes an open circuit half-open if it is due; True if the caller is the trial call."""
        if self.due > now:
            return False
        self._half_open = True
        return True

    def trial_not_sent(self) -> None:
        """Returns the trial: its call was never sent."""
        self._half_open = False

    def succeeded(self) -> bool:
        """Closes the circuit. True if it was open."""
        was_open = self.failure is not None
        self.failure, self._half_open, self._consecutive_failures = None, False, 0
        self._until = self._seconds = 0.0
        return was_open

    def failed(self, failure: ProviderFailure, now: float, trial: bool) -> None:
        """Counts a failure. Calls that were sent before the circuit opened no longer count."""
        if self.failure is not None and not trial:
            return
        self._consecutive_failures += 1
        if trial or self._consecutive_failures >= FAILURES_TO_OPEN:
            longer = max(FIRST_OPEN_SECONDS, 2 * self._seconds)
            self._seconds = min(LONGEST_OPEN_SECONDS, longer)
            self._until, self._half_open, self.failure = now + self._seconds, False, failure

    def describe(self, now: float) -> str | None:
        """The state in a few words, None while the circuit is closed."""
        if self.failure is None:
            return None
        why = FAILURES[self.failure.kind].down
        if self.due <= now or self._half_open:
            return f"trying again ({why})"
        return f"paused for {self.due - now:.0f} s ({why})"
