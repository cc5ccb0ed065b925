"""A new save made of matches of others, with all that is stored of them.

A match that several saves have is there once, with the answers and the calls of all of them. What
two of them have differently is a conflict.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from parlour.games.engine.moves import player
from parlour.tournament.plan.growth import first_stage
from parlour.tournament.plan.merging import renamed_experiment
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.database import damaged
from parlour.tournament.save.growing.create import add_stage, write_head
from parlour.tournament.save.growing.stages import stage_json, stages_of
from parlour.tournament.save.merging.calls import take_calls, take_reservations
from parlour.tournament.save.merging.copies import Batch, Copies, SaveContribution
from parlour.tournament.save.provenance.origins import second_after
from parlour.tournament.save.provenance.remarks import program_rows
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import (
    ADD_ANSWER,
    CONTROL,
    MOST_SHARED,
    RETIRED,
    RunOptions,
    TextNumbers,
    digest_text,
    names_of,
    problem_of,
)
from parlour.tournament.save.seals import first_broken_seal, seal

_ORPHANS = "SELECT 1 FROM {} WHERE match NOT IN (SELECT number FROM stored_matches) LIMIT 1"


@contextmanager
def opened(path: Path) -> Iterator[Save]:
    """Context of a save that matches are taken over from, as it is at one moment.

    Raises BadSave for a damaged save: if a match does not fit the tournament, or if something
    belongs to no match.
    """
    with Save(path) as save, save.one_moment():
        last = 0
        while matches := save.matches_after(last, 4096):
            last = matches[-1].number
        for table in ("stored_answers", "calls", "reservations"):
            if save._select(_ORPHANS.format(table)):
                raise damaged(save.path, f"{table.removeprefix('stored_')}: one is of no match")
        if broken := first_broken_seal(save):
            raise damaged(save.path, broken)
        yield save


def fill(
    draft: Path,
    tournament: Tournament,
    contributions: Sequence[SaveContribution],
    options: Callable[[Copies], RunOptions],
    stage: tuple[str, dict[str, object]],
) -> None:
    """Fills an empty file with a tournament and the matches of the contributions.

    ``options`` returns the run options of the new save. ``stage`` is the kind of its first stage,
    and what the stage says of it. The file is on the disk when this returns. Raises BadInput for a
    conflict, and BadSave for a contribution that is damaged.
    """
    with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
        # Nothing can be rolled back, and nothing needs to be: nobody knows the file yet.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        # Growth stands after what it grew from: its plan must be younger than all that it has.
        after = max(second_after(contribution.save) for contribution in contributions)
        made = write_head(connection, tournament, RunOptions(), after)
        copies = Copies(connection, contributions)
        _take_matches(connection, copies)
        _take_answers(connection, copies, made.program)
        _take_changes(connection, contributions)
        take_calls(connection, copies)
        take_reservations(connection, copies)
        connection.execute(CONTROL, options(copies).row())
        add_stage(connection, stage[0], made, stage_json(first_stage(tournament), **stage[1]))
        seal(connection)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
    handle = os.open(draft, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _take_changes(
    connection: sqlite3.Connection, contributions: Sequence[SaveContribution]
) -> None:
    """Stores once each change of a model's keys: its prompts until then are made again with them.

    Answers of several saves stand in one order, so it is not said any more after which one.
    """
    changes: dict[tuple[str, str, str], None] = {}
    for each in contributions:
        for since, agent, body in each.save._select("SELECT since, agent, body FROM changes"):
            changes[since, each.names.get(agent, agent), body] = None
    connection.executemany(
        "INSERT INTO changes (since, agent, body, last_answer) VALUES (?, ?, ?, 0)", sorted(changes)
    )


def joined(contribution: SaveContribution) -> dict[str, str]:
    """The time at which each agent joined the tournament of a save, by its new name."""
    save, since = contribution.save, dict[str, str]()
    names = [agent.name for agent in save.tournament.agents]
    for stored in stages_of(save):
        moments = {**dict.fromkeys(names[: stored.stage.agents], stored.since), **stored.joined}
        since = {**moments, **since}
    return {contribution.names.get(name, name): moment for name, moment in since.items()}


# --- Matches

_ADD_MATCH = f"INSERT INTO stored_matches VALUES ({', '.join('?' * 15)})"


class _TakenMatch(NamedTuple):
    """A match of a contribution, or one that is stored, with its texts in full.

    The columns stand in the order of the table. All copies agree in what is played. The game block
    and the names of the agents are those of the new save.
    """

    number: int
    entry: int
    game: str
    condition: str
    setting: int
    setting_key: str
    experiment: str
    agents: str
    counted: str
    seed: int
    outcome: str | None
    frozen: str | None


_TEXTS = ("game", "condition", "setting_key", "experiment", "agents", "counted", "outcome")
"""The columns that have shared texts."""
_PLANNED = tuple(
    name
    for name in _TakenMatch._fields
    if name not in {"number", "experiment", "outcome", "frozen"}
)
"""The columns that say what is played."""
_COLUMNS = ", ".join(_TakenMatch._fields)


def _take_matches(connection: sqlite3.Connection, copies: Copies) -> None:
    """Stores the matches of all contributions."""
    texts = TextNumbers(most=MOST_SHARED // 2)  # answers get the other half
    batch = Batch(connection, _ADD_MATCH, texts)
    taken = bytearray(copies.matches + 1)
    for index, contribution in enumerate(copies.contributions):
        numbers = copies.numbers(index)
        for row in _matches_of(contribution):
            match = numbers[row.number]
            if match and taken[match]:
                _join(connection, copies, texts, index, row._replace(number=match))
            elif match:
                taken[match] = 1
                cells = _with_texts(row, texts.cell)[1:]
                batch.add((match, *cells, *copies.identity(match)))
        batch.store()


def _matches_of(contribution: SaveContribution) -> Iterator[_TakenMatch]:
    """Yields the matches of a contribution under the numbers that they have there."""
    save, text, names = contribution.save, contribution.save._texts.text, contribution.names
    for row in save._rows(f"SELECT {_COLUMNS} FROM stored_matches ORDER BY number"):
        match = _TakenMatch._make(row)
        if not 0 <= match.entry < len(contribution.entries):
            problem = f"match {match.number}: there is no game entry {match.entry}"
            raise damaged(save.path, problem)
        match = _with_texts(match, text)._replace(entry=contribution.entries[match.entry])
        if names:
            try:
                seats = names_of(match.agents)
            except ValueError as error:
                raise damaged(save.path, f"match {match.number}{problem_of(error)}") from None
            title = f"{match.game} ({match.condition}): " if match.condition else f"{match.game}: "
            match = match._replace(
                experiment=renamed_experiment(match.experiment, title, seats, names),
                agents=json.dumps([names.get(name, name) for name in seats]),
            )
        yield match


def _with_texts(row: _TakenMatch, of: Callable[[Any], Any]) -> _TakenMatch:
    """A match with another form of its texts: each in full, or as its cell."""
    texts = {name: getattr(row, name) for name in _TEXTS}
    return row._replace(**{name: of(text) for name, text in texts.items() if text is not None})


def _join(
    connection: sqlite3.Connection, copies: Copies, texts: TextNumbers, index: int, row: _TakenMatch
) -> None:
    """Adds the outcome and the reason of freezing of another copy to the stored match."""
    stored_row = f"SELECT {_COLUMNS} FROM matches WHERE number = ?"
    stored = _TakenMatch._make(connection.execute(stored_row, (row.number,)).fetchone())
    for name in _PLANNED:
        if getattr(stored, name) != getattr(row, name):
            raise copies.conflict(index, row.number, name.replace("_", " "))
    outcome, frozen = stored.outcome, stored.frozen
    if row.outcome is not None and row.outcome != outcome:
        if outcome is not None:
            raise copies.conflict(index, row.number, "outcome")
        connection.execute(
            "UPDATE stored_matches SET outcome = ? WHERE number = ?",
            (texts.cell(row.outcome), row.number),
        )
    reasons = {reason for reason in (frozen, row.frozen) if reason is not None}
    if outcome or row.outcome:  # it was played to its end in one copy, and closed in the other
        reasons = {reason for reason in reasons if not reason.startswith(RETIRED)}
    if frozen != (reason := min(reasons, default=None)):
        connection.execute(
            "UPDATE stored_matches SET frozen = ? WHERE number = ?", (reason, row.number)
        )


# --- Answers

_STORED_ANSWER = (
    "SELECT kind, round, value, fault, tries, notes, digest, begun, latency FROM answers"
    " WHERE match = ? AND ask = ? AND seat = ?"
)


def _take_answers(connection: sqlite3.Connection, copies: Copies, program: str) -> None:
    """Stores the answers of all contributions, each in the order in which they arrived.

    ``program`` is the version that makes the new save.
    """
    texts = TextNumbers(connection.execute("SELECT id, text FROM texts").fetchall())
    batch = Batch(connection, ADD_ANSWER, texts)
    programs = _Programs(connection, program)
    answered = [0] * (copies.matches + 1)  # the first contribution with answers, from 1
    for index, contribution in enumerate(copies.contributions):
        numbers, cells = copies.numbers(index), _Cells(contribution, texts)
        programs.begin(contribution.save)
        columns = (
            "seq, match, ask, seat, kind, round, value, fault, tries, notes, digest, begun, latency"
        )
        for seq, number, ask, seat, kind, round, value, *rest in contribution.rows(
            "stored_answers", columns
        ):
            match = numbers[number]
            if not match:
                continue
            answered[match] = answered[match] or index + 1
            # Looked up only where an earlier contribution has answers of the match: most matches
            # are in one save, and there are millions of answers.
            if answered[match] <= index:
                key = match, ask, seat
                stored = connection.execute(_STORED_ANSWER, key).fetchone()
                *others, digest, begun, latency = rest
                texts_of = cells.text(kind), round, cells.text(value), *others
                here = *texts_of, digest_text(digest), begun, latency
                if stored == here:
                    continue
                if stored is not None:
                    place = f"the answer of {player(seat)} to ask {ask}"
                    raise copies.conflict(index, match, place)
            programs.take(seq)
            batch.add((match, ask, seat, cells.of(kind), round, cells.of(value), *rest))
        batch.store()


class _Cells:
    """The cells in the new save of texts in cells of a contribution."""

    def __init__(self, contribution: SaveContribution, texts: TextNumbers) -> None:
        self.text = contribution.save._texts.text
        self._texts = texts
        self._known: dict[int, int] = {}

    def of(self, cell: int | str) -> int | str:
        """The cell in the new save with the text of this one."""
        if isinstance(cell, str):
            return self._texts.cell(cell)
        known = self._known.get(cell)
        if known is not None:
            return known
        new = self._texts.cell(self.text(cell))
        if isinstance(new, int):
            self._known[cell] = new
        return new


class _Programs:
    """Stores a row of ``programs`` where another version played than the answer before."""

    def __init__(self, connection: sqlite3.Connection, program: str) -> None:
        self._connection, self._program = connection, program
        self._stored = 0

    def begin(self, save: Save) -> None:
        """Goes on with the answers of another save."""
        self._row, *self._later = program_rows(save)

    def take(self, seq: int) -> None:
        """Stores the version that played an answer, which is the next one of the new save."""
        while self._later and self._later[0].last_answer < seq:
            self._row = self._later.pop(0)
        if self._row.program != self._program:
            self._program = self._row.program
            self._connection.execute(
                "INSERT INTO programs (since, program, last_answer) VALUES (?, ?, ?)",
                (self._row.since, self._program, self._stored),
            )
        self._stored += 1
