"""Planned matches with an estimate of their costs, as tables or JSON."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from parlour.cli.console_tables import print_table
from parlour.cli.estimate import budget_line, estimating
from parlour.cli.output import safe_print
from parlour.games.engine.transcript import counted
from parlour.ratings.reports.cells import NOTHING
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import Meeting, answers_per_match
from parlour.tournament.reports.cost_estimate import (
    BudgetCheck,
    Expense,
    budget_checks,
    expenses,
)
from parlour.tournament.save.rows import RunOptions


@dataclass(frozen=True, slots=True)
class Estimate:
    """Planned matches in numbers, what they will cost, and whether budgets allow it."""

    counts: dict[str, Any]
    costs: Sequence[Expense]
    checks: Sequence[BudgetCheck]

    def body(self) -> dict[str, Any]:
        """The estimate as plain data."""
        return self.counts | {
            "expenses": [asdict(cost) for cost in self.costs],
            "budgets": [asdict(check) | {"exceeded": check.exceeded} for check in self.checks],
        }


def estimate_of(
    wanted: Tournament,
    matches: Mapping[Meeting, int],
    known: Any,
    there: Any,
    options: RunOptions,
    spent: Mapping[str, float],
) -> Estimate:
    """Estimates planned matches.

    ``known`` are the averages of calls of the save, ``there`` the answers that unfinished matches
    have; see ``cost_estimate.expenses``.
    """
    counts = _counts(wanted, matches, sum(there.values()))
    with estimating() as on_progress:
        costs = expenses(wanted, matches, known, there, on_progress)
    return Estimate(counts, costs, budget_checks(options, dict(spent), costs))


def print_estimate(estimate: Estimate, title: str) -> None:
    """Prints an estimate as tables under a line that begins with a title."""
    body = estimate.counts
    experiments: dict[str, int] = body["matches_by_experiment"]
    counts = f"{counted(body['matches'], 'match')} in {counted(len(experiments), 'experiment')}"
    safe_print(f"{title}: {counts}, {counted(body['asks'], 'ask')}")
    print_table(
        ["Experiment", "Matches"], [[name, str(n)] for name, n in experiments.items()], right=[1]
    )
    print_table(
        ["Agent", "Seats"], [[name, str(n)] for name, n in body["seats"].items()], right=[1]
    )
    print_costs(estimate)


def print_costs(estimate: Estimate) -> None:
    """Prints what each model is expected to cost, and whether that is within the budgets."""
    if estimate.costs:
        _print_costs(estimate.costs)
    for check in estimate.checks:
        safe_print(budget_line(check))


def _counts(wanted: Tournament, matches: Mapping[Meeting, int], answered: int) -> dict[str, Any]:
    answers = answers_per_match(wanted)
    asks = 0
    experiments: Counter[str] = Counter()
    as_agent: Counter[str] = Counter()
    for meeting, count in matches.items():
        asks += count * answers[meeting.entry]
        experiments[meeting.experiment] += count
        for agent in meeting.agents:
            as_agent[agent] += count
    return {
        "name": wanted.name,
        "seed": wanted.seed,
        "schedule": wanted.schedule,
        "matches": sum(matches.values()),
        "experiments": len(experiments),
        "asks": max(0, asks - answered),
        "seats": dict(as_agent),
        "matches_by_experiment": dict(experiments),
    }


def _print_costs(costs: Sequence[Expense]) -> None:
    known = [cost.dollars for cost in costs if cost.dollars is not None]
    sums = [sum(column) for column in zip(*map(_amounts, costs), strict=True)]
    rows = [_line(cost.agent, _amounts(cost), cost.dollars) for cost in costs]
    if len(costs) > 1:
        rows.append(_line("all", sums, sum(known) if len(known) == len(costs) else None))
    titles = ["Agent", "Calls", "Tokens in", "Tokens out", "Dollars"]
    print_table(titles, rows, right=[1, 2, 3, 4])
    seen = min((cost.seen for cost in costs if cost.answers), default=1.0)
    if seen < 1:
        guess = "Tokens are" if seen == 0 else "Where no call has been made yet, tokens are"
        safe_print(
            f"{guess} estimated at four characters each, from the prompts and from answers of a"
            " scripted player. Thinking tokens, repairs and retries are not included."
        )


def _amounts(cost: Expense) -> list[float]:
    return [cost.calls, cost.prompt_tokens, cost.completion_tokens]


def _line(name: str, amounts: Sequence[float], price: float | None) -> list[str]:
    cost = NOTHING if price is None else f"{price:,.2f}"
    return [name, *(f"{amount:,.0f}" for amount in amounts), cost]
