"""Small tournaments, the saves they make, and the command line as a user types it."""

import asyncio
import csv
import io
import json
import math
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir, closing, redirect_stderr, redirect_stdout
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import pytest

from parlour.cli.app import main
from parlour.tournament.plan.loader import read_tournament
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.growing.create import create_save
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from parlour.tournament.save.seals import seal
from parlour.tournament.session import SessionHooks, SessionResult, run_session
from parlour.tournament.trust.consent import agree
from parlour.tournament.trust.needs import needs
from tests.forks import popen

T = TypeVar("T")
ROOT = Path(__file__).parent.parent


def scripted(**strategies: str) -> str:
    """The blocks of scripted agents by their names."""
    return "".join(
        f'\n[[agents]]\nname = "{name}"\nstrategy = "{strategy}"\n'
        for name, strategy in strategies.items()
    )


SMALL = """
name = "small"
seed = 7

[[games]]
name = "undercover"
limit = 2
""" + scripted(Ada="bayesian", Rob="random", Lin="literal")
"""Two settings, three pairs, two sides: 12 matches of 21 answers each, 252 in all."""
MATCHES, ANSWERS = 12, 252


def written(folder: Path, text: str = SMALL, name: str = "tournament.toml") -> Path:
    """A tournament file with that text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def tournament(folder: Path, text: str = SMALL) -> Tournament:
    """Tournament read from such a file."""
    return read_tournament(written(folder, text))


def new_save(folder: Path, text: str = SMALL, name: str = "save.db") -> Path:
    """A save in which nothing has been played."""
    path = folder / name
    planned = tournament(folder, text)
    agree(needs(planned))
    create_save(path, planned)
    return path


def in_save(path: Path, read: Callable[[Save], T]) -> T:
    """Result of one read of a save."""
    with Save(path) as save:
        return read(save)


LANES = {"fast": math.inf, "slow": 1e6}
"""The pace that makes quick agents play in a lane: any pace keeps them out of the fast lane, and
nobody notices this one."""


def session_of(save: Path, **given: Any) -> Coroutine[Any, Any, SessionResult]:
    """``run_session`` with run options and hooks told apart by their names."""
    made = []
    for kind in (RunOptions, SessionHooks):
        names = [field.name for field in fields(kind) if field.name in given]
        made.append(kind(**{name: given.pop(name) for name in names}))
    return run_session(save, *made, **given)


def play(save: Path, **options: Any) -> SessionResult:
    """Plays a save in this process alone, as fast as it can, at whatever pace it had before."""
    usual = {"concurrency": 8, "pace": LANES["fast"], "workers": 1}
    run = partial(asyncio.run, session_of(save, **usual | options))
    if not _in_a_coroutine():
        return run()
    with ThreadPoolExecutor(1) as elsewhere:  # a test that is a coroutine waits for it
        return elsewhere.submit(run).result()


def _in_a_coroutine() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def finished(folder: Path, text: str = SMALL, **options: Any) -> Path:
    """A save that was played to its end."""
    path = new_save(folder, text)
    assert play(path, **options).progress.done
    return path


def contents(save: Path) -> dict[str, Any]:
    """Contents that two runs of a tournament must share: all but the order of arrival."""
    queries = {
        "answers": "SELECT match, ask, seat, kind, round, value, fault, tries, notes, digest"
        " FROM answers ORDER BY match, ask, seat",
        "matches": "SELECT * FROM matches ORDER BY number",
        # Of the input all but its last word, which names the last seal.
        "leaderboard": "SELECT rtrim(input, replace(input, ' ', '')), body FROM leaderboards"
        " ORDER BY seq DESC LIMIT 1",
    }
    return {name: stored_rows(save, sql) for name, sql in queries.items()}


def stored_rows(save: Path, sql: str, *values: object) -> list[Any]:
    """The rows of a query on a save."""
    with closing(sqlite3.connect(f"{save.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        return connection.execute(sql, values).fetchall()


def tamper(save: Path, sql: str, *values: object) -> None:
    """Changes a save behind the program's back."""
    with closing(sqlite3.connect(save)) as connection, connection:
        connection.execute(sql, values)


def forge(save: Path, sql: str, *values: object) -> None:
    """Changes a save so that its seals do not tell."""
    tamper(save, sql, *values)
    resealed(save)


def resealed(save: Path) -> None:
    """Seals a save again from its beginning, as one could who has changed it."""
    with closing(sqlite3.connect(save)) as connection, connection:
        connection.execute("DELETE FROM seals")
        seal(connection)


def sql(*words: Any) -> Callable[[Path], None]:
    """A change behind the program's back, for tables of damages."""
    return lambda save: tamper(save, *words)


def called(
    *command: object, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[str]:
    """A program that has run to its end, with what it printed."""
    usual = {"capture_output": True, "text": True}
    return subprocess.run([*map(str, command)], check=check, **{**usual, **options})


COMMAND = [sys.executable, "-m", "parlour"]


def environment(**extra: str) -> dict[str, str]:
    """The environment of a command: this checkout, no terminal's size."""
    inherited = {
        key: value for key, value in os.environ.items() if key not in {"COLUMNS", "LINES", "TERM"}
    }
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**inherited, "PYTHONPATH": path, **extra}


READING = {
    *("bundle", "check", "compare", "diff", "export", "leaderboard", "list", "paper", "plan"),
    *("replay", "site", "standings", "status"),
}
"""Commands that only read saves, and so do the same in the process of a test."""
_PYTHONPATH = environment()["PYTHONPATH"]


def parlour(*words: object, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs a command. Whatever it is, it must not end in a traceback.

    It has a process of its own, unless it only reads: `tests/forks` holds both ways to the same.
    """
    typed = [str(word) for word in words]
    usual = {"env": environment(), "timeout": 120, **options}
    reads = typed[:1] and typed[0] in READING and "preferences" not in typed  # which plays
    if reads and _can_be_here(**usual):
        done = _here(typed, cwd, usual["env"])
    else:
        done = called(*COMMAND, *typed, cwd=cwd, **{"stdin": subprocess.DEVNULL, **usual})
    assert "Traceback" not in (done.stderr or ""), done.stderr
    return done


def _can_be_here(env: dict[str, str], timeout: float, **more: object) -> bool:
    """True if this process has what a command of that environment starts with, and is at rest."""
    free = threading.current_thread() is threading.main_thread() and not _in_a_coroutine()
    return free and not more and popen.is_forkable(env) and env.get("PYTHONPATH") == _PYTHONPATH


def _here(typed: list[str], cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """The command in this process, with folder, environment, arguments and streams of its own."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "oe")
    argv = [str(ROOT / "parlour" / "__main__.py"), *typed]
    with (
        patch.dict(os.environ, env, clear=True),
        chdir(cwd),
        open(os.devnull) as nothing,
        patch.multiple(sys, argv=argv, excepthook=sys.excepthook, stdin=nothing),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(typed, int(ended.value.code or 0), *texts)


def printed(*words: object, cwd: Path, **options: Any) -> str:
    """Output of a command that must succeed and print nothing on stderr."""
    done = parlour(*words, cwd=cwd, **options)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def printed_json(*words: object, cwd: Path) -> Any:
    """The same as JSON."""
    return json.loads(printed(*words, "--format", "json", cwd=cwd))


def printed_rows(*words: object, cwd: Path) -> list[dict[str, str]]:
    """The same as the rows of its CSV."""
    return [*csv.DictReader(io.StringIO(printed(*words, "--format", "csv", cwd=cwd)))]


def refused(*words: object, cwd: Path, code: int = 2, **options: Any) -> str:
    """The one line on stderr of a command that must be refused, with nothing on stdout."""
    done = parlour(*words, cwd=cwd, **options)
    assert (done.returncode, done.stdout) == (code, ""), done
    assert done.stderr.endswith("\n")
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.removesuffix("\n")
