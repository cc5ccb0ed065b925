"""A player of a user's own: a function in a Python file, and where it is found."""

import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from runpy import run_path
from traceback import extract_tb
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from parlour.games.common.errors import BadInput


class FunctionConfig(BaseModel):
    """An agent block of kind "function".

    ``function`` is a Python file and the name of a function in it: ``players.py:answer``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=60)
    kind: Literal["function"]
    function: str

    @field_validator("function")
    @classmethod
    def _a_file_and_a_name(cls, function: str) -> str:
        if not re.fullmatch(r".+\.py:\w+", function):
            raise ValueError(f"{function!r} is no function: write 'players.py:answer'")
        return function


def find_function(function: str, place: str) -> Callable[[dict[str, Any]], Any]:
    """The function that ``FILE.py:NAME`` names. BadInput if there is none, or the file fails."""
    file, _, name = function.rpartition(":")
    if not Path(file).is_file():
        fix = "paths are relative to the tournament file"
        raise BadInput(f"{place}.function", f"there is no file {file}", fix)
    try:
        found = _names_in(file).get(name)
    except (Exception, SystemExit) as error:  # whatever a user's file may do
        said = " ".join(str(error).split())
        line = last_line(file, error)
        where = file if line is None else f"{file}:{line}"
        raise BadInput(where, f"fails with {type(error).__name__}: {said}", "fix it") from None
    if not callable(found):
        fix = f"write def {name}(question): ..."
        raise BadInput(f"{place}.function", f"{file} has no function {name!r}", fix)
    function_found: Callable[[dict[str, Any]], Any] = found
    return function_found


def last_line(file: str, error: BaseException) -> int | None:
    """The last line of a file that an error came through, also the one behind it."""
    came = [each.__traceback__ for each in (error.__cause__, error) if each is not None]
    lines = [frame.lineno for each in came for frame in extract_tb(each) if frame.filename == file]
    return lines[-1] if lines else None


@cache
def _names_in(file: str) -> dict[str, Any]:
    """What a Python file defines; it runs once, however many agents play by it."""
    with redirect_stdout(sys.stderr):  # what it prints is no part of what a command says
        return run_path(file)
