"""Shared parts of the commands that add to a save: ask for consent, add, print what is planned."""

import json
from pathlib import Path
from shlex import quote
from typing import Annotated, Literal

import typer

from parlour.cli.output import program, safe_print
from parlour.cli.planned import Estimate, estimate_of, print_estimate
from parlour.cli.playing import play
from parlour.cli.trust import settle
from parlour.games.common.errors import BadInput
from parlour.games.engine.transcript import counted
from parlour.tournament.control.grow_save import grow_save
from parlour.tournament.plan.additions import Addition, addition_of_file, grown_by
from parlour.tournament.plan.schedule import meetings_of
from parlour.tournament.plan.toml_source import is_sqlite_file, read_toml
from parlour.tournament.reports.cost_estimate import averages
from parlour.tournament.save.directory import chosen
from parlour.tournament.save.grow import Growth
from parlour.tournament.save.lock import holder
from parlour.tournament.save.queries import spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions

Kind = Literal["agents", "games"]
OTHERS: dict[Kind, tuple[Kind, str]] = {
    "agents": ("games", "extend"),
    "games": ("agents", "add"),
}
"""The blocks of another file that is added to a save, and the command for it."""
Run = Annotated[bool, typer.Option("--run", help="Play at once.")]


def addition_from(command: str, save: Path | None, file: Path, kind: Kind) -> Addition:
    """The addition of a file. BadInput, too, for a save or a tournament in its place."""
    fix = f"name a file with [[{kind}]] blocks"
    if is_sqlite_file(its := chosen(file)):
        if save is None:
            fix = f"write `parlour {command} {quote(str(file))} FILE.toml`"
            raise BadInput(command, f"names no file of {kind}", fix)
        if save.suffix == ".toml" and not is_sqlite_file(chosen(save)):
            fix = f"write `parlour {command} {quote(str(file))} {quote(str(save))}`"
            raise BadInput(command, "SAVE comes first", fix)
        fix += "; to put saves together, see `parlour merge --help`"
        raise BadInput(str(its), "is a save", fix)
    if not file.is_file():
        problem = "is a folder" if file.is_dir() else "there is no such file"
        raise BadInput(str(file), problem, fix)
    _text, content = read_toml(file, [])
    other, its_command = OTHERS[kind]
    if {"agents", "games"} <= content.keys():
        fix = f"put the new [[{kind}]] blocks in a file of their own"
        raise BadInput(str(file), "is a whole tournament", fix)
    if other in content:
        fix = f"add them with `parlour {its_command}`"
        raise BadInput(str(file), f"has [[{other}]] blocks", fix)
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
