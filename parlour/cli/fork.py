"""The command `fork`."""

import json
from pathlib import Path
from typing import Any

from parlour.cli.output import find_save, safe_print
from parlour.cli.playing import play, refuse_python_agents
from parlour.cli.trust import settle_save
from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Seat
from parlour.tournament.save.growing.fork import ForkChange, agent_for, fork_match, person_named
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions


def fork(
    save: Path | None = None,
    *,
    match: int,
    ask: int,
    seat: int,
    answer: str | None = None,
    agent: str | None = None,
    person: str | None = None,
    target: Path | None = None,
    plain: bool = False,
    detach: bool = False,
) -> int:
    """Play a match on from one ask with another answer or player, beside the tournament."""
    path = find_save(save)
    change = _change(path, Seat(seat - 1), answer, agent, person)
    settle_save(path)
    with Save(path) as opened:
        refuse_python_agents(opened.tournament)  # before there is a fork that nothing could play
    made = fork_match(path, match, ask, change, target)
    safe_print(f"Forked match {match} of {path} at ask {ask}: {made}")
    return play(made, plain, RunOptions(), detach)


def _change(
    path: Path, seat: Seat, answer: str | None, agent: str | None, person: str | None
) -> ForkChange:
    """The change that the options name. BadInput unless it is exactly one."""
    if [answer, agent, person].count(None) != 2:
        fix = "give one of --answer JSON, --agent NAME and --person NAME"
        raise BadInput("fork", "a fork has one change", fix)
    if answer is not None:
        return ForkChange(seat, answer=_data(answer))
    with Save(path) as opened:
        if agent is not None:
            return ForkChange(seat, agent=agent_for(opened.tournament, agent))
        return ForkChange(seat, agent=person_named(opened.tournament, str(person)))


def _data(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise BadInput("--answer", f"is not JSON ({error})", "write an object") from None
    if not isinstance(data, dict):
        raise BadInput("--answer", "is not a JSON object", 'write {"field": value}')
    return data
