"""The stages of a save: how its plan grew, from the one that it began with."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from operator import le
from typing import Literal

from pydantic import TypeAdapter

from parlour.games.common.text import clean
from parlour.tournament.plan.growth import Stage
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.bounds import MOST_MATCHES
from parlour.tournament.save.database import GROWS, damaged
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import problem_of

ADD_STAGE = "INSERT INTO stages (kind, since, program, last_match, body) VALUES (?, ?, ?, ?, ?)"
StageKind = Literal["planned", "added", "extended", "merged", "split"]
_KIND: TypeAdapter[StageKind] = TypeAdapter(StageKind)
_STAGE = TypeAdapter(Stage)


@dataclass(frozen=True, slots=True)
class StoredStage:
    """A row of ``stages``. ``last_match`` is the highest number of a match by then."""

    kind: StageKind
    since: str
    program: str
    last_match: int
    stage: Stage


def stage_body(tournament: Tournament, **asked: object) -> str:
    """The JSON of a stage: the size of the tournament by then, and what was asked for."""
    size = {
        "agents": len(tournament.agents),
        "games": len(tournament.games),
        "repetitions": tournament.repetitions,
    }
    return json.dumps(size | asked)


def stage_json(stage: Stage) -> str:
    """The JSON of a stage as ``stages_of`` reads it."""
    usual = {"against": None, "pool": 0, "matches": None}
    return json.dumps({k: v for k, v in asdict(stage).items() if usual.get(k, ...) != v})


def stages_of(save: Save) -> list[StoredStage]:
    """The stages of a save, in order. Raises BadSave if they are not those of its tournament."""
    if save.version < GROWS:
        last, whole = save.match_count().matches, _whole(save.tournament)
        return [StoredStage("planned", save.created, "", last, whole)]
    rows = save._select("SELECT kind, since, program, last_match, body FROM stages ORDER BY number")
    stages = []
    for kind, since, program, last, body in rows:
        try:
            stage = _STAGE.validate_json(body)
            known = _KIND.validate_python(kind)
        except (ValueError, RecursionError) as error:
            raise damaged(save.path, f"stages{problem_of(error)}") from None
        stages.append(StoredStage(known, clean(since), clean(program), last, stage))
    sizes = [_size(stored.stage) for stored in stages]
    rises = all(map(_is_part, sizes, sizes[1:]))
    if any(not 0 <= stored.last_match <= MOST_MATCHES for stored in stages):
        raise damaged(save.path, "stages: have matches that there are not")
    if not sizes or not rises or sizes[-1] != _size(_whole(save.tournament)):
        raise damaged(save.path, "stages: are not those of the tournament")
    return stages


def _whole(tournament: Tournament) -> Stage:
    return Stage(len(tournament.agents), len(tournament.games), tournament.repetitions)


def _is_part(size: Iterable[int], later: Iterable[int]) -> bool:
    """True if nothing of a size shrinks."""
    return all(map(le, size, later))


def _size(stage: Stage) -> tuple[int, int, int]:
    return stage.agents, stage.games, stage.repetitions
