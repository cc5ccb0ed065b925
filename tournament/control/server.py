"""Steering a runner from another process: a Unix socket that speaks one JSON object a line."""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from parlour.games.common.errors import BadInput
from parlour.games.common.validation_messages import first_problem
from parlour.tournament.calls.gate import Unit
from parlour.tournament.control.client import Message
from parlour.tournament.save.lock import socket_path
from parlour.tournament.save.rows import LEAST_PACE, Progress

if TYPE_CHECKING:
    from parlour.tournament.run.runner import Runner

LONGEST_LINE = 2**20
"""Bytes of a request; the longest text of an answer fits in several times."""
KEPT_SECONDS = 1.0
"""How long an answer to a command waits until the save keeps what was said."""
MOST_WAITING = 200
"""Matches in play that a status tells of; more would only make it long."""


class _Command(BaseModel):
    """A command without more to say; ``match`` is one that the status is to tell of."""

    model_config = ConfigDict(strict=True)

    do: Literal["status", "pause", "resume", "stop"]
    match: int | None = None


class _Pace(BaseModel):
    """How many acts may begin each second from now on; None is no limit."""

    model_config = ConfigDict(strict=True)

    do: Literal["pace"]
    per_second: Annotated[float, Field(ge=LEAST_PACE, allow_inf_nan=False)] | None


class _Step(BaseModel):
    """One step of a match, by default of the first in play."""

    model_config = ConfigDict(strict=True)

    do: Literal["step"]
    unit: Unit
    match: int | None = None


class _Budget(BaseModel):
    """Dollars that all models together, or one agent, may spend; None is no limit."""

    model_config = ConfigDict(strict=True)

    do: Literal["budget"]
    dollars: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
    agent: str | None = None


class _Sit(BaseModel):
    """Takes the seats of an agent that people play, for as long as the connection lasts."""

    model_config = ConfigDict(strict=True)

    do: Literal["sit"]
    agent: str


class _Answer(BaseModel):
    """A person's answer to an ask of one of its seats, as plain data."""

    model_config = ConfigDict(strict=True)

    do: Literal["answer"]
    match: int
    ask: int
    seat: int
    value: dict[str, Any]


_Request = _Command | _Pace | _Step | _Budget | _Sit | _Answer
_REQUEST: TypeAdapter[_Request] = TypeAdapter(Annotated[_Request, Field(discriminator="do")])


@asynccontextmanager
async def controlled(runner: "Runner", before: Progress, save: Path) -> AsyncIterator[None]:
    """Listens for commands while a runner runs; the caller holds the save's lock."""
    path = socket_path(save)
    path.unlink(missing_ok=True)  # left by a runner that was killed: the lock is ours
    lines: dict[asyncio.Task[None] | None, asyncio.StreamWriter] = {}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines[asyncio.current_task()] = writer
        try:
            while line := await reader.readline():
                reply = await _reply(runner, before, line, writer)
                writer.write(json.dumps(reply).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError):
            pass  # the other side has gone, or sent a line without end
        finally:
            runner.people.rise(writer)
            writer.close()
            del lines[asyncio.current_task()]

    mask = os.umask(0o177)
    try:
        server = await asyncio.start_unix_server(serve, path, limit=LONGEST_LINE)
    finally:
        os.umask(mask)
    try:
        yield
    finally:
        server.close()
        path.unlink(missing_ok=True)
        for writer in lines.values():
            writer.transport.abort()
        await asyncio.gather(*(task for task in lines if task), return_exceptions=True)


async def _reply(runner: "Runner", before: Progress, line: bytes, who: object) -> Message:
    """Does what a line asks for and says how things stand, or what was wrong.

    ``who`` is the connection. What a person entered wrongly is no error: it is ``refused``.
    """
    try:
        request = _REQUEST.validate_json(line)
        if isinstance(request, _Step):
            stepped = runner.step(request.unit, request.match)
            return {**status(runner, before, stepped), "stepped": stepped}
        if isinstance(request, _Budget):
            await runner.allow(request.dollars, request.agent)
            return status(runner, before)
        if isinstance(request, _Sit):
            runner.people.sit(request.agent, who)
            return status(runner, before)
        if isinstance(request, _Answer):
            place = (request.match, request.ask, request.seat)
            refused = await runner.people.answer(who, *place, request.value)
            return {**status(runner, before, request.match), "refused": refused}
    except ValidationError as error:
        where, problem = first_problem(error)
        return {"error": f"{problem}{where}"}
    except (ValueError, BadInput) as error:
        return {"error": str(error)}
    match request.do:
        case "pause":
            runner.gate.close()
        case "resume":
            runner.gate.open()
        case "stop":
            runner.stop()
        case "pace":
            runner.gate.set_pace(request.per_second)
            if (kept := runner.keep()) is not None:  # a full disk holds up nobody for long
                await asyncio.wait([kept], timeout=KEPT_SECONDS)
    return status(runner, before, request.match if isinstance(request, _Command) else None)


def status(runner: "Runner", before: Progress, match: int | None = None) -> Message:
    """How things stand. Times are seconds.

    ``dollars_per_hour`` and ``dollars_at_end``, what all of it is expected to cost, are None while
    they cannot be told. ``limits`` are words on endpoints that are not asked as usual.
    ``waiting`` maps matches in play to the seats they wait for, ``parked`` those that a provider
    keeps from going on to the reason: the given match, and others up to a number that keeps the
    message short. ``people`` are those who play, whether somebody sits there, and what they are
    asked.
    """
    stats = runner.stats
    shown = dict(islice(runner.playing.items(), MOST_WAITING))
    if match in runner.playing:
        shown[match] = runner.playing[match]
    parked = dict(islice(runner.parking.parked.items(), 5))
    if match in runner.parking.parked:
        parked[match] = runner.parking.parked[match]
    elapsed = time.monotonic() - stats.begun
    left = stats.seconds_left
    people = runner.people.status()
    # Nobody knows how long a person takes.
    known = runner.state == "running" and not any(person["asks"] for person in people.values())
    return {
        "state": runner.state,
        "pid": os.getpid(),
        "matches": before.matches,
        "finished": before.finished + stats.finished,
        "frozen": before.frozen + len(stats.frozen),
        "answers": before.answers + stats.answers,
        "faults": before.faults + stats.faults,
        "failed": [*stats.given_up, *map(str, stats.at_cap), *stats.failed.values()][:5],
        "parked": {number: waits.reason for number, waits in parked.items()},
        "calls": stats.calls,
        "failed_calls": stats.failed_calls,
        "cached": stats.cached,
        "dollars": round(stats.dollars, 6),
        "dollars_per_hour": stats.dollars_per_hour if runner.state == "running" else None,
        # Foretold a moment ago; what is spent by now it comes to at least.
        "dollars_at_end": stats.dollars_at_end and max(stats.dollars_at_end, stats.dollars),
        "budget": runner.control.budget,
        "agent_budgets": runner.control.agent_budgets,
        "in_flight": runner.gate.in_flight,
        "per_second": round(stats.per_second(), 1),
        "pace": runner.gate.pace,
        "limits": runner.limits.words(),
        "elapsed": round(elapsed, 1),
        "left": round(left, 1) if left is not None and known else None,
        "waiting": {number: table.waiting for number, table in shown.items()},
        "people": people,
    }
