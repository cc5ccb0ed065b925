"""Cost estimates on the console: table, and comparison with the budgets."""

from collections.abc import Sequence

from parlour.cli.console_tables import print_list, print_note
from parlour.games.common.forms import TEXT, Form
from parlour.tournament.calls.budget import dollars
from parlour.tournament.reports.cost_estimate import BudgetCheck, Expense


def budget_line(check: BudgetCheck) -> str:
    """One line on a budget, and whether the estimate exceeds it."""
    whose = "all models" if check.agent is None else check.agent
    line = f"Budget of {whose}: {dollars(check.budget)}"
    if check.spent:
        line += f", of which {dollars(check.spent)} is spent"
    if check.expected is None:
        return f"{line}. It cannot be compared with the estimate: a price is missing (set prices)."
    verdict = "exceeds it" if check.exceeded else "is within it"
    rest = " for the rest" if check.spent else ""
    return f"{line}. The estimate of {dollars(check.expected)}{rest} {verdict}."


AMOUNT = Form("{:,.0f}".format)
EXPENSES = {
    "Agent": TEXT,
    **{"Calls": AMOUNT, "Tokens in": AMOUNT, "Tokens out": AMOUNT, "Cost": Form(dollars)},
}


def print_expenses(costs: Sequence[Expense]) -> None:
    """Prints the expected calls, tokens and dollars of each model, and of all together."""
    known = [cost.dollars for cost in costs if cost.dollars is not None]
    sums = [sum(column) for column in zip(*map(_amounts, costs), strict=True)]
    rows = [[cost.agent, *_amounts(cost), cost.dollars] for cost in costs]
    if len(costs) > 1:
        rows.append(["all", *sums, sum(known) if len(known) == len(costs) else None])
    print_list(EXPENSES, rows)
    for cost in costs:
        if cost.longest_prompt:
            print_note(_longest(cost))
    seen = min((cost.seen for cost in costs if cost.answers), default=1.0)
    if seen < 1:
        guess = "Tokens are" if seen == 0 else "Where no call has been made yet, tokens are"
        print_note(
            f"{guess} estimated at 3.4 characters each, from the prompts and from answers of a"
            " scripted player. Thinking tokens, repairs and retries are not included."
        )


def _longest(cost: Expense) -> str:
    """The longest prompt of a model, and whether its window can hold it."""
    line = f"{cost.agent}: the longest prompt has about {cost.longest_prompt:,} tokens"
    if cost.context is None:
        return f"{line}, {cost.needs:,} with its answer. Its window is not known (set context)."
    verdict = "holds it" if cost.needs <= cost.context else "cannot hold it"
    line += f", {cost.needs:,} with its answer. Its window of {cost.context:,} {verdict}"
    fix = "set memory = { last = 3 } or a lower max_tokens, or serve it with a larger window"
    return f"{line}." if cost.needs <= cost.context else f"{line}: {fix}."


def _amounts(cost: Expense) -> list[float]:
    return [cost.calls, cost.prompt_tokens, cost.completion_tokens]
