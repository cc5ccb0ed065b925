"""The command `audit`."""

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path

from parlour.api.auditing import audit_of, audited, refuse_no_audit
from parlour.api.playing import prepare_save
from parlour.cli.console_tables import show
from parlour.cli.options import AnyFormat
from parlour.cli.output import refuse_target
from parlour.cli.planned import estimate_of, print_estimate
from parlour.cli.playing import play, refuse_python_agents
from parlour.cli.signs_of_life import signs_of_life
from parlour.cli.source import asked_for
from parlour.cli.trust import settle
from parlour.games.common.errors import BadInput
from parlour.tournament.calls.budget import refuse_unbounded
from parlour.tournament.plan.schedule import meetings
from parlour.tournament.plan.toml_source import is_sqlite_file
from parlour.tournament.save.directory import chosen, named_save
from parlour.tournament.save.growing.create import merge_options
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions


def audit(
    file: Path,
    wording: list[str] | None = None,
    set_: list[str] | None = None,
    save: Path | None = None,
    budget: float | None = None,
    concurrency: int | None = None,
    plain: bool = False,
    dry_run: bool = False,
    format: AnyFormat = "table",
    out: Path | None = None,
    force: bool = False,
) -> int:
    """Play the same matches in other wordings, and show what depends on the wording."""
    if out is not None:  # before anything is played
        refuse_target(out, force)
    path = chosen(file)
    if is_sqlite_file(path):
        if wording or set_ or save or dry_run:
            raise BadInput(str(file), "is the save of an audit", "name its file to play another")
        with Save(path) as given:
            refuse_no_audit(path, given.tournament)
    else:
        tournament = asked_for(file, None, None, None, set_)
        assert tournament is not None
        wanted = audited(tournament, wording or ())
        options = merge_options(RunOptions(), wanted).updated(RunOptions(budget=budget))
        if dry_run:
            print_estimate(estimate_of(wanted, meetings(wanted), options), wanted.name)
            return 0
        settle(wanted)
        refuse_python_agents(wanted)
        refuse_unbounded(wanted.callers, options)
        path = save or named_save(wanted.name)
        prepare_save(path, wanted)
    if not _is_whole(path):
        # A program that reads the standard output gets the figures alone.
        with nullcontext() if format == "table" else redirect_stdout(sys.stderr):
            options = RunOptions(concurrency, budget=budget)
            code = play(path, plain or format != "table", options, detach=False, ranks=False)
        if code or not _is_whole(path):
            return code
    with signs_of_life("Computing"):
        report = audit_of(path)
    return show(report, format, out, force)


def _is_whole(path: Path) -> bool:
    with Save(path) as save:
        return save.match_count().done
