"""The command `step`."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from parlour.cli.options import NewestSave, OfMatch
from parlour.cli.output import safe_print
from parlour.cli.steering import find_unfinished, print_ended, wait_until_paused
from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import player
from parlour.tournament.calls.gate import Unit
from parlour.tournament.control.client import ControlFailed, RunnerClient
from parlour.tournament.save.reader import Save


def step(
    save: NewestSave = None,
    turn: Annotated[bool, typer.Option("--turn", help="One question (the default).")] = False,
    round: Annotated[bool, typer.Option("--round", help="The rest of the round.")] = False,
    match: Annotated[bool, typer.Option("--match", help="The rest of the match.")] = False,
    of: OfMatch = None,
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
