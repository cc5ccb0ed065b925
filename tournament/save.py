"""The save: one SQLite file, one tournament. How it is made, opened and read.

Who may write: the runner, through ``tournament.writer``, while it holds the lock. Everybody
else opens the file read-only through ``Save``. States of an answer and the durable act at each
step are in docs/save.md.
"""

import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from pydantic import TypeAdapter, ValidationError

from games.errors import BadSave
from games.game import first_problem
from games.moves import Outcome, Seat
from games.record import Answered, MatchRecord
from games.text import clean, clean_all
from tournament.config import Tournament
from tournament.opening import APPLICATION_ID, SCHEMA_VERSION, connect, damaged, migrate
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
    log = path.with_name(path.name + "-wal")
    elsewhere = "choose another place with --save"
    try:
        if log.exists() and not path.exists():  # SQLite would take it for a part of the new file
            mend = f"restore the save that it belongs to or delete it, or {elsewhere}"
            raise BadSave(str(log), "is left of a save that is gone", mend)
        if not path.parent.exists():
            path.parent.mkdir(mode=0o700, parents=True)
        handle, name = mkstemp(".new", f".{path.name}.", path.parent)  # readable by its owner only
        os.close(handle)
        try:
            _fill(Path(name), tournament)
            os.link(name, path)  # fails if the name is taken, where a rename would replace
        except FileExistsError:
            mend = "continue it without a tournament, or choose another name"
            raise BadSave(str(path), "exists already", mend) from None
        finally:
            for ending in ("", "-wal", "-shm"):  # a full disk leaves all three
                Path(name + ending).unlink(missing_ok=True)
    except OSError as error:
        raise BadSave(str(path), f"cannot be made ({error.strerror})", elsewhere) from None
    except sqlite3.Error as error:
        mend = f"free some space, or {elsewhere}"
        raise BadSave(str(path), f"cannot be made ({error})", mend) from None


def planned(tournament: Tournament) -> Iterator[StoredMatch]:
    """The matches of a tournament as a new save holds them."""
    keys = [[setting_key(record) for record in entry.records] for entry in tournament.games]
    for match in schedule(tournament):
        entry = tournament.games[match.entry]
        yield StoredMatch(
            number=match.number,
            entry=match.entry,
            setting=match.setting,
            setting_key=keys[match.entry][match.setting],
            game=entry.game.name,
            condition=entry.condition,
            experiment=match.experiment,
            agents=match.agents,
            counted=match.counted,
            seed=match.seed,
            outcome=None,
            frozen=None,
        )


def _fill(path: Path, tournament: Tournament) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN")
        migrate(connection)
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
        connection.executemany(
            "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
            (
                (
                    match.number,
                    match.entry,
                    match.game,
                    match.condition,
                    match.setting,
                    match.setting_key,
                    match.experiment,
                    json.dumps(match.agents),
                    json.dumps(match.counted),
                    match.seed,
                )
                for match in planned(tournament)
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
            self.name, self.created = clean(self.name), clean(self.created)
            self.tournament = Tournament.from_json(self.tournament_json, str(path))
            self._agents = {agent.name for agent in self.tournament.agents}
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
        matches = []
        for row in rows:
            try:
                match = _match(row)
            except (ValueError, RecursionError) as error:
                raise damaged(self.path, f"match {row[0]}{_problem(error)}") from None
            if not self._fits(match):
                raise damaged(self.path, f"match {row[0]}: is not of this tournament")
            matches.append(match)
        return matches

    def _fits(self, match: StoredMatch) -> bool:
        """Whether the tournament has what the match refers to, so that it can be replayed."""
        if not 0 <= match.entry < len(self.tournament.games):
            return False
        entry = self.tournament.games[match.entry]
        seats = range(entry.game.seats)
        outcome = match.outcome
        return (
            0 <= match.setting < len(entry.records)
            and len(match.agents) == len(seats)
            and self._agents.issuperset(match.agents)
            and all(seat in seats for seat in match.counted)
            and (
                outcome is None
                or len(outcome.payoffs) == len(outcome.roles) == len(outcome.sides) == len(seats)
            )
        )

    def answers(self, where: str = "1", *values: object) -> Iterator[StoredAnswer]:
        """Stored answers by match, ask and seat; ``where`` is SQL of ours."""
        for row in self._all(
            "SELECT match, ask, seat, kind, round, value, fault, tries, notes, digest, seq"
            f" FROM answers WHERE {where} ORDER BY match, ask, seat",
            *values,
        ):
            yield StoredAnswer(*row)

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
            try:
                value = _VALUE.validate_json(row.value)
            except ValueError as error:
                place = f"match {row.match}, ask {row.ask}"
                raise damaged(self.path, place + _problem(error)) from None
            answers[row.match].append(
                Answered(row.ask, row.kind, row.round, row.seat, value, row.fault)
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


_NAMES = TypeAdapter(tuple[str, ...])
_SEATS = TypeAdapter(tuple[int, ...])
_OUTCOME = TypeAdapter(Outcome)
_VALUE = TypeAdapter(dict[str, Any])


def _problem(error: Exception) -> str:
    return ": ".join(
        first_problem(error) if isinstance(error, ValidationError) else ("", str(error))
    )


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
        agents=tuple(clean(name) for name in _NAMES.validate_json(row[7])),
        counted=tuple(Seat(seat) for seat in _SEATS.validate_json(row[8])),
        seed=row[9],
        outcome=outcome_from_json(row[10]) if row[10] is not None else None,
        frozen=clean(row[11]) if row[11] is not None else None,
    )


def outcome_to_json(outcome: Outcome) -> str:
    """An outcome as the save keeps it."""
    # Whole payoffs are written as floats, as they are read back.
    fields = asdict(outcome) | {"payoffs": [float(payoff) for payoff in outcome.payoffs]}
    return json.dumps(fields, sort_keys=True)


def outcome_from_json(text: str) -> Outcome:
    """Reads back ``outcome_to_json``. ValueError if it is not one."""
    return _OUTCOME.validate_python(clean_all(json.loads(text)))
