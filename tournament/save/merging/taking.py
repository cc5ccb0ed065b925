"""A new save made of matches of others, with all that is stored of them.

A match that several saves have is there once, with the answers and the calls of all of them. What
two of them have differently is a conflict. The calls for one answer are a sequence: that of one
save is the beginning of that of another, which is taken; else the same question was sent twice.
"""

import json
import os
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Seat, player
from parlour.tournament.plan.merging import renamed_experiment
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.database import damaged
from parlour.tournament.save.growing.create import add_stage, write_head
from parlour.tournament.save.growing.stages import stage_body, stages_of
from parlour.tournament.save.merging.copies import Contribution, Copies
from parlour.tournament.save.provenance.origins import second_after
from parlour.tournament.save.provenance.remarks import ProgramRow, program_rows
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import (
    ADD_ANSWER,
    ADD_TEXT,
    CONTROL,
    RunOptions,
    digest_text,
    names_of,
    problem_of,
)
from parlour.tournament.save.texts import MOST_SHARED, TextNumbers

_ADD_PROGRAM = "INSERT INTO programs (since, program, last_answer) VALUES (?, ?, ?)"


class ProgramTaker:
    """Stores a row of ``programs`` where another version played than the answer before.

    ``program`` is the version that makes the new save.
    """

    def __init__(self, connection: sqlite3.Connection, program: str) -> None:
        self._connection = connection
        self._program = program
        self._stored = 0
        self._row = ProgramRow("", program, 0)
        self._later: list[ProgramRow] = []

    def begin(self, save: Save) -> None:
        """Goes on with the answers of another save."""
        self._row, *self._later = program_rows(save)

    def take(self, seq: int) -> None:
        """Stores the version that played an answer, which is the next one of the new save."""
        while self._later and self._later[0].last_answer < seq:
            self._row = self._later.pop(0)
        if self._row.program != self._program:
            self._program = self._row.program
            self._connection.execute(_ADD_PROGRAM, (self._row.since, self._program, self._stored))
        self._stored += 1


AT_ONCE = 4096
"""Rows that are stored together."""
OPEN = "SELECT number FROM stored_matches WHERE outcome IS NULL AND frozen IS NULL"
"""SQL for the matches that are not over."""
_ADD_MATCH = f"INSERT INTO stored_matches VALUES ({', '.join('?' * 15)})"
_STORED_MATCH = (
    "SELECT entry, game, condition, setting, setting_key, agents, counted, seed, outcome, frozen"
    " FROM matches WHERE number = ?"
)
_STORED_ANSWER = (
    "SELECT kind, round, value, fault, tries, notes, digest FROM answers"
    " WHERE match = ? AND ask = ? AND seat = ?"
)


class _Plan(NamedTuple):
    """The columns of a match that say what is played, its texts in full."""

    entry: int
    game: str
    condition: str
    setting: int
    setting_key: str
    agents: str
    counted: str
    seed: int


class _Row(NamedTuple):
    """A match of a contribution."""

    number: int
    plan: _Plan
    experiment: str
    outcome: str | None
    frozen: str | None


class Taker:
    """Takes something over from contributions into a new save.

    Raises BadInput for a conflict, and BadSave for a contribution that is damaged.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        contributions: Sequence[Contribution],
        copies: Copies,
    ) -> None:
        self._connection = connection
        self._contributions = contributions
        self._copies = copies

    def _conflict(self, index: int, match: int, differing: str) -> BadInput:
        """The error for a match of which a contribution has something else than an earlier one."""
        numbers = dict(self._copies.copies_of(match))
        other = next(number for number in numbers if number != index)
        paths = [each.save.path for each in self._contributions]
        problem = (
            f"{differing} is not as in match {numbers[other]} of {paths[other]},"
            " which is the same match"
        )
        place = f"{paths[index]}: match {numbers[index]}"
        return BadInput(place, problem, "leave one of them out")


class MatchTaker(Taker):
    """Takes matches and answers over."""

    def take_matches(self, texts: TextNumbers) -> None:
        """Stores the matches of all contributions. ``texts`` are those of the new save."""
        taken = bytearray(self._copies.matches + 1)
        for index, contribution in enumerate(self._contributions):
            numbers = self._copies.numbers(index)
            batch: list[tuple[object, ...]] = []
            for row in _rows(contribution):
                match = numbers[row.number]
                if match and taken[match]:
                    self._join(index, match, row, texts)
                elif match:
                    taken[match] = 1
                    batch.append(self._cells(match, row, texts))
                if len(batch) >= AT_ONCE:
                    self._store(_ADD_MATCH, batch, texts)
            self._store(_ADD_MATCH, batch, texts)

    def _cells(self, match: int, row: _Row, texts: TextNumbers) -> tuple[object, ...]:
        """The columns of ``stored_matches``, in their order."""
        plan, identity = row.plan, self._copies.identity(match)
        outcome = None
        if row.outcome is not None:
            outcome = texts.cell(row.outcome)
        return (
            match,
            plan.entry,
            texts.cell(plan.game),
            texts.cell(plan.condition),
            plan.setting,
            texts.cell(plan.setting_key),
            texts.cell(row.experiment),
            texts.cell(plan.agents),
            texts.cell(plan.counted),
            plan.seed,
            outcome,
            row.frozen,
            identity.place,
            identity.origin,
            identity.there,
        )

    def _join(self, index: int, match: int, row: _Row, texts: TextNumbers) -> None:
        """Adds the outcome and the reason of freezing of another copy to the stored match."""
        *plan, outcome, frozen = self._connection.execute(_STORED_MATCH, (match,)).fetchone()
        for name, there, here in zip(_Plan._fields, plan, row.plan, strict=True):
            if there != here:
                raise self._conflict(index, match, name.replace("_", " "))
        if row.outcome is not None and outcome is None:
            self._connection.execute(
                "UPDATE stored_matches SET outcome = ? WHERE number = ?",
                (texts.cell(row.outcome), match),
            )
        elif row.outcome is not None and row.outcome != outcome:
            raise self._conflict(index, match, "outcome")
        if row.frozen is not None and (frozen is None or row.frozen < frozen):
            self._connection.execute(
                "UPDATE stored_matches SET frozen = ? WHERE number = ?", (row.frozen, match)
            )

    def take_answers(self, texts: TextNumbers, programs: ProgramTaker) -> None:
        """Stores the answers of all contributions, each in the order in which they arrived."""
        answered = [0] * (self._copies.matches + 1)  # the first contribution with answers, from 1
        for index, contribution in enumerate(self._contributions):
            numbers, cells = self._copies.numbers(index), _Cells(contribution, texts)
            batch: list[tuple[object, ...]] = []
            programs.begin(contribution.save)
            for answer in _answers(contribution):
                match = numbers[answer.match] if 0 < answer.match < len(numbers) else 0
                if not match:
                    continue
                answered[match] = answered[match] or index + 1
                # Looked up only where an earlier contribution has answers of the match: most
                # matches are in one save, and there are millions of answers.
                if answered[match] <= index and self._is_stored(index, match, answer, cells):
                    continue
                programs.take(answer.seq)
                kind, value = cells.of(answer.kind), cells.of(answer.value)
                batch.append((match, *answer[2:4], kind, answer.round, value, *answer[7:]))
                if len(batch) >= AT_ONCE:
                    self._store(ADD_ANSWER, batch, texts)
            self._store(ADD_ANSWER, batch, texts)

    def _is_stored(self, index: int, match: int, answer: "_Answer", cells: "_Cells") -> bool:
        """True if an earlier contribution has the same answer. BadInput if it has another one."""
        key = match, answer.ask, answer.seat
        stored = self._connection.execute(_STORED_ANSWER, key).fetchone()
        if stored is None:
            return False
        *its, digest = answer[4:]
        its[0], its[2] = cells.text(answer.kind), cells.text(answer.value)
        if stored != (*its, digest_text(digest)):
            place = f"the answer of {player(answer.seat)} to ask {answer.ask}"
            raise self._conflict(index, match, place)
        return True

    def _store(self, sql: str, batch: list[tuple[object, ...]], texts: TextNumbers) -> None:
        """Stores rows with the texts that have got a number meanwhile, and empties both lists."""
        self._connection.executemany(sql, batch)
        self._connection.executemany(ADD_TEXT, texts.new)
        batch.clear()
        texts.new.clear()


class _Answer(NamedTuple):
    """An answer of a contribution, in cells."""

    seq: int
    match: int
    ask: int
    seat: Seat
    kind: int | str
    round: int
    value: int | str
    fault: str | None
    tries: int
    notes: str | None
    digest: bytes | str


class _Cells:
    """The cells in the new save of texts in cells of a contribution."""

    def __init__(self, contribution: Contribution, texts: TextNumbers) -> None:
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


def _answers(contribution: Contribution) -> Iterator[_Answer]:
    """Yields the answers of a contribution in the order in which they arrived."""
    where = "" if contribution.chosen is None else f" WHERE match IN ({OPEN})"
    rows = contribution.save._rows(
        "SELECT seq, match, ask, seat, kind, round, value, fault, tries, notes, digest"
        f" FROM stored_answers{where} ORDER BY seq"
    )
    return map(_Answer._make, rows)


def _rows(contribution: Contribution) -> Iterator[_Row]:
    """Yields the matches of a contribution, with the new numbers of game blocks and new names."""
    save, text = contribution.save, contribution.save._texts.text
    for row in save._rows(
        "SELECT number, entry, game, condition, setting, setting_key, experiment, agents, counted,"
        " seed, outcome, frozen FROM stored_matches ORDER BY number"
    ):
        number, entry, game, condition, setting, key, experiment, agents, counted, *rest = row
        seed, outcome, frozen = rest
        if not 0 <= entry < len(contribution.entries):
            raise damaged(save.path, f"match {number}: there is no game entry {entry}")
        game, condition = text(game), text(condition)
        experiment, agents = text(experiment), text(agents)
        if contribution.names:
            try:
                seats = names_of(agents)
            except ValueError as error:
                raise damaged(save.path, f"match {number}{problem_of(error)}") from None
            title = f"{game} ({condition}): " if condition else f"{game}: "
            experiment = renamed_experiment(experiment, title, seats, contribution.names)
            agents = json.dumps([contribution.names.get(name, name) for name in seats])
        if outcome is not None:
            outcome = text(outcome)
        new_entry, counted = contribution.entries[entry], text(counted)
        plan = _Plan(new_entry, game, condition, setting, text(key), agents, counted, seed)
        yield _Row(number, plan, experiment, outcome, frozen)


LEFT_BEHIND = 0
"""``copy_of`` of an answer from the cache whose call is not in the new save."""
_OWN = ("match", "ask", "seat", "agent", "cache_key", "copy_of")
_SEQS = "SELECT seq FROM calls WHERE match = ? AND ask = ? AND seat = ? ORDER BY seq"

Key = tuple[int, int, Seat]
"""The match in the new save, the ask and the seat of calls."""


class _Call(NamedTuple):
    """A call for the new save; ``rest`` has the columns beyond these."""

    match: int
    ask: int
    seat: Seat
    agent: str
    cache_key: str | None
    copy_of: int | None
    rest: tuple[Any, ...]

    def row(self) -> tuple[Any, ...]:
        """The columns after ``seq``."""
        return (*self[:-1], *self.rest)


class CallTaker(Taker):
    """Takes calls, templates and reservations over."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        contributions: Sequence[Contribution],
        copies: Copies,
    ) -> None:
        super().__init__(connection, contributions, copies)
        rows = connection.execute("SELECT name FROM pragma_table_info('calls')")
        rest = [name for (name,) in rows if name not in {"seq", *_OWN}]
        self._columns = ", ".join([*_OWN, *rest])
        self._add = (
            f"INSERT INTO calls (seq, {self._columns})"
            f" VALUES ({', '.join('?' * (1 + len(_OWN) + len(rest)))})"
        )
        self._called = [0] * (copies.matches + 1)  # the first contribution with calls, from 1
        self._last = 0

    def take_calls(self) -> None:
        """Stores the calls of all contributions, each in their order, and their templates."""
        for index, contribution in enumerate(self._contributions):
            self._connection.executemany(
                "INSERT OR IGNORE INTO templates (digest, name, text) VALUES (?, ?, ?)",
                contribution.save._rows("SELECT digest, name, text FROM templates"),
            )
            self._take_calls_of(index, contribution)

    def _take_calls_of(self, index: int, contribution: Contribution) -> None:
        numbers = self._copies.numbers(index)
        known = _KnownCalls(self._connection, self._columns)
        seqs: dict[int, int] = {}
        sources: list[tuple[int, int]] = []
        batch: list[tuple[Any, ...]] = []
        for seq, source, call in self._calls(contribution, numbers):
            self._called[call.match] = self._called[call.match] or index + 1
            here = known.next(call) if self._called[call.match] <= index else None
            if here is None:
                here = self._last = self._last + 1
                batch.append((here, *call.row()))
            elif not known.is_same(here, call):
                place = f"call for the answer of {player(call.seat)} to ask {call.ask}"
                raise self._conflict(index, call.match, f"a {place}")
            if call.cache_key is not None:
                seqs[seq] = here
            if source is not None:
                sources.append((source, here))
            if len(batch) >= AT_ONCE:
                self._connection.executemany(self._add, batch)
                batch.clear()
        self._connection.executemany(self._add, batch)
        # At the end: where shards were merged before, a call may follow its copies.
        self._connection.executemany(
            "UPDATE calls SET copy_of = ? WHERE seq = ?",
            ((seqs[source], here) for source, here in sources if source in seqs),
        )

    def _calls(
        self, contribution: Contribution, numbers: Sequence[int]
    ) -> Iterator[tuple[int, int | None, _Call]]:
        """Yields ``seq``, ``copy_of`` and call, which has the numbers of the new save."""
        where = "" if contribution.chosen is None else f" WHERE match IN ({OPEN})"
        for seq, match, ask, seat, agent, key, copy_of, *rest in contribution.save._rows(
            f"SELECT seq, {self._columns} FROM calls{where} ORDER BY seq"
        ):
            number = numbers[match] if 0 < match < len(numbers) else 0
            if not number:
                continue
            source = None if copy_of is None else LEFT_BEHIND
            name = contribution.names.get(agent, agent)
            yield seq, copy_of, _Call(number, ask, seat, name, key, source, tuple(rest))

    def take_reservations(self) -> None:
        """Stores the open reservations: of each answer, those of the save with the most calls."""
        held: defaultdict[Key, dict[int, Counter[tuple[str, float]]]] = defaultdict(dict)
        for index, contribution in enumerate(self._contributions):
            numbers = self._copies.numbers(index)
            for agent, dollars, match, ask, seat in contribution.save._rows(
                "SELECT agent, dollars, match, ask, seat FROM reservations ORDER BY id"
            ):
                number = numbers[match] if 0 < match < len(numbers) else 0
                if number:
                    of_answer = held[number, ask, seat].setdefault(index, Counter())
                    of_answer[contribution.names.get(agent, agent), dollars] += 1
        for key, by_contribution in held.items():
            for (agent, dollars), count in self._longest(key, by_contribution).items():
                self._connection.executemany(
                    "INSERT INTO reservations (agent, dollars, match, ask, seat)"
                    " VALUES (?, ?, ?, ?, ?)",
                    [(agent, dollars, *key)] * count,
                )

    def _longest(
        self, key: Key, held: Mapping[int, Counter[tuple[str, float]]]
    ) -> Counter[tuple[str, float]]:
        """The reservations for one answer in the save that has made the most calls for it.

        Where the others have more, their calls have taken the place of its reservations.
        """
        match, ask, seat = key
        calls: dict[int, int] = {}
        for index, number in self._copies.copies_of(match):
            save = self._contributions[index].save
            calls[index] = len(save._select(_SEQS, number, ask, seat))
        most: Counter[tuple[str, float]] = Counter()
        for index, count in calls.items():
            if count == max(calls.values()):  # copies of one save have the same ones
                most |= held.get(index, Counter())
        return most


class _KnownCalls:
    """The calls that earlier contributions have of matches, compared one after the other."""

    def __init__(self, connection: sqlite3.Connection, columns: str) -> None:
        self._connection = connection
        self._columns = columns
        self._left: dict[Key, list[int]] = {}

    def next(self, call: _Call) -> int | None:
        """The ``seq`` of the next stored call for the answer, None after the last."""
        key = call.match, call.ask, call.seat
        if key not in self._left:
            rows = self._connection.execute(_SEQS, key)
            self._left[key] = [seq for (seq,) in rows]
        left = self._left[key]
        return left.pop(0) if left else None

    def is_same(self, seq: int, call: _Call) -> bool:
        """True if the stored call is this one, whichever call they are copies of."""
        stored = self._connection.execute(
            f"SELECT {self._columns} FROM calls WHERE seq = ?", (seq,)
        ).fetchone()
        return _but_source(stored) == _but_source(call.row())


def _but_source(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The columns of a call with only whether it is a copy, since sources have other numbers."""
    at = _OWN.index("copy_of")
    return (*row[:at], row[at] is None, *row[at + 1 :])


_ORPHANS = "SELECT 1 FROM {} WHERE match NOT IN (SELECT number FROM stored_matches) LIMIT 1"


@contextmanager
def opened(path: Path) -> Iterator[Save]:
    """Context of a save that matches are taken over from, as it is at one moment.

    Raises BadSave for a damaged save.
    """
    with Save(path) as save, save.one_moment():
        _refuse_damaged(save)
        yield save


def _refuse_damaged(save: Save) -> None:
    """BadSave if a match does not fit the tournament, or if something belongs to no match."""
    last = 0
    while matches := save.matches_after(last, 4096):
        last = matches[-1].number
    for table in ("stored_answers", "calls", "reservations"):
        if save._select(_ORPHANS.format(table)):
            raise damaged(save.path, f"{table.removeprefix('stored_')}: one is of no match")


def fill(
    draft: Path,
    tournament: Tournament,
    contributions: Sequence[Contribution],
    options: Callable[[Copies], RunOptions],
    stage: tuple[str, dict[str, object]],
) -> None:
    """Fills an empty file with a tournament and the matches of the contributions.

    ``options`` returns the run options of the new save. ``stage`` is the kind of its first stage,
    and what the stage says of it. The file is on the disk when this returns.
    """
    with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
        # Nothing can be rolled back, and nothing needs to be: nobody knows the file yet.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        # Growth stands after what it grew from: its plan must be younger than all that it has.
        after = max(second_after(contribution.save) for contribution in contributions)
        made = write_head(connection, tournament, RunOptions(), after)
        copies = Copies(connection, contributions)
        matches = MatchTaker(connection, contributions, copies)
        matches.take_matches(TextNumbers(most=MOST_SHARED // 2))
        shared = connection.execute("SELECT id, text FROM texts").fetchall()
        matches.take_answers(TextNumbers(shared), ProgramTaker(connection, made.program))
        calls = CallTaker(connection, contributions, copies)
        calls.take_calls()
        calls.take_reservations()
        connection.execute(CONTROL, options(copies).row())
        add_stage(connection, stage[0], made, stage_body(tournament, **stage[1]))
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
    _flush(draft)


def _flush(path: Path) -> None:
    """Returns once the file is on the disk."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def joined(contribution: Contribution) -> dict[str, str]:
    """The time at which each agent joined the tournament of a save, by its new name."""
    save, since = contribution.save, dict[str, str]()
    names = [agent.name for agent in save.tournament.agents]
    for stored in stages_of(save):
        moments = {**dict.fromkeys(names[: stored.stage.agents], stored.since), **stored.joined}
        since = {**moments, **since}
    return {contribution.names.get(name, name): moment for name, moment in since.items()}
