"""Consent: stored beside the keys file, in a file that only its user can read and change.

Each line is the digest of one need and, for a reader, what it says. A file that has any other line
counts for nothing.
"""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from parlour.agents.llm.keys import keys_file
from parlour.games.common.errors import BadInput
from parlour.tournament.plan.model import Tournament
from parlour.tournament.trust.needs import Need, needs

_LINE = re.compile(r"([0-9a-f]{64}) .*")


class Untrusted(BadInput):
    """A tournament that does what its user has not agreed to."""


class Consents(NamedTuple):
    """The digests that the user has agreed to; ``problem`` is why the file counts for nothing."""

    digests: frozenset[str] = frozenset()
    problem: str = ""


def consent_file() -> Path:
    """The file of all consents."""
    return keys_file().with_name("trusted")


def stored_consents() -> Consents:
    """The consents of the file; none if it is missing, garbled, or open to others."""
    path = consent_file()
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if status.st_mode & 0o077 or status.st_uid != os.geteuid():
                return Consents(problem=f"{path} is open to others and counts for nothing")
            text = file.read().decode("utf-8")
    except FileNotFoundError:
        return Consents()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "is not text"
        return Consents(problem=f"{path} cannot be read ({reason}) and counts for nothing")
    *lines, rest = text.split("\n")
    digests = [match[1] for match in map(_LINE.fullmatch, lines) if match]
    if rest or len(digests) < len(lines):
        return Consents(problem=f"{path} is garbled and counts for nothing")
    return Consents(frozenset(digests))


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


def agree(given: Iterable[Need]) -> None:
    """Stores the user's consent. BadInput if it cannot be stored."""
    path, stored = consent_file(), stored_consents()
    fresh = [need for need in given if need.digest not in stored.digests]
    if not fresh:
        return
    text = "".join(f"{need.digest} {need.line}\n" for need in fresh)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if stored.problem:
            _replace(path, text)
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        handle = os.open(path, flags, 0o600)
        try:
            os.write(handle, text.encode())  # in one call: two processes never mix their lines
        finally:
            os.close(handle)
    except OSError as error:
        fix = "make its folder writable, or set XDG_CONFIG_HOME"
        raise BadInput(str(path), f"cannot be written ({error.strerror})", fix) from None


def _replace(path: Path, text: str) -> None:
    """Writes a new file in place of one that counts for nothing."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    with suppress(FileNotFoundError):
        draft.unlink()
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    os.replace(draft, path)
