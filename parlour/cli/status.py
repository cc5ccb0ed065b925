"""The command `status`."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any

from parlour.cli.console_tables import print_table
from parlour.cli.options import NewestSave, TableOrJson
from parlour.cli.output import find_save, program, safe_print
from parlour.cli.progress import STATES
from parlour.games.common.errors import BadSave
from parlour.games.engine.moves import player
from parlour.games.engine.transcript import counted
from parlour.tournament.calls.budget import dollars
from parlour.tournament.control.client import ControlFailed, ask_runner
from parlour.tournament.control.launch import last_words
from parlour.tournament.control.status import stopped_because
from parlour.tournament.save.lock import holder
from parlour.tournament.save.queries import experiment_counts, match_lines
from parlour.tournament.save.reader import Save

REASONS = {
    "stopped": "by a command or a signal",
    "budget": "a budget is used up",
    "failures": "only permanent errors remained",
    "disk": "the save could not be written",
    "killed": "its process was killed",
}
"""Why a run stopped, in words."""
MOST_SHOWN = 5
"""Matches that are named as waiting."""

Status = dict[str, Any]


def status(save: NewestSave = None, format: TableOrJson = "table") -> int:
    """Show the state and progress of a tournament."""
    path = find_save(save)
    body = read_status(path)
    if format == "json":
        print(json.dumps(body, indent=2))
        return 0
    lines = list(_lines(body, path))
    width = max(len(title) for title, _ in lines)
    for title, text in lines:
        safe_print(f"{title:{width}}  {text}")
    print_table(["Game", "Finished", "Matches"], _games(path), right=[1, 2])
    return 0


def read_status(path: Path) -> Status:
    """The state of a save: counts and money, and what its runner says if one is running."""
    with Save(path) as save:
        progress, name, created = save.progress(), save.name, save.created
        spent, control = save.spent(), save.control()
        experiments, experiments_finished = experiment_counts(save)
    body: Status = {
        "save": str(path),
        "name": name,
        "created": created,
        "state": "finished" if progress.done else "unfinished",
        "pid": None,
        **asdict(progress),
        "experiments": experiments,
        "experiments_finished": experiments_finished,
        **asdict(spent),
        "budget": control.budget,
        "agent_budgets": control.agent_budgets,
    }
    running = holder(path)
    if running is not None:
        body |= {"state": "running", "pid": running.get("pid")}
        with suppress(ControlFailed, BadSave):  # it may end at this very moment
            running_status = ask_runner(path, {"do": "status"})
            body |= running_status.model_dump(mode="json", exclude={"stepped", "refused"})
    elif not progress.done:
        body["stopped_because"] = stopped_because(path, progress)
        body["failed"] = last_words(path)
    return body


def _lines(body: Status, path: Path) -> Iterator[tuple[str, str]]:
    """Yields title and text of each line for people."""
    yield "Tournament", body["name"]
    yield "Save", f"{path}, made {body['created']}"
    yield "State", _state(body)
    if because := body.get("stopped_because"):
        yield "Stopped", REASONS.get(because, str(because))
    for reason in body.get("failed", []):
        yield "Problem", reason
    faults = f", {body['faults']} of them faulty" if body["faults"] else ""
    yield "Matches", f"{body['finished']} of {body['matches']} finished" + _frozen(body)
    experiments = f"{body['experiments_finished']} of {body['experiments']} finished"
    yield "Experiments", experiments
    yield "Answers", f"{body['answers']}{faults}"
    if body["calls"] or body["cached"] or body["budget"] is not None:
        yield "Models", _money(body)
    for name, amount in body["agent_budgets"].items():
        yield "Budget", f"{name}: {dollars(amount)}"
    for limit in body.get("limits", []):
        yield "Limit", limit
    for number, reason in body.get("parked", {}).items():
        yield "Parked", f"match {number}: {reason}"
    yield from _waiting(body)
    yield "Next", _next_command(body, path)


def _state(body: Status) -> str:
    raw: str = body["state"]
    state = STATES.get(raw, raw)
    if body["pid"] is None:
        return "not running, unfinished" if state == "unfinished" else state
    pace = "" if body.get("pace") is None else f", at most {body['pace']:g} questions per second"
    left = body.get("left")
    expected = "" if left is None else f", about {_duration(left)} left"
    return f"{state}, process {body['pid']}{pace}{expected}"


def _frozen(body: Status) -> str:
    return f", {body['frozen']} frozen" if body["frozen"] else ""


def _money(body: Status) -> str:
    spent = dollars(body["dollars"])
    of = "" if body["budget"] is None else f" of {dollars(body['budget'])}"
    failed = f", {body['failed_calls']} failed" if body["failed_calls"] else ""
    cached = f", {body['cached']} answers from the cache" if body["cached"] else ""
    return f"{spent}{of} spent; {counted(body['calls'], 'call')}{failed}{cached}"


def _waiting(body: Status) -> Iterator[tuple[str, str]]:
    """Yields the people who are asked, and the players that matches wait for."""
    for name, person in body.get("people", {}).items():
        sits = "taken" if person["taken"] else f"free: {program()} attach, then s"
        yield "Person", f"{name}: asked in {counted(len(person['asks']), 'seat')}, {sits}"
    matches = list(body.get("waiting", {}).items())
    for number, seats in matches[:MOST_SHOWN]:
        yield "Waiting", f"match {number}: {', '.join(player(seat) for seat in seats)}"
    if len(matches) > MOST_SHOWN:
        yield "Waiting", f"and {len(matches) - MOST_SHOWN} more"


def _next_command(body: Status, path: Path) -> str:
    command = "attach"
    if body["pid"] is None:
        command = "leaderboard" if body["state"] == "finished" else "resume"
    elif body["state"] in {"pausing", "quiesced"}:
        command = "resume"
    return f"{program()} {command} {quote(str(path))}"


def _games(path: Path) -> list[list[str]]:
    """Finished and planned matches of each game."""
    planned: Counter[str] = Counter()
    finished: Counter[str] = Counter()
    with Save(path) as save:
        names = [entry.game.name for entry in save.tournament.games]
        for match in match_lines(save):
            planned[names[match.entry]] += 1
            finished[names[match.entry]] += match.ending is not None
    return [[game, str(finished[game]), str(count)] for game, count in planned.items()]


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
