"""The purse: what models may spend, and what is set aside for calls before they are sent.

Spent, plus what is set aside, plus the worst case of the next call never passes a cap. What a
call is given is stored before it is sent; what was not taken back counts as spent.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from parlour.agents.llm.client import Completion, ProviderFailure, Request
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.prices import Tariff, tariff_of, worst_case
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.tournament.save.rows import Reservation


class BudgetExceeded(Exception):
    """The next call of an agent may pass a cap: its own, or that of all (``own`` is false)."""

    lasting, tried = True, False

    def __init__(self, agent: str, own: bool, cap: float, spent: float, next_call: float) -> None:
        self.agent, self.own = agent, own
        call = f"the next call may cost {dollars(next_call)}"
        if next_call > cap:
            whose = f"of agent {agent!r}" if own else "of the models"
            problem = f"the budget {whose}, {dollars(cap)}, is too small for one call"
            said = f"{problem}: {call}, which max_tokens bounds"
        else:
            whose = f"agent {agent!r} has used up its" if own else "the models have used up the"
            said = f"{whose} budget of {dollars(cap)}: {dollars(spent)} spent, and {call}"
        super().__init__(said)


def dollars(amount: float) -> str:
    """An amount of money, small ones to the hundredth of a cent and smaller."""
    digits = 2 if amount >= 1 or amount == 0 else 4 if amount >= 0.001 else 6
    return f"${amount:,.{digits}f}"


@dataclass(frozen=True, slots=True)
class Budgets:
    """Dollars that all agents together, and single ones, may spend; None is no limit."""

    whole: float | None = None
    agents: Mapping[str, float] = field(default_factory=dict)

    def hold(self, agent: str) -> bool:
        """Whether any of them is about this agent."""
        return self.whole is not None or agent in self.agents


def no_such_model(agent: str, models: Mapping[str, LLMConfig]) -> BadInput:
    """The refusal of a budget for an agent that is none, or costs nothing."""
    fix = suggestion(agent, models) if models else "it has none"
    return BadInput("--agent", f"{agent!r} is no language model of this tournament", fix)


def tariffs_of(models: Mapping[str, LLMConfig], caps: Budgets) -> dict[str, Tariff]:
    """The tariff of each model under a cap. BadInput where none could hold. May take seconds."""
    return {name: tariff_of(model) for name, model in models.items() if caps.hold(name)}


class Budget:
    """``spent`` is what each agent has spent before, ``last`` the last reservation's number."""

    def __init__(
        self,
        caps: Budgets,
        tariffs: Mapping[str, Tariff],
        spent: Mapping[str, float],
        last: int = 0,
    ) -> None:
        self.caps, self._tariffs = caps, tariffs
        self._spent: defaultdict[str, float] = defaultdict(float, spent)
        self._set_aside: defaultdict[str, float] = defaultdict(float)
        self._open: Counter[str] = Counter()
        self._uncounted: Counter[str] = Counter()
        self._last = last
        self._changed = asyncio.Event()

    def change(self, caps: Budgets, tariffs: Mapping[str, Tariff]) -> None:
        """Other caps hold from now on."""
        self.caps, self._tariffs = caps, tariffs
        self.wake()

    @property
    def spent(self) -> float:
        """Dollars that all agents have spent."""
        return sum(self._spent.values())

    def can_afford(self, agent: str, request: Request) -> bool:
        """Whether the worst case of a call fits now; if not, what is in flight may make room.

        Raises BudgetExceeded if it never will.
        """
        if not self.caps.hold(agent):
            return True
        amount = worst_case(request, self._tariffs[agent])
        aside, uncounted = sum(self._set_aside.values()), self._uncounted.total()
        whole = self._fits(amount, self.caps.whole, self.spent, aside, uncounted)
        if whole is None:
            raise BudgetExceeded(agent, False, self.caps.whole or 0.0, self.spent, amount)
        cap, spent = self.caps.agents.get(agent), self._spent[agent]
        own = self._fits(amount, cap, spent, self._set_aside[agent], self._uncounted[agent])
        if own is None:
            raise BudgetExceeded(agent, True, cap or 0.0, spent, amount)
        return whole and own

    @staticmethod
    def _fits(
        amount: float, cap: float | None, spent: float, aside: float, uncounted: int
    ) -> bool | None:
        """Whether an amount fits under a cap now; None if it never will.

        Calls from before there was a cap are waited for: nobody knows what they will come to.
        """
        if cap is None:
            return True
        if spent + amount > cap:
            return None
        return not uncounted and spent + aside + amount <= cap

    def reserve(self, agent: str, request: Request) -> Reservation | None:
        """Sets the worst case of a call aside, which ``can_afford`` has just found to fit.

        None where no cap holds. Each call must then be ``paid`` or ``lost``.
        """
        if not self.caps.hold(agent):
            self._uncounted[agent] += 1
            return None
        self._last += 1
        reservation = Reservation(self._last, agent, worst_case(request, self._tariffs[agent]))
        self._set_aside[agent] += reservation.dollars
        self._open[agent] += 1
        return reservation

    def cost(self, came: Completion | ProviderFailure, reservation: Reservation) -> float:
        """What a call came to. One that may have been billed without a bill costs all of it."""
        if isinstance(came, ProviderFailure):
            return 0.0 if came.free else reservation.dollars
        if came.price is not None:
            return came.price
        tariff = self._tariffs.get(reservation.agent)
        if tariff is None or came.prompt_tokens is None or came.completion_tokens is None:
            return reservation.dollars
        return tariff.of(came.prompt_tokens, came.completion_tokens)

    def paid(self, agent: str, reservation: Reservation | None, price: float) -> None:
        """A call is over, and what it came to is stored."""
        self._spent[agent] += price
        if reservation is None:
            self._uncounted[agent] -= 1
        else:
            self._open[agent] -= 1
            # Nothing is left of roundings where nothing is in flight: nobody would wake who waits.
            left = self._set_aside[agent] - reservation.dollars
            self._set_aside[agent] = left if self._open[agent] else 0.0
        self.wake()

    def lost(self, agent: str, reservation: Reservation | None) -> None:
        """Nobody will ever know what a call came to: what was set aside for it counts as spent."""
        self.paid(agent, reservation, reservation.dollars if reservation else 0.0)

    async def changes(self) -> None:
        """Returns when there may be more room, or less."""
        await self._changed.wait()

    def wake(self) -> None:
        """Wakes everybody who waits, to look again."""
        self._changed.set()
        self._changed = asyncio.Event()
