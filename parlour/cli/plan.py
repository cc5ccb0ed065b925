"""The command `plan`."""

import json
from pathlib import Path
from typing import Annotated, Optional

import typer

from parlour.cli.options import Preset, Seed, TableOrJson, TournamentFile
from parlour.cli.output import safe_print
from parlour.cli.planned import estimate_of, print_estimate
from parlour.cli.source import asked_for
from parlour.games.common.errors import BadInput
from parlour.tournament.plan.balance import unbalanced
from parlour.tournament.plan.schedule import meetings, meetings_of
from parlour.tournament.reports.cost_estimate import answers_given, averages
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
            planned = opened.match_count().matches
    else:
        assert wanted is not None
        matches, known, there, planned = meetings(wanted), {}, {}, None
        options, spent = merge_options(RunOptions(), wanted), {}
    estimate = estimate_of(wanted, matches, known, there, options, spent, planned)
    problems = unbalanced(wanted) if save is None else []
    if format == "json":
        print(json.dumps(estimate.body() | {"unbalanced": problems}, indent=2))
        return 0
    first = ", first round" if wanted.schedule == "adaptive" else ""
    print_estimate(estimate, wanted.name + (first if save is None else " left"))
    for problem in problems:
        safe_print(f"Not balanced: {problem}.")
    return 0
