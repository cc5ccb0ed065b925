"""Planned matches with an estimate of their costs, as tables or JSON."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from parlour.cli.console_tables import print_table
from parlour.cli.estimate import budget_line, estimating, print_expenses
from parlour.cli.output import safe_print
from parlour.games.engine.transcript import counted
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
        print_expenses(estimate.costs)
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
