"""The command `plan`."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from parlour.cli.console_tables import print_table
from parlour.cli.estimate import budget_line, estimating
from parlour.cli.options import Preset, Seed, TableOrJson, TournamentFile
from parlour.cli.output import safe_print
from parlour.cli.source import asked_for
from parlour.games.common.errors import BadInput
from parlour.games.engine.transcript import counted
from parlour.ratings.reports.cells import NOTHING
from parlour.tournament.calls.budget import dollars
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import Meeting, answers_per_match, meetings, meetings_of
from parlour.tournament.reports.cost_estimate import (
    Expense,
    answers_given,
    averages,
    budget_checks,
    expenses,
)
from parlour.tournament.save.create import merge_options
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.queries import spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions

SaveToPlan = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option("--save", metavar="FILE", help="Count the remaining matches of this save."),
]


def plan(
    tournament: TournamentFile = None,
    preset: Preset = None,
    seed: Seed = None,
    save: SaveToPlan = None,
    format: TableOrJson = "table",
) -> int:
    """Count matches and estimate costs; nothing is played."""
    wanted = asked_for(tournament, preset, seed)
    if wanted is not None and save is not None:
        raise BadInput("--save", "cannot be combined with a tournament", "give one of them")
    if wanted is None and save is None:
        fix = "name a tournament file, --preset NAME, or --save FILE for the rest of a save"
        raise BadInput("plan", "nothing to plan", fix)
    if save is not None:
        with Save(chosen(save)) as opened:
            options, (spent, _last) = opened.control(), spent_by_agent(opened)
            wanted, known, there = opened.tournament, averages(opened), answers_given(opened)
            matches = meetings_of(opened.matches("unfinished"))
    else:
        assert wanted is not None
        matches, known, there = meetings(wanted), {}, {}
        options, spent = merge_options(RunOptions(), wanted), {}
    body = _counts(wanted, matches, sum(there.values()))
    with estimating() as on_progress:
        costs = expenses(wanted, matches, known, there, on_progress)
    checks = budget_checks(options, spent, costs)
    if format == "json":
        body["expenses"] = [asdict(cost) for cost in costs]
        body["budgets"] = [asdict(check) | {"exceeded": check.exceeded} for check in checks]
        print(json.dumps(body, indent=2))
        return 0
    left = "" if save is None else " left"
    experiments: dict[str, int] = body["matches_by_experiment"]
    counts = f"{counted(body['matches'], 'match')} in {counted(len(experiments), 'experiment')}"
    safe_print(f"{wanted.name}{left}: {counts}, {counted(body['asks'], 'ask')}")
    print_table(
        ["Experiment", "Matches"], [[name, str(n)] for name, n in experiments.items()], right=[1]
    )
    print_table(
        ["Agent", "Seats"], [[name, str(n)] for name, n in body["seats"].items()], right=[1]
    )
    if costs:
        _print_costs(costs)
    for check in checks:
        safe_print(budget_line(check))
    return 0


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
    titles = ["Agent", "Calls", "Tokens in", "Tokens out", "Cost"]
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
    cost = NOTHING if price is None else dollars(price)
    return [name, *(f"{amount:,.0f}" for amount in amounts), cost]
