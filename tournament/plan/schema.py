"""The schema of a tournament, as written in a file and as stored in a save."""

from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator

from parlour.agents.llm.config import CacheUse


class GameBlock(BaseModel, extra="allow", strict=True):
    """A ``[[games]]`` block; all keys beyond these belong to the game's variant.

    ``lineup`` names the agent of each seat. "alone": each agent in turn fills all seats.
    "in_turn": each agent in turn has the first seat, followed by the others in their order.
    """

    name: str
    settings: str | None = None
    limit: int | None = Field(default=None, ge=1)
    lineup: list[str] | Literal["alone", "in_turn"] | None = None
    matches: int | None = Field(default=None, ge=1, le=100_000)

    @field_validator("lineup", mode="before")
    @classmethod
    def _list_or_keyword(cls, lineup: object) -> object:
        if isinstance(lineup, str) and lineup not in {"alone", "in_turn"}:
            raise ValueError(
                f"{lineup!r} is not a line-up: give a list of agents, 'alone' or 'in_turn'"
            )
        return lineup


Seeding = Literal["independent", "common"]
"""Seeds of matches: one for each, whatever else is planned; or one for those of all agents and
conditions on a setting, so that these can be paired."""


Schedule = Literal["round_robin", "challenger", "adaptive"]
"""Pairing of agents: each two, each with the defender, or those whose order is not decided."""


class Limit(BaseModel, frozen=True, extra="forbid", strict=True):
    """A ``[[limits]]`` block: the limits of one endpoint, for all agents that use it together.

    ``endpoint`` is an ``api_base``, or the provider that litellm reaches, such as "openai".
    """

    endpoint: str
    in_flight: int | None = Field(default=None, ge=1)
    per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)


class Head(BaseModel, extra="forbid", strict=True):
    """The keys that a tournament file and a stored tournament have in common.

    ``matches`` is the most that the adaptive schedule plays.
    """

    name: str = Field(min_length=1, max_length=100)
    seed: int = Field(default=0, ge=0, lt=2**63)
    seeding: Seeding = "independent"
    schedule: Schedule = "round_robin"
    defender: str | None = None
    repetitions: int = Field(default=1, ge=1)
    matches: int | None = Field(default=None, ge=1, le=1_000_000)
    agents: list[dict[str, Any]] = Field(min_length=1)


class ModelDefaults(BaseModel):
    """The keys of a file that every language model in it has unless its block overrides them."""

    parameters: dict[str, Any] = {}
    for_ask: dict[str, dict[str, Any]] = {}
    cache: CacheUse = "off"


class File(Head, ModelDefaults):
    """A tournament file as written.

    ``limits`` and ``budget`` (US dollars that all models together may spend) say how the
    tournament is played, not what: a save stores them separately.
    """

    games: list[GameBlock] = Field(min_length=1)
    limits: list[dict[str, Any]] = []
    budget: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class AgentsFile(ModelDefaults, extra="forbid", strict=True):
    """A file with agents to add to a tournament."""

    agents: list[dict[str, Any]] = Field(min_length=1)


class GamesFile(BaseModel, extra="forbid", strict=True):
    """A file with games to add to a tournament."""

    games: list[GameBlock] = Field(min_length=1)


class StoredGame(BaseModel, extra="forbid", strict=True):
    """A game of a stored tournament, with its settings written out."""

    name: str
    variant: dict[str, Any]
    records: list[dict[str, Any]] = Field(min_length=1)
    lineup: list[str] | None
    matches: int | None = None
    version: int = 1
    only: list[int] | None = Field(default=None, min_length=2, max_length=2)


class Fork(BaseModel, frozen=True, extra="forbid", strict=True):
    """Origin of a forked match: a match of another save, and the ask at which the two part.

    ``seat`` (0-based) is the one that was changed. ``setting``, ``seed``, ``counted`` and
    ``agents`` are those of the forked match, which is the only one of its tournament.
    """

    save: str
    match: int = Field(ge=1)
    ask: int = Field(ge=0)
    seat: int = Field(ge=0)
    setting: int = Field(ge=0)
    seed: int
    counted: tuple[int, ...]
    agents: tuple[str, ...]


class StoredTournament(Head):
    """A tournament as stored in a save."""

    games: list[StoredGame] = Field(min_length=1)
    fork: Fork | None = None
