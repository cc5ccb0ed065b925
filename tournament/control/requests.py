"""The requests that a runner takes, one model each; client and server share them."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter

from parlour.tournament.calls.gate import Unit
from parlour.tournament.plan.additions import Addition
from parlour.tournament.save.bounds import LEAST_BUDGET, LEAST_PACE
from parlour.tournament.save.lock import file_number


class _RunnerRequest(BaseModel, strict=True, frozen=True):
    """A request; ``do`` names it on the wire.

    ``save`` is the number of the file that it is meant for, since a stranger may have put the
    socket of another runner beside a save.
    """

    save: int | None = None

    def line(self, save: Path) -> bytes:
        """The request as it is sent to the runner of a save: one line of JSON."""
        return json.dumps(self.model_dump() | {"save": file_number(save)}).encode() + b"\n"


class GetStatus(_RunnerRequest):
    """Only asks for the status. ``match`` is one to include."""

    do: Literal["status"] = "status"
    match: int | None = None


class Pause(_RunnerRequest):
    """Pauses the runner."""

    do: Literal["pause"] = "pause"


class Resume(_RunnerRequest):
    """Resumes the runner."""

    do: Literal["resume"] = "resume"


class Stop(_RunnerRequest):
    """Stops the runner."""

    do: Literal["stop"] = "stop"


class SetPace(_RunnerRequest):
    """Sets how many acts may begin each second; None is no limit."""

    do: Literal["pace"] = "pace"
    per_second: Annotated[float, Field(ge=LEAST_PACE, allow_inf_nan=False)] | None


class Step(_RunnerRequest):
    """Steps a match, by default the first in play."""

    do: Literal["step"] = "step"
    unit: Unit
    match: int | None = None


class SetBudget(_RunnerRequest):
    """Sets the dollars that all models together, or one agent, may spend; None is no limit."""

    do: Literal["budget"] = "budget"
    dollars: Annotated[float, Field(ge=LEAST_BUDGET, allow_inf_nan=False)] | None
    agent: str | None = None


class Grow(_RunnerRequest):
    """Adds agents, games or repetitions: the runner stops, adds them, and plays on."""

    do: Literal["grow"] = "grow"
    addition: Addition


class Sit(_RunnerRequest):
    """Takes the seats of an agent that people play, until the connection ends."""

    do: Literal["sit"] = "sit"
    agent: str


class Answer(_RunnerRequest):
    """A person's answer to an ask of one of its seats, as plain data."""

    do: Literal["answer"] = "answer"
    match: int
    ask: int
    seat: int
    value: dict[str, Any]


Request = GetStatus | Pause | Resume | Stop | SetPace | Step | SetBudget | Grow | Sit | Answer
REQUEST: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="do")])
"""Reads a request."""
