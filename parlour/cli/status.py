"""The command `status`."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shlex import join, quote

from parlour.api.status import SaveStatus, read_status
from parlour.cli.console_tables import print_list
from parlour.cli.options import TableOrJson
from parlour.cli.output import find_save, program, safe_print
from parlour.games.common.forms import COUNT, TEXT
from parlour.games.common.text import clean
from parlour.games.engine.moves import player
from parlour.games.engine.transcript import counted
from parlour.tournament.calls.budget import dollars
from parlour.tournament.control.status import RunStatus, hung
from parlour.tournament.reports.growth_history import has_grown
from parlour.tournament.run.state import WorkerState
from parlour.tournament.save.dealt import merging_command, shards_of
from parlour.tournament.save.outline import entry_counts
from parlour.tournament.save.reader import Save

REASONS = {
    "stopped": "by a command or a signal",
    "budget": "a budget is used up",
    "failures": "only permanent errors remained",
    "time": "its deadline came, or it gave up without progress",
    "disk": "the save could not be written",
    "error": "an error ended it",
    "killed": "its process was killed",
}
"""Why a run stopped, in words."""
MOST_SHOWN = 5
"""Matches that are named as waiting."""


def status(save: Path | None = None, format: TableOrJson = "table") -> int:
    """Show the state and progress of a tournament."""
    path = find_save(save)
    status = read_status(path)
    if format == "json":
        print(status.as_json())
        return 0
    lines = list(_lines(status, path))
    width = max(len(title) for title, _ in lines)
    for title, text in lines:
        safe_print(f"{title:{width}}  {text}")
    print_list({"Game": TEXT, "Finished": COUNT, "Matches": COUNT}, _games(path))
    return 0


def _lines(status: SaveStatus, path: Path) -> Iterator[tuple[str, str]]:
    """Yields title and text of each line for people."""
    run = status.run
    yield "Tournament", status.name
    yield "Save", f"{path}, made {status.created}"
    if status.origin:
        yield "Origin", status.origin
    if has_grown(status.history):
        yield from (("History", step.sentence) for step in status.history)
    yield "State", _state(status)
    if because := run.stopped_because:
        by = f"by {status.stopped_by}" if status.stopped_by else REASONS.get(because, because)
        yield "Stopped", f"{by}: {status.error}" if status.error else by
    if status.state == "hung":
        yield "Hung", hung(path)
    for reason in run.failed:
        yield "Problem", reason
    frozen = f", {run.frozen} frozen" if run.frozen else ""
    yield "Matches", f"{run.finished} of {run.matches} finished{frozen}"
    if status.decided is not None:
        yield "Ranks", status.decided
        yield "Until", f"{status.until}, or {status.most_matches} matches"
    yield "Experiments", f"{status.experiments_finished} of {status.experiments} finished"
    faults = f", {run.faults} of them faulty" if run.faults else ""
    yield "Answers", f"{run.answers}{faults}"
    if run.calls or run.cached or run.budget is not None:
        yield "Models", _money(run)
    for name, amount in run.agent_budgets.items():
        yield "Budget", f"{name}: {dollars(amount)}"
    for limit in run.limits:
        yield "Limit", limit
    for alarm in run.alarms:
        yield "Alarm", alarm.sentence
    for worker in run.workers:
        yield "Worker", _worker(worker)
    for remark in status.provenance:
        yield remark.level.capitalize(), remark.sentence
    yield from _waits(run)
    yield from _waiting(run)
    yield "Next", _next_command(status, path)


def _worker(worker: WorkerState) -> str:
    """One worker process in words."""
    return (
        f"{clean(worker.host)} {worker.pid}: {counted(worker.matches, 'match')},"
        f" {worker.per_second:,.0f} answers/s, {counted(worker.in_flight, 'call')} in flight,"
        f" last heard of {worker.heard:.0f} s ago"
    )


def _state(status: SaveStatus) -> str:
    state = status.state
    since = "" if status.since is None else f", since {status.since}"
    if status.pid is None:
        return ("not running, unfinished" if state == "unfinished" else state) + since
    pace, left = status.run.pace, status.run.left
    at_most = "" if pace is None else f", at most {pace:g} questions per second"
    expected = "" if left is None else f", about {_duration(left)} left"
    if left is not None and (most := status.run.left_at_most) is not None:
        all_matches = f"{_duration(most)} if all {status.most_matches} matches are played"
        expected = f", about {_duration(left)} left of this decision, {all_matches}"
    return f"{state}{since}, process {status.pid}{at_most}{expected}"


def _money(run: RunStatus) -> str:
    of = "" if run.budget is None else f" of {dollars(run.budget)}"
    failed = f", {run.failed_calls} failed" if run.failed_calls else ""
    cached = f", {run.cached} answers from the cache" if run.cached else ""
    return f"{dollars(run.dollars)}{of} spent; {counted(run.calls, 'call')}{failed}{cached}"


def _waits(run: RunStatus) -> Iterator[tuple[str, str]]:
    """Yields providers, budgets and the disk that the run waits for; people have lines below."""
    for wait in run.waits:
        if wait.kind == "person":
            continue
        matches = f"{counted(wait.matches, 'match')} of " if wait.matches else ""
        until = f", until {wait.until}" if wait.until else ""
        yield "Waits", f"{matches}{wait.who}: {wait.why}{until}"


def _waiting(run: RunStatus) -> Iterator[tuple[str, str]]:
    """Yields the people who are asked, and the players that matches wait for."""
    ends = {wait.who: wait.until for wait in run.waits if wait.kind == "person" and wait.until}
    for name, person in run.people.items():
        sits = "taken" if person.taken else f"free: {program()} attach, then s"
        until = f", until {ends[name]}" if name in ends else ""
        yield "Person", f"{name}: asked in {counted(len(person.asks), 'seat')}, {sits}{until}"
    matches = [(number, seats) for number, seats in run.waiting.items() if seats]
    for number, seats in matches[:MOST_SHOWN]:
        yield "Waiting", f"match {number}: {', '.join(player(seat) for seat in seats)}"
    if len(matches) > MOST_SHOWN:
        yield "Waiting", f"and {len(matches) - MOST_SHOWN} more"


def _next_command(status: SaveStatus, path: Path) -> str:
    command = "attach"
    if status.pid is None:
        command = "leaderboard" if status.state == "finished" else "run"
        if command == "leaderboard" and _is_fork(path):
            return f"{program()} replay {quote(str(path))} 1"
        if command == "run" and (shards := shards_of(path)):
            return f"play {join(shards)}, then: {program()} {merging_command(path, shards)}"
    elif status.state in {"pausing", "paused"}:
        command = "run"
    line = f"{program()} {command} {quote(str(path))}"
    spent_up = command == "run" and status.run.stopped_because == "budget"
    if spent_up and status.run.budget is not None:
        return f"{line} --budget MORE"
    return line


def _is_fork(path: Path) -> bool:
    with Save(path) as save:
        return save.tournament.fork is not None


def _games(path: Path) -> list[tuple[str, int, int]]:
    """Finished and planned matches of each game."""
    planned: Counter[str] = Counter()
    finished: Counter[str] = Counter()
    with Save(path) as save:
        names = [entry.game.name for entry in save.tournament.games]
        for entry, matches, ended in entry_counts(save):
            planned[names[entry]] += matches
            finished[names[entry]] += ended
    return [(game, finished[game], count) for game, count in planned.items()]


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
