"""Shared parts of the commands that add to a save: ask for consent, add, print what is planned."""

import json
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from parlour.cli.output import program, safe_print
from parlour.cli.planned import Estimate, estimate_of, print_estimate
from parlour.cli.playing import play
from parlour.cli.trust import settle
from parlour.tournament.control.grow_save import grow_save
from parlour.tournament.plan.additions import Addition, grown_by
from parlour.tournament.plan.schedule import meetings_of
from parlour.tournament.reports.cost_estimate import averages
from parlour.tournament.save.grow import Growth
from parlour.tournament.save.lock import holder
from parlour.tournament.save.queries import spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions

Run = Annotated[bool, typer.Option("--run", help="Play at once.")]


def add_to(path: Path, addition: Addition, format: str, *, run: bool) -> int:
    """Adds to a save and prints the new matches; plays them if that is asked for."""
    with Save(path) as save:
        settle(grown_by(save.tournament, addition).added)
    growth = grow_save(path, addition)
    if format == "json":
        print(json.dumps(_body(path, growth), indent=2))
    elif growth.is_same:
        safe_print(f"{path}: has all of it; nothing was added")
    else:
        _print(path, growth)
    if run and holder(path) is None:
        return play(path, False, RunOptions(), detach=False)
    return 0


def _body(path: Path, growth: Growth) -> dict[str, object]:
    added, stage = growth.grown.added, growth.grown.stage
    body = {
        "save": str(path),
        "added": {
            "agents": [agent.name for agent in added.agents],
            "against": stage.against,
            "games": [entry.game.name for entry in added.games],
            "repetitions": stage.repetitions,
        },
    }
    return body | _estimate(path, growth).body()


def _estimate(path: Path, growth: Growth) -> Estimate:
    matches = meetings_of(match for _place, match in growth.matches)
    with Save(path) as save:
        known, (spent, _last) = averages(save), spent_by_agent(save)
    return estimate_of(growth.grown.tournament, matches, known, {}, growth.options, spent)


def _print(path: Path, growth: Growth) -> None:
    print_estimate(_estimate(path, growth), f"{path}, added")
    named = quote(str(path))
    if holder(path) is not None:
        safe_print(f"They are being played. Watch with: {program()} attach {named}")
    else:
        safe_print(f"Play with: {program()} resume {named}")
