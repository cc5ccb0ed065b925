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
from parlour.games.common.errors import BadInput
from parlour.games.engine.transcript import counted
from parlour.tournament.control.grow_save import grow_save
from parlour.tournament.plan.additions import (
    Addition,
    Kind,
    addition_of_file,
    grown_by,
    save_in_place,
)
from parlour.tournament.plan.schedule import meetings_of
from parlour.tournament.plan.toml_source import is_sqlite_file
from parlour.tournament.reports.cost_estimate import averages
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.grow import Growth
from parlour.tournament.save.lock import holder
from parlour.tournament.save.queries import spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions

Run = Annotated[bool, typer.Option("--run", help="Play at once.")]


def addition_from(command: str, save: Path | None, file: Path, kind: Kind) -> Addition:
    """The addition of a file. BadInput, too, for a save or a tournament in its place."""
    if is_sqlite_file(its := chosen(file)):
        if save is None:
            fix = f"write `parlour {command} {quote(str(file))} FILE.toml`"
            raise BadInput(command, f"names no file of {kind}", fix)
        if save.suffix == ".toml" and not is_sqlite_file(chosen(save)):
            fix = f"write `parlour {command} {quote(str(file))} {quote(str(save))}`"
            raise BadInput(command, "SAVE comes first", fix)
        raise save_in_place(its, kind)
    return addition_of_file(file, kind)


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
    asked: dict[str, object] = {
        "agents": [agent.name for agent in added.agents],
        "against": stage.against,
        "games": [entry.game.name for entry in added.games],
        "repetitions": stage.repetitions,
    }
    if stage.matches is not None:
        asked["matches"] = stage.matches
    return {"save": str(path), "added": asked} | _estimate(path, growth).body()


def _estimate(path: Path, growth: Growth) -> Estimate:
    """The estimate of the new matches; of an adaptive tournament that of a round of all agents."""
    matches = meetings_of(growth.expected)
    with Save(path) as save:
        known, (spent, _last) = averages(save), spent_by_agent(save)
        planned = save.match_count().matches + len(growth.next_round)
    return estimate_of(growth.grown.tournament, matches, known, {}, growth.options, spent, planned)


def _print(path: Path, growth: Growth) -> None:
    named, most = quote(str(path)), growth.grown.stage.matches
    if growth.next_round:
        print_estimate(_estimate(path, growth), f"{path}, a round of all agents")
        safe_print("Evidence on ranks begins again with all agents and games (docs/adaptive.md).")
    elif most is not None:
        safe_print(f"{path}: plays at most {counted(most, 'match')}")
    else:
        print_estimate(_estimate(path, growth), f"{path}, added")
    if holder(path) is not None:
        safe_print(f"They are being played. Watch with: {program()} attach {named}")
    else:
        safe_print(f"Play with: {program()} resume {named}")
