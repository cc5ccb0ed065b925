"""Forks: a match that is played on from one of its asks with another answer or another player.

A fork is a save of its own beside the one that it comes from, with that one match. It begins with
the stored answers before the ask, and those of other players to it. No leaderboard counts it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from shlex import quote
from typing import Any

from parlour.agents.human import HumanConfig
from parlour.agents.registry import AgentConfig, ScriptedConfig, refuse_unable, strategies
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.common.suggestions import suggestion
from parlour.games.engine.moves import Fault, Seat, player
from parlour.games.engine.table import Table
from parlour.tournament.plan.model import Tournament
from parlour.tournament.plan.schema import Fork
from parlour.tournament.save.directory import ENDING, free_path
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import Diverged, not_replayable, rebuild
from parlour.tournament.save.rows import StoredAnswer, StoredMatch

FOLDER = "forks"
"""The folder of forks, beside the save that they come from."""


@dataclass(frozen=True, slots=True)
class ForkChange:
    """The change by which a fork differs: another answer of a seat, or another agent in it.

    ``answer`` is plain data in the form that players write, with "Player 3" for a seat.
    """

    seat: Seat
    answer: Mapping[str, Any] | None = None
    agent: AgentConfig | None = None


def fork_match(path: Path, number: int, ask: int, change: ForkChange, target: Path | None) -> Path:
    """Creates the fork of a match at an ask (from 0), and returns the path of its save.

    Raises BadInput if the match has no such ask, or does not ask that seat for another answer,
    or if the answer is not legal; BadSave if the match cannot be replayed.
    """
    with Save(path) as save:
        if save.tournament.fork is not None:
            raise BadInput(str(path), "is a fork itself", "fork the save that it comes from")
        match, answers = save.match(number), save.answers_of(number)
        try:
            table = rebuild(save.tournament, match, [each for each in answers if each.ask < ask])
        except Diverged as difference:
            raise not_replayable(path, difference) from None
        _refuse_elsewhere(save, match, table, ask, change)
        # Those before the ask, and those of others to it.
        first_answers = [
            each for each in answers if (each.ask, each.seat == change.seat) < (ask, True)
        ]
        if change.answer is not None:
            first_answers.append(_changed(table, change.seat, change.answer))
        tournament = _forked(save, match, ask, change)
        options = save.control()
    name = f"{path.stem}-match-{number}-ask-{ask}{ENDING}"
    target = target or free_path(path.parent / FOLDER / name)
    target.parent.mkdir(mode=0o700, exist_ok=True)
    create_save(target, tournament, options, [each._replace(match=1) for each in first_answers])
    return target


def origin_of(path: Path, fork: Fork) -> Path:
    """The save that a fork comes from. Raises BadSave if it is no longer there."""
    for folder in (path.parent.parent, path.parent):
        if (folder / fork.save).is_file():
            return folder / fork.save
    fix = f"put {fork.save} beside the folder of the fork"
    raise BadSave(str(path), f"is a fork of {fork.save}, which is not there", fix)


def refuse_fork(save: Save) -> None:
    """BadInput for a fork where matches of tournaments are counted."""
    if (fork := save.tournament.fork) is not None:
        problem = f"is a fork of match {fork.match} of {fork.save}"
        raise BadInput(str(save.path), f"{problem}, which no leaderboard counts", "name that save")


def agent_for(tournament: Tournament, name: str) -> AgentConfig:
    """The agent that takes a seat over: one of the tournament, or a strategy by its name."""
    known = {agent.name: agent for agent in tournament.agents}
    if name in known:
        return known[name]
    if name in strategies():
        return ScriptedConfig(name=name, strategy=name)
    raise BadInput("--agent", f"unknown agent {name!r}", suggestion(name, {*known, *strategies()}))


def person_named(tournament: Tournament, name: str) -> AgentConfig:
    """A person that takes a seat over. BadInput if another agent has the name."""
    known = {agent.name: agent for agent in tournament.agents}
    if not isinstance(known.get(name, HumanConfig(name="-", kind="human")), HumanConfig):
        raise BadInput("--person", f"{name!r} is an agent of the tournament", "choose another name")
    return HumanConfig(name=name, kind="human")


def _refuse_elsewhere(
    save: Save, match: StoredMatch, table: Table, ask: int, change: ForkChange
) -> None:
    """BadInput if the fork cannot begin at this ask with this seat and this player."""
    path = save.path
    place = f"{path}: match {match.number}"
    if table.pending is None or table.ask_number != ask:
        whole = replayed(save, match.number)
        last = whole.ask_number if whole.pending is not None else whole.ask_number - 1
        listed = f"parlour replay {quote(str(path))} {match.number} --prompts"
        fix = f"it has asks 0 to {max(0, last)}: {listed}"
        raise BadInput(place, f"has no ask {ask}", fix)
    if change.seat not in table.seats:
        raise BadInput(place, f"has no {player(change.seat)}", f"name 1 to {len(table.seats)}")
    if change.agent is not None:
        refuse_unable(change.agent, table.game, (table.setting,), "--agent")
    if change.answer is not None and change.seat not in table.pending.seats:
        asked = ", ".join(player(seat) for seat in table.pending.seats)
        raise BadInput(
            f"{place}, ask {ask}", f"{player(change.seat)} is not asked", f"name {asked}"
        )


def _changed(table: Table, seat: Seat, data: Mapping[str, Any]) -> StoredAnswer:
    """The new answer to the pending ask, as stored. BadInput if it is not legal."""
    assert table.pending is not None
    judged = table.pending.judge(seat, dict(data))
    if isinstance(judged, Fault):
        raise BadInput("--answer", judged.message, f"the ask is a {table.pending.kind}")
    place = 1, table.ask_number, seat, table.pending.kind, table.pending.round
    value, fault, tries, notes = judged.model_dump_json(), None, 1, None
    return StoredAnswer(*place, value, fault, tries, notes, table.digest())


def _forked(save: Save, match: StoredMatch, ask: int, change: ForkChange) -> Tournament:
    """The tournament of the fork: one match, whose agents are those of the origin."""
    agents = {agent.name: agent for agent in save.tournament.agents}
    seats = list(match.agents)
    if change.agent is not None:
        agents[change.agent.name] = change.agent
        seats[change.seat] = change.agent.name
    fork = Fork(
        save=save.path.name,
        match=match.number,
        ask=ask,
        seat=change.seat,
        setting=match.setting,
        seed=match.seed,
        counted=match.counted,
        agents=tuple(seats),
    )
    return replace(
        save.tournament,
        name=f"{save.name}, match {match.number} from ask {ask} on",
        games=(save.tournament.games[match.entry],),
        agents=tuple(agents.values()),
        fork=fork,
    )


def parted(first: Sequence[str], second: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """The lines that two transcripts share, and those of each from where they part."""
    pairs = zip(first, second, strict=False)
    shared = [line for line, _other in takewhile(lambda pair: pair[0] == pair[1], pairs)]
    return shared, list(first[len(shared) :]), list(second[len(shared) :])


def replayed(save: Save, number: int) -> Table:
    """The table of a match with all its stored answers. BadSave if it cannot be replayed."""
    match = save.match(number)
    try:
        return rebuild(save.tournament, match, save.answers_of(number))
    except Diverged as difference:
        raise not_replayable(save.path, difference) from None
