"""The save: one SQLite file, one tournament. How it is made, opened and read.

Who may write: the runner, through ``tournament.writer``, while it holds the lock. Everybody
else opens the file read-only through ``Save``. States of an answer and the durable act at each
step are in docs/save.md.
"""

import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from games.errors import BadSave
from games.moves import Outcome, Seat
from games.record import Answered, MatchRecord
from games.text import clean
from tournament.config import Tournament
from tournament.opening import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION, connect, damaged
from tournament.schedule import schedule, setting_key


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A row of ``matches``: what is planned, and the outcome once there is one."""

    number: int
    entry: int
    setting: int
    setting_key: str
    game: str
    condition: str
    experiment: str
    agents: tuple[str, ...]
    counted: tuple[Seat, ...]
    seed: int
    outcome: Outcome | None
    frozen: str | None


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A row of ``answers``. ``value`` is the JSON text of the answer."""

    match: int
    ask: int
    seat: Seat
    kind: str
    round: int
    value: str
    fault: str | None
    tries: int
    notes: str | None
    digest: str
    seq: int = 0


@dataclass(slots=True)
class MatchLine:
    """A match as a list shows it; the one part of a save that a watcher keeps up to date."""

    number: int
    entry: int
    experiment: str
    answers: int
    ending: str | None
    frozen: str | None

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.ending is not None or self.frozen is not None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament is: counts of matches, answers and faults."""

    matches: int
    finished: int
    frozen: int
    answers: int
    faults: int

    @property
    def done(self) -> bool:
        """Whether every match is over or can no longer be played."""
        return self.finished + self.frozen == self.matches


def create_save(path: Path, tournament: Tournament) -> None:
    """Makes a new save with all matches planned; it appears whole or not at all.

    Raises BadSave if the file exists or its folder cannot be written.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        if not path.parent.exists():
            path.parent.mkdir(mode=0o700, parents=True)
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            _fill(draft, tournament)
            os.link(draft, path)  # fails if the name is taken, where a rename would replace
        finally:
            draft.unlink()
    except FileExistsError:
        mend = "continue it without a tournament, or choose another name"
        raise BadSave(str(path), "exists already", mend) from None
    except OSError as error:
        mend = "choose another place with --save"
        raise BadSave(str(path), f"cannot be made ({error.strerror})", mend) from None
    except sqlite3.Error as error:
        mend = "free some space, or choose another place with --save"
        raise BadSave(str(path), f"cannot be made ({error})", mend) from None


def _fill(path: Path, tournament: Tournament) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN")
        for migration in MIGRATIONS:
            for statement in migration.read_text(encoding="utf-8").split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute(
            "INSERT INTO tournament VALUES (1, ?, ?, ?, ?)",
            (
                tournament.name,
                tournament.to_json(),
                datetime.now(UTC).isoformat(timespec="seconds"),
                version("parlour"),
            ),
        )
        keys = [[setting_key(record) for record in entry.records] for entry in tournament.games]
        connection.executemany(
            "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
            (
                (
                    match.number,
                    match.entry,
                    tournament.games[match.entry].game.name,
                    tournament.games[match.entry].condition,
                    match.setting,
                    keys[match.entry][match.setting],
                    match.experiment,
                    json.dumps(match.agents),
                    json.dumps(match.counted),
                    match.seed,
                )
                for match in schedule(tournament)
            ),
        )
        connection.execute("COMMIT")
    finally:
        connection.close()


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
            self.name = clean(self.name)
            self.tournament = Tournament.from_json(self.tournament_json, str(path))
        except (ValueError, TypeError, KeyError) as error:
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

    def _all(self, sql: str, *values: object) -> list[Any]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise damaged(self.path, error) from None

    def _one(self, sql: str, *values: object) -> Any:
        rows = self._all(sql, *values)
        if not rows:
            raise BadSave(str(self.path), "is damaged (a row is missing)", "restore a copy of it")
        return rows[0]

    def progress(self) -> Progress:
        """How far the tournament is."""
        return Progress(
            *self._one(
                "SELECT count(*), count(outcome), count(frozen),"
                " (SELECT count(*) FROM answers), (SELECT count(fault) FROM answers) FROM matches"
            )
        )

    def matches(self, where: str = "1", *values: object) -> list[StoredMatch]:
        """Planned and finished matches in canonical order; ``where`` is SQL of ours."""
        rows = self._all(
            "SELECT number, entry, setting, setting_key, game, condition, experiment, agents,"
            f" counted, seed, outcome, frozen FROM matches WHERE {where} ORDER BY number",
            *values,
        )
        try:
            return [_match(row) for row in rows]
        except (ValueError, TypeError) as error:
            raise damaged(self.path, error) from None

    def answers(self, where: str = "1", *values: object) -> Iterator[StoredAnswer]:
        """Stored answers by match, ask and seat; ``where`` is SQL of ours."""
        for row in self._all(
            "SELECT match, ask, seat, kind, round, value, fault, tries, notes, digest, seq"
            f" FROM answers WHERE {where} ORDER BY match, ask, seat",
            *values,
        ):
            yield StoredAnswer(*row)

    def match_lines(self) -> list[MatchLine]:
        """Every match in a few words, in canonical order."""
        counts = dict(self._all("SELECT match, count(*) FROM answers GROUP BY match"))
        return [
            MatchLine(number, entry, clean(experiment), counts.get(number, 0), ending, frozen)
            for number, entry, experiment, ending, frozen in self._all(
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
        for newest, match in self._all("SELECT seq, match FROM answers WHERE seq > ?", seq):
            seq = max(seq, newest)
            touched[match] = touched.get(match, 0) + 1
        return seq, touched

    def endings(self, numbers: Sequence[int]) -> list[tuple[int, str | None, str | None]]:
        """Number, ending and freezing of the given matches."""
        return [
            row
            for start in range(0, len(numbers), 500)  # SQLite bounds the values of a statement
            for row in self._all(
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

    def records(self) -> list[MatchRecord]:
        """The finished matches as ratings read them, in canonical order."""
        finished = "match IN (SELECT number FROM matches WHERE outcome IS NOT NULL)"
        answers: dict[int, list[Answered]] = defaultdict(list)
        for row in self.answers(finished):
            answers[row.match].append(
                Answered(row.ask, row.kind, row.round, row.seat, json.loads(row.value), row.fault)
            )
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
            )
            for match in self.matches("outcome IS NOT NULL AND frozen IS NULL")
            if match.outcome is not None
        ]

    def fingerprint(self) -> str:
        """A fingerprint of the finished matches: equal when ratings would be equal."""
        whole = blake2b(digest_size=8)
        for number, outcome in self._all(
            "SELECT number, outcome FROM matches"
            " WHERE outcome IS NOT NULL AND frozen IS NULL ORDER BY number"
        ):
            whole.update(f"{number} {outcome}\n".encode())
        return whole.hexdigest()

    def stored_leaderboard(self) -> tuple[str, str] | None:
        """The newest stored leaderboard: fingerprint of its input, and its JSON."""
        rows = self._all("SELECT input, body FROM leaderboards ORDER BY seq DESC LIMIT 1")
        return (rows[0][0], rows[0][1]) if rows else None


def _match(row: tuple[Any, ...]) -> StoredMatch:
    """A row of ``matches`` with its texts cleaned and its JSON read."""
    return StoredMatch(
        number=row[0],
        entry=row[1],
        setting=row[2],
        setting_key=row[3],
        game=clean(row[4]),
        condition=clean(row[5]),
        experiment=clean(row[6]),
        agents=tuple(clean(name) for name in json.loads(row[7])),
        counted=tuple(Seat(seat) for seat in json.loads(row[8])),
        seed=row[9],
        outcome=outcome_from_json(row[10]) if row[10] else None,
        frozen=clean(row[11]) if row[11] else None,
    )


_OUTCOME = TypeAdapter(Outcome)


def outcome_to_json(outcome: Outcome) -> str:
    """An outcome as the save keeps it."""
    # Whole payoffs are written as floats, as they are read back.
    fields = asdict(outcome) | {"payoffs": [float(payoff) for payoff in outcome.payoffs]}
    return json.dumps(fields, sort_keys=True)


def outcome_from_json(text: str) -> Outcome:
    """Reads back ``outcome_to_json``. ValueError if it is not one."""
    return _OUTCOME.validate_json(text)
