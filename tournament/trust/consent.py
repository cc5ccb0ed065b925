"""Consent: stored beside the keys file, in a file that only its user can read and change.

Each line is the digest of one need and, for a reader, what it says. A file that has any other line
counts for nothing.
"""

import os
import re
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from parlour.agents.llm.keys import keys_file
from parlour.games.common.errors import BadInput
from parlour.games.common.plain_files import open_plain
from parlour.games.engine.transcript import counted
from parlour.tournament.plan.model import Tournament
from parlour.tournament.trust.needs import Need, needs

_LINE = re.compile(r"([0-9a-f]{64}) .*")
ASIDE = "trusted.damaged"
"""The name of a file that counts for nothing, once another one has taken its place."""


class Untrusted(BadInput):
    """A tournament that does what its user has not agreed to."""


class Consents(NamedTuple):
    """The digests that the user has agreed to.

    ``problem`` is why the file counts for nothing; then ``lost`` is the number of consents in it.
    """

    digests: frozenset[str] = frozenset()
    problem: str = ""
    lost: int = 0


def consent_file() -> Path:
    """The file of all consents."""
    return keys_file().with_name("trusted")


def stored_consents() -> Consents:
    """The consents of the file; none if it is missing, garbled, or open to others."""
    path = consent_file()
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            status, content = os.fstat(file.fileno()), file.read()
    except FileNotFoundError:
        return Consents()
    except OSError as error:
        return Consents(problem=f"{path} cannot be read ({error.strerror}) and counts for nothing")
    digests = [_digest(line) for line in content.splitlines(keepends=True)]
    whole, problem = [digest for digest in digests if digest is not None], ""
    if status.st_mode & 0o077 or status.st_uid != os.geteuid():
        problem = f"{path} is open to others and counts for nothing"
    elif len(whole) < len(digests):
        line = digests.index(None) + 1
        problem = f"{path}, line {line}, is garbled: the file counts for nothing"
    return Consents(problem=problem, lost=len(whole)) if problem else Consents(frozenset(whole))


def _digest(line: bytes) -> str | None:
    """The digest of a line that is whole, with its end; None for any other line."""
    try:
        match = _LINE.fullmatch(line.decode().removesuffix("\n"))
    except ValueError:
        return None
    return match[1] if match and line.endswith(b"\n") else None


def unagreed(tournament: Tournament) -> tuple[Need, ...]:
    """The needs without consent; none for a preset or for what the user's own program made."""
    if tournament.source is None:
        return ()
    needed = needs(tournament)
    digests = stored_consents().digests if needed else frozenset()
    return tuple(need for need in needed if need.digest not in digests)


def refuse_untrusted(tournament: Tournament) -> None:
    """Untrusted if the tournament does anything that its user has not agreed to."""
    left = unagreed(tournament)
    if not left or tournament.source is None:
        return
    path = str(tournament.source.path)
    more = f" (and {len(left) - 1} more)" if len(left) > 1 else ""
    problem = stored_consents().problem
    note = f" ({problem})" if problem else ""
    fix = f"read what it does and agree with `parlour trust {quote(path)}`{note}"
    raise Untrusted(path, f"needs your consent: {left[0].line}{more}", fix)


def agree(given: Iterable[Need]) -> str:
    """Stores the user's consent. BadInput if it cannot be stored.

    Returns a sentence on a file that counted for nothing and was put aside, mostly "".
    """
    path, stored = consent_file(), stored_consents()
    fresh = [need for need in given if need.digest not in stored.digests]
    if not fresh:
        return ""
    text = "".join(f"{need.digest} {need.line}\n" for need in fresh)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        aside = _put_aside(path) if stored.problem else None
        handle = open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.write(handle, text.encode())  # in one call: two processes never mix their lines
        finally:
            os.close(handle)
    except OSError as error:
        fix = "make its folder writable, or set XDG_CONFIG_HOME"
        raise BadInput(str(path), f"cannot be written ({error.strerror})", fix) from None
    if aside is None:
        return ""
    lost = counted(stored.lost, "consent")
    return f"{stored.problem}; it is kept as {aside}, with {lost} to give again"


def _put_aside(path: Path) -> Path:
    """Renames a file that counts for nothing; returns its new name, which no file had."""
    names = (ASIDE if number == 1 else f"{ASIDE}-{number}" for number in count(1))
    aside = next(place for place in map(path.with_name, names) if not place.exists())
    path.rename(aside)
    return aside
