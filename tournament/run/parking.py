"""Matches that a provider keeps from going on: set aside, tried again later, or given up."""

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from parlour.agents.llm.client import LASTING, ProviderFailure
from parlour.agents.llm.config import LLMConfig
from parlour.games.engine.table import Table
from parlour.tournament.calls.budget import BudgetExceeded
from parlour.tournament.save.rows import StoredCall, StoredMatch

FIRST_PARK_SECONDS, LONGEST_PARK_SECONDS = 15.0, 600.0
"""How long a match is set aside when its provider fails: doubled each time, up to the longest."""
ENOUGH_REFUSALS = 20
"""Refused so often without an answer between, an agent is spared its other matches."""


class Unanswered(Exception):
    """An agent's provider gave no answer, whatever was tried.

    Where it is known to fail, not even that: then ``tried`` is false.
    """

    def __init__(self, agent: str, failure: ProviderFailure, tried: bool = True) -> None:
        super().__init__(f"{failure.kind}: {failure.message}")
        self.agent, self.failure, self.tried = agent, failure, tried

    @property
    def lasting(self) -> bool:
        """Whether waiting fixes nothing."""
        return not self.failure.passing


@dataclass(frozen=True, slots=True)
class Parked:
    """A match set aside because a provider fails: its table, why, when to try again."""

    match: StoredMatch
    table: Table
    why: Unanswered | BudgetExceeded
    due: float
    times: int

    @property
    def reason(self) -> str:
        """Why, in words."""
        return str(self.why)

    @property
    def lasting(self) -> bool:
        """Whether waiting fixes nothing: a wrong key, an unknown model, a wrong address."""
        return self.why.lasting


class Parking:
    """What stands aside: ``parked`` matches that were begun, ``spared`` ones that were not.

    A match is spared while a model that plays in it has been refused many times on end, or is
    known to fail: one more request would only fail too. ``retrial`` says when the endpoint of an
    agent that is known to fail is tried again, None for any other.
    """

    def __init__(self, retrial: Callable[[str], float | None] = lambda _agent: None) -> None:
        self._retrial = retrial
        self.parked: dict[int, Parked] = {}
        self.spared: dict[int, StoredMatch] = {}
        self._refused: Counter[str] = Counter()
        self._broke: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self.parked or self.spared)

    def park(
        self, match: StoredMatch, table: Table, why: Unanswered | BudgetExceeded, before: int
    ) -> None:
        """Sets a match aside that was parked so many times before."""
        now = time.monotonic()
        if isinstance(why, BudgetExceeded):
            self._broke.add(why.agent)
            self.parked[match.number] = Parked(match, table, why, math.inf, before)
        elif why.tried:
            wait = min(LONGEST_PARK_SECONDS, FIRST_PARK_SECONDS * 2.0**before)
            self.parked[match.number] = Parked(match, table, why, now + wait, before + 1)
        else:
            self.parked[match.number] = Parked(match, table, why, now, before)

    def recovered(self, agents: set[str]) -> dict[int, StoredMatch]:
        """These agents' provider answers again: what is parked for it is due; what was spared."""
        for number, parked in self.parked.items():
            if parked.why.agent in agents and not parked.lasting:
                self.parked[number] = replace(parked, due=time.monotonic())
        return self.free()

    def with_money(self) -> dict[int, StoredMatch]:
        """Budgets have changed: what waited for money is due; what was spared for want of it."""
        self._broke.clear()
        for number, parked in self.parked.items():
            if isinstance(parked.why, BudgetExceeded):
                self.parked[number] = replace(parked, due=time.monotonic())
        return self.free()

    @property
    def at_cap(self) -> list[BudgetExceeded]:
        """The caps that keep matches from going on: that of all, else those of agents."""
        met = [
            parked.why for parked in self.parked.values() if isinstance(parked.why, BudgetExceeded)
        ]
        whole = [cap for cap in met if not cap.own]
        return whole[-1:] or list({cap.agent: cap for cap in met}.values())

    def free(self) -> dict[int, StoredMatch]:
        """The matches that were spared, which are to be tried after all."""
        freed, self.spared = self.spared, {}
        return freed

    def spare(self, match: StoredMatch) -> bool:
        """Sets a match aside if trying it makes no sense now; whether it did."""
        if self.parked and any(map(self._fails, match.agents)):  # else somebody has to try
            self.spared[match.number] = match
            return True
        return False

    def _fails(self, agent: str) -> bool:
        known = self._refused[agent] >= ENOUGH_REFUSALS or agent in self._broke
        return known or self._retrial(agent) is not None

    def called(self, call: StoredCall) -> dict[int, StoredMatch]:
        """Learns from a call; the spared matches that may be tried after all."""
        if call.failure is not None:
            self._refused[call.agent] += call.failure in LASTING
        elif self._refused.pop(call.agent, 0) >= ENOUGH_REFUSALS:
            return self.free()
        return {}

    @property
    def next_due(self) -> Parked | None:
        """The one that is to be tried again first."""
        return min(self.parked.values(), key=self.due, default=None)

    def due(self, parked: Parked) -> float:
        """When it is to be tried again; inf while another one is tried for it."""
        retrial = None if parked.lasting else self._retrial(parked.why.agent)
        return parked.due if retrial is None else retrial

    @property
    def hopeless(self) -> bool:
        """Whether waiting fixes none of what stands aside."""
        passing = (self._retrial(a) is not None for m in self.spared.values() for a in m.agents)
        return all(parked.lasting for parked in self.parked.values()) and not any(passing)

    def report(self, models: Mapping[str, LLMConfig]) -> list[str]:
        """One line for each agent that keeps matches from going on, with what came and the fix."""
        unanswered = [p.why for p in self.parked.values() if isinstance(p.why, Unanswered)]
        first = {why.agent: why.failure for why in unanswered}
        stuck = Counter(why.agent for why in unanswered)
        for match in self.spared.values():
            stuck.update([next((agent for agent in match.agents if agent in first), "")])
        return [_line(models[agent], first[agent], stuck[agent]) for agent in first]


def _line(model: LLMConfig, failure: ProviderFailure, matches: int) -> str:
    where = f" at {model.api_base}" if model.api_base else ""
    key = model.api_key_env or "of its provider (none is named: api_key_env)"
    fix = {
        "auth": f"check the key {key}, and that it may use this model",
        "settings": "check its address and its certificate",
    }.get(failure.kind, "have the provider take such requests, or play a new save")
    if model.api_base and failure.kind != "auth":
        fix += " (or fix api_base: parlour run FILE --save SAVE)"
    count = "1 match waits" if matches == 1 else f"{matches} matches wait"
    return (
        f"{count} for agent {model.name!r} ({model.model}{where}), and waiting fixes nothing:"
        f" {failure.kind}: {failure.message}; {fix}"
    )
