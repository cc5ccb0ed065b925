"""The forms of a tournament, as written in a file and as kept in a save."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from parlour.agents.llm.config import CacheUse


class GameBlock(BaseModel):
    """A ``[[games]]`` block; all keys beyond these belong to the game's variant.

    ``lineup`` names the agent of each seat; "alone" stands for each agent in all seats in turn,
    "in_turn" for each agent in the first seat in turn and the others after it in their order.
    """

    model_config = ConfigDict(extra="allow", strict=True)

    name: str
    settings: str | None = None
    limit: int | None = Field(default=None, ge=1)
    lineup: list[str] | Literal["alone", "in_turn"] | None = None
    matches: int | None = Field(default=None, ge=1, le=100_000)

    @field_validator("lineup", mode="before")
    @classmethod
    def _a_list_or_one_of_two_words(cls, lineup: object) -> object:
        if isinstance(lineup, str) and lineup not in {"alone", "in_turn"}:
            raise ValueError(
                f"{lineup!r} is no line-up: give a list of agents, 'alone' or 'in_turn'"
            )
        return lineup


class Limit(BaseModel):
    """A ``[[limits]]`` block: how much may be asked of one endpoint by all agents that use it.

    ``endpoint`` is an ``api_base``, or the provider that litellm reaches, such as "openai".
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    endpoint: str
    in_flight: int | None = Field(default=None, ge=1)
    per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)


class StoredGame(BaseModel):
    """A game as a save keeps it: resolved, with its settings written out."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    variant: dict[str, Any]
    records: list[dict[str, Any]] = Field(min_length=1)
    lineup: list[str] | None
    matches: int | None = None


class Head(BaseModel):
    """What a tournament file and a save's tournament have in common."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=100)
    seed: int = Field(default=0, ge=0, lt=2**63)
    schedule: Literal["round_robin", "challenger"] = "round_robin"
    defender: str | None = None
    repetitions: int = Field(default=1, ge=1)
    agents: list[dict[str, Any]] = Field(min_length=1)


class File(Head):
    """A tournament file as written.

    ``parameters`` and ``for_ask`` are for every language model; an agent's own go before them.
    ``limits`` and ``budget`` (dollars that all models together may spend) say how it is played,
    not what: the save keeps them apart from the rest. ``cache`` is for every model without one.
    """

    games: list[GameBlock] = Field(min_length=1)
    parameters: dict[str, Any] = {}
    for_ask: dict[str, dict[str, Any]] = {}
    cache: CacheUse = "off"
    limits: list[dict[str, Any]] = []
    budget: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class Stored(Head):
    """A tournament as a save keeps it."""

    games: list[StoredGame] = Field(min_length=1)
