"""Asking a runner of another process, over its socket: one JSON object a line each way."""

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

from parlour.games.common.errors import BadSave, ParlourError
from parlour.tournament.save.lock import holder, listening

Message = dict[str, Any]


class ControlFailed(ParlourError):
    """The runner would not do what it was asked, or is gone."""


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
    if holder(save) is None:
        if not save.exists():
            raise BadSave(str(save), "there is no such save", "see `parlour status`")
        raise BadSave(str(save), "nothing runs it", f"start it with `parlour resume {save}`")
    return listening(save)


def _checked(save: Path, line: bytes) -> Message:
    try:
        reply = json.loads(line)
    except ValueError:
        raise ControlFailed(f"{save}: its runner has just ended") from None
    if "error" in reply:
        raise ControlFailed(f"{save}: {reply['error']}")
    return dict(reply)


class Line:
    """A line to the runner of a save that stays open: a seat is held as long as it lasts."""

    def __init__(self, save: Path) -> None:
        self.save = save
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._one_at_a_time = asyncio.Lock()

    @property
    def is_open(self) -> bool:
        """Whether the runner was there the last time."""
        return self._ends is not None

    async def ask(self, request: Message, seconds: float = 10.0) -> Message:
        """Sends one command, over a new line if there is none. Raises ControlFailed.

        What the runner refuses leaves the line open; anything else closes it.
        """
        async with self._one_at_a_time:
            try:
                if self._ends is None:
                    self._ends = await asyncio.open_unix_connection(listening(self.save))
                reader, writer = self._ends
                writer.write(json.dumps(request).encode() + b"\n")
                async with asyncio.timeout(seconds):
                    raw = await reader.readline()
            except (OSError, TimeoutError):
                self.close()
                raise ControlFailed(f"{self.save}: nothing runs it") from None
            except asyncio.CancelledError:
                self.close()  # its reply would else be taken for that to the next command
                raise
            if not raw:
                self.close()
            return _checked(self.save, raw)

    def close(self) -> None:
        """Lets go of the line, and of the seat."""
        if self._ends is not None:
            self._ends[1].close()
            self._ends = None


async def ask_runner_soon(save: Path, request: Message, seconds: float = 2.0) -> Message:
    """The same for a program with an event loop. Looks at the socket alone, not at the lock."""
    try:
        reader, writer = await asyncio.open_unix_connection(listening(save))
    except OSError:
        raise ControlFailed(f"{save}: nothing runs it") from None
    try:
        writer.write(json.dumps(request).encode() + b"\n")
        # Not wait_for, which until Python 3.12 may lose a cancellation: a screen would not close.
        async with asyncio.timeout(seconds):
            return _checked(save, await reader.readline())
    except (OSError, TimeoutError) as error:
        raise ControlFailed(f"{save}: its runner does not answer ({error})") from None
    finally:
        writer.close()
