"""The command `run`."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from shlex import quote

from parlour.api.bundling import tournament_of_bundle
from parlour.api.playing import is_played_and_rated, prepare_save
from parlour.cli.output import complain, find_save, program, safe_print
from parlour.cli.playing import (
    change_memory,
    change_options,
    on_terminal,
    play,
    refuse_python_agents,
    watch,
)
from parlour.cli.source import asked_for
from parlour.cli.steering import refuse_finished
from parlour.cli.trust import settle
from parlour.games.common.errors import BadInput, BadSave
from parlour.ratings.measures.conditions import condition_name
from parlour.tournament.calls.budget import dollars, refuse_unbounded
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.plan.blocks import repeated
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import refuse_rule
from parlour.tournament.plan.toml_source import is_sqlite_file
from parlour.tournament.save.directory import ENDING, chosen, new_save, no_such_save
from parlour.tournament.save.growing.create import merge_options
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.trust.consent import Untrusted

DEMO_PACE, DEMO_CONCURRENCY = 4.0, 4
"""Questions a second and matches at once of the demo on the screen."""


def run(
    tournament: Path | None = None,
    preset: str | None = None,
    model: str | None = None,
    save: Path | None = None,
    plain: bool = False,
    concurrency: int | None = None,
    seed: int | None = None,
    set_: list[str] | None = None,
    pace: float | None = None,
    detach: bool = False,
    budget: float | None = None,
    until: str | None = None,
    workers: int | None = None,
    ray: str | None = None,
    memory: str | None = None,
    deadline: datetime | None = None,
    give_up_after: float | None = None,
    metrics: str | None = None,
    bundle: Path | None = None,
) -> int:
    """Play a tournament to its leaderboard, or continue or resume a save."""
    only_once = RunOptions(
        workers=workers, ray=ray, deadline=deadline, give_up_after=give_up_after, metrics=metrics
    )
    options = replace(only_once, concurrency=concurrency, pace=pace, budget=budget, until=until)
    if tournament is not None and _is_save(tournament):
        if save is not None:
            raise BadInput("--save", f"{tournament} is the save already", "name one save")
        tournament, save = None, tournament
    wanted = asked_for(tournament, preset, seed, model, set_)
    if bundle is not None:
        if wanted is not None:
            raise BadInput("--from", "names a whole tournament", "leave out the others")
        if save is not None and save.exists():
            fix = f"go on with it by `parlour run {quote(str(save))}`, or name another file"
            raise BadInput(f"--save {save}", "is there, and --from begins a new save", fix)
        wanted = tournament_of_bundle(bundle)
    if wanted is None:
        return _resume(find_save(save), memory, plain, options, detach)
    if memory is not None:
        fix = "name a save alone, or set `memory` in the tournament file"
        raise BadInput("--memory", "is for a save that is continued", fix)
    if save is not None and save.exists() and is_played_and_rated(save):
        with suppress(Untrusted):  # nothing is played, so that nobody need agree
            prepare_save(save, wanted)
        # It prints its result, or goes on if it is adaptive and asks for more.
        return play(save, plain, replace(only_once, until=until), detach)
    settle(wanted)
    if save is not None and save.exists():
        _continue(save, wanted, budget)
    else:
        refuse_python_agents(wanted)
        refuse_rule(wanted, until)
        save = save or new_save(wanted.name)
        wanted_options = merge_options(RunOptions(), wanted).updated(RunOptions(budget=budget))
        refuse_unbounded(wanted.callers, wanted_options)
        prepare_save(save, wanted)
        for words in repeated(wanted):
            complain(f"parlour: {condition_name(words)}")
        if preset == "demo" and not plain and on_terminal():
            # Slow enough to watch; on a terminal a key changes the pace.
            pace, concurrency = pace or DEMO_PACE, concurrency or DEMO_CONCURRENCY
            options = replace(options, pace=pace, concurrency=concurrency)
    return play(save, plain, options, detach)


def _is_save(named: Path) -> bool:
    """True for a save, and for the name of one that is not there."""
    return named.suffix == ENDING or is_sqlite_file(chosen(named))


def _resume(path: Path, memory: str | None, plain: bool, options: RunOptions, detach: bool) -> int:
    """Continues a save, or resumes its runner. Returns the exit code."""
    if not path.exists():
        fix = "add a tournament file or --preset NAME to start one there"
        raise no_such_save(path, fix)
    if memory is not None:
        change_memory(path, memory)
    if holder(path) is None:
        return play(path, plain, options, detach)
    refuse_finished(path)
    change_options(path, options)
    named = quote(str(path))
    if RunnerClient(path).resume().state == "stopping":
        fix = f"wait until it has stopped, then: parlour run {named}"
        raise BadSave(str(path), "is being stopped", fix)
    if on_terminal() and not plain and not detach:
        return watch(path)
    safe_print(f"{path}: resumed. Watch it with: {program()} attach {named}")
    return 0


def _continue(save: Path, wanted: Tournament, budget: float | None) -> None:
    """Applies the tournament's run options to an existing save."""
    with Save(save) as existing:
        control = existing.control()
    is_running = holder(save) is not None
    prepare_save(save, wanted)
    for line in () if is_running else replaced_budgets(control, wanted, budget):
        safe_print(f"{line}: {program()} run {quote(str(save))}", file=sys.stderr)


def replaced_budgets(
    stored: RunOptions, tournament: Tournament, budget: float | None
) -> Iterator[str]:
    """Yields a line for each budget of a save that its file replaces, and how to keep it.

    ``budget`` is one for all models together that replaces both.
    """
    amounts: list[tuple[str, float | None, float | None]] = [
        (name, stored.agent_budgets.get(name), amount)
        for name, amount in tournament.agent_budgets.items()
    ]
    if budget is None:
        amounts.append(("all", stored.budget, tournament.budget))
    for name, before, amount in amounts:
        if amount is not None and before is not None and amount != before:
            yield (
                f"Budget of {name}: {dollars(amount)}, from the tournament file; the save had"
                f" {dollars(before)}, which stays with"
            )
