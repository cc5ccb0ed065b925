"""Audits of wordings: a tournament in which each match is played in every wording of its game."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from parlour.agents.registry import refuse_unable
from parlour.games.common.errors import BadInput
from parlour.games.common.suggestions import suggestion
from parlour.games.common.validation_messages import first_problem
from parlour.games.engine.registry import games
from parlour.games.engine.wordings import KEY, PLAIN, parted, wordings_of
from parlour.tournament.plan.model import GameEntry, Tournament
from parlour.tournament.save.growing.check import raise_if_damaged
from parlour.tournament.save.reader import Save

if TYPE_CHECKING:
    from parlour.ratings.reports.report import Report


def audited(wanted: Tournament, only: Sequence[str] = ()) -> Tournament:
    """The audit of a tournament, in all wordings of its games or in the plain one and some.

    BadInput for a game without other wordings, or whose keys have none, and for what is no matter
    of wording alone: an adaptive schedule, a fork, or an agent with prompts of its own.
    """
    others = {name: wordings_of(game) for name, game in games().items()}
    known = dict.fromkeys(chain.from_iterable(others.values()))
    for wording in only:
        if wording not in known:
            raise BadInput("--wording", f"unknown wording {wording!r}", suggestion(wording, known))
    if wanted.schedule == "adaptive" or wanted.fork is not None:
        raise BadInput(wanted.name, "its matches depend on results", "audit a fixed schedule")
    entries: list[GameEntry] = []
    for entry in wanted.games:
        name = entry.game.name
        if others[name] == (PLAIN,):
            raise BadInput(f"game {name!r}", "has no other wordings", "leave it out")
        if parted(entry.condition)[0] != PLAIN:
            raise BadInput(f"game {name!r}", "has a wording already", f"leave out {KEY}")
    for wording in dict.fromkeys((PLAIN, *(only or known))):
        own = [each for each in wanted.games if wording in others[each.game.name]]
        entries += [_worded(entry, wording) for entry in own]
    for agent in wanted.agents:
        for entry in entries:
            refuse_unable(agent, entry.game, entry.settings()[:1], f"agent {agent.name!r}")
    name = f"audit of {wanted.name}"[:100]
    return replace(wanted, name=name, games=tuple(entries), seeding="common")


def _worded(entry: GameEntry, wording: str) -> GameEntry:
    try:
        variant = entry.game.variant.model_validate({**entry.variant.model_dump(), KEY: wording})
    except ValidationError as error:
        fix = "leave it out, or choose: --wording again --wording reversed --wording renamed"
        raise BadInput(f"game {entry.game.name!r}", first_problem(error)[1], fix) from None
    return replace(entry, variant=variant)


def refuse_no_audit(place: Path, stored: Tournament) -> None:
    """BadInput for a tournament whose matches have no counterparts in other wordings."""
    wordings = {parted(entry.condition)[0] for entry in stored.games}
    if len(wordings) == 1 or PLAIN not in wordings or stored.seeding != "common":
        fix = "make one from its tournament file: parlour audit FILE"
        raise BadInput(str(place), "is not the save of an audit", fix)


def audit_of(path: Path) -> "Report":
    """The audit of the finished matches of a save. BadInput for one without other wordings."""
    from parlour.ratings.measures.role_counts import faulty_answers
    from parlour.ratings.reliability.wordings import audit
    from parlour.ratings.reports.audit_report import audit_report

    with Save(path) as save, raise_if_damaged(save):
        refuse_no_audit(path, save.tournament)
        records = list(save.records())
        return audit_report(audit(records), faulty_answers(records))
