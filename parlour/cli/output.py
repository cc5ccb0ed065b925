"""Tables and output of the commands: safe lines, files, one-line errors. Quick to import."""

import builtins
import csv
import io
import os
import re
import sys
from functools import cache
from pathlib import Path
from shlex import quote
from shutil import which
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from parlour.ratings.reports.report import Report

PROGRAM = "PARLOUR_PROGRAM"
"""Environment variable: how the user called the program that started this process."""


def shipped_rows(name: str) -> list[list[str]]:
    """The rows of a table of the commands, without its titles."""
    with Path(__file__).with_name(name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def ready_streams() -> None:
    """Discards output to closed streams, and shows characters that a terminal lacks as "?"."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - open for as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def safe_print(text: str, *, file: TextIO | None = None, flush: bool = False) -> None:
    """Prints a text of any length without control characters that could steer a terminal."""
    from parlour.games.common.text import clean

    safe = clean(text, 4 * len(text) + 1)
    builtins.print(safe, file=sys.stdout if file is None else file, flush=flush)


def complain(line: str) -> None:
    """Prints one safe line on stderr; commands named in it can be pasted into the shell."""
    from parlour.games.common.text import clean

    runnable = re.sub(r"(`|: )parlour (?=[a-z])", lambda m: f"{m[1]}{program()} ", line)
    print(clean(runnable), file=sys.stderr)


@cache
def program() -> str:
    """The command that calls Parlour from the working folder, quoted for a shell.

    That is ``parlour`` if the PATH leads to this installation, else the path of its executable.
    """
    if called := os.environ.get(PROGRAM):
        return called
    script = Path(sys.argv[0])
    if script.name != "parlour" or not script.is_file():
        script = Path(sys.executable).with_name("parlour")
    if not script.is_file():
        return "parlour"
    on_path = which("parlour")
    if on_path is not None and script.samefile(on_path):
        return "parlour"
    absolute, here = script.absolute(), Path.cwd()
    nearby = absolute.relative_to(here) if absolute.is_relative_to(here) else absolute
    return quote(str(nearby))


def find_save(save: Path | None) -> Path:
    """The named save, or the newest one, which is then named on stderr. Raises BadSave."""
    from parlour.tournament.save.directory import chosen

    path = chosen(save)
    if save is None:
        safe_print(f"Save: {path}", file=sys.stderr, flush=True)
    return path


def write_report(
    report: "Report", format: str, out: Path | None = None, force: bool = False
) -> None:
    """Prints a report, or writes it to a file as ``write`` does; "table" becomes Markdown."""
    from parlour.ratings.reports.writers import WRITERS

    write(WRITERS.get(format, WRITERS["md"])(report), out, force)


def write(text: str, out: Path | None, force: bool) -> None:
    """Prints a text, or writes it to a file. BadInput if that is there, or cannot be written."""
    from parlour.games.common.errors import BadInput

    if out is None:
        sys.stdout.write(text)
        return
    refuse_target(out, force)
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(str(out), f"cannot be written ({error.strerror})", OTHER_FILE) from None
    safe_print(f"Written: {out}")


OTHER_FILE = "choose another file"


def refuse_target(out: Path, force: bool) -> None:
    """BadInput for a file that must not be overwritten, or that can have no place."""
    from parlour.games.common.errors import BadInput
    from parlour.tournament.plan.toml_source import is_sqlite_file

    if out.is_file() and is_sqlite_file(out):
        raise BadInput(str(out), "is a save and would be lost", OTHER_FILE)
    if out.is_dir():
        raise BadInput(str(out), "is a folder", OTHER_FILE)
    if out.exists() and not force:
        raise BadInput(str(out), "already exists", "overwrite it with --force, or " + OTHER_FILE)
    if not out.parent.is_dir():
        raise BadInput(str(out), "cannot be written (No such file or directory)", OTHER_FILE)
    if not os.access(out if out.exists() else out.parent, os.W_OK):
        raise BadInput(str(out), "cannot be written (Permission denied)", OTHER_FILE)
