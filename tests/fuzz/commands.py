"""Commands called in this process, as a user would type them, and what they may end in."""

import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from parlour.cli.app import main


class Ended(NamedTuple):
    """The end of a command: its exit code and what it printed."""

    code: int
    out: str
    err: str


def called(words: Sequence[str], folder: Path) -> Ended:
    """Calls a command in a folder. An exception that the program does not catch is raised."""
    out, err = io.StringIO(), io.StringIO()
    with (
        chdir(folder),
        patch.object(sys, "argv", ["parlour", *words]),
        patch.dict(os.environ, {"COLUMNS": "100"}),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    assert isinstance(code, int)
    return Ended(code, out.getvalue(), err.getvalue())


def refused_or_done(words: Sequence[str], folder: Path, name: str) -> Ended:
    """Calls a command that must end with 0, or with 1 or 2 and one line that has the ``name``.

    ``name`` is that of the damaged file. A problem that is found (1) may be told on stdout.
    """
    ended = called(words, folder)
    assert ended.code in {0, 1, 2}, ended
    lines = ended.err.splitlines()
    assert len(lines) <= 1, ended
    if ended.code == 2:
        assert len(lines) == 1, ended
        assert name in lines[0], ended
    return ended


def refusal_of(work: Callable[[], object], kind: type[Exception]) -> str:
    """The message of the error by which some work is refused; "" if it is done."""
    try:
        work()
    except kind as error:
        return str(error)
    return ""
