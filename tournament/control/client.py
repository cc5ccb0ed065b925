"""Client of a runner's control server: one JSON object per line in each direction."""

import asyncio
import json
import socket
import time
from pathlib import Path
from shlex import quote
from typing import Generic, TypeVar

from pydantic import ValidationError

from parlour.games.common.errors import BadSave, ParlourError
from parlour.tournament.calls.gate import Unit
from parlour.tournament.control import requests
from parlour.tournament.control.requests import Request
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.save.directory import no_such_save
from parlour.tournament.save.lock import holder, listening

MAX_REPLY_BYTES = 2**24
"""The longest reply that is read."""
REPLY_SECONDS = 10.0
"""The longest wait for a reply, unless a client says otherwise."""
BEGIN_SECONDS = 5.0
"""The longest wait of a command for a runner that has the lock and does not listen yet."""

Reply = TypeVar("Reply")


class ControlFailed(ParlourError):
    """The runner refused a command, or is gone."""


class RunnerCommands(Generic[Reply]):
    """The commands that are sent most as methods. A subclass sends them."""

    def send(self, request: Request) -> Reply:
        """Sends one request."""
        raise NotImplementedError

    def status(self, match: int | None = None) -> Reply:
        """Asks for the status. ``match`` is one to include."""
        return self.send(requests.GetStatus(match=match))

    def pause(self) -> Reply:
        """Pauses the runner."""
        return self.send(requests.Pause())

    def resume(self) -> Reply:
        """Resumes the runner."""
        return self.send(requests.Resume())

    def stop(self) -> Reply:
        """Stops the runner."""
        return self.send(requests.Stop())

    def set_pace(self, per_second: float | None) -> Reply:
        """Sets how many acts may begin each second; None is no limit."""
        return self.send(requests.SetPace(per_second=per_second))

    def step(self, unit: Unit, match: int | None = None) -> Reply:
        """Steps a match, by default the first in play."""
        return self.send(requests.Step(unit=unit, match=match))


class RunnerClient(RunnerCommands[RunnerStatus]):
    """Client of the runner of a save, with a connection for each command.

    A command returns the runner's status. It raises BadSave if nothing runs the save,
    ControlFailed if the runner refuses, is gone, or does not reply in ``seconds``.
    """

    def __init__(self, save: Path, seconds: float = REPLY_SECONDS) -> None:
        self.save, self.seconds = save, seconds

    def send(self, request: Request) -> RunnerStatus:
        """Sends one request and returns the status."""
        latest = time.monotonic()
        if not isinstance(request, requests.GetStatus):
            latest += BEGIN_SECONDS
        while True:
            try:
                return self._ask(request)
            except (FileNotFoundError, ConnectionRefusedError) as error:
                if time.monotonic() >= latest:
                    raise _unanswered(self.save, request, error) from None
                time.sleep(0.02)
            except OSError as error:
                raise _unanswered(self.save, request, error) from None

    def _ask(self, request: Request) -> RunnerStatus:
        save = self.save
        if holder(save) is None:
            if not save.exists():
                raise no_such_save(save, "see `parlour status`")
            raise BadSave(
                str(save), "is not running", f"start it with `parlour run {quote(str(save))}`"
            )
        with socket.socket(socket.AF_UNIX) as connection, connection.makefile("rb") as replies:
            connection.settimeout(self.seconds)
            connection.connect(str(listening(save)))
            connection.sendall(request.line(save))
            return _checked(save, replies.readline(MAX_REPLY_BYTES))


def _unanswered(save: Path, request: Request, error: OSError) -> ControlFailed:
    """The error for a runner that does not answer. It carries a command out once it can."""
    problem = f"{save}: its runner does not answer"
    if isinstance(request, requests.GetStatus) or not isinstance(error, TimeoutError):
        return ControlFailed(f"{problem} ({str(error) or 'timed out'})")
    pid = (holder(save) or {}).get("pid", "PID")
    return ControlFailed(
        f"{problem}; the command ({request.do}) takes effect once it does: `kill -CONT {pid}` wakes"
        f" a suspended process"
    )


def _too_long(save: Path) -> ControlFailed:
    return ControlFailed(f"{save}: its runner sent more than a status")


def _checked(save: Path, line: bytes) -> RunnerStatus:
    """The status in a reply. Raises ControlFailed for an error, or no reply at all."""
    if len(line) >= MAX_REPLY_BYTES:
        raise _too_long(save)
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        raise ControlFailed(f"{save}: its runner has just ended") from None
    if isinstance(reply, dict) and "error" in reply:
        raise ControlFailed(f"{save}: {reply['error']}")
    try:
        return RunnerStatus.model_validate(reply)
    except ValidationError:
        fix = f"stop it with `parlour stop {quote(str(save))}`"
        raise ControlFailed(f"{save}: its runner has another version: {fix}") from None


class RunnerConnection:
    """A connection to the runner of a save that stays open; a seat is held as long as it lasts."""

    def __init__(self, save: Path, seconds: float = REPLY_SECONDS) -> None:
        self.save, self._seconds = save, seconds
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._one_at_a_time = asyncio.Lock()

    @property
    def is_open(self) -> bool:
        """True if the runner replied to the last command."""
        return self._streams is not None

    async def send(self, request: Request) -> RunnerStatus:
        """Sends one request, connecting first if need be. Raises ControlFailed.

        The connection stays open after a refusal; any other failure closes it.
        """
        async with self._one_at_a_time:
            try:
                if self._streams is None:
                    if holder(self.save) is None:
                        raise FileNotFoundError
                    place = listening(self.save)
                    connecting = asyncio.open_unix_connection(place, limit=MAX_REPLY_BYTES)
                    self._streams = await connecting
                reader, writer = self._streams
                writer.write(request.line(self.save))
                # Not wait_for: until Python 3.12 it may lose a cancellation, and a screen would
                # not close.
                async with asyncio.timeout(self._seconds):
                    raw = await reader.readline()
            except TimeoutError as error:
                self.close()
                raise _unanswered(self.save, request, error) from None
            except OSError:
                self.close()
                raise ControlFailed(f"{self.save}: is not running") from None
            except ValueError:  # from readline
                self.close()
                raise _too_long(self.save) from None
            except asyncio.CancelledError:
                self.close()  # else its reply would be read as the one to the next command
                raise
            if not raw:
                self.close()
            return _checked(self.save, raw)

    def close(self) -> None:
        """Closes the connection, and so frees the seat."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def ask_runner_soon(save: Path, request: Request, seconds: float = 2.0) -> RunnerStatus:
    """As ``RunnerClient.send`` for a program with an event loop; it looks at the socket alone."""
    connection = RunnerConnection(save, seconds)
    try:
        return await connection.send(request)
    finally:
        connection.close()
