"""A save opened for reading: its tournament, matches, answers, calls and run options.

Only the runner writes, through ``writer.py``, while it holds the lock. Every other process opens
the file read-only through ``Save``.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from parlour.games.common.collection import uncollected
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.common.text import clean
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import Seat
from parlour.games.engine.record import Answered, Covariates, MatchRecord
from parlour.tournament.plan.loader import stored_tournament
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.database import connect, damaged, fetched, is_outcome_of, streamed
from parlour.tournament.save.rows import (
    ANSWER_CELLS,
    CALL_COLUMNS,
    MatchCount,
    Progress,
    RunOptions,
    SharedTexts,
    Spent,
    StoredAnswer,
    StoredCall,
    StoredMatch,
    answer_of,
    match_of,
    problem_of,
    tidy,
)

ANSWERS_SHARED = 65_536
"""Different answers that are kept meanwhile: scripted players give the same again and again."""
_VALUE = TypeAdapter(dict[str, Any])


def answered(ask: int, kind: str, round: int, seat: Seat, text: str, fault: str | None) -> Answered:
    """Returns an answer from its columns. ValueError if its JSON is not an object."""
    value = _VALUE.validate_json(text)
    stored = f"{ask} {kind} {round} {seat} {fault} {text}"
    digest = blake2b(stored.encode(errors="surrogatepass"), digest_size=8).digest()
    fault = None if fault is None else tidy(fault)
    return Answered(ask, tidy(kind), round, seat, value, fault, digest)


class RecordMaker:
    """Makes records of a tournament's matches; equal answers are one object, parsed once.

    ``answered`` takes cells of ``stored_answers``, of which ``text_of`` returns the texts.
    Conditions are told by today's defaults, whatever version of a game was played.
    """

    def __init__(self, tournament: Tournament, text_of: Callable[[int | str], str]) -> None:
        self._common = tournament.seeding == "common"
        self._conditions = [entry.condition for entry in tournament.games]

        @lru_cache(maxsize=ANSWERS_SHARED)
        def answered_in_cells(
            ask: int, kind: int | str, round: int, seat: Seat, value: int | str, fault: str | None
        ) -> Answered:
            return answered(ask, text_of(kind), round, seat, text_of(value), fault)

        self.answered = answered_in_cells

        @cache  # many matches share one
        def covariates(entry: int, setting: int) -> Covariates:
            return tournament.games[entry].covariates(setting)

        self._covariates = covariates

    def record(self, match: StoredMatch, answers: Iterable[Answered]) -> MatchRecord:
        """Returns the record of a finished match, without a transcript if it has no answers."""
        assert match.outcome is not None
        answers = tuple(answers)
        return MatchRecord(
            number=match.number,
            game=match.game,
            condition=self._conditions[match.entry],
            setting=match.setting_key,
            agents=match.agents,
            counted=match.counted,
            outcome=match.outcome,
            answers=answers,
            experiment=match.experiment,
            seed=match.seed if self._common else None,
            transcript=_transcript(match, answers) if answers else None,
            covariates=self._covariates(match.entry, match.setting),
            place=match.place,
        )


def _transcript(match: StoredMatch, answers: Sequence[Answered]) -> int:
    """The fingerprint of a finished match that its copies share, 63 bits."""
    outcome = match.outcome
    assert outcome is not None
    # Not all facts: what differs in them differs in answers or payoffs too.
    ended = outcome.ending, outcome.payoffs, outcome.roles, outcome.winners
    played = match.game, match.condition, match.setting_key, match.agents
    parts = [_text_of(*played, *ended), *[answer.digest for answer in answers]]
    return int.from_bytes(blake2b(b"".join(parts), digest_size=8).digest()) >> 1


@lru_cache(maxsize=4096)  # a tournament repeats them
def _text_of(*parts: object) -> bytes:
    return repr(parts).encode()


EVERY_MATCH = range(-(2**63), 2**63)
MATCHES_READ = 4096
"""Matches whose answers are read together: all rows at once would take more memory than records."""
BEGUN = (
    "SELECT number FROM stored_matches WHERE outcome IS NULL"
    " AND number <= (SELECT coalesce(max(match), 0) FROM stored_answers)"
)
"""SQL for the matches without an outcome, up to the last one that has answers."""
PLACE = "iif(origin IS NULL, nullif(place, number), NULL)"
"""SQL for the place of a match, NULL where it is the number.

Matches of other saves' plans stand at their numbers; their column has the place there.
"""
RANK = "rank"
"""The rule for the end of an adaptive save that stores none."""
GROWS = (
    "(SELECT json_extract(body, '$.stop') IS NULL OR json_extract(body, '$.until')"
    f" IS NOT coalesce((SELECT until FROM control), '{RANK}')"
    " OR json_extract(body, '$.stage') < (SELECT max(number) FROM stages)"
    " FROM decisions ORDER BY seq DESC LIMIT 1)"
)
"""SQL that is 1 while no rule for the end of an adaptive tournament holds, or it has grown since.

Null for a tournament without decisions.
"""
_COUNT = "(SELECT count(*) FROM stored_matches"
FINISHED = f"{_COUNT}) - {_COUNT} WHERE outcome IS NULL)"
"""SQL for the number of matches with an outcome; as here, it counts those that have none."""
_COUNTS = f"SELECT {_COUNT}), {FINISHED}, {_COUNT} WHERE frozen IS NOT NULL), {GROWS}"
MatchState = Literal["planned", "unfinished", "finished", "frozen"]
_STATES: dict[MatchState, str] = {
    "planned": "1",
    "unfinished": "outcome IS NULL AND frozen IS NULL",
    "finished": "outcome IS NOT NULL AND frozen IS NULL",
    "frozen": "frozen IS NOT NULL",
}


class Save:
    """A save opened for reading; it never writes and never checkpoints.

    ``queries.py`` has the queries with a single caller. Raises BadSave if the file is not a save,
    is damaged, or is of another version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = connect(path, writable=False)
        try:
            (self.tournament_json, self.name, self.created) = self._one(
                "SELECT spec, name, created FROM tournament"
            )
            self.name, self.created = clean(self.name), clean(self.created)
            self.tournament = stored_tournament(self.tournament_json, str(path))
            self._texts = SharedTexts(path, self._select)
            self._maker = RecordMaker(self.tournament, self._texts.text)
            self._agents = {agent.name for agent in self.tournament.agents} | {BUILT_IN}
            self._seats: dict[tuple[int, int], int] = {}
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
        """Closes the file."""
        self._connection.close()

    def _select(self, sql: str, *values: object) -> list[Any]:
        """Returns the rows of a query. Raises BadSave. For this folder alone."""
        try:
            return fetched(self._connection.execute(sql, values))
        except (sqlite3.Error, ValueError) as error:
            raise damaged(self.path, error) from None

    def _rows(self, sql: str, *values: object, checked: bool = True) -> Iterator[Any]:
        """Yields the rows of a query that are too many to be held. Raises BadSave."""
        try:
            cursor = self._connection.execute(sql, values)
            yield from streamed(cursor) if checked else cursor
        except (sqlite3.Error, ValueError) as error:
            raise damaged(self.path, error) from None

    def _one(self, sql: str, *values: object) -> Any:
        rows = self._select(sql, *values)
        if not rows:
            raise BadSave(str(self.path), "is damaged (a row is missing)", "restore a copy of it")
        return rows[0]

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """Context in which all reads see one snapshot. Keep it short: it holds up the log."""
        self._select("BEGIN")
        try:
            yield
        finally:
            self._select("COMMIT")

    def match_count(self) -> MatchCount:
        """Counts of matches; quick, however many answers there are."""
        row = self._one(_COUNTS)
        return MatchCount(*row[:3], grows=self._grows(row[3]))

    def progress(self) -> Progress:
        """Counts of matches, answers and faults. Reads every answer: a second for millions."""
        row = self._one(
            f"{_COUNTS}, (SELECT count(*) FROM stored_answers),"
            " (SELECT count(*) FROM stored_answers WHERE fault IS NOT NULL)"
        )
        return Progress(*row[:3], *row[4:], grows=self._grows(row[3]))

    def _grows(self, cell: int | None) -> bool:
        """Reads ``GROWS``. BadSave for an adaptive tournament without decisions."""
        if cell is None and self.tournament.schedule == "adaptive" and self.tournament.fork is None:
            raise damaged(self.path, "decisions: the adaptive schedule has none")
        return bool(cell)

    def last_match(self) -> int:
        """The number of the last planned match; it is looked up and not counted."""
        return int(self._one("SELECT coalesce(max(number), 0) FROM stored_matches")[0])

    def matches(self, state: MatchState = "planned") -> list[StoredMatch]:
        """All planned matches in order of their numbers, or those in one state."""
        return self._matches(_STATES[state])

    def match(self, number: int) -> StoredMatch:
        """The match with this number. BadInput if there is none."""
        matches = self._matches("number = ?", number)
        if not matches:
            fix = f"the save has matches 1 to {self.match_count().matches}"
            raise BadInput(str(self.path), f"there is no match {number}", fix)
        return matches[0]

    def matches_after(
        self, number: int, limit: int, state: MatchState = "planned"
    ) -> list[StoredMatch]:
        """The next matches after a number, ``limit`` at most: of all, or of those in one state."""
        after = f"SELECT number FROM stored_matches WHERE number > ? AND {_STATES[state]}"
        return self._matches(f"number IN ({after} ORDER BY number LIMIT ?)", number, limit)

    def _matches(self, where: str, *values: object) -> list[StoredMatch]:
        rows = self._select(
            "SELECT number, entry, setting, setting_key, game, condition, experiment, agents,"
            f" counted, seed, outcome, frozen, {PLACE} AS place"
            f" FROM stored_matches WHERE {where} ORDER BY number",
            *values,
        )
        matches = []
        for row in rows:
            try:
                match = match_of(row, self._texts.text)
                fits = self._fits(match)
            except (ValueError, RecursionError) as error:
                raise damaged(self.path, f"match {row[0]}{problem_of(error)}") from None
            if not fits:
                raise damaged(self.path, f"match {row[0]}: is not of this tournament")
            matches.append(match)
        return matches

    def _fits(self, match: StoredMatch) -> bool:
        """True if the tournament has what the match refers to, so that it can be replayed."""
        if not 0 <= match.entry < len(self.tournament.games):
            return False
        entry, place = self.tournament.games[match.entry], (match.entry, match.setting)
        if not 0 <= match.setting < entry.setting_count:
            return False
        if place not in self._seats:  # many matches share a setting
            self._seats[place] = entry.game.seats(entry.setting(match.setting))
        seats, outcome = range(self._seats[place]), match.outcome
        return (
            match.game == entry.game.name
            and len(match.agents) == len(seats)
            and self._agents.issuperset(match.agents)
            and all(seat in seats for seat in match.counted)
            and (outcome is None or is_outcome_of(outcome, len(seats)))
        )

    def answers(self, matches: range = EVERY_MATCH) -> Iterator[StoredAnswer]:
        """Yields answers by match, ask and seat: all, or those of a range of matches."""
        return self._answers("match BETWEEN ? AND ?", matches[0], matches[-1])

    def answers_of(self, match: int) -> list[StoredAnswer]:
        """The answers of one match by ask and seat."""
        return list(self._answers("match = ?", match))

    def _answers(self, where: str, *values: object) -> Iterator[StoredAnswer]:
        for row in self._select(
            f"SELECT {ANSWER_CELLS} FROM stored_answers WHERE {where} ORDER BY match, ask, seat",
            *values,
        ):
            yield answer_of(row, self._texts.text)

    def last_seq(self) -> int:
        """The ``seq`` of the newest answer, 0 if there is none."""
        return int(self._one("SELECT coalesce(max(seq), 0) FROM stored_answers")[0])

    def unfinished_answers(self) -> dict[int, list[StoredAnswer]]:
        """The answers of every match that was begun and not finished, by match."""
        begun: dict[int, list[StoredAnswer]] = defaultdict(list)
        for answer in self._answers(f"match IN ({BEGUN})"):
            begun[answer.match].append(answer)
        return begun

    def calls(self, matches: range = EVERY_MATCH) -> Iterator[tuple[int, StoredCall]]:
        """Yields calls with their ``seq`` in order: all, or those of a range of matches."""
        return self._calls("match BETWEEN ? AND ?", matches[0], matches[-1])

    def _calls(self, where: str, *values: object) -> Iterator[tuple[int, StoredCall]]:
        columns = ", ".join(CALL_COLUMNS)
        for seq, *row in self._select(
            f"SELECT seq, {columns} FROM calls WHERE {where} ORDER BY seq", *values
        ):
            yield seq, StoredCall(*row)

    def spent(self) -> Spent:
        """Totals of the models' calls so far; open reservations count as spent."""
        return Spent(
            *self._one(
                "SELECT count(*) - count(copy_of), count(failure),"
                " coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0),"
                " total(price) + (SELECT total(dollars) FROM reservations), count(copy_of)"
                " FROM calls"
            )
        )

    def control(self) -> RunOptions:
        """The options of the last run."""
        row = self._one(
            "SELECT concurrency, pace, limits, budget, agent_budgets, until FROM control"
        )
        try:
            return RunOptions.of_row(row)
        except ValueError as error:
            raise damaged(self.path, f"control{problem_of(error)}") from None

    def records(self) -> list[MatchRecord]:
        """The finished matches in the form that ratings read, in order of their places.

        Conditions are told by today's defaults, whatever version of a game was played.
        """
        with uncollected():
            return self._records(sorted(self.matches("finished"), key=lambda match: match.order))

    def record(self, match: StoredMatch) -> MatchRecord:
        """The record of a finished match without its answers."""
        return self._maker.record(match, ())

    def _records(self, matches: Sequence[StoredMatch]) -> list[MatchRecord]:
        records: list[MatchRecord] = []
        for begin in range(0, len(matches), MATCHES_READ):
            part = matches[begin : begin + MATCHES_READ]
            answers = self._answered([match.number for match in part])
            records += [self._maker.record(match, answers[match.number]) for match in part]
        return records

    def _answered(self, matches: Sequence[int]) -> dict[int, list[Answered]]:
        """The answers of some matches by match."""
        answers: dict[int, list[Answered]] = {match: [] for match in matches}
        values: tuple[object, ...]
        first, last = min(matches), max(matches)
        where, values = "match BETWEEN ? AND ?", (first, last)
        # By range, since SQLite takes twice as long to look up each match of a list.
        if last - first > 4 * len(matches):
            where, values = "match IN (SELECT value FROM json_each(?))", (json.dumps(matches),)
        for match, *answer in self._select(
            "SELECT match, ask, kind, round, seat, value, fault FROM stored_answers"
            f" WHERE {where} ORDER BY match, ask, seat",
            *values,
        ):
            try:
                if match in answers:
                    answers[match].append(self._maker.answered(*answer))
            except ValueError as error:
                place = f"match {match}, ask {answer[0]}"
                raise damaged(self.path, place + problem_of(error)) from None
        return answers

    def stored_leaderboard(self) -> tuple[str, str] | None:
        """The newest stored leaderboard: the fingerprint of its input, and its JSON."""
        rows = self._select("SELECT input, body FROM leaderboards ORDER BY seq DESC LIMIT 1")
        return (rows[0][0], rows[0][1]) if rows else None
