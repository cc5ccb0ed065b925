"""Playing from the command line: which save, with what shown while it runs."""

import asyncio
import math
import os
import sys
import time
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from parlour.cli.budget import at_cap, taken_back
from parlour.cli.progress import TICK_SECONDS, held_up, people_waited_for, session
from parlour.cli.safe_print import print
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.engine.transcript import counted
from parlour.tournament.calls.budget import refuse_unbounded
from parlour.tournament.control.client import ControlFailed, ask_runner
from parlour.tournament.control.launch import (
    SAYS,
    forget_last_words,
    keep_last_words,
    last_words,
    start_detached,
)
from parlour.tournament.control.set_budget import set_budget
from parlour.tournament.plan.loader import read_preset, read_tournament
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.validation import difference, what_is_played
from parlour.tournament.save.create import apply_file_options, create_save, merge_options
from parlour.tournament.save.directory import chosen, new_save
from parlour.tournament.save.lock import holder, in_use
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions

# What computes leaderboards is heavy: it is loaded where it is needed, so that a screen that
# watches a tournament of another process comes up without it.
if TYPE_CHECKING:
    from parlour.tournament.session import SessionResult

INTERRUPTED = 130
DEMO_PACE, DEMO_CONCURRENCY = 4.0, 4
"""Asks a second and matches at once of the demo on the screen."""


def run(
    tournament: Path | None,
    preset: str | None,
    save: Path | None,
    plain: bool,
    concurrency: int | None,
    seed: int | None,
    pace: float | None,
    detach: bool,
    budget: float | None = None,
) -> int:
    """Plays a new tournament, or goes on with an existing save. Returns the exit code."""
    wanted = asked_for(tournament, preset, seed)
    if save is None and wanted is None:
        fix = "give a TOURNAMENT.toml, --preset NAME, or --save FILE to continue one"
        raise BadInput("run", "does not know what to play", fix)
    if save is not None and save.exists():
        _same_or_refused(save, wanted, budget)
    else:
        if wanted is None:
            fix = "give a tournament or --preset NAME to start one there"
            raise BadSave(str(save), "there is no such save", fix)
        save = save or new_save(wanted.name)
        wanted_options = merge_options(RunOptions(), wanted).updated(RunOptions(budget=budget))
        refuse_unbounded(wanted.models, wanted_options)
        create_save(save, wanted)
        if preset == "demo" and not plain and on_terminal():
            # Slow enough to watch; on a terminal a key changes the pace.
            pace, concurrency = pace or DEMO_PACE, concurrency or DEMO_CONCURRENCY
    return _play(save, plain, RunOptions(concurrency, pace, budget=budget), detach)


def resume(
    save: Path | None,
    plain: bool,
    concurrency: int | None,
    pace: float | None,
    detach: bool,
    budget: float | None = None,
) -> int:
    """Lets a paused runner go on, or starts one on an unfinished save. Returns the exit code."""
    path = chosen(save)
    if holder(path) is None:
        return _play(path, plain, RunOptions(concurrency, pace, budget=budget), detach)
    _tell(path, RunOptions(concurrency, pace, budget=budget))
    if ask_runner(path, {"do": "resume"}).state == "stopping":
        fix = f"wait for its end, then: parlour resume {path}"
        raise BadSave(str(path), "is just being stopped", fix)
    print(f"{path}: goes on. Watch it with: parlour attach {path}")
    return 0


def _tell(path: Path, run_options: RunOptions) -> None:
    """Has a runner that is already there play so. BadInput if it cannot."""
    if run_options.concurrency is not None:
        fix = f"leave it out, or first: parlour stop {path}"
        raise BadInput("--concurrency", "is settled when a runner starts, and one runs", fix)
    if run_options.pace is not None:
        pace = None if run_options.pace == math.inf else run_options.pace
        ask_runner(path, {"do": "pace", "per_second": pace})
    if run_options.budget is not None:
        set_budget(path, run_options.budget, None)


def attach(save: Path | None) -> int:
    """Watches a save: the live screen on a terminal, plain lines elsewhere."""
    path = chosen(save)
    Save(path).close()
    if on_terminal():
        return _watch(path)
    while holder(path) is not None:
        try:
            now = ask_runner(path, {"do": "status"})
        except (ControlFailed, BadSave):
            break  # it has just ended
        print(
            f"{now.state}: {now.finished}/{now.matches} matches, {now.answers} answers,"
            f" {now.per_second:,.0f}/s{held_up(now)}",
            flush=True,
        )
        if waiting := people_waited_for(path, now):
            print(waiting, flush=True)
        time.sleep(TICK_SECONDS)
    return _result(path)


def home() -> int:
    """The first screen: which saves there are, and new tournaments."""
    if not on_terminal():
        raise BadInput("the screens", "need a terminal", "see `parlour --help`")
    from parlour.tui.app import watch

    watch(None)
    return 0


def on_terminal() -> bool:
    """Whether there is a terminal that can show screens."""
    dumb = os.environ.get("TERM", "dumb") in {"dumb", ""}
    return sys.stdin.isatty() and sys.stdout.isatty() and not dumb


def _watch(path: Path) -> int:
    from parlour.tui.app import watch

    watch(path)
    return _result(path)


def asked_for(tournament: Path | None, preset: str | None, seed: int | None) -> Tournament | None:
    """The tournament that the arguments name, None if they name none."""
    if tournament is not None and preset is not None:
        fix = "give one; a file can say preset = ... to build on one"
        raise BadInput("--preset", "stands beside a tournament file", fix)
    if tournament is not None:
        return read_tournament(tournament, seed)
    if preset is not None:
        return read_preset(preset, seed)
    if seed is not None:
        fix = "give it together with a tournament; a save keeps its own"
        raise BadInput("--seed", "has no tournament to go with", fix)
    return None


def prepared(save: Path, wanted: Tournament) -> None:
    """A save that holds this tournament: the one that is there, or a new one."""
    if save.exists():
        _same_or_refused(save, wanted)
    else:
        create_save(save, wanted)


def _same_or_refused(save: Path, wanted: Tournament | None, budget: float | None = None) -> None:
    with Save(save) as existing:
        stored, name, control = existing.tournament_json, existing.name, existing.control()
    if wanted is None:
        return
    written = wanted.to_json()
    kept, asked = what_is_played(stored), what_is_played(written)
    if kept != asked:
        fix = "leave the tournament out to continue it, or choose another --save"
        problem = f"holds another tournament ({name!r}): {difference(kept, asked)}"
        raise BadSave(str(save), problem, fix)
    if holder(save) is None:
        for line in taken_back(control, wanted, budget):
            print(f"{line}: {_again(save)}", file=sys.stderr)
        apply_file_options(save, wanted)
    elif stored != written:
        fix = f"first: parlour stop {quote(str(save))}"
        raise BadSave(str(save), "is being played with other addresses or waits", fix)


def _play(path: Path, plain: bool, run_options: RunOptions, detach: bool) -> int:
    with Save(path) as save:
        done, rated = save.match_count().done, save.stored_leaderboard() is not None
        if not done and holder(path) is None:
            refuse_unbounded(save.tournament.models, save.control().updated(run_options))
    if done:
        if not rated:  # the runner was killed between the last outcome and the leaderboard
            asyncio.run(session(path, run_options))
        return _result(path, just_now=False)
    if detach or (on_terminal() and not plain):
        if holder(path) is None:
            start_detached(path, run_options)
        elif detach:
            raise in_use(path)
        else:
            _tell(path, run_options)
        if not detach:
            return _watch(path)
        print(f"Playing: {path}. Watch it with: parlour attach {path}")
        return 0
    forget_last_words(path)
    try:
        ended = asyncio.run(session(path, run_options))
    except KeyboardInterrupt:  # before the matches or after them, where nothing is in flight
        return _interrupted(path)
    if not ended.progress.done:
        return not_finished(path, ended)
    return _result(path)


def _result(path: Path, just_now: bool = True) -> int:
    """Says how a save stands: its leaderboard if it is finished, else how to go on."""
    from parlour.cli.console_tables import print_leaderboard
    from parlour.tournament.reports.leaderboards import current_leaderboard

    with Save(path) as save:
        progress = save.match_count()
        frozen = save.matches("frozen")
        if progress.done:
            said = "Finished: {}" if just_now else "{}: is finished, nothing is left to play"
            print(said.format(path), flush=True)
            print_leaderboard(current_leaderboard(save), "overall")
    if not progress.done:
        print(f"{path}: {progress.finished}/{progress.matches} matches finished.")
        state = _state(path)
        if state is None:
            for words in last_words(path):
                print(f"{SAYS}{words}", file=sys.stderr)
            print(f"Go on with: parlour resume {path}")
        elif state in {"pausing", "quiesced"}:
            print(f"It is paused. Go on with: parlour resume {path}")
        elif state == "stopping":
            print(f"It stops once what is in flight is stored. Then: parlour resume {path}")
        else:
            print(f"It goes on in the background. Watch it with: parlour attach {path}")
    for match in frozen:
        print(f"parlour: match {match.number} is frozen: {match.frozen}", file=sys.stderr)
    return 1 if frozen else 0


def _state(path: Path) -> str | None:
    """How the runner of a save stands; None if there is none."""
    try:
        return ask_runner(path, {"do": "status"}).state
    except (ControlFailed, BadSave):
        return None if holder(path) is None else "stopping"


def not_finished(path: Path, ended: "SessionResult") -> int:
    """Says why a run ended before its tournament, and how to go on. Returns the exit code."""
    if ended.interrupted:
        return _interrupted(path)
    words = list(ended.stats.failed.values())[:5]
    count = len(ended.stats.failed)
    if count:
        could_not = f"{counted(count, 'match')} could not go on; fix it"
        words.append(f"{could_not}, then: {_again(path)}")
    words += [f"{reason}, then: {_again(path)}" for reason in ended.stats.given_up]
    words += [at_cap(path, cap, ended.progress) for cap in ended.stats.exceeded_budgets]
    for line in words:
        print(f"{SAYS}{line}", file=sys.stderr)
    keep_last_words(path, words)
    return 1


def _interrupted(path: Path) -> int:
    print(f"Interrupted; everything answered is saved. Continue with: {_again(path)}", flush=True)
    return INTERRUPTED


def _again(path: Path) -> str:
    """The command that continues, fit to be pasted into a shell."""
    return f"parlour run --save {quote(str(path))}"
