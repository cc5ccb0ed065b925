"""Errors because of which a model cannot answer now; the match is retried later."""

from parlour.agents.model_calls import ProviderFailure


class Stopped(Exception):
    """The runner was told to stop; nothing new is begun."""


class Unreachable(Exception):
    """The endpoint's circuit is open, so the request was not sent.

    ``failure`` is the one that opened the circuit.
    """

    def __init__(self, failure: ProviderFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Unanswered(Exception):
    """An agent's provider gave no answer.

    ``tried`` is false if no request was sent because the provider is known to fail.
    """

    def __init__(self, agent: str, failure: ProviderFailure, tried: bool = True) -> None:
        reason = f"{failure.kind}: {failure.message}"
        super().__init__(f"{reason}; {failure.hint}" if failure.hint else reason)
        self.agent, self.failure, self.tried = agent, failure, tried

    @property
    def permanent(self) -> bool:
        """True if a later try would fail in the same way."""
        return not self.failure.temporary


class BudgetExceeded(Exception):
    """The next call of an agent could exceed a budget.

    ``own`` is true for the agent's own budget, false for the one that all models share.
    """

    permanent, tried = True, False

    def __init__(self, agent: str, own: bool, message: str) -> None:
        super().__init__(message)
        self.agent, self.own = agent, own
