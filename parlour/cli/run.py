"""The command `run`."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shlex import quote

from parlour.api.bundling import tournament_of_bundle
from parlour.api.playing import is_played_and_rated, prepare_save
from parlour.cli.options import (
    Budget,
    Concurrency,
    Deadline,
    Detach,
    FromBundle,
    GiveUpAfter,
    Metrics,
    Model,
    Pace,
    Plain,
    Preset,
    Ray,
    SaveOption,
    Seed,
    TournamentFile,
    Until,
    Workers,
)
from parlour.cli.output import program, safe_print
from parlour.cli.playing import on_terminal, play, refuse_python_agents
from parlour.cli.source import asked_for
from parlour.cli.trust import settle
from parlour.games.common.errors import BadInput
from parlour.tournament.calls.budget import dollars, refuse_unbounded
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import refuse_rule
from parlour.tournament.save.directory import chosen, new_save, no_such_save
from parlour.tournament.save.growing.create import merge_options
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.trust.consent import Untrusted

DEMO_PACE, DEMO_CONCURRENCY = 4.0, 4
"""Questions a second and matches at once of the demo on the screen."""


def run(
    tournament: TournamentFile = None,
    preset: Preset = None,
    model: Model = None,
    save: SaveOption = None,
    plain: Plain = False,
    concurrency: Concurrency = None,
    seed: Seed = None,
    pace: Pace = None,
    detach: Detach = False,
    budget: Budget = None,
    until: Until = None,
    workers: Workers = None,
    ray: Ray = None,
    deadline: Deadline = None,
    give_up_after: GiveUpAfter = None,
    metrics: Metrics = None,
    bundle: FromBundle = None,
) -> int:
    """Play a tournament to its leaderboard, or continue a save."""
    wanted = asked_for(tournament, preset, seed, model)
    if bundle is not None and (wanted is not None or (save is not None and save.exists())):
        raise BadInput("--from", "names a whole tournament", "leave out the others")
    if bundle is not None:
        wanted = tournament_of_bundle(bundle)
    only_once = RunOptions(
        workers=workers,
        ray=ray,
        deadline=deadline,
        give_up_after=give_up_after,
        metrics=metrics,
    )
    if save is None and wanted is None:
        fix = "name a tournament file, --preset NAME, or --save FILE to continue one"
        raise BadInput("run", "nothing to run", fix)
    if save is not None and wanted is None:
        save = chosen(save)
    if save is not None and save.exists() and is_played_and_rated(save):
        if wanted is not None:
            with suppress(Untrusted):  # nothing is played, so that nobody need agree
                prepare_save(save, wanted)
        # It prints its result, or goes on if it is adaptive and asks for more.
        return play(save, plain, replace(only_once, until=until), detach)
    if wanted is not None:
        settle(wanted)
    if save is not None and save.exists():
        _continue(save, wanted, budget)
    else:
        if wanted is None:
            fix = "add a tournament file or --preset NAME to start one there"
            assert save is not None
            raise no_such_save(save, fix)
        refuse_python_agents(wanted)
        refuse_rule(wanted, until)
        save = save or new_save(wanted.name)
        wanted_options = merge_options(RunOptions(), wanted).updated(RunOptions(budget=budget))
        refuse_unbounded(wanted.models, wanted_options)
        prepare_save(save, wanted)
        if preset == "demo" and not plain and on_terminal():
            # Slow enough to watch; on a terminal a key changes the pace.
            pace, concurrency = pace or DEMO_PACE, concurrency or DEMO_CONCURRENCY
    options = replace(only_once, concurrency=concurrency, pace=pace, budget=budget, until=until)
    return play(save, plain, options, detach)


def _continue(save: Path, wanted: Tournament | None, budget: float | None) -> None:
    """Applies the tournament's run options to an existing save."""
    with Save(save) as existing:
        control = existing.control()
    if wanted is None:
        return
    is_running = holder(save) is not None
    prepare_save(save, wanted)
    if not is_running:
        for line in replaced_budgets(control, wanted, budget):
            again = f"{program()} resume {quote(str(save))}"
            safe_print(f"{line}: {again}", file=sys.stderr)


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
