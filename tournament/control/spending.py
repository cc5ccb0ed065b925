"""Money of a save: what each agent has spent, and what it may spend from now on."""

import math
from pathlib import Path

from parlour.games.common.errors import BadInput
from parlour.tournament.calls.budget import Budgets, no_such_model, tariffs_of
from parlour.tournament.control.client import ask_runner
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.create import update_run_options
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import Control


def amount_of(typed: str, now: float | None, spent: float) -> float:
    """The budget that was typed: dollars, +dollars on top, or none (infinite). Raises BadInput.

    On top of the budget ``now``, or of what is spent where there is none.
    """
    text = typed.strip().removeprefix("$")
    if text.casefold() in {"none", "inf"}:
        return math.inf
    more = text.startswith("+")
    try:
        amount = float(text.removeprefix("+").removeprefix("$"))
    except ValueError:
        amount = math.nan
    if not 0 <= amount < math.inf:
        raise BadInput("budget", f"{typed!r} is no amount", "write 12.50, +5 for more, or none")
    return amount + (spent if now is None else now) if more else amount


def allow(path: Path, amount: float, agent: str | None) -> None:
    """Sets a budget, at once where a runner is at the save. BadInput if it could not hold."""
    if holder(path) is not None:
        given = None if amount == math.inf else amount
        ask_runner(path, {"do": "budget", "dollars": given, "agent": agent}, seconds=60)
        return
    with Save(path) as save:
        tournament, kept = save.tournament, save.control()
    if agent is not None and agent not in tournament.models:
        raise no_such_model(agent, tournament.models)
    control = kept.with_budget(amount, agent)
    _refuse_unbounded(tournament, control)
    update_run_options(path, control)


def refuse_unbounded(tournament: Tournament, kept: Control, amount: float | None) -> None:
    """BadInput if a budget is set, here or in the file or before, that could not hold."""
    control = kept if amount is None else kept.with_budget(amount, None)
    _refuse_unbounded(tournament, control)


def _refuse_unbounded(tournament: Tournament, control: Control) -> None:
    tariffs_of(tournament.models, Budgets(control.budget, control.agent_budgets))
