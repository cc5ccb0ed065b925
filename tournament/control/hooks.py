"""Hooks: commands of the user's own that are called when something happens to a run.

They stand in the user's configuration alone: a tournament file or a save of a stranger has none.
A hook gets one JSON object on its standard input, no key, and a few seconds.
"""

import json
import os
import signal
import subprocess
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from io import BufferedReader
from threading import Thread
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from parlour.agents.llm.keys import (
    from_outside,
    from_outside_all,
    keyless_environment,
    settings_file,
)
from parlour.games.common.errors import BadInput
from parlour.games.common.text import one_line
from parlour.games.common.validation_messages import first_problem

EVENTS = {
    "on_finish": "the run has ended, for whatever reason",
    "on_trouble": "it waits for a provider or the disk, an agent fails, or an alarm is raised",
    "on_budget": "matches wait for more money",
    "on_decided": "an adaptive tournament has decided more pairs",
}
"""When each hook is called."""
MOST_OUTPUT = 64_000
"""Bytes that a hook may print; then its output is closed."""
LONGEST_TEXT = 500
"""Characters of one text of the JSON, which has few: a pipe holds all of it."""
Command = Annotated[list[str], Field(min_length=1)]


class Hooks(BaseModel, extra="forbid", strict=True, frozen=True):
    """The table ``hooks`` of the configuration: commands as lists of words, and their time."""

    on_finish: Command | None = None
    on_trouble: Command | None = None
    on_budget: Command | None = None
    on_decided: Command | None = None
    seconds: float = Field(10.0, gt=0, le=600, strict=False)

    def command(self, event: str) -> list[str] | None:
        """The command of an event; None if there is none."""
        words: list[str] | None = getattr(self, event)
        return words


def read_hooks() -> Hooks:
    """The user's hooks, none where there is no file. BadInput for a table that is not as it is."""
    path = settings_file()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("hooks", {})
        return Hooks.model_validate(table)
    except FileNotFoundError:
        return Hooks()
    except ValidationError as error:
        where, problem = first_problem(error)
        fix = f'write on_finish = ["notify", "--now"]; there are {", ".join(EVENTS)} and seconds'
        raise BadInput(f"{path}: hooks", f"{problem}{where}", fix) from None
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(str(path), f"cannot be read ({reason})", "fix it or remove it") from None


@dataclass(frozen=True, slots=True)
class Notice:
    """The input of a hook: the event, why it happened, and the counts of the run by then.

    ``done`` is true once all matches are over, ``failed`` are errors of agents, money is in US
    dollars.
    """

    event: str
    save: str
    reason: str
    done: bool = False
    matches: int = 0
    finished: int = 0
    frozen: int = 0
    answers: int = 0
    faults: int = 0
    failed: Sequence[str] = ()
    dollars: float = 0.0
    budget: float | None = None

    def line(self) -> bytes:
        """The notice as one line of JSON, without keys, with its texts cut."""
        body = from_outside_all({**asdict(self), "failed": list(self.failed)})
        text = json.dumps({name: _cut(its) for name, its in body.items()})
        return text.encode() + b"\n"


def _cut(value: Any) -> Any:
    if isinstance(value, list):
        return [_cut(entry) for entry in value]
    return one_line(value)[:LONGEST_TEXT] if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Called:
    """The end of a hook: ``problem`` in words, "" if there was none, and what it ``said``."""

    problem: str = ""
    said: str = ""


def call_hook(command: list[str], seconds: float, notice: Notice) -> Called:
    """Runs a hook with a notice on its standard input, for so many seconds at most.

    It has a process group of its own, which is killed with it. Never raises.
    """
    try:
        process = subprocess.Popen(
            [os.path.expanduser(command[0]), *command[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=keyless_environment(),
            cwd=settings_file().parent,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:  # ValueError for a null byte
        return Called(f"cannot be started ({getattr(error, 'strerror', None) or error})")
    assert process.stdin is not None
    assert process.stdout is not None
    said = bytearray()
    reader = Thread(target=_read, args=(process.stdout, said), daemon=True, name="parlour.hook")
    reader.start()
    with suppress(OSError):  # it may have ended already
        process.stdin.write(notice.line())
        process.stdin.close()
    try:
        code = process.wait(seconds)
        reader.join(0.2)  # a process that it has left behind may keep the pipe
        problem = f"ended with exit code {code}" if code else ""
    except subprocess.TimeoutExpired:
        problem = f"took longer than {seconds:g} s and was ended"
    if len(said) >= MOST_OUTPUT:
        problem = f"printed more than {MOST_OUTPUT:,} bytes"
    if problem:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return Called(problem, one_line(from_outside(bytes(said)))[:LONGEST_TEXT])


def _read(output: BufferedReader, said: bytearray) -> None:
    """Reads what a hook prints. One that prints without end is cut off, which mostly ends it."""
    with output, suppress(OSError):
        while len(said) < MOST_OUTPUT and (more := output.read1(MOST_OUTPUT - len(said))):
            said += more
