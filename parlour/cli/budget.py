"""Money from the command line: what models have spent, what they may, and when it is used up."""

from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from parlour.games.engine.transcript import counted
from parlour.tournament.calls.budget import dollars, no_such_model, parse_amount
from parlour.tournament.calls.errors import BudgetExceeded
from parlour.tournament.control.set_budget import set_budget
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.queries import spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import Progress, RunOptions


def budget(path: Path, amount: str | None, agent: str | None) -> int:
    """Says what each model has spent and may spend; sets it first where an amount is given."""
    from parlour.cli.console_tables import print_table

    with Save(path) as save:
        models = save.tournament.models
        if agent is not None and agent not in models:
            raise no_such_model(agent, models)
        if amount is not None:
            spent, _last = spent_by_agent(save)
            now = save.control()
            cap = now.budget if agent is None else now.agent_budgets.get(agent)
            so_far = sum(spent.values()) if agent is None else spent.get(agent, 0.0)
            set_budget(path, parse_amount(amount, cap, so_far), agent)
        control = save.control()
        spent, _last = spent_by_agent(save)
    caps = {name: control.agent_budgets.get(name) for name in models}
    rows = [[name, dollars(spent.get(name, 0.0)), _cap(cap)] for name, cap in caps.items()]
    rows.append(["all", dollars(sum(spent.values())), _cap(control.budget)])
    print_table(["Agent", "Spent or set aside", "Budget"], rows, right=[1, 2])
    return 0


def at_cap(path: Path, cap: BudgetExceeded, progress: Progress) -> str:
    """Why a run has ended at a budget, and how to go on with more."""
    left = counted(progress.matches - progress.finished - progress.frozen, "match")
    more = f"parlour run --save {quote(str(path))} --budget MORE"
    if cap.own:
        more = f"parlour budget {quote(str(path))} MORE --agent {quote(cap.agent)}"
    return f"{cap}; {left} left to play, go on with more: {more}"


def taken_back(kept: RunOptions, tournament: Tournament, budget: float | None) -> Iterator[str]:
    """Which budgets of a save those of its file replace, and what goes on without that.

    ``budget`` is one for all models together that goes before both.
    """
    amounts: list[tuple[str, float | None, float | None]] = [
        (name, kept.agent_budgets.get(name), amount)
        for name, amount in tournament.agent_budgets.items()
    ]
    if budget is None:
        amounts.append(("all", kept.budget, tournament.budget))
    for name, was, amount in amounts:
        if amount is not None and was is not None and amount != was:
            yield (
                f"Budget of {name}: {dollars(amount)}, as in the tournament file; in the save it"
                f" was {dollars(was)}, and stays that with"
            )


def _cap(amount: float | None) -> str:
    return "–" if amount is None else dollars(amount)
