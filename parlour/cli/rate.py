"""The command `rate`."""

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from shlex import quote

import typer

from parlour.agents.llm.prices import most_tokens
from parlour.api.playing import prepare_save
from parlour.api.results import rating_of
from parlour.api.store import keep_figures, one_rating, read_store, save_for
from parlour.cli.console_tables import show
from parlour.cli.options import AnyFormat, was_given
from parlour.cli.output import refuse_target, safe_print
from parlour.cli.planned import estimate_of, print_costs
from parlour.cli.playing import play, refuse_python_agents
from parlour.cli.signs_of_life import signs_of_life
from parlour.cli.trust import settle
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.games.engine.transcript import counted
from parlour.ratings.reference.scale import shipped_scale
from parlour.ratings.reports.rating_report import pool_report
from parlour.ratings.reports.standings_report import (
    ComparableRatings,
    groups,
    judged,
    standings_report,
)
from parlour.tournament.calls.budget import refuse_unbounded
from parlour.tournament.plan.additions import Addition
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.rating import (
    REPETITIONS,
    Effort,
    newcomers,
    pool_names,
    rating,
    rating_matches,
)
from parlour.tournament.plan.schedule import PlannedMeeting, meetings_of
from parlour.tournament.plan.toml_source import is_sqlite_file
from parlour.tournament.save.directory import chosen, named_save
from parlour.tournament.save.growing.create import create_save, merge_options
from parlour.tournament.save.growing.grow import grow
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions

MOST_TOKENS = 2000
"""Tokens of an answer of a model that is rated by its name under a budget."""
PRINTING = {"list_", "format", "out", "force", "card", "badge"}
"""The options that say what is printed, and how; the others say what is played."""


def rate(
    context: typer.Context,
    model: str | None = None,
    game: list[str] | None = None,
    effort: Effort = "usual",
    budget: float | None = None,
    save: Path | None = None,
    store: Path | None = None,
    again: bool = False,
    fail_if_worse: str | None = None,
    set_: list[str] | None = None,
    dry_run: bool = False,
    list_: bool = False,
    plain: bool = False,
    concurrency: int | None = None,
    workers: int | None = None,
    deadline: datetime | None = None,
    give_up_after: float | None = None,
    metrics: str | None = None,
    format: AnyFormat = "table",
    out: Path | None = None,
    card: Path | None = None,
    badge: Path | None = None,
    force: bool = False,
) -> int:
    """Play a newcomer against the reference pool, and print its strength on a fixed scale."""
    idle = _playing_options(context)
    pictures = {"--card": card, "--badge": badge}
    drawn = {option: file for option, file in pictures.items() if file is not None}
    if list_:
        if named := ([] if model is None else [model]) + idle + [*drawn]:
            problem = "shows the pool, whoever is to be rated"
            raise BadInput("rate --list", problem, f"leave out {', '.join(named)}")
        return show(pool_report(shipped_scale()), format, out, force)
    if not model:
        fix = "name a model, AGENT.toml, or scripted:STRATEGY; or show the pool with --list"
        raise BadInput("rate", "nobody to rate", fix)
    path = chosen(Path(model))
    if is_sqlite_file(path) and idle:
        fix = f"leave out {', '.join(idle)}, or name the newcomer to play more"
        raise BadInput(model, "is the save of a rating, which is only printed", fix)
    if out is not None:  # before anything is played
        refuse_target(out, force)
    for given, file in drawn.items():
        if file.suffix != ".svg":
            raise BadInput(f"{given} {file}", "is no SVG file", "name a file that ends in .svg")
        refuse_target(file, force)
    if dry_run and (format != "table" or out is not None or drawn):
        fix = f"leave out --dry-run to play, or {', '.join(['--format', '--out', *drawn])}"
        raise BadInput("rate --dry-run", "has no figures yet to write", fix)
    if store is None and (again or fail_if_worse is not None):
        idle_ = "--again" if again else "--fail-if-worse"
        raise BadInput(idle_, "is for a store of ratings", "add --store FOLDER")
    if store is not None and save is not None:
        raise BadInput("--store", "names its saves itself", "leave out --save")
    if not is_sqlite_file(path):
        wanted = rating(model, game or (), REPETITIONS[effort], set_ or ())
        if budget is not None and not model.endswith(".toml"):
            wanted = _bounded(wanted, model, set_ or ())
        # A program that reads the standard output gets the figures alone.
        with nullcontext() if format == "table" else redirect_stdout(sys.stderr):
            options = merge_options(RunOptions(), wanted).updated(RunOptions(budget=budget))
            if dry_run:
                _print_plan(wanted, meetings_of(rating_matches(wanted)), options)
                return 0
            path = save or named_save(wanted.name)
            if store is not None:
                path = save_for(store, wanted, again=again)
            _prepare(path, wanted, options)
            _print_rest(path, budget)
            options = RunOptions(
                concurrency=concurrency,
                budget=budget,
                workers=workers,
                deadline=deadline,
                give_up_after=give_up_after,
                metrics=metrics,
            )
            code = play(path, plain or format != "table", options, detach=False)
            if store is not None:
                keep_figures(path)
            if code == 0 and drawn:
                _draw(path, newcomers(wanted)[0], card, badge)
        if code == 0 and store is not None and fail_if_worse is not None:
            gates = [f"{name} >= {fail_if_worse}" for name in newcomers(wanted)]
            code = judge(gates, groups(read_store(store)[0]), quiet=format != "table")
        if code or (format == "table" and out is None):
            return code
    elif drawn and _draw(path, None, card, badge) != shipped_scale().version:
        safe_print(f"It is on an older scale than {shipped_scale().version}: rate it once more.")
        return 0
    return show(rating_of(path), format, out, force)


def _draw(path: Path, newcomer: str | None, card: Path | None, badge: Path | None) -> int:
    """Draws the rating of a save. Returns the version of its scale."""
    from parlour.site.cards import rating_badge, rating_card

    entry, records = one_rating(path, newcomer)
    if card is not None:
        card.write_bytes(rating_card(entry, records))
    if badge is not None:
        badge.write_bytes(rating_badge(entry))
    return entry.scale


def _bounded(wanted: Tournament, model: str, settings: Sequence[str]) -> Tournament:
    """The rating of a model by its name under a budget, which needs a limit of answers."""
    if all(most_tokens(each.parameters) for each in wanted.models.values()):
        return wanted
    safe_print(
        f"Answers have {MOST_TOKENS:,} tokens at most, since a budget needs a limit; another one:"
        " --set parameters.max_tokens=N"
    )
    games = [entry.game.name for entry in wanted.games]
    limit = f"parameters.max_tokens={MOST_TOKENS}"
    return rating(model, games, wanted.repetitions, [*settings, limit])


def _playing_options(context: typer.Context) -> list[str]:
    """The options on the command line that say what is played."""
    return [
        option.opts[0]
        for option in context.command.params
        if option.param_type_name == "option"
        and option.name not in PRINTING
        and was_given(context, option.name or "")
    ]


def _prepare(path: Path, wanted: Tournament, options: RunOptions) -> None:
    """Makes the save of a rating, or takes the one that is there, with more repetitions if asked.

    Raises BadSave if that has another newcomer, or other games.
    """
    settle(wanted)
    if not path.exists():
        refuse_python_agents(wanted)
        refuse_unbounded(wanted.models, options)
        create_save(path, wanted, newcomers=newcomers(wanted), against=pool_names())
        return
    with Save(path) as opened:
        _refuse_another(path, opened.tournament, wanted)
        stored = opened.tournament.repetitions
    prepare_save(path, replace(wanted, repetitions=stored))
    if wanted.repetitions > stored:
        grow(path, Addition(repetitions=wanted.repetitions))


def _refuse_another(path: Path, stored: Tournament, wanted: Tournament) -> None:
    """BadInput for the save of a rating of others, or in other games."""
    rated, fix = newcomers(stored), "choose another file with --save"
    if rated and rated != newcomers(wanted):
        if {*rated} > {*newcomers(wanted)}:
            fix += f", or go on with all: parlour run {quote(str(path))}"
        raise BadInput(str(path), f"is the rating of {' and '.join(rated)}", fix)
    games = [entry.game.name for entry in stored.games]
    if rated and games != [entry.game.name for entry in wanted.games]:
        fix += f", or give the same games: {' '.join(f'--game {name}' for name in games)}"
        raise BadInput(str(path), f"is a rating in {', '.join(games)}", fix)


def _print_rest(path: Path, budget: float | None) -> None:
    """Prints what is left to play of a rating, if anything is."""
    with Save(path) as opened:
        matches = meetings_of(opened.matches("unfinished"))
        if matches:
            options = opened.control().updated(RunOptions(budget=budget))
            _print_plan(opened.tournament, matches, options, opened)


def _print_plan(
    wanted: Tournament,
    matches: Counter[PlannedMeeting],
    options: RunOptions,
    save: Save | None = None,
) -> None:
    """Prints the number of matches, and what models are expected to cost; see ``estimate_of``."""
    games = len({meeting.entry for meeting in matches})
    size = f"{counted(matches.total(), 'match')} in {counted(games, 'game')}"
    pool = f"the {len(pool_names())} players of the reference pool"
    safe_print(f"{', '.join(newcomers(wanted))}: {size} against {pool}")
    if wanted.models:
        print_costs(estimate_of(wanted, matches, options, save))


CODES = {"passed": 0, "open": 5, "failed": 4}
"""Exit codes of gates by outcome, the worst one last."""


def standings(
    store: Path,
    history: bool = False,
    agent: str | None = None,
    gate: list[str] | None = None,
    format: AnyFormat = "table",
    out: Path | None = None,
    force: bool = False,
) -> int:
    """Show all models of a store on the fixed scale, and their history."""
    with signs_of_life("Reading ratings"):
        entries, notes = read_store(store)
    compared = groups(entries)
    names = {entry.agent for entry in entries}
    if agent is not None and agent not in names:
        raise BadInput("--agent", f"unknown agent {agent!r}", suggestion(agent, names))
    report = standings_report(compared, agent if agent or not history else "")
    show(replace(report, notes=[*report.notes, *notes]), format, out, force)
    return judge(gate or (), compared, quiet=format != "table" and out is None)


def judge(gates: Sequence[str], compared: Sequence[ComparableRatings], *, quiet: bool) -> int:
    """Prints the verdict on each gate, on standard error where the output is data."""
    verdicts = [judged(gate, compared) for gate in gates]
    for verdict in verdicts:
        safe_print(verdict.line, file=sys.stderr if quiet else sys.stdout)
    outcomes = {verdict.outcome for verdict in verdicts}
    return max((CODES[each] for each in outcomes), key=[*CODES.values()].index, default=0)
