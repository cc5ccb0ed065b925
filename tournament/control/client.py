"""Client of a runner's control server: one JSON object per line in each direction."""

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from parlour.games.common.errors import BadSave, ParlourError
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.save.lock import holder, listening

Request = dict[str, Any]
"""A command as plain data, such as {"do": "pause"}; the server has the form of each."""


class ControlFailed(ParlourError):
    """The runner refused a command, or is gone."""


def ask_runner(save: Path, request: Request, seconds: float = 10.0) -> RunnerStatus:
    """Sends one command to the runner of a save and returns its status.

    Raises BadSave if nothing runs the save, ControlFailed if the runner refuses or is gone.
    """
    path = _listening(save)
    try:
        with socket.socket(socket.AF_UNIX) as connection, connection.makefile("rb") as replies:
            connection.settimeout(seconds)
            connection.connect(str(path))
            connection.sendall(json.dumps(request).encode() + b"\n")
            return _checked(save, replies.readline())
    except OSError as error:
        raise ControlFailed(f"{save}: its runner does not answer ({error})") from None


def _listening(save: Path) -> Path:
    if holder(save) is None:
        if not save.exists():
            raise BadSave(str(save), "there is no such save", "see `parlour status`")
        raise BadSave(str(save), "is not running", f"start it with `parlour resume {save}`")
    return listening(save)


def _checked(save: Path, line: bytes) -> RunnerStatus:
    """The status in a reply. Raises ControlFailed for an error, or no reply at all."""
    try:
        reply = json.loads(line)
    except ValueError:
        raise ControlFailed(f"{save}: its runner has just ended") from None
    if "error" in reply:
        raise ControlFailed(f"{save}: {reply['error']}")
    try:
        return RunnerStatus.model_validate(reply)
    except ValidationError:
        fix = f"stop it with `parlour stop {save}`"
        raise ControlFailed(f"{save}: its runner has another version: {fix}") from None


class Connection:
    """A connection to the runner of a save that stays open; a seat is held as long as it lasts."""

    def __init__(self, save: Path) -> None:
        self.save = save
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._one_at_a_time = asyncio.Lock()

    @property
    def is_open(self) -> bool:
        """True if the runner replied to the last command."""
        return self._streams is not None

    async def ask(self, request: Request, seconds: float = 10.0) -> RunnerStatus:
        """Sends one command, connecting first if need be. Raises ControlFailed.

        The connection stays open after a refusal; any other failure closes it.
        """
        async with self._one_at_a_time:
            try:
                if self._streams is None:
                    self._streams = await asyncio.open_unix_connection(listening(self.save))
                reader, writer = self._streams
                writer.write(json.dumps(request).encode() + b"\n")
                async with asyncio.timeout(seconds):
                    raw = await reader.readline()
            except (OSError, TimeoutError):
                self.close()
                raise ControlFailed(f"{self.save}: is not running") from None
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
    """As ``ask_runner`` for a program with an event loop; it looks at the socket alone."""
    try:
        reader, writer = await asyncio.open_unix_connection(listening(save))
    except OSError:
        raise ControlFailed(f"{save}: is not running") from None
    try:
        writer.write(json.dumps(request).encode() + b"\n")
        # Not wait_for: until Python 3.12 it may lose a cancellation, and a screen would not close.
        async with asyncio.timeout(seconds):
            return _checked(save, await reader.readline())
    except (OSError, TimeoutError) as error:
        raise ControlFailed(f"{save}: its runner does not answer ({error})") from None
    finally:
        writer.close()
