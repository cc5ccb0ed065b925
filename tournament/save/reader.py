"""The save: one SQLite file, one tournament. How it is opened and read.

Only the runner writes, through ``writer.py``, while it holds the lock. Everybody else opens the
file read-only through ``Save``. docs/save.md has the states of an answer and the durable act at
each step.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from parlour.games.common.errors import BadSave
from parlour.games.common.text import clean
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, MatchRecord
from parlour.tournament.plan.loader import Tournament
from parlour.tournament.save.database import connect, damaged
from parlour.tournament.save.rows import (
    CALL_COLUMNS,
    MatchCount,
    MatchLine,
    Progress,
    RunOptions,
    Spent,
    StoredAnswer,
    StoredCall,
    StoredMatch,
    match_of,
    problem_of,
    tidy,
)

_VALUE = TypeAdapter(dict[str, Any])


class Save:
    """A save opened for reading: never writes, never checkpoints, reads briefly.

    Raises BadSave if the file is not a save, is damaged, or is newer than this program.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = connect(path, writable=False)
        try:
            (self.tournament_json, self.name, self.created) = self._one(
                "SELECT spec, name, created FROM tournament"
            )
            self.name, self.created = clean(self.name), clean(self.created)
            self.tournament = Tournament.from_json(self.tournament_json, str(path))
            self.version = self._one("PRAGMA user_version")[0]
            self._agents = {agent.name for agent in self.tournament.agents} | {BUILT_IN}
            self._seats = [
                [entry.game.seats(setting) for setting in entry.settings()]
                for entry in self.tournament.games
            ]
        except (ValueError, RecursionError) as error:
            self.close()
            raise damaged(path, error) from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Save":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the file."""
        self._connection.close()

    def select(self, sql: str, *values: object) -> list[Any]:
        """What a query of ours finds. Raises BadSave."""
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise damaged(self.path, error) from None

    def _one(self, sql: str, *values: object) -> Any:
        rows = self.select(sql, *values)
        if not rows:
            raise BadSave(str(self.path), "is damaged (a row is missing)", "restore a copy of it")
        return rows[0]

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """All that is read within is of one and the same moment; to be left soon."""
        self.select("BEGIN")
        try:
            yield
        finally:
            self.select("COMMIT")

    def match_count(self) -> MatchCount:
        """How many matches there are and are over; quick, however many answers there are."""
        return MatchCount(*self._one("SELECT count(*), count(outcome), count(frozen) FROM matches"))

    def progress(self) -> Progress:
        """How far the tournament is. Reads every answer: a second for millions."""
        return Progress(
            *self._one(
                "SELECT count(*), count(outcome), count(frozen),"
                " (SELECT count(*) FROM answers), (SELECT count(fault) FROM answers) FROM matches"
            )
        )

    def matches(self, where: str = "1", *values: object) -> list[StoredMatch]:
        """Planned and finished matches in canonical order; ``where`` is SQL of ours."""
        rows = self.select(
            "SELECT number, entry, setting, setting_key, game, condition, experiment, agents,"
            f" counted, seed, outcome, frozen FROM matches WHERE {where} ORDER BY number",
            *values,
        )
        matches = []
        for row in rows:
            try:
                match = match_of(row)
            except (ValueError, RecursionError) as error:
                raise damaged(self.path, f"match {row[0]}{problem_of(error)}") from None
            if not self._fits(match):
                raise damaged(self.path, f"match {row[0]}: is not of this tournament")
            matches.append(match)
        return matches

    def _fits(self, match: StoredMatch) -> bool:
        """Whether the tournament has what the match refers to, so that it can be replayed."""
        if not 0 <= match.entry < len(self.tournament.games):
            return False
        seats_of_settings = self._seats[match.entry]
        if not 0 <= match.setting < len(seats_of_settings):
            return False
        seats = range(seats_of_settings[match.setting])
        outcome = match.outcome
        return (
            len(match.agents) == len(seats)
            and self._agents.issuperset(match.agents)
            and all(seat in seats for seat in match.counted)
            and (
                outcome is None
                or len(outcome.payoffs) == len(outcome.roles) == len(outcome.sides) == len(seats)
            )
        )

    def answers(self, where: str = "1", *values: object) -> Iterator[StoredAnswer]:
        """Stored answers by match, ask and seat; ``where`` is SQL of ours."""
        for row in self.select(
            "SELECT match, ask, seat, kind, round, value, fault, tries, notes, digest, seq"
            f" FROM answers WHERE {where} ORDER BY match, ask, seat",
            *values,
        ):
            match, ask, seat, kind, round, value, fault, *rest = row
            fault = tidy(fault) if fault is not None else None
            yield StoredAnswer(match, ask, seat, tidy(kind), round, value, fault, *rest)

    def match_lines(self) -> list[MatchLine]:
        """Every match in a few words, in canonical order."""
        counts = dict(
            self.select(
                "SELECT match, count(*) FROM answers"
                " WHERE match IN (SELECT number FROM matches WHERE outcome IS NULL) GROUP BY match"
            )
        )
        return [
            MatchLine(
                number,
                entry,
                tidy(experiment),
                counts.get(number, 0),
                ending and tidy(str(ending)),
                frozen and tidy(frozen),
            )
            for number, entry, experiment, ending, frozen in self.select(
                "SELECT number, entry, experiment, json_extract(outcome, '$.ending'), frozen"
                " FROM matches ORDER BY number"
            )
        ]

    def last_seq(self) -> int:
        """The number of the newest answer, 0 if there is none."""
        return int(self._one("SELECT coalesce(max(seq), 0) FROM answers")[0])

    def touched_since(self, seq: int) -> tuple[int, dict[int, int]]:
        """The newest answer's number, and how many newer than ``seq`` each match has."""
        touched: dict[int, int] = {}
        for newest, match in self.select("SELECT seq, match FROM answers WHERE seq > ?", seq):
            seq = max(seq, newest)
            touched[match] = touched.get(match, 0) + 1
        return seq, touched

    def endings(self, numbers: Sequence[int]) -> list[tuple[int, str | None, str | None]]:
        """Number, ending and freezing of the given matches."""
        return [
            (number, ending and clean(str(ending)), frozen and clean(frozen))
            for start in range(0, len(numbers), 500)  # SQLite bounds the values of a statement
            for number, ending, frozen in self.select(
                "SELECT number, json_extract(outcome, '$.ending'), frozen FROM matches"
                f" WHERE number IN ({','.join('?' * len(numbers[start : start + 500]))})",
                *numbers[start : start + 500],
            )
        ]

    def unfinished_answers(self) -> dict[int, list[StoredAnswer]]:
        """The stored answers of every match that was begun and not finished, by match."""
        begun: dict[int, list[StoredAnswer]] = defaultdict(list)
        unfinished = "match IN (SELECT number FROM matches WHERE outcome IS NULL)"
        for answer in self.answers(unfinished):
            begun[answer.match].append(answer)
        return begun

    def open_calls(self) -> dict[tuple[int, int, Seat], list[StoredCall]]:
        """The journaled calls of every ask that is not answered yet, by match, ask and seat."""
        found: dict[tuple[int, int, Seat], list[StoredCall]] = defaultdict(list)
        for _seq, call in self.calls(
            "NOT EXISTS (SELECT 1 FROM answers WHERE answers.match = calls.match"
            " AND answers.ask = calls.ask AND answers.seat = calls.seat)"
        ):
            found[call.match, call.ask, call.seat].append(call)
        return found

    @property
    def has_calls(self) -> bool:
        """Whether it is of a version that knows models."""
        return bool(self.version >= 2)

    @property
    def copy_of(self) -> str:
        """In a query of calls: the call whose answer the cache gave again, else NULL."""
        return "calls.copy_of" if self.version >= 6 else "NULL"

    def calls(self, where: str = "1", *values: object) -> Iterator[tuple[int, StoredCall]]:
        """Journaled calls as they came, each with its number; ``where`` is SQL of ours."""
        if self.has_calls:
            columns = CALL_COLUMNS if self.version >= 6 else CALL_COLUMNS[:-2]
            for seq, *row in self.select(
                f"SELECT seq, {', '.join(columns)} FROM calls WHERE {where} ORDER BY seq",
                *values,
            ):
                yield seq, StoredCall(*row)

    def spent(self) -> Spent:
        """What the models' calls came to so far."""
        if not self.has_calls:
            return Spent(0, 0, 0, 0, 0.0)
        aside = "(SELECT total(dollars) FROM reservations)" if self.version >= 5 else "0.0"
        return Spent(
            *self._one(
                f"SELECT count(*) - count({self.copy_of}), count(failure),"
                " coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0),"
                f" total(price) + {aside}, count({self.copy_of}) FROM calls"
            )
        )

    def control(self) -> RunOptions:
        """How it was last played."""
        if self.version < 3:
            return RunOptions()
        limits = "limits" if self.version >= 4 else "'[]'"
        budgets = "budget, agent_budgets" if self.version >= 5 else "NULL, '{}'"
        row = self._one(f"SELECT concurrency, pace, {limits}, {budgets} FROM control")
        try:
            return RunOptions.of_row(row)
        except ValueError as error:
            raise damaged(self.path, f"control{problem_of(error)}") from None

    def records(self) -> list[MatchRecord]:
        """The finished matches as ratings read them, in canonical order."""
        answers: dict[int, list[Answered]] = defaultdict(list)
        for match, ask, kind, round, seat, text, fault in self.select(
            "SELECT match, ask, kind, round, seat, value, fault FROM answers"
            " WHERE match IN (SELECT number FROM matches WHERE outcome IS NOT NULL)"
            " ORDER BY match, ask, seat"
        ):
            try:
                value = _VALUE.validate_json(text)
            except ValueError as error:
                place = f"match {match}, ask {ask}"
                raise damaged(self.path, place + problem_of(error)) from None
            known = tidy(fault) if fault is not None else None
            answers[match].append(Answered(ask, tidy(kind), round, seat, value, known))
        return [
            MatchRecord(
                number=match.number,
                game=match.game,
                condition=match.condition,
                setting=match.setting_key,
                agents=match.agents,
                counted=match.counted,
                outcome=match.outcome,
                answers=tuple(answers[match.number]),
                experiment=match.experiment,
            )
            for match in self.matches("outcome IS NOT NULL AND frozen IS NULL")
            if match.outcome is not None
        ]

    def fingerprint(self) -> str:
        """A fingerprint of the finished matches: equal when ratings would be equal."""
        whole = blake2b(digest_size=8)
        for number, outcome in self.select(
            "SELECT number, outcome FROM matches"
            " WHERE outcome IS NOT NULL AND frozen IS NULL ORDER BY number"
        ):
            whole.update(f"{number} {outcome}\n".encode())
        return whole.hexdigest()

    def stored_leaderboard(self) -> tuple[str, str] | None:
        """The newest stored leaderboard: fingerprint of its input, and its JSON."""
        rows = self.select("SELECT input, body FROM leaderboards ORDER BY seq DESC LIMIT 1")
        return (rows[0][0], rows[0][1]) if rows else None
