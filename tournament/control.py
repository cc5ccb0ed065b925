"""Steering a runner from another process: a Unix socket that speaks one JSON object a line."""

import asyncio
import json
import os
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from games.errors import BadSave, ParlourError
from tournament.lock import holder, socket_path
from tournament.rows import Progress
from tournament.runner import Runner

Message = dict[str, Any]


class ControlFailed(ParlourError):
    """The runner would not do what it was asked, or is gone."""


@asynccontextmanager
async def controlled(runner: Runner, before: Progress, save: Path) -> AsyncIterator[None]:
    """Listens for commands while a runner runs; the caller holds the save's lock."""
    path = socket_path(save)
    path.unlink(missing_ok=True)  # left by a runner that was killed: the lock is ours

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(json.dumps(_reply(runner, before, line)).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError):
            pass  # the other side has gone, or sent a line without end
        finally:
            writer.close()

    mask = os.umask(0o177)
    try:
        server = await asyncio.start_unix_server(serve, path)
    finally:
        os.umask(mask)
    try:
        yield
    finally:
        server.close()
        path.unlink(missing_ok=True)


def _reply(runner: Runner, before: Progress, line: bytes) -> Message:
    """Does what a line asks for and says how things stand, or what was wrong."""
    try:
        request = json.loads(line)
        command = request["do"]
        match command:
            case "status":
                pass
            case "pause":
                runner.gate.close()
            case "resume":
                runner.gate.open()
            case "stop":
                runner.stop()
            case "pace":
                pace = request["per_second"]
                runner.gate.set_pace(None if pace is None else max(0.01, float(pace)))
            case "step":
                if request["unit"] not in {"turn", "round", "match"}:
                    raise ValueError(f"unknown step {request['unit']!r}")
                stepped = runner.step(request["unit"], request.get("match"))
                return {**status(runner, before), "stepped": stepped}
            case _:
                raise ValueError(f"unknown command {command!r}")
    except (ValueError, KeyError, TypeError) as error:
        return {"error": str(error)}
    return status(runner, before)


def status(runner: Runner, before: Progress) -> Message:
    """How things stand. Times are seconds; ``waiting`` maps a match to the seats it waits for."""
    tally = runner.tally
    elapsed = time.monotonic() - tally.begun
    done = before.finished + before.frozen + tally.finished + len(tally.frozen)
    finished_now = tally.finished + len(tally.frozen)
    left = before.matches - done
    return {
        "state": runner.state,
        "pid": os.getpid(),
        "matches": before.matches,
        "finished": before.finished + tally.finished,
        "frozen": before.frozen + len(tally.frozen),
        "answers": before.answers + tally.answers,
        "faults": before.faults + tally.faults,
        "failed": tally.failed[:5],
        "in_flight": runner.gate.in_flight,
        "per_second": round(tally.per_second(), 1),
        "pace": runner.gate.pace,
        "elapsed": round(elapsed, 1),
        "left": round(elapsed * left / finished_now, 1) if finished_now else None,
        "waiting": {number: table.waiting for number, table in list(runner.playing.items())[:200]},
    }


def ask_runner(save: Path, request: Message, seconds: float = 10.0) -> Message:
    """Sends one command to the runner of a save and returns its reply.

    Raises BadSave if nothing runs the save, ControlFailed if the runner refuses or is gone.
    """
    path = _listening(save)
    try:
        with socket.socket(socket.AF_UNIX) as line, line.makefile("rb") as answers:
            line.settimeout(seconds)
            line.connect(str(path))
            line.sendall(json.dumps(request).encode() + b"\n")
            return _checked(save, answers.readline())
    except OSError as error:
        raise ControlFailed(f"{save}: its runner does not answer ({error})") from None


def _listening(save: Path) -> Path:
    found = holder(save)
    if found is None:
        if not save.exists():
            raise BadSave(str(save), "there is no such save", "see `parlour status`")
        raise BadSave(str(save), "nothing runs it", f"start it with `parlour resume {save}`")
    return Path(str(found.get("socket", socket_path(save))))


def _checked(save: Path, line: bytes) -> Message:
    try:
        reply = json.loads(line)
    except ValueError:
        raise ControlFailed(f"{save}: its runner has just ended") from None
    if "error" in reply:
        raise ControlFailed(f"{save}: {reply['error']}")
    return dict(reply)


async def ask_runner_soon(save: Path, request: Message, seconds: float = 2.0) -> Message:
    """The same for a program with an event loop. Looks at the socket alone, not at the lock."""
    try:
        reader, writer = await asyncio.open_unix_connection(socket_path(save))
    except OSError:
        raise ControlFailed(f"{save}: nothing runs it") from None
    try:
        writer.write(json.dumps(request).encode() + b"\n")
        return _checked(save, await asyncio.wait_for(reader.readline(), seconds))
    except (OSError, TimeoutError) as error:
        raise ControlFailed(f"{save}: its runner does not answer ({error})") from None
    finally:
        writer.close()
