"""Rows of a save as SQLite gives them, held to the types of their columns.

A table refuses a wrong type when a row is written; nothing does when a damaged file is read.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from types import NoneType
from typing import Any

from parlour.games.engine.moves import Outcome
from parlour.tournament.save.bounds import MOST_PAYOFF

ROWS_CHECKED = 4096
"""Rows whose columns are checked together."""


_TYPES: Mapping[tuple[type, ...], str] = {
    (int,): "seq number entry setting seed match ask seat round tries try attempt id concurrency?"
    " prompt_tokens? completion_tokens? copy_of? place? origin? origin_number? last_match"
    " first_match shift provenance? last_answer",
    (float,): "latency dollars pace? budget? price?",
    (str,): "name spec created program notes? fault? frozen? input agent model prompt templates"
    " parameters failure? message? text? thinking? finish? provider_id? cache_key? limits"
    " agent_budgets version type tbl_name sql save_id since until? served? fingerprint? host? save",
    # The number of a shared text, or the text itself.
    (str, int): "game condition setting_key experiment agents counted outcome? kind value",
    (str, bytes): "digest",
}
"""The columns of each type; those with a question mark may be NULL."""


def _columns() -> Mapping[str, frozenset[type]]:
    columns = {}
    for types, names in _TYPES.items():
        for name in names.split():
            allowed = {*types, NoneType} if name.endswith("?") else {*types}
            columns[name.removesuffix("?")] = frozenset(allowed)
    return columns


COLUMNS = _columns()
"""The types of the values of each column that reading relies on, by its name in a result.

A name means the same in every table that has it. Of ``body``, a text here and bytes there, its
readers see for themselves.
"""


def fetched(cursor: sqlite3.Cursor) -> list[Any]:
    """The rows that are left. ValueError for a value that its column cannot have."""
    rows = cursor.fetchall()
    for begin in range(0, len(rows), ROWS_CHECKED):
        _check(cursor, rows[begin : begin + ROWS_CHECKED])
    return rows


def streamed(cursor: sqlite3.Cursor) -> Iterator[Any]:
    """Yields the rows that are left, without holding them all. ValueError as ``fetched``."""
    while rows := cursor.fetchmany(ROWS_CHECKED):
        _check(cursor, rows)
        yield from rows


def _check(cursor: sqlite3.Cursor, rows: list[Any]) -> None:
    for (name, *_), column in zip(cursor.description, zip(*rows, strict=True), strict=True):
        types = COLUMNS.get(name)
        if types is not None and not types.issuperset(map(type, column)):
            value = next(value for value in column if type(value) not in types)
            raise ValueError(f"{name}: cannot be {'NULL' if value is None else repr(value)[:40]}")


def is_outcome_of(outcome: Outcome, seats: int) -> bool:
    """True if an outcome has a role, a side and a usable payoff for each of so many seats."""
    return len(outcome.payoffs) == len(outcome.roles) == len(outcome.sides) == seats and all(
        abs(payoff) <= MOST_PAYOFF for payoff in outcome.payoffs
    )
