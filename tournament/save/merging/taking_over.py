"""Takes matches and their answers over from other saves into a new one.

A match that several saves have is there once, with the answers of all of them. What two of them
have differently is a conflict.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from parlour.games.common.errors import BadInput
from parlour.games.engine.moves import Seat, player
from parlour.tournament.plan.merging import renamed_experiment
from parlour.tournament.save.cells import ADD_ANSWER, ADD_TEXT
from parlour.tournament.save.database import damaged
from parlour.tournament.save.digests import digest_text
from parlour.tournament.save.merging.copies import Contribution, Copies
from parlour.tournament.save.merging.taking_programs import ProgramTaker
from parlour.tournament.save.rows import names_of, problem_of
from parlour.tournament.save.texts import TextNumbers

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
        plan, identity = row.plan, self._copies.identity(match)
        return (
            *(match, plan.entry, texts.cell(plan.game), texts.cell(plan.condition), plan.setting),
            *map(texts.cell, (plan.setting_key, row.experiment, plan.agents, plan.counted)),
            *(plan.seed, None if row.outcome is None else texts.cell(row.outcome), row.frozen),
            *(identity.place, identity.origin, identity.there),
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
    save, names = contribution.save, contribution.names
    text = save._texts.text
    for row in save._rows(
        "SELECT number, entry, game, condition, setting, setting_key, experiment, agents, counted,"
        " seed, outcome, frozen FROM stored_matches ORDER BY number"
    ):
        number, entry, game, condition, setting, setting_key, experiment, agents, *rest = row
        counted, seed, outcome, frozen = rest
        if not 0 <= entry < len(contribution.entries):
            raise damaged(save.path, f"match {number}: there is no game entry {entry}")
        game, condition = text(game), text(condition)
        experiment, agents = text(experiment), text(agents)
        if names:
            title = game + (f" ({condition})" if condition else "") + ": "
            try:
                seats = names_of(agents)
            except ValueError as error:
                raise damaged(save.path, f"match {number}{problem_of(error)}") from None
            experiment = renamed_experiment(experiment, title, seats, names)
            agents = json.dumps([names.get(name, name) for name in seats])
        yield _Row(
            number,
            _Plan(
                *(contribution.entries[entry], game, condition, setting, text(setting_key)),
                *(agents, text(counted), seed),
            ),
            experiment,
            None if outcome is None else text(outcome),
            frozen,
        )
