"""The saves that the home screen lists: their summaries, read once for each change, and states."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import clean_all, one_line
from parlour.games.engine.registry import games
from parlour.tournament.control.launch import last_words
from parlour.tournament.control.status import stopped_because
from parlour.tournament.save.database import APPLICATION_ID
from parlour.tournament.save.directory import FOLDER, all_saves
from parlour.tournament.save.lock import holder
from parlour.tournament.save.summary import SaveSummary, read_summary

MAX_SAVES = 500
"""Number of saves listed, the newest first."""
SQLITE_MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class StandingLine:
    """The line of one agent in a stored leaderboard; strength is None where nothing rates it.

    The ends of its interval are None with too few clusters.
    """

    agent: str
    strength: dict[str, float | None] | None


@dataclass(frozen=True, slots=True)
class SaveRow:
    """A save in the list.

    ``state`` is "running", "pausing", "paused", "stopping", "finished", "failed", "stopped",
    "unfinished" (never begun), or "unread" before it was read. ``note`` says what is wrong with
    it, ``problem`` why it cannot be opened. ``changed`` is in seconds since 1970.
    """

    path: Path
    state: str = "unread"
    changed: float = 0.0
    summary: SaveSummary | None = None
    places: tuple[StandingLine, ...] = ()
    note: str = ""
    problem: str = ""

    @property
    def file(self) -> str:
        """The name of the file, with its folder if that is not the folder of saves."""
        return one_line(self.path.name if self.path.parent == FOLDER else f"./{self.path}")

    @property
    def leader(self) -> str | None:
        """The agent at the top of the stored leaderboard."""
        rated = [place.agent for place in self.places if place.strength is not None]
        return rated[0] if rated else None

    @property
    def families(self) -> frozenset[str]:
        """The families of the games that are played."""
        known = games()
        played = self.summary.games if self.summary else ()
        return frozenset(known[count.game].texts.family for count in played if count.game in known)

    def is_of(self, tournament: str) -> bool:
        """True for a save of a tournament of that name."""
        return self.summary is not None and self.summary.name == tournament

    def matches(self, text: str) -> bool:
        """True if the name of the file, the tournament, a game or an agent contains the text."""
        if not text:
            return True
        words = [self.file]
        if self.summary is not None:
            played = [count.game for count in self.summary.games]
            words += [self.summary.name, *played, *self.summary.agents]
        return text.casefold() in " ".join(words).casefold()


Stamp = tuple[int, ...]


class Catalogue:
    """The saves in the folder of saves and in the working folder, each read again if it changed."""

    def __init__(self) -> None:
        self._read: dict[Path, tuple[Stamp, SaveRow]] = {}

    def paths(self) -> list[Path]:
        """The saves in the folder of saves, then those in the working folder, newest first.

        Any other file in the folder of saves is listed with its error. The working folder may
        hold databases of other programs, which are left out.
        """
        beside = [path for path in all_saves(Path()) if _is_save(path)]
        return [*all_saves(), *beside][:MAX_SAVES]

    def known(self, path: Path) -> SaveRow:
        """The save as it was read last."""
        stored = self._read.get(path)
        return stored[1] if stored else SaveRow(path)

    def read(self, path: Path) -> SaveRow:
        """The save as it is now. For a thread: it may take a second for a large one."""
        stamp, changed = _stamp(path)
        stored = self._read.get(path)
        if stored is None or stored[0] != stamp:
            stored = (stamp, _read(path, changed))
        row = _with_state(stored[1])
        self._read[path] = (stamp, row)
        return row


def _stamp(path: Path) -> tuple[Stamp, float]:
    """Times and sizes of the file and its log, which change with the save; and the newest time."""
    stamp: list[int] = []
    newest = 0
    for file in (path, path.with_name(path.name + "-wal")):
        with suppress(OSError):
            status = file.stat()
            if status.st_size:  # an empty log does not count, since reading a save creates one
                stamp += [status.st_mtime_ns, status.st_size]
                newest = max(newest, status.st_mtime_ns)
    return tuple(stamp), newest / 1e9


def _read(path: Path, changed: float) -> SaveRow:
    try:
        summary = read_summary(path)
    except ParlourError as error:
        return SaveRow(path, "failed", changed, problem=one_line(str(error)))
    return SaveRow(path, "unread", changed, summary, places_of(summary.board))


def _with_state(row: SaveRow) -> SaveRow:
    """The save with its state now, which can change without the file."""
    if row.summary is None:
        return row
    state, note = _state(row.path, row.summary)
    if not note and row.summary.count.frozen:
        note = f"{row.summary.count.frozen} frozen"
    return replace(row, state=state, note=note)


def _state(path: Path, summary: SaveSummary) -> tuple[str, str]:
    """The state of a save, and the reason if its last run ended before its time."""
    if holder(path) is not None:
        return "running", ""
    if summary.count.done:
        return "finished", ""
    reason = stopped_because(path, summary.count)
    words = last_words(path)
    if reason == "budget":
        return "paused", "budget reached"
    if reason in {"failures", "disk", "error"}:
        return "failed", one_line(words[0]) if words else "the last run failed"
    if reason == "killed":
        return "stopped", "its process was killed"
    return ("unfinished" if reason is None else "stopped"), ""


_STANDINGS = TypeAdapter(list[dict[str, Any]])
_STRENGTH = TypeAdapter(dict[str, float | None])


def places_of(board: str | None) -> tuple[StandingLine, ...]:
    """The overall standings of a stored leaderboard, best first; none of one that is damaged.

    Read without the module of leaderboards, whose import takes longer than all else here.
    """
    if board is None:
        return ()
    try:
        standings = _STANDINGS.validate_python(clean_all(json.loads(board))["standings"])
        overall = [line for line in standings if line["game"] is None and not line.get("condition")]
        return tuple(_place(line) for line in overall)
    except (ValueError, TypeError, KeyError, RecursionError, ValidationError):
        return ()


def _place(line: dict[str, Any]) -> StandingLine:
    strength = line["strength"]
    return StandingLine(
        str(line["agent"]), None if strength is None else _STRENGTH.validate_python(strength)
    )


def _is_save(path: Path) -> bool:
    """Reads the header of an SQLite file, which has the id of the application at byte 68."""
    try:
        with path.open("rb") as file:
            header = file.read(72)
    except OSError:
        return False
    return header.startswith(SQLITE_MAGIC) and header[68:] == APPLICATION_ID.to_bytes(4, "big")


def agent_words(block: dict[str, Any]) -> str:
    """An agent's block in a few words: its strategies, its model, or its kind."""
    kind = block.get("kind", "scripted")
    if kind == "scripted":
        names = block.get("strategy", ())
        named: Sequence[object] = [names] if isinstance(names, str) else names
        return one_line(", ".join(map(str, named))) if isinstance(named, list | tuple) else ""
    if kind == "human":
        return "a person"
    return one_line(str(block.get("model") or block.get("function") or kind))
