"""The circuit of an endpoint: open while a provider fails, so that nobody waits on it in vain."""

from parlour.agents.llm.client import FailureKind, ProviderFailure

FAILURES_TO_OPEN = 10
"""So many failures on end, with no answer between, and the circuit opens."""
FIRST_OPEN_SECONDS, LONGEST_OPEN_SECONDS = 15.0, 600.0
"""How long it stays open before one call is tried: doubled each time, up to the longest."""
FAILING: dict[FailureKind, str] = {
    "server": "server errors",
    "connection": "no connection",
    "timeout": "no answer in time",
}
"""The failures that open it, in words. A provider that says "slow down" is alive."""


class Circuit:
    """Closed while a provider answers; open for a while after many failures on end.

    After that while one call is tried: its success closes the circuit, its failure opens it for
    twice as long. ``failure`` is the one that opened it, None while it is closed. Moments are
    seconds of the clock whose ``now`` is given.
    """

    def __init__(self) -> None:
        self.failure: ProviderFailure | None = None
        self._trying = False
        self._until = self._seconds = 0.0
        self._in_a_row = 0

    @property
    def due(self) -> float:
        """When a call may be tried; never while one is being tried."""
        return float("inf") if self._trying else self._until

    def tries(self, now: float) -> bool:
        """Whether a call may go as the one that is tried, in an open circuit."""
        if self.due > now:
            return False
        self._trying = True
        return True

    def tried_nothing(self) -> None:
        """The call that was to be tried was never sent."""
        self._trying = False

    def answered(self) -> bool:
        """The provider is alive: closes the circuit. True if it was open."""
        was_open = self.failure is not None
        self.failure, self._trying, self._in_a_row = None, False, 0
        self._until = self._seconds = 0.0
        return was_open

    def failed(self, failure: ProviderFailure, now: float, trial: bool) -> None:
        """Counts a failure; of those that were sent before it opened, none counts any more."""
        if self.failure is not None and not trial:
            return
        self._in_a_row += 1
        if trial or self._in_a_row >= FAILURES_TO_OPEN:
            longer = max(FIRST_OPEN_SECONDS, 2 * self._seconds)
            self._seconds = min(LONGEST_OPEN_SECONDS, longer)
            self._until, self._trying, self.failure = now + self._seconds, False, failure

    def words(self, now: float) -> str | None:
        """How it stands, None while it is closed."""
        if self.failure is None:
            return None
        why = FAILING[self.failure.kind]
        if self.due <= now or self._trying:
            return f"tries again ({why})"
        return f"waits {self.due - now:.0f} s ({why})"
