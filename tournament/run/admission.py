"""Admission: under a budget for all models, begun matches come before new ones."""

from parlour.tournament.calls.budget import Budget
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import answers_per_match
from parlour.tournament.save.rows import StoredCall, StoredMatch

FIRST = 8
"""Matches that begin at once before it is known what a call costs."""


class Admission:
    """Knows the calls that begun matches are expected to need, and what a call costs.

    Budgets of single agents are not looked at: their matches park when one is used up.
    """

    def __init__(self, tournament: Tournament, budget: Budget) -> None:
        self._budget, self._models = budget, tournament.paid.keys()
        self._answers = answers_per_match(tournament)
        self._left: dict[int, float] = {}
        """Calls that each match in play still needs."""

    def begin(self, match: StoredMatch) -> None:
        """Counts a match that is played from now on."""
        self._left[match.number] = self._calls(match)

    def end(self, match: StoredMatch) -> None:
        """Counts a match no more: it is over, or waits for its provider."""
        self._left.pop(match.number, None)

    def call_stored(self, call: StoredCall) -> None:
        """Counts a call. A match in play needs one more at least."""
        if call.match in self._left:
            self._left[call.match] = max(1.0, self._left[call.match] - 1)

    def holds(self, match: StoredMatch) -> bool:
        """True if the budget is expected to hold one more match, or if none is in play."""
        total, calls = self._budget.budgets.total, self._calls(match)
        if total is None or not calls or not any(self._left.values()):
            return True
        price = self._budget.usual_price
        if price is None:  # the first ones will tell; where much is spent, a begun one alone
            return len(self._left) < FIRST and not self._budget.spent
        expected = price * (sum(self._left.values()) + calls) + self._budget.dearest
        return self._budget.spent + expected <= total

    def _calls(self, match: StoredMatch) -> float:
        models = sum(agent in self._models for agent in match.agents)
        return self._answers[match.entry] * models / len(match.agents)
