"""The command `budget`."""

import re
from pathlib import Path

from parlour.cli.console_tables import print_table
from parlour.cli.options import BudgetOf, Dollars, NewestSave
from parlour.cli.output import find_save
from parlour.tournament.calls.budget import dollars as in_dollars
from parlour.tournament.calls.budget import no_such_model, parse_amount
from parlour.tournament.control.set_budget import set_budget
from parlour.tournament.save.queries import spent_by_agent
from parlour.tournament.save.reader import Save

AMOUNT = re.compile(r"\+?\$?\+?[\d.]+|none|inf", re.IGNORECASE)


def budget(save: NewestSave = None, dollars: Dollars = None, agent: BudgetOf = None) -> int:
    """Show what models have spent, or set their budget.

    It may be set while a tournament runs.
    """
    if dollars is None and save is not None and _is_amount(save):
        save, dollars = None, str(save)
    path = find_save(save)
    with Save(path) as opened:
        models = opened.tournament.models
        if agent is not None and agent not in models:
            raise no_such_model(agent, models)
        if dollars is not None:
            spent, _last = spent_by_agent(opened)
            now = opened.control()
            cap = now.budget if agent is None else now.agent_budgets.get(agent)
            so_far = sum(spent.values()) if agent is None else spent.get(agent, 0.0)
            set_budget(path, parse_amount(dollars, cap, so_far), agent)
        control = opened.control()
        spent, _last = spent_by_agent(opened)
    rows = [
        [name, in_dollars(spent.get(name, 0.0)), _shown(control.agent_budgets.get(name))]
        for name in models
    ]
    rows.append(["all", in_dollars(sum(spent.values())), _shown(control.budget)])
    print_table(["Agent", "Spent or reserved", "Budget"], rows, right=[1, 2])
    return 0


def _is_amount(word: Path) -> bool:
    """Returns True if the only argument is an amount rather than a save."""
    return AMOUNT.fullmatch(str(word)) is not None and not word.exists()


def _shown(amount: float | None) -> str:
    return "–" if amount is None else in_dollars(amount)
