"""Grows the plan of a save: new agents, games and repetitions, in one transaction.

No match that is there changes but for its place in the order of ratings. An adaptive tournament
gets its new matches by its next decisions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex
from shlex import quote

from parlour.agents.registry import refuse_unready
from parlour.games.common.errors import BadInput, BadSave
from parlour.tournament.plan.additions import Addition, Grown, grown_by
from parlour.tournament.plan.growth import grown
from parlour.tournament.plan.model import Source, Tournament
from parlour.tournament.plan.schedule import PlannedMatch, round_of_all
from parlour.tournament.save.database import writing
from parlour.tournament.save.finished import places_of
from parlour.tournament.save.growing.retire import close_for_retired
from parlour.tournament.save.growing.stages import ADD_STAGE, StoredStage, stage_json, stages_of
from parlour.tournament.save.lock import iso, locked
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import (
    ADD_MATCH,
    ADD_TEXT,
    CONTROL,
    RunOptions,
    TextNumbers,
    match_cells,
)
from parlour.tournament.save.seals import seal
from parlour.tournament.trust.consent import agree, refuse_untrusted
from parlour.tournament.trust.needs import needs


@dataclass(frozen=True, slots=True)
class Growth:
    """The plan of a save with an addition.

    ``matches`` are the new ones, each with its place. ``places`` are the new places of those that
    are there, by number. ``is_same`` is true if the tournament had all of it. ``basis`` has the
    numbers of stages and matches of the save by then: as long as they are these, the plan holds.
    ``next_round`` is what the next decision of an adaptive tournament plans at least that got
    agents or games: each two agents meet once.
    """

    grown: Grown
    options: RunOptions
    matches: tuple[tuple[int, PlannedMatch], ...] = ()
    places: tuple[tuple[int, int], ...] = ()
    is_same: bool = False
    basis: tuple[int, int] = (0, 0)
    next_round: tuple[PlannedMatch, ...] = ()

    @property
    def expected(self) -> tuple[PlannedMatch, ...]:
        """The matches of a forecast: the new ones, or the next round."""
        return self.next_round or tuple(match for _place, match in self.matches)


def growth_of(save: Save, addition: Addition) -> Growth:
    """Returns the plan of a save with an addition; the save stays as it is.

    Raises BadInput naming place, value and fix for what cannot be added, BadSave for a save that
    cannot grow, and Untrusted for a file that the user has not agreed to.
    """
    stages = stages_of(save)
    if stages[0].kind == "split":
        fix = "merge it with the save that it is from, and add to the merged save"
        raise BadSave(str(save.path), "is a shard, whose plan is fixed", fix)
    by_addition = grown_by(save.tournament, addition)
    added, stage = by_addition.added, by_addition.stage
    refuse_untrusted(added)
    for agent in added.agents:
        refuse_unready(agent)
    options = _options(save, added)
    if by_addition.tournament == save.tournament:
        _refuse_other_anchors(save, addition, stages)
        return Growth(by_addition, options, is_same=True)
    known, taken_over = save.match_count().matches, stages[0].taken_over
    if save.tournament.schedule == "adaptive":
        next_round = _next_round(save, by_addition, known)
        return Growth(by_addition, options, next_round=next_round)  # decisions plan its matches
    before = [0, *(stored.last_match for stored in stages)]
    every = [*(stored.stage for stored in stages), stage]
    plan = list(grown(by_addition.tournament, every, before, taken_over))
    new = tuple(placed for placed in plan if placed[1].number > known)
    stored_places = places_of(save)
    places = [(match.number, place) for place, match in plan if match.number <= known]
    if (taken_over or 0) + len(places) != known or before[-1] != known:
        fix = f"see `parlour check {quote(str(save.path))}`"
        raise BadSave(str(save.path), "has other matches than its tournament plans", fix)
    moved = tuple(each for each in places if stored_places.get(each[0], each[0]) != each[1])
    return Growth(by_addition, options, new, moved, basis=(len(stages), known))


def _options(save: Save, added: Tournament) -> RunOptions:
    """The run options of a save with the budgets of new agents."""
    options = save.control()
    return replace(options, agent_budgets={**options.agent_budgets, **added.agent_budgets})


def _next_round(save: Save, grown: Grown, known: int) -> tuple[PlannedMatch, ...]:
    """The next round of an adaptive tournament that gets agents or games, () if it gets neither.

    BadInput if it is beyond the most matches of the tournament.
    """
    if not (grown.added.agents or grown.added.games):
        return ()
    (decisions,) = save._one("SELECT coalesce(max(seq), 0) FROM decisions")
    matches = round_of_all(grown.tournament, decisions + 1, known + 1)
    most, least = grown.tournament.most_matches or 0, known + len(matches)
    if most < least:
        problem = f"{most} are too few: {known} are planned, and each two agents meet next"
        fix = f"raise them: parlour add {quote(str(save.path))} --matches {least}, or more"
        raise BadInput("matches", problem, fix)
    return tuple(matches)


def _refuse_other_anchors(save: Save, addition: Addition, stages: Sequence[StoredStage]) -> None:
    """BadInput for agents that are there, and joined against others than these."""
    begin = 0
    joined: dict[str, tuple[str, ...] | None] = {}
    for stored in stages:
        names = [agent.name for agent in save.tournament.agents[begin : stored.stage.agents]]
        joined |= dict.fromkeys(names, stored.stage.against)
        begin = stored.stage.agents
    for block in addition.agents.get("agents", ()):
        anchors = joined.get(block.get("name"))
        if anchors is not None and set(anchors) != set(addition.against or ()):
            problem = f"{block['name']!r} joined against {', '.join(anchors)} alone, for good"
            raise BadInput(addition.place, problem, "add it under another name to meet others")


def grow(path: Path, addition: Addition, planned: Growth | None = None) -> Growth:
    """Adds to a save that is not in use; it grows completely or not at all.

    ``planned`` is ``growth_of`` the addition, None if it is not known. Raises as that does, and
    BadSave if a process runs the save.
    """
    with locked(path):
        return grow_own(path, addition, planned)


def grow_own(path: Path, addition: Addition, planned: Growth | None = None) -> Growth:
    """The same for the process that has the lock of the save, while nothing else writes it."""
    with Save(path) as save:
        basis, options = (len(stages_of(save)), save.match_count().matches), save.control()
        if planned is not None and planned.basis == basis:
            growth = replace(planned, options=_options(save, planned.grown.added))
        else:
            growth = growth_of(save, addition)
    if not growth.is_same:
        agree(needs(replace(growth.grown.added, source=Source(path))))
        _write(path, growth, is_same_options=growth.options == options)
    return growth


def _write(path: Path, growth: Growth, *, is_same_options: bool) -> None:
    """Writes everything in one transaction."""
    tournament, stage = growth.grown.tournament, growth.grown.stage
    kind = "added" if growth.grown.added.agents else "extended"
    with writing(path) as connection:
        texts = TextNumbers(connection.execute("SELECT id, text FROM texts"))
        connection.execute("UPDATE tournament SET spec = ?", (tournament.to_json(),))
        connection.executemany(
            ADD_MATCH, (match_cells(match, place, texts) for place, match in growth.matches)
        )
        connection.executemany(
            "UPDATE stored_matches SET place = nullif(?, number) WHERE number = ?",
            ((place, number) for number, place in growth.places),
        )
        connection.executemany(ADD_TEXT, texts.new)
        close_for_retired(connection)
        (last,) = connection.execute("SELECT max(number) FROM stored_matches").fetchone()
        row = kind, iso(datetime.now(UTC)), version("parlour"), last
        connection.execute(ADD_STAGE, (*row, stage_json(stage, id=token_hex(8))))
        connection.execute("DELETE FROM leaderboards")
        seal(connection)
        if not is_same_options:
            connection.execute(CONTROL, growth.options.row())
