"""The plan: what a tournament would play and cost, counted before anything is played."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from parlour.cli.console_tables import print_table
from parlour.cli.run import asked_for
from parlour.cli.safe_print import print
from parlour.games.common.errors import BadInput
from parlour.games.families.transcript import counted
from parlour.ratings.reports.cells import NOTHING
from parlour.tournament.plan.loader import Tournament
from parlour.tournament.plan.schedule import PlannedMatch, answers_of_a_match, schedule
from parlour.tournament.reports.cost_estimate import Expense, averages, expenses, given
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredMatch


def plan(
    tournament: Path | None,
    preset: str | None,
    seed: int | None,
    save: Path | None,
    format: Literal["table", "json"],
) -> int:
    """Counts matches, experiments and asks, shows who meets whom and what models will cost."""
    wanted = asked_for(tournament, preset, seed)
    matches: Sequence[PlannedMatch | StoredMatch]
    if wanted is not None and save is not None:
        raise BadInput("--save", "stands beside a tournament to plan", "give one of them")
    if wanted is None and save is None:
        fix = "give a TOURNAMENT.toml, --preset NAME, or --save FILE for what is left of one"
        raise BadInput("plan", "does not know what to plan", fix)
    if save is not None:
        with Save(save) as opened:
            wanted, known, there = opened.tournament, averages(opened), given(opened)
            matches = opened.matches("outcome IS NULL AND frozen IS NULL")
    else:
        assert wanted is not None
        matches, known, there = list(schedule(wanted)), {}, {}
    body = _counts(wanted, matches, sum(there.values()))
    costs = expenses(wanted, matches, known, there)
    if format == "json":
        print(json.dumps(body | {"expenses": [asdict(cost) for cost in costs]}, indent=2))
        return 0
    left = "" if save is None else " left"
    experiments: dict[str, int] = body["matches_by_experiment"]
    counts = f"{counted(len(matches), 'match')} in {counted(len(experiments), 'experiment')}"
    print(f"{wanted.name}{left}: {counts}, {counted(body['asks'], 'ask')}")
    print_table(
        ["Experiment", "Matches"], [[name, str(n)] for name, n in experiments.items()], right=[1]
    )
    print_table(
        ["Agent", "Seats"], [[name, str(n)] for name, n in body["seats"].items()], right=[1]
    )
    if costs:
        _print_costs(costs)
    return 0


def _counts(
    wanted: Tournament, matches: Sequence[PlannedMatch | StoredMatch], answered: int
) -> dict[str, Any]:
    asks = [answers_of_a_match(entry) for entry in wanted.games]
    experiments: Counter[str] = Counter(match.experiment for match in matches)
    as_agent: Counter[str] = Counter()
    for match in matches:
        as_agent.update(match.agents)
    return {
        "name": wanted.name,
        "seed": wanted.seed,
        "schedule": wanted.schedule,
        "matches": len(matches),
        "experiments": len(experiments),
        "asks": max(0, sum(asks[match.entry] for match in matches) - answered),
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
        print(
            f"{guess} a guess: four characters each, of the prompts and of answers as a scripted"
            " player writes them. Tokens that a model of its own accord thinks with, repairs and"
            " retries come on top."
        )


def _amounts(cost: Expense) -> list[float]:
    return [cost.calls, cost.prompt_tokens, cost.completion_tokens]


def _line(name: str, amounts: Sequence[float], dollars: float | None) -> list[str]:
    shown = NOTHING if dollars is None else f"{dollars:,.2f}"
    return [name, *(f"{amount:,.0f}" for amount in amounts), shown]
