"""The commands `pause`, `stop`, `step` and `budget`, which steer a runner."""

import re
import time
from pathlib import Path
from shlex import quote

from parlour.cli.console_tables import print_list
from parlour.cli.output import find_save, program, safe_print
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.common.forms import TEXT, CellForm
from parlour.games.engine.moves import player
from parlour.games.engine.transcript import counted
from parlour.tournament.calls.budget import dollars as in_dollars
from parlour.tournament.calls.budget import no_such_model, parse_amount
from parlour.tournament.calls.gate import Unit
from parlour.tournament.control.changes import set_budget
from parlour.tournament.control.client import ControlFailed, RunnerClient
from parlour.tournament.control.status import RunnerStatus, hung
from parlour.tournament.save.lock import holder
from parlour.tournament.save.queries import spent_by_agent
from parlour.tournament.save.reader import Save


def pause(save: Path | None = None) -> int:
    """Pause a running tournament; returns when nothing is in flight."""
    path = find_unfinished(save)
    RunnerClient(path).pause()
    now = wait_until_paused(path)
    if now is None:
        return print_ended(path)
    state = now.state
    safe_print(f"{path}: {state}, {now.finished}/{now.matches} matches finished")
    if now.state == "paused":
        again = f"{program()} run {quote(str(path))}"
        safe_print(f"Nothing is in flight. Continue with: {again}")
    return 0


def stop(save: Path | None = None) -> int:
    """Stop a running tournament; every answer is saved."""
    path = find_save(save)
    if holder(path) is None:
        refuse_finished(path)
    RunnerClient(path).stop()
    wait_until_paused(path)  # never true: this returns when the process has ended
    with Save(path) as stopped:
        if stopped.match_count().done:
            return print_ended(path)
    again = f"{program()} run {quote(str(path))}"
    safe_print(f"{path}: stopped; every answer is saved. Continue with: {again}")
    return 0


def step(
    save: Path | None = None,
    turn: bool = False,
    round: bool = False,
    match: bool = False,
    of: int | None = None,
) -> int:
    """Play one step of one match; everything else stays paused."""
    path = find_unfinished(save)
    options: dict[Unit, bool] = {"turn": turn, "round": round, "match": match}
    units = [unit for unit, is_given in options.items() if is_given]
    if len(units) > 1:
        problem = f"--{' and --'.join(units)} exclude each other"
        raise BadInput("step", problem, "give one of them")
    if of is not None:
        _refuse_unplayable(path, of)
    unit = units[0] if units else "turn"
    stepped = RunnerClient(path).step(unit, match=of).stepped
    assert stepped is not None
    now = wait_until_paused(path, stepped)
    if now is None:
        return print_ended(path)
    for failure in now.failed:
        if failure.startswith(f"match {stepped}:"):
            raise ControlFailed(f"{path}: {failure}")
    if stepped in now.parked:
        raise ControlFailed(f"{path}: match {stepped} is parked: {now.parked[stepped]}")
    seats = now.waiting.get(stepped)
    if seats:
        names = ", ".join(player(seat) for seat in seats)
        safe_print(f"{path}: match {stepped} waits for {names}")
    else:
        safe_print(f"{path}: match {stepped} is over")
    return 0


def _refuse_unplayable(path: Path, number: int) -> None:
    """BadInput for a match that is over or does not exist."""
    with Save(path) as save:
        last = save.match_count().matches
        if number > last:
            fix = f"the save has matches 1 to {last}"
            raise BadInput("--of", f"there is no match {number}", fix)
        match = save.match(number)
    if match.outcome is not None or match.frozen is not None:
        seen = f"parlour replay {quote(str(path))} {number}"
        raise BadInput("--of", f"match {number} is over", f"see it with: {seen}")


AMOUNT = re.compile(r"\+?\$?\+?[\d.]+|none|inf", re.IGNORECASE)


def budget(save: Path | None = None, dollars: str | None = None, agent: str | None = None) -> int:
    """Show what models have spent, or set their budget.

    It may be set while a tournament runs.
    """
    if dollars is None and save is not None and _is_amount(save):
        save, dollars = None, str(save)
    path = find_save(save)
    with Save(path) as opened:
        models, callers = opened.tournament.paid, opened.tournament.callers
        if agent is not None and agent not in callers:
            raise no_such_model(agent, callers)
        if dollars is not None:
            spent, _last = spent_by_agent(opened)
            now = opened.control()
            cap = now.budget if agent is None else now.agent_budgets.get(agent)
            so_far = sum(spent.values()) if agent is None else spent.get(agent, 0.0)
            set_budget(path, parse_amount(dollars, cap, so_far), agent)
        control = opened.control()
        spent, _last = spent_by_agent(opened)
    amount = CellForm(in_dollars)
    rows = [[name, spent.get(name, 0.0), control.agent_budgets.get(name)] for name in models]
    rows.append(["all", sum(spent.values()), control.budget])
    print_list({"Agent": TEXT, "Spent or reserved": amount, "Budget": amount}, rows)
    return 0


def _is_amount(word: Path) -> bool:
    """Returns True if the only argument is an amount rather than a save."""
    return AMOUNT.fullmatch(str(word)) is not None and not word.exists()


PATIENCE_SECONDS = 3600.0
"""The longest wait for answers in flight: a slow model may think for minutes."""
LOOK_SECONDS = 0.05
LONG_SECONDS = 5.0
"""Seconds after which a line says what the command waits for."""


def find_unfinished(save: Path | None) -> Path:
    """The save to steer. BadSave if it is finished."""
    path = find_save(save)
    refuse_finished(path)
    return path


def refuse_finished(path: Path) -> None:
    """BadSave if every match is over, though its runner may still compute the ratings."""
    if not path.exists():
        return
    with Save(path) as opened:
        if not opened.match_count().done:
            return
    fix = f"see it with `parlour leaderboard {quote(str(path))}`"
    is_rating = holder(path) is not None
    problem = "is finished, and its ratings are being computed" if is_rating else "is finished"
    raise BadSave(str(path), problem, fix)


def wait_until_paused(path: Path, match: int | None = None) -> RunnerStatus | None:
    """Waits until nothing is in flight, or the runner was resumed; returns its status then.

    None once the runner's process has ended. ``match`` is one that the status is to describe.
    """
    begun, is_announced = time.monotonic(), False
    while (waited := time.monotonic() - begun) < PATIENCE_SECONDS:
        try:
            now = RunnerClient(path).status(match)
        except (BadSave, ControlFailed):  # it is ending, or has ended
            if holder(path) is None:
                return None
        else:
            if now.state in {"paused", "running"}:
                return now
            if waited > LONG_SECONDS and not is_announced and now.in_flight:
                is_announced = True
                safe_print(f"{path}: {_in_flight(now)}", flush=True)
        time.sleep(LOOK_SECONDS)
    named = quote(str(path))
    waiting = f"answers are still in flight; see `parlour status {named}`"
    raise ControlFailed(f"{path}: {hung(path) or waiting}")


def print_ended(path: Path) -> int:
    """Reports that all matches are finished. ControlFailed if the runner ended before that."""
    with Save(path) as save:
        progress = save.match_count()
    named = quote(str(path))
    if not progress.done:
        raise ControlFailed(
            f"{path}: its runner ended at {progress.finished}/{progress.matches} matches;"
            f" continue with: parlour run {named}"
        )
    board = f"{program()} leaderboard {named}"
    safe_print(f"{path}: all matches are finished. See the leaderboard with: {board}")
    return 0


def _in_flight(now: RunnerStatus) -> str:
    """The number of answers in flight, and the first seat that is waited for."""
    waits: list[str] = []
    for number, seats in now.waiting.items():
        waits += [f"match {number} waits for {player(seat)}" for seat in seats]
    more = ", …" if len(waits) > 1 else ""
    return f"{counted(now.in_flight, 'answer')} still to come: {''.join(waits[:1])}{more}"
