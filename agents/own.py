"""A player of a user's own: a function in a Python file, and where it is found."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from runpy import run_path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from games.errors import BadInput


class FunctionConfig(BaseModel):
    """An agent block of kind "function".

    ``function`` is a Python file and the name of a function in it: ``players.py:answer``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=60)
    kind: Literal["function"]
    function: str = Field(pattern=r"^.+\.py:\w+$")


def find_function(function: str, place: str) -> Callable[[dict[str, Any]], Any]:
    """The function that ``FILE.py:NAME`` names. BadInput if there is none, or the file fails."""
    file, _, name = function.rpartition(":")
    if not Path(file).is_file():
        mend = "paths are relative to the tournament file"
        raise BadInput(f"{place}.function", f"there is no file {file}", mend)
    try:
        found = _names_in(file).get(name)
    except Exception as error:  # whatever a user's file may do
        said = " ".join(str(error).split())
        raise BadInput(file, f"fails with {type(error).__name__}: {said}", "mend it") from None
    if not callable(found):
        mend = f"write def {name}(question): ..."
        raise BadInput(f"{place}.function", f"{file} has no function {name!r}", mend)
    function_found: Callable[[dict[str, Any]], Any] = found
    return function_found


@cache
def _names_in(file: str) -> dict[str, Any]:
    """What a Python file defines; it runs once, however many agents play by it."""
    return run_path(file)
