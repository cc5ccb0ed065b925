"""Planned matches with an estimate of their costs, as tables or JSON."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from parlour.cli.console_tables import print_list, print_note
from parlour.cli.output import safe_print
from parlour.cli.signs_of_life import signs_of_life
from parlour.games.common.forms import COUNT, TEXT, CellForm
from parlour.games.engine.transcript import counted
from parlour.ratings.measures.conditions import condition_name
from parlour.tournament.calls.budget import dollars
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import PlannedMeeting, answers_per_match
from parlour.tournament.reports.cost_estimate import (
    BudgetCheck,
    Expense,
    averages,
    budget_checks,
    dearest_match,
    expenses,
)
from parlour.tournament.save.queries import answers_given, spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions


@dataclass(frozen=True, slots=True)
class Most:
    """The most matches of an adaptive tournament, and what all that are left cost at most.

    ``left`` are those that decisions may still plan. ``dollars`` takes each of them for the dearest
    match of two agents; it is None if a price is not known.
    """

    matches: int
    left: int
    dollars: float | None


@dataclass(frozen=True, slots=True)
class PlanEstimate:
    """Planned matches in numbers, what they will cost, and whether budgets allow it.

    ``most`` is None for a fixed schedule.
    """

    counts: dict[str, Any]
    costs: Sequence[Expense]
    checks: Sequence[BudgetCheck]
    most: Most | None = None

    def body(self) -> dict[str, Any]:
        """The estimate as plain data."""
        most = {} if self.most is None else {"most": asdict(self.most)}
        return self.counts | {
            "expenses": [asdict(cost) for cost in self.costs],
            "budgets": [asdict(check) | {"exceeded": check.exceeded} for check in self.checks],
            **most,
        }


def estimate_of(
    wanted: Tournament,
    matches: Mapping[PlannedMeeting, int],
    options: RunOptions,
    save: Save | None = None,
    added: int | None = None,
) -> PlanEstimate:
    """Estimates planned matches.

    ``save`` has some of them already, with answers, and calls to estimate from; or they are new in
    it, where ``added`` says how many it is to plan more.
    """
    known = averages(save) if save else {}
    there = answers_given(save) if save and added is None else {}
    spent = spent_by_agent(save)[0] if save else {}
    planned = save.match_count().matches if save else sum(matches.values())
    counts = _counts(wanted, matches, sum(there.values()))
    with signs_of_life("Estimating the cost"):
        costs = expenses(wanted, matches, known, there)
    checks = budget_checks(options, dict(spent), costs)
    if wanted.most_matches is None:
        return PlanEstimate(counts, costs, checks)
    left = max(0, wanted.most_matches - planned - (added or 0))
    dearest = dearest_match(wanted, known)
    prices = [cost.dollars for cost in costs if cost.dollars is not None]
    is_known = dearest is not None and len(prices) == len(costs)
    bound = sum(prices) + left * (dearest or 0.0) if is_known else None
    return PlanEstimate(counts, costs, checks, Most(wanted.most_matches, left, bound))


def print_estimate(estimate: PlanEstimate, title: str) -> None:
    """Prints an estimate as tables under a line that begins with a title."""
    print_planned(estimate, title)
    print_costs(estimate)


def print_planned(estimate: PlanEstimate, title: str) -> None:
    """Prints the matches of an estimate under a line that begins with a title."""
    body = estimate.counts
    experiments: dict[str, int] = body["matches_by_experiment"]
    counts = f"{counted(body['matches'], 'match')} in {counted(len(experiments), 'experiment')}"
    safe_print(f"{title}: {counts}, {counted(body['asks'], 'ask')}")
    named = ((condition_name(name), number) for name, number in experiments.items())
    print_list({"Experiment": TEXT, "Matches": COUNT}, named)
    print_list({"Agent": TEXT, "Seats": COUNT}, body["seats"].items())


def print_costs(estimate: PlanEstimate) -> None:
    """Prints what each model is expected to cost, and whether that is within the budgets."""
    if estimate.costs:
        print_expenses(estimate.costs)
    for check in estimate.checks:
        safe_print(budget_line(check))
    if estimate.most is not None:
        safe_print(_most_line(estimate.most, bool(estimate.costs)))


def _most_line(most: Most, has_models: bool) -> str:
    """The matches that an adaptive tournament may still plan, and their cost, in words."""
    line = (
        f"Adaptive: outcomes decide which matches come next, up to {most.left} more and"
        f" {most.matches} in all. Every game and setting is as likely as any other."
    )
    if not has_models:
        return line
    if most.dollars is None:
        return f"{line} What they may cost is unknown: a price is missing (set prices)."
    cost = dollars(most.dollars)
    return f"{line} Together with these they cost about {cost} at most: if all are the dearest."


def _counts(
    wanted: Tournament, matches: Mapping[PlannedMeeting, int], answered: int
) -> dict[str, Any]:
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


AMOUNT = CellForm("{:,.0f}".format)
EXPENSES = {
    "Agent": TEXT,
    **{"Calls": AMOUNT, "Tokens in": AMOUNT, "Tokens out": AMOUNT, "Cost": CellForm(dollars)},
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
