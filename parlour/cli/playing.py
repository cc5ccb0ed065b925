"""Plays a save in this process or in a detached one, and prints the result."""

import asyncio
import math
import os
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from parlour.agents.llm.config import Window
from parlour.cli.output import PROGRAM, program, safe_print
from parlour.cli.progress import session
from parlour.cli.trust import settle
from parlour.games.common.collection import imported
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.engine.transcript import counted
from parlour.tournament.calls.budget import refuse_unbounded
from parlour.tournament.calls.errors import BudgetExceeded
from parlour.tournament.control import launch
from parlour.tournament.control.changes import set_budget
from parlour.tournament.control.client import ControlFailed, RunnerClient
from parlour.tournament.control.status import hung
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schedule import refuse_rule
from parlour.tournament.save.dealt import refuse_dealt
from parlour.tournament.save.growing.create import change_models
from parlour.tournament.save.lock import holder, in_use
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RETIRED, Progress, RunOptions

# The modules that compute leaderboards are slow to import, so they are imported on use: a screen
# that watches the runner of another process starts without them.
if TYPE_CHECKING:
    from parlour.tournament.session import SessionResult

OUT_OF_TIME, INTERRUPTED = 3, 130
FIXED = ("concurrency", "until", "workers", "ray", "deadline", "give_up_after", "metrics")
"""Run options that a runner takes when it starts."""


def on_terminal() -> bool:
    """Returns True on a terminal that can show screens."""
    dumb = os.environ.get("TERM", "dumb") in {"dumb", ""}
    return sys.stdin.isatty() and sys.stdout.isatty() and not dumb


def refuse_python_agents(tournament: Tournament) -> None:
    """BadInput for a tournament with an agent that only a Python program can give."""
    from parlour.api.playing import refuse_missing_agents

    refuse_missing_agents(tournament, {})


def play(path: Path, plain: bool, run_options: RunOptions, detach: bool, ranks: bool = True) -> int:
    """Plays the rest of a save; with ``ranks`` prints its leaderboard. Returns the exit code."""
    with Save(path) as save:
        refuse_rule(save.tournament, run_options.until)
        is_longer = run_options.until not in {None, save.control().until}
        done = save.match_count().done and not is_longer
        if not done:
            refuse_dealt(path)
            refuse_python_agents(save.tournament)
        if not done and holder(path) is None:
            settle(save.tournament)
            refuse_unbounded(save.tournament.callers, save.control().updated(run_options))
    if done:
        from parlour.api.playing import is_played_and_rated

        if not is_played_and_rated(path):
            # The runner was killed between the last outcome and the leaderboard.
            asyncio.run(session(path, run_options))
        return print_result(path, just_now=False, ranks=ranks)
    if detach or (on_terminal() and not plain):
        return _play_detached(path, run_options, detach, ranks)
    launch.forget_last_words(path)
    try:
        ended = asyncio.run(session(path, run_options))
    except KeyboardInterrupt:  # before the matches or after them, where nothing is in flight
        return _interrupted(path)
    if not ended.progress.done:
        return not_finished(path, ended)
    return print_result(path, ranks=ranks)


def _play_detached(path: Path, run_options: RunOptions, detach: bool, ranks: bool) -> int:
    """Plays in a process of its own; opens the live screen on it unless it is to stay detached."""
    if holder(path) is None:
        os.environ[PROGRAM] = program()  # for the commands that the runner prints
        launch.start_detached(path, run_options)
    elif detach:
        raise in_use(path)
    else:
        change_options(path, run_options)
    if not detach:
        return watch(path, ranks)
    safe_print(f"Playing: {path}. Watch it with: {program()} attach {quote(str(path))}")
    return 0


def change_options(path: Path, run_options: RunOptions) -> None:
    """Changes how a running runner plays. BadInput for what it cannot change."""
    for name in FIXED:
        if getattr(run_options, name) is not None:
            option = f"--{name.replace('_', '-')}"
            fix = f"leave it out, or stop the runner first: parlour stop {quote(str(path))}"
            raise BadInput(option, "cannot be changed while a runner plays", fix)
    if run_options.pace is not None:
        pace = None if run_options.pace == math.inf else run_options.pace
        RunnerClient(path).set_pace(pace)
    if run_options.budget is not None:
        set_budget(path, run_options.budget, None)


def change_memory(path: Path, rounds: str) -> None:
    """Changes the rounds that the prompts of all models hold, from the next answer on.

    BadInput for anything but "full" and "last:N", and while a runner plays.
    """
    kind, _, number = rounds.partition(":")
    if rounds != "full" and not (kind == "last" and number.isdecimal() and int(number)):
        raise BadInput("--memory", f"cannot be {rounds!r}", "give full, or last:3 for 3 rounds")
    if holder(path) is not None:
        fix = f"stop the runner first: parlour stop {quote(str(path))}"
        raise BadInput("--memory", "cannot be changed while a runner plays", fix)
    with Save(path) as save:
        models = [model for model in save.tournament.models.values() if not model.is_agent]
    if not models:
        raise BadInput("--memory", "is for language models, and no agent is one", "leave it out")
    memory = "full" if rounds == "full" else Window(last=int(number))
    change_models(path, {model.name: {"memory": memory} for model in models})


def watch(path: Path, ranks: bool = True) -> int:
    """Opens the live screen on a save; prints its state when the screen is closed."""
    with imported():
        from parlour.tui.app import watch as open_screen

    return print_result(open_screen(path) or path, ranks=ranks)


def print_result(path: Path, just_now: bool = True, ranks: bool = True) -> int:
    """Prints the leaderboard of a finished save, else how to continue. Returns the exit code.

    Without ``ranks`` whoever calls has another report to print.
    """
    from parlour.api.results import rating_of
    from parlour.cli.console_tables import show
    from parlour.cli.standings import print_alarms, print_remarks
    from parlour.ratings.reports.leaderboard_report import leaderboard_report
    from parlour.tournament.plan.rating import newcomers
    from parlour.tournament.reports.leaderboards import current_leaderboard

    with Save(path) as save:
        progress = save.match_count()
        frozen = [
            match
            for match in save.matches("frozen")
            if not (match.frozen or "").startswith(RETIRED)
        ]
        if progress.done and save.tournament.fork is not None and not frozen:
            from parlour.cli.replay import print_fork

            print_fork(path)
        elif progress.done:
            head = f"Finished: {path}" if just_now else f"{path}: finished, nothing left to play"
            safe_print(head, flush=True)
            if newcomers(save.tournament):
                show(rating_of(path))
                print_alarms(save)
            elif ranks:
                show(leaderboard_report(current_leaderboard(save), "overall"))
                print_remarks(save)
            if not on_terminal():
                safe_print(f"Every figure on pages: {program()} site {quote(str(path))} --open")
    if not progress.done:
        safe_print(f"{path}: {progress.finished}/{progress.matches} matches finished.")
        _print_next_step(path)
    for match in frozen:
        safe_print(f"parlour: match {match.number} is frozen: {match.frozen}", file=sys.stderr)
    return 1 if frozen else 0


def _print_next_step(path: Path) -> None:
    state, save = _state(path), quote(str(path))
    if sentence := hung(path):
        safe_print(f"parlour: {sentence}", file=sys.stderr)
    elif state is None:
        for words in launch.last_words(path):
            safe_print(f"{launch.SAYS}{words}", file=sys.stderr)
        safe_print(f"Continue with: {program()} run {save}")
    elif state in {"pausing", "paused"}:
        safe_print(f"It is paused. Continue with: {program()} run {save}")
    elif state == "stopping":
        safe_print(f"It is stopping. Then continue with: {program()} run {save}")
    else:
        safe_print(f"It keeps running. Watch it with: {program()} attach {save}")


def _state(path: Path) -> str | None:
    """The state of the runner of a save; None if there is none."""
    try:
        return RunnerClient(path).status().state
    except (ControlFailed, BadSave):
        return None if holder(path) is None else "stopping"


def not_finished(path: Path, ended: "SessionResult") -> int:
    """Says why a run ended before its tournament, and how to continue. Returns the exit code."""
    if ended.interrupted:
        return _interrupted(path)
    words = ended.stats.failures()[:5]
    if reason := ended.stats.out_of_time:
        left = f"{counted(_left(ended.progress), 'match')} left to play"
        without = f"{program()} retire {quote(str(path))} AGENT"
        words.append(
            f"{reason}; {left}, continue with: {_again(path)}, or close those of: {without}"
        )
    if count := len(ended.stats.failed):
        failed = f"{counted(count, 'match')} failed; fix the cause"
        words.append(f"{failed}, then: {_again(path)}")
    words += [f"{reason}, then: {_again(path)}" for reason in ended.stats.given_up]
    words += [_at_budget(path, cap, ended.progress) for cap in ended.stats.exceeded_budgets]
    for line in words:
        safe_print(f"{launch.SAYS}{line}", file=sys.stderr)
    launch.keep_last_words(path, words)
    return OUT_OF_TIME if ended.stats.out_of_time else 1


def _left(progress: Progress) -> int:
    return progress.matches - progress.finished - progress.frozen


def _at_budget(path: Path, exceeded: BudgetExceeded, progress: Progress) -> str:
    """The line on a run that ended at a budget, with the command that resumes it."""
    left = counted(_left(progress), "match")
    more = f"{_again(path)} --budget MORE"
    if exceeded.own:
        more = f"{program()} budget {quote(str(path))} MORE --agent {quote(exceeded.agent)}"
    return f"{exceeded}; {left} left to play, continue with more: {more}"


def _interrupted(path: Path) -> int:
    line = f"Interrupted; every answer is saved. Continue with: {_again(path)}"
    safe_print(line, flush=True)
    return INTERRUPTED


def _again(path: Path) -> str:
    """The command that resumes a save, quoted for a shell."""
    return f"{program()} run {quote(str(path))}"
