"""The budget: what models may spend, and the reservations for calls before they are sent.

Spent, plus reserved, plus the worst case of the next call never exceeds a budget. A reservation
is stored before its call is sent; one that was never released counts as spent.
"""

import asyncio
import math
from collections import Counter, defaultdict
from collections.abc import Mapping

from parlour.agents.base import CallingBlock
from parlour.agents.llm.prices import Tariff, tariff_of, worst_case
from parlour.agents.model_calls import Completion, ProviderFailure, Request
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.tournament.calls.errors import BudgetExceeded
from parlour.tournament.save.rows import Reservation, RunOptions


def dollars(amount: float) -> str:
    """An amount of money; small ones with four or six decimal places."""
    if amount >= 1 or amount == 0:
        digits = 2
    else:
        digits = 4 if amount >= 0.001 else 6
    return f"${amount:,.{digits}f}"


def no_such_model(agent: str, models: Mapping[str, CallingBlock]) -> BadInput:
    """The error for a budget of an agent that does not exist or is not a model."""
    fix = suggestion(agent, models) if models else "it has no language models"
    return BadInput("--agent", f"{agent!r} is not a language model of this tournament", fix)


def tariffs_of(models: Mapping[str, CallingBlock], options: RunOptions) -> dict[str, Tariff]:
    """The tariff of each model under a budget. May take seconds.

    BadInput if a budget cannot be enforced: a price or the length of an answer is unknown.
    """
    return {
        name: tariff_of(model, own=name in options.agent_budgets)
        for name, model in models.items()
        if options.is_bounded(name)
    }


def refuse_unbounded(models: Mapping[str, CallingBlock], options: RunOptions) -> None:
    """BadInput if a budget cannot be enforced."""
    tariffs_of(models, options)


def parse_amount(typed: str, budget: float | None, spent: float) -> float:
    """The budget that a user typed: dollars, +dollars to add, or none (inf). Raises BadInput.

    A plus adds to the current ``budget``, or to what is ``spent`` where there is none.
    """
    text = typed.strip().removeprefix("$")
    if text.casefold() in {"none", "inf"}:
        return math.inf
    adds = text.startswith("+")
    try:
        amount = float(text.removeprefix("+").removeprefix("$"))
    except ValueError:
        amount = math.nan
    if not 0 <= amount < math.inf:
        fix = "write 12.50, +5 for more, or none"
        raise BadInput("budget", f"{typed!r} is not an amount", fix)
    return amount + (spent if budget is None else budget) if adds else amount


class Budget:
    """Keeps track of spending against the budgets of the run options.

    ``spent`` are the dollars that each agent has spent before, ``last`` is the number of the last
    reservation.
    """

    def __init__(
        self,
        options: RunOptions,
        tariffs: Mapping[str, Tariff],
        spent: Mapping[str, float],
        last: int = 0,
    ) -> None:
        self.options, self._tariffs = options, tariffs
        self._spent: defaultdict[str, float] = defaultdict(float, spent)
        self._reserved: defaultdict[str, float] = defaultdict(float)
        self._open: Counter[str] = Counter()
        self._unreserved: Counter[str] = Counter()
        self._last = last
        self._calls, self._paid = 0, 0.0
        self.dearest = 0.0
        """The highest worst case of a call so far: room that the last call needs."""
        self._changed = asyncio.Event()

    def change(self, options: RunOptions, tariffs: Mapping[str, Tariff]) -> None:
        """Replaces the budgets."""
        self.options, self._tariffs = options, tariffs
        self.wake()

    @property
    def spent(self) -> float:
        """Dollars that all agents have spent."""
        return sum(self._spent.values())

    @property
    def reserved(self) -> float:
        """Dollars for the worst case of all calls in flight that a budget bounds."""
        return sum(self._reserved.values())

    @property
    def usual_price(self) -> float | None:
        """Mean dollars of this run's calls, None before the first one was paid."""
        return self._paid / self._calls if self._calls else None

    def can_afford(self, agent: str, request: Request) -> bool:
        """True if the worst case of a call fits now; False if calls in flight may make room.

        Raises BudgetExceeded if it can no longer fit.
        """
        if not self.options.is_bounded(agent):
            return True
        cost = worst_case(request, self._tariffs[agent])
        total, own = self.options.budget, self.options.agent_budgets.get(agent)
        # Only spending is final: what is reserved may still turn out cheaper.
        if total is not None and self.spent + cost > total:
            raise _exceeded(agent, False, total, self.spent, cost)
        if own is not None and self._spent[agent] + cost > own:
            raise _exceeded(agent, True, own, self._spent[agent], cost)
        # Calls in flight without a reservation were sent before there was a budget. They have to
        # end first, since nothing bounds what they will cost.
        if total is not None and (
            self._unreserved.total() or self.spent + self.reserved + cost > total
        ):
            return False
        if own is not None:
            if self._unreserved[agent]:
                return False
            return self._spent[agent] + self._reserved[agent] + cost <= own
        return True

    def reserve(self, agent: str, request: Request) -> Reservation | None:
        """Reserves the worst case of a call that ``can_afford`` has just found to fit.

        None where no budget applies. Each call must then be ``paid`` or ``lost``.
        """
        if not self.options.is_bounded(agent):
            self._unreserved[agent] += 1
            return None
        self._last += 1
        reservation = Reservation(self._last, agent, worst_case(request, self._tariffs[agent]))
        self._reserved[agent] += reservation.dollars
        self._open[agent] += 1
        self.dearest = max(self.dearest, reservation.dollars)
        return reservation

    def cost(self, result: Completion | ProviderFailure, reservation: Reservation) -> float:
        """Cost of a call in dollars; the whole reservation if it may have been billed unseen."""
        if isinstance(result, ProviderFailure):
            return 0.0 if result.free else reservation.dollars
        if result.price is not None:
            return result.price
        tariff = self._tariffs.get(reservation.agent)
        if tariff is None or result.prompt_tokens is None or result.completion_tokens is None:
            return reservation.dollars
        return tariff.of(result.prompt_tokens, result.completion_tokens)

    def paid(self, agent: str, reservation: Reservation | None, price: float) -> None:
        """Counts the price of a call that is over and stored."""
        self._spent[agent] += price
        self._calls, self._paid = self._calls + 1, self._paid + price
        if reservation is None:
            self._unreserved[agent] -= 1
        else:
            self._open[agent] -= 1
            # With nothing in flight, a rounding error must not stay reserved: no later call
            # would end and wake those who wait for room.
            left = self._reserved[agent] - reservation.dollars
            self._reserved[agent] = left if self._open[agent] else 0.0
        self.wake()

    def lost(self, agent: str, reservation: Reservation | None) -> None:
        """Counts the whole reservation of a call whose cost will never be known."""
        self.paid(agent, reservation, reservation.dollars if reservation else 0.0)

    async def changes(self) -> None:
        """Returns when a budget or the spending has changed."""
        await self._changed.wait()

    def wake(self) -> None:
        """Wakes every waiting call, so that it checks again."""
        self._changed.set()
        self._changed = asyncio.Event()


def _exceeded(agent: str, own: bool, budget: float, spent: float, cost: float) -> BudgetExceeded:
    call = f"the next call may cost {dollars(cost)}"
    if cost > budget:
        whose = f"of agent {agent!r}" if own else "of the models"
        problem = f"the budget {whose}, {dollars(budget)}, is too small for one call"
        return BudgetExceeded(
            agent, own, f"{problem}: {call}, which max_tokens or worst_case bounds"
        )
    whose = f"agent {agent!r} has used up its" if own else "the models have used up the"
    problem = f"{whose} budget of {dollars(budget)}"
    return BudgetExceeded(agent, own, f"{problem}: {dollars(spent)} spent, and {call}")
