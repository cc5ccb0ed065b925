"""The stages of a save: how its plan grew, from the one that it began with."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from operator import le
from typing import Literal

from pydantic import BaseModel, Field, TypeAdapter

from parlour.games.common.text import clean
from parlour.tournament.plan.growth import Stage, first_stage
from parlour.tournament.save.bounds import MOST_MATCHES
from parlour.tournament.save.database import damaged
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import problem_of

ADD_STAGE = "INSERT INTO stages (kind, since, program, last_match, body) VALUES (?, ?, ?, ?, ?)"
StageKind = Literal["planned", "added", "extended", "merged", "split"]
_KIND: TypeAdapter[StageKind] = TypeAdapter(StageKind)
_STAGE = TypeAdapter(Stage)


class _Further(BaseModel, extra="ignore", strict=True):
    """The keys of a stage's JSON beyond those of ``Stage``."""

    id: str = Field("", pattern=r"^[0-9a-f]{0,64}$")
    joined: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredStage:
    """A row of ``stages``. ``last_match`` is the highest number of a match by then.

    ``id`` tells the matches that it planned from those of another copy of the save, "" in the first
    stage. ``joined`` has the time at which each agent
    joined the first of the tournaments that were merged or split; {} for another stage.
    """

    kind: StageKind
    since: str
    program: str
    last_match: int
    stage: Stage
    id: str = ""
    joined: Mapping[str, str] = field(default_factory=dict)

    @property
    def taken_over(self) -> int | None:
        """The number of matches of other saves' plans that a save began with, None for its own."""
        return self.last_match if self.kind in {"merged", "split"} else None


def stage_json(stage: Stage, **further: object) -> str:
    """The JSON of a stage as ``stages_of`` reads it, with what else was asked for."""
    usual = {"against": None, "pool": 0, "matches": None}
    body = {key: its for key, its in asdict(stage).items() if usual.get(key, ...) != its}
    return json.dumps(body | further)


def stages_of(save: Save) -> list[StoredStage]:
    """The stages of a save, in order, up to the tournament that it had when it was opened.

    Raises BadSave if they are not those of the tournament.
    """
    rows = save._select("SELECT kind, since, program, last_match, body FROM stages ORDER BY number")
    stages = []
    for kind, since, program, last, body in rows:
        try:
            stage, further = _STAGE.validate_json(body), _Further.model_validate_json(body)
            known = _KIND.validate_python(kind)
        except (ValueError, RecursionError) as error:
            raise damaged(save.path, f"stages{problem_of(error)}") from None
        joined = {name: clean(moment) for name, moment in further.joined.items()}
        its = clean(since), clean(program), last, stage
        stages.append(StoredStage(known, *its, further.id, joined))
    size = _size(first_stage(save.tournament))
    if stages and _size(stages[-1].stage) != size:
        (now,) = save._one("SELECT spec FROM tournament")
        if now != save.tournament_json:  # it has grown meanwhile
            stages = [stored for stored in stages if _is_part(_size(stored.stage), size)]
    sizes = [_size(stored.stage) for stored in stages]
    rises = all(map(_is_part, sizes, sizes[1:]))
    if any(not 0 <= stored.last_match <= MOST_MATCHES for stored in stages):
        raise damaged(save.path, "stages: have matches that there are not")
    if not sizes or not rises or sizes[-1] != size:
        raise damaged(save.path, "stages: are not those of the tournament")
    return stages


def _is_part(size: Iterable[int], later: Iterable[int]) -> bool:
    """True if nothing of a size shrinks."""
    return all(map(le, size, later))


def _size(stage: Stage) -> tuple[int, int, int]:
    return stage.agents, stage.games, stage.repetitions


def last_matches(save: Save, stages: Sequence[StoredStage]) -> list[int]:
    """The number of the last match that each stage planned.

    An adaptive tournament plans while it is played: a stage has all matches until the next one.
    """
    last = [stored.last_match for stored in stages]
    if save.tournament.schedule != "adaptive":
        return last
    return [*last[1:], save.match_count().matches]
