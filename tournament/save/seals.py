"""Seals: a chain of hashes over the rows of a save, so that a later edit is found and located.

A seal is written in the transaction of the rows that it is of. It hashes the seal before it and all
rows that were added since, so that the last one stands for all of them. Outcomes, places, decisions
and leaderboards are not sealed: they follow from the rest, and ``check`` computes them again.
"""

import json
import marshal
import sqlite3
from hashlib import blake2b
from itertools import starmap
from typing import NamedTuple

from parlour.tournament.plan.validation import what_is_played
from parlour.tournament.save.database import damaged
from parlour.tournament.save.reader import Save

LEAST_ROWS, MOST_ROWS = 64, 4096
"""A seal is replaced by the next one until it is of so many rows; it is of no more of one table."""
_KEYS = {
    "origins": "number",
    "stages": "number",
    "programs": "number",
    "changes": "number",
    "texts": "id",
    "matches": "number",
    "provenances": "number",
    "answers": "seq",
    "calls": "seq",
}
"""The tables behind the columns of ``seals``, and the numbers that tell their rows apart."""
_ROWS = {name: f"SELECT * FROM {name}" for name in _KEYS} | {
    "matches": "SELECT number, entry, game, condition, setting, setting_key, agents, counted, seed,"
    " origin, origin_number FROM stored_matches",
    "answers": "SELECT * FROM stored_answers",
    "calls": "SELECT * FROM stored_calls",
}
_TABLES = {name: sql.rpartition(" ")[2] for name, sql in _ROWS.items()}
# Matches of the save's own plan follow from its stages.
_NEWEST = ", ".join(
    f"(SELECT coalesce(max({key}), 0) FROM {_TABLES[name]})"
    f"{' * EXISTS (SELECT 1 FROM origins)' if name == 'matches' else ''}"
    for name, key in _KEYS.items()
)
_SEALS = f"SELECT digest, number, {', '.join(_KEYS)} FROM seals ORDER BY number"
_ADD = f"INSERT OR REPLACE INTO seals VALUES (?, ?{', ?' * len(_KEYS)})"
_HEAD = "SELECT name, created, program, save_id, spec FROM tournament"
_SIZES = (
    "SELECT json_extract(body, '$.agents'), json_extract(body, '$.games') FROM stages"
    " WHERE number > ? AND number <= ? ORDER BY number"
)
_CHANGES = "SELECT agent, body FROM changes ORDER BY number DESC"
_GROWING = {"agents", "games", "repetitions", "matches"}
"""Keys of a tournament that may grow: a stage has their beginnings."""


class Seal(NamedTuple):
    """A seal: its hash, its number, and the newest row of each table by then."""

    digest: bytes
    number: int
    ends: tuple[int, ...]


_NONE = Seal(b"", 0, (0,) * len(_KEYS))


def _seal(digest: bytes, number: int, *ends: int) -> Seal:
    return Seal(digest, number, ends)


def seal(connection: sqlite3.Connection, *, closed: bool = True) -> None:
    """Seals what is not sealed yet, in the caller's transaction.

    Unless the last seal is ``closed``, it is replaced if it is of few rows. One that was published
    stays, since the first commit of a run closes it.
    """
    newest = connection.execute(f"SELECT {_NEWEST}").fetchone()
    stored = connection.execute(f"{_SEALS} DESC LIMIT 2").fetchall()
    last, before = (*starmap(_seal, stored), _NONE, _NONE)[:2]
    if last.ends == newest:
        return
    if not closed and sum(last.ends) - sum(before.ends) < LEAST_ROWS:
        last = before
    while last.ends != newest:
        steps = zip(last.ends, newest, strict=True)
        ends = tuple(min(end, begin + MOST_ROWS) for begin, end in steps)
        last = Seal(_digest(connection, last, ends), last.number + 1, ends)
        connection.execute(_ADD, (last.number, last.digest, *last.ends))


def _digest(connection: sqlite3.Connection, before: Seal, ends: tuple[int, ...]) -> bytes:
    """The hash of the seal before and of the rows since."""
    digest = blake2b(before.digest, digest_size=16)
    for (name, key), *rows in zip(_KEYS.items(), before.ends, ends, strict=True):
        if rows[0] == rows[1]:
            continue
        sql = f"{_ROWS[name]} WHERE {key} > ? AND {key} <= ? ORDER BY {key}"
        # A form that depends on the values alone.
        digest.update(marshal.dumps(connection.execute(sql, rows).fetchall(), 2))
        if name == "stages":
            digest.update(_plans(connection, rows))
    return digest.digest()


def _plans(connection: sqlite3.Connection, stages: list[int]) -> bytes:
    """The tournament of some stages, without what may change between runs."""
    *head, spec = connection.execute(_HEAD).fetchone()
    body = json.loads(spec)
    agents = {agent["name"]: agent for agent in body["agents"]}
    for name, keys in connection.execute(_CHANGES):  # as they were at first
        agents[name].update(json.loads(keys))
    body = what_is_played(json.dumps(body))
    fixed = {key: value for key, value in body.items() if key not in _GROWING}
    plans = [
        [body["agents"][:size], body["games"][:games]]
        for size, games in connection.execute(_SIZES, stages)
    ]
    return json.dumps([head, fixed, plans], sort_keys=True).encode()


def last_seal(save: Save, against: str | None = None) -> str | None:
    """The hash of the last seal, or that of any seal that is ``against``; None if there is none."""
    rows = save._select("SELECT digest FROM seals ORDER BY number DESC")
    digests = [digest.hex() for (digest,) in rows if isinstance(digest, bytes)]
    return next((digest for digest in digests if against in {None, digest}), None)


def first_broken_seal(save: Save) -> str | None:
    """The first rows that are not those that were sealed, in words; None if all are."""
    before, connection = _NONE, save._connection
    try:
        for its in starmap(_seal, connection.execute(_SEALS).fetchall()):
            numbers = its.number == before.number + 1
            if not numbers or its.digest != _digest(connection, before, its.ends):
                return f"edited since it was sealed: {_rows(save, before, its.ends)}"
            before = its
        newest = connection.execute(f"SELECT {_NEWEST}").fetchone()
    except (sqlite3.Error, ValueError, TypeError, LookupError, RecursionError) as error:
        raise damaged(save.path, f"seals: {error}") from None
    return None if before.ends == newest else f"not sealed: {_rows(save, before, newest)}"


def _rows(save: Save, before: Seal, ends: tuple[int, ...]) -> str:
    """The rows between two seals in words."""
    spans = dict(zip(_KEYS, zip(before.ends, ends, strict=True), strict=True))
    changed = [f"{name} {b + 1} to {end}" for name, (b, end) in spans.items() if end != b]
    first, last = save._one(
        "SELECT min(match), max(match) FROM stored_answers WHERE seq > ? AND seq <= ?",
        *spans["answers"],
    )
    matches = "" if first is None else f"matches {first} to {last}: "
    return f"{matches}{', '.join(changed) or 'seals'}"
