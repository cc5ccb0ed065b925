"""Blocks of agents that are code of the user, and what is known of it before it runs."""

import re
from pathlib import Path
from traceback import extract_tb
from typing import Literal

from pydantic import field_validator, model_validator

from parlour.agents.base import AgentBlock, CallingBlock
from parlour.games.common.errors import BadInput
from parlour.games.common.plain_files import read_plain


class FunctionConfig(CallingBlock):
    """An agent block of kind "function".

    ``function`` is a Python file and the name of a function in it: ``players.py:answer``. It is
    ``pure`` if it answers at once and from the question alone.
    """

    kind: Literal["function"]
    function: str
    pure: bool = False

    @field_validator("function")
    @classmethod
    def _a_file_and_a_name(cls, function: str) -> str:
        if not re.fullmatch(r".+\.py:\w+", function):
            raise ValueError(f"{function!r} is not a function: write 'players.py:answer'")
        return function

    @model_validator(mode="after")
    def _pure_is_no_call(self) -> "FunctionConfig":
        keys = CallingBlock.model_fields.items() if self.pure else ()
        for name, field in keys:
            is_usual = name in AgentBlock.model_fields or getattr(self, name) == field.default
            if not is_usual:
                raise ValueError(f"{name} is not for a pure function: it answers at once")
        return self

    @property
    def file(self) -> Path:
        """The file that defines the function."""
        return Path(self.function.rpartition(":")[0])


class PythonConfig(CallingBlock):
    """An agent block of kind "python": the object behind it is given at run time, by its name."""

    kind: Literal["python"]


def refuse_unreadable(config: FunctionConfig, place: str) -> None:
    """BadInput if the file of a block is missing or is not Python. Runs nothing of it."""
    if not config.file.is_file():
        problem = f"there is no file {config.file.absolute()}"
        raise BadInput(f"{place}.function", problem, "put it there, or correct its path")
    file = str(config.file)
    try:
        compile(read_plain(config.file.resolve()), file, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise failing(file, error) from None


def failing(file: str, error: BaseException) -> BadInput:
    """The refusal of a file that cannot be run, with the line at fault."""
    message = " ".join(str(error).split())
    line = last_line(file, error)
    where = file if line is None else f"{file}:{line}"
    return BadInput(where, f"fails with {type(error).__name__}: {message}", "fix it")


def last_line(file: str, error: BaseException) -> int | None:
    """The last line of a file in the traceback of an error or of its cause."""
    line = None
    for each in (error.__cause__, error):
        if each is not None:
            for frame in extract_tb(each.__traceback__):
                line = frame.lineno if frame.filename == file else line
    return line
