"""Matches that cannot continue because of a provider or a budget: parked, retried or given up."""

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from parlour.agents.base import CallingBlock
from parlour.agents.llm.config import LLMConfig
from parlour.agents.model_calls import PERMANENT, ProviderFailure
from parlour.games.engine.table import Table
from parlour.tournament.calls.errors import BudgetExceeded, Unanswered
from parlour.tournament.save.rows import StoredCall, StoredMatch

FIRST_PARK_SECONDS, LONGEST_PARK_SECONDS = 15.0, 600.0
"""Seconds that a match is parked when its provider fails: doubled each time, up to the second."""
ENOUGH_REFUSALS = 20
"""Consecutive permanent failures of an agent after which its other matches are deferred."""


@dataclass(frozen=True, slots=True)
class Parked:
    """A match that was begun and cannot continue: its table, the reason, and when it is due again.

    ``times`` counts how often it was parked after a failed call.
    """

    match: StoredMatch
    table: Table
    why: Unanswered | BudgetExceeded
    due: float
    times: int

    @property
    def reason(self) -> str:
        """The error message."""
        return str(self.why)

    @property
    def permanent(self) -> bool:
        """True if waiting cannot help: a wrong key, an unknown model, a used-up budget."""
        return self.why.permanent


class Parking:
    """The ``parked`` matches, which were begun, and the ``deferred`` ones, which were not.

    A match is deferred while one of its agents is known to fail: one more request would fail too.
    Released matches go back to ``todo``, the matches to be begun. ``trial_due`` gives the time of
    the next trial call of an agent whose circuit is open, None for any other agent.
    """

    def __init__(
        self,
        todo: dict[int, StoredMatch],
        trial_due: Callable[[str], float | None] = lambda _agent: None,
    ) -> None:
        self._todo, self._trial_due = todo, trial_due
        self.parked: dict[int, Parked] = {}
        self.deferred: dict[int, StoredMatch] = {}
        self._refusals: Counter[str] = Counter()
        self._without_budget: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self.parked or self.deferred)

    def park(
        self, match: StoredMatch, table: Table, why: Unanswered | BudgetExceeded, times: int
    ) -> None:
        """Parks a match that was parked ``times`` times before."""
        due = time.monotonic()
        if isinstance(why, BudgetExceeded):
            self._without_budget.add(why.agent)
            due = math.inf
        elif why.tried:  # else it is due with the trial call of its endpoint
            due += min(LONGEST_PARK_SECONDS, FIRST_PARK_SECONDS * 2.0**times)
            times += 1
        self.parked[match.number] = Parked(match, table, why, due, times)

    def recovered(self, agents: set[str]) -> None:
        """The provider of these agents answers again: their matches are due now."""
        for number, parked in self.parked.items():
            if parked.why.agent in agents and not parked.permanent:
                self.parked[number] = replace(parked, due=time.monotonic())
        self.release()

    def budget_changed(self) -> None:
        """Matches without budget are due now."""
        self._without_budget.clear()
        for number, parked in self.parked.items():
            if isinstance(parked.why, BudgetExceeded):
                self.parked[number] = replace(parked, due=time.monotonic())
        self.release()

    def release(self) -> None:
        """Gives back all deferred matches."""
        self._todo.update(self.deferred)
        self.deferred.clear()

    def defer(self, match: StoredMatch) -> bool:
        """Defers a match that would certainly fail now; True if it did."""
        # Without a parked match, no call would show that the provider answers again.
        if self.parked and any(map(self._is_failing, match.agents)):
            self.deferred[match.number] = match
            return True
        return False

    def _is_failing(self, agent: str) -> bool:
        refused = self._refusals[agent] >= ENOUGH_REFUSALS
        return refused or agent in self._without_budget or self._trial_due(agent) is not None

    def call_stored(self, call: StoredCall) -> None:
        """Counts refusals; an answer after many of them releases the deferred matches."""
        if call.copy_of is not None:
            return
        if call.failure is not None:
            self._refusals[call.agent] += call.failure in PERMANENT
        elif self._refusals.pop(call.agent, 0) >= ENOUGH_REFUSALS:
            self.release()

    @property
    def next_due(self) -> Parked | None:
        """The parked match that is due first."""
        return min(self.parked.values(), key=self.due, default=None)

    def due(self, parked: Parked) -> float:
        """When a match is due; inf while the trial call of its endpoint is in flight."""
        trial = None if parked.permanent else self._trial_due(parked.why.agent)
        return parked.due if trial is None else trial

    @property
    def is_hopeless(self) -> bool:
        """True if only permanent failures and used-up budgets remain."""
        if not all(parked.permanent for parked in self.parked.values()):
            return False
        agents = set(chain.from_iterable(match.agents for match in self.deferred.values()))
        return all(self._trial_due(agent) is None for agent in agents)

    @property
    def exceeded_budgets(self) -> list[BudgetExceeded]:
        """The budgets that block matches: the one of all models, else those of agents."""
        exceeded = [p.why for p in self.parked.values() if isinstance(p.why, BudgetExceeded)]
        shared = [error for error in exceeded if not error.own]
        return shared[-1:] or list({error.agent: error for error in exceeded}.values())

    def report(self, models: Mapping[str, CallingBlock]) -> list[str]:
        """One line for each agent that blocks matches: the error and the fix."""
        errors = [p.why for p in self.parked.values() if isinstance(p.why, Unanswered)]
        failures = {error.agent: error.failure for error in errors}
        matches = Counter(error.agent for error in errors)
        for match in self.deferred.values():
            matches.update([agent for agent in match.agents if agent in failures][:1])
        return [_line(models[agent], failures[agent], matches[agent]) for agent in failures]


def _line(block: CallingBlock, failure: ProviderFailure, matches: int) -> str:
    model = block if isinstance(block, LLMConfig) else None
    base = model.api_base if model else None
    where = f" ({model.model}{f' at {base}' if base else ''})" if model else ""
    fix = failure.fix(model.api_key_env if model else None)
    if base and failure.kind != "auth":
        fix += " (or fix api_base: parlour run FILE --save SAVE)"
    count = "1 match waits" if matches == 1 else f"{matches} matches wait"
    return (
        f"{count} for agent {block.name!r}{where} after a permanent error:"
        f" {failure.kind}: {failure.message}; {fix}"
    )
