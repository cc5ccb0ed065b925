"""Queries of finished matches in the order in which they were over, for what grows with them."""

import json
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from zlib import crc32

from parlour.games.engine.record import Answered, MatchRecord
from parlour.tournament.save.database import damaged
from parlour.tournament.save.reader import FINISHED, PLACE, Save, answered
from parlour.tournament.save.rows import StoredMatch, problem_of

AT_ONCE = 4096
"""Rows that are taken over together."""
_STATE = (
    "SELECT coalesce((SELECT hex(digest) FROM seals ORDER BY number DESC LIMIT 1), '') || '/'"
    f" || ({FINISHED} - count(outcome)) FROM stored_matches WHERE frozen IS NOT NULL"
)


def last_answers(save: Save, seq: int) -> dict[int, int]:
    """The ``seq`` of the last answer of each match that was answered after ``seq``."""
    return dict(
        save._select("SELECT match, max(seq) FROM stored_answers WHERE seq > ? GROUP BY match", seq)
    )


def newest_matches(save: Save, game: str | None, agent: str, limit: int) -> list[StoredMatch]:
    """The matches of an agent that were over last, in one game or in all (None), newest first."""
    rows = save._select(
        "SELECT number FROM matches WHERE outcome IS NOT NULL AND frozen IS NULL"
        " AND (? IS NULL OR game = ?)"
        " AND EXISTS (SELECT 1 FROM json_each(agents) WHERE value = ?)"
        " ORDER BY (SELECT max(seq) FROM answers WHERE match = number) DESC, number DESC LIMIT ?",
        *(game, game, agent, limit),
    )
    return _matches(save, [number for (number,) in rows])


def records_of(save: Save, numbers: Sequence[int], kinds: Sequence[str]) -> list[MatchRecord]:
    """The given finished matches in the form that ratings read, in the given order.

    Of their answers they have those of some kinds and the faulty ones.
    """
    answers: dict[int, list[Answered]] = defaultdict(list)
    for match, *answer in save._select(
        "SELECT match, ask, kind, round, seat, value, fault FROM answers"
        " WHERE match IN (SELECT value FROM json_each(?))"
        " AND (fault IS NOT NULL OR kind IN (SELECT value FROM json_each(?)))"
        " ORDER BY match, ask, seat",
        *(json.dumps(list(numbers)), json.dumps(list(kinds))),
    ):
        try:
            answers[match].append(answered(*answer))
        except ValueError as error:
            place = f"match {match}, ask {answer[0]}"
            raise damaged(save.path, place + problem_of(error)) from None
    finished = [match for match in _matches(save, numbers) if match.outcome is not None]
    return [save._maker.record(match, answers[match.number]) for match in finished]


def stored_counts(save: Save, version: str) -> Iterator[bytes]:
    """Yields the stored blocks of counts of a version of their definitions, in order."""
    sql = "SELECT body FROM counts WHERE version = ? ORDER BY seq"
    for (body,) in save._rows(sql, version, checked=False):
        yield body


def places_of(save: Save) -> dict[int, int]:
    """The places of the matches that do not stand at their numbers, by number."""
    return dict(
        save._select(
            f"SELECT number, {PLACE} AS place FROM stored_matches WHERE {PLACE} IS NOT NULL"
        )
    )


def fingerprint_of(save: Save) -> str:
    """Fingerprint of the finished matches: equal fingerprints mean equal ratings."""
    _numbers, *columns = _outcomes(save)
    return blake2b(b"".join(column.tobytes() for column in columns), digest_size=8).hexdigest()


def state_of(save: Save) -> str:
    """The hash of the last seal, and the number of finished matches.

    While both stay, so do the finished matches: sealed answers decide how each is over. What was
    edited since, ``check`` finds.
    """
    return str(save._one(_STATE)[0])


def outcome_checks(save: Save) -> "tuple[array[int], array[int]]":
    """The finished matches in order of their places, and the checksum of the outcome of each."""
    numbers, _places, checks = _outcomes(save)
    return numbers, checks


def _outcomes(save: Save) -> "tuple[array[int], array[int], array[int]]":
    """Numbers, places and checksums of the outcomes of the finished matches, by their places."""
    columns = numbers, places, checks = array("q"), array("q"), array("I")
    texts = save._rows("SELECT id, text FROM texts")
    known: dict[object, int] = {number: crc32(text.encode()) for number, text in texts}
    text_of = save._texts.text
    rows = save._rows(
        f"SELECT number, coalesce({PLACE}, number) AS place, outcome FROM stored_matches"
        " WHERE outcome IS NOT NULL AND frozen IS NULL ORDER BY number"
    )
    while block := list(islice(rows, AT_ONCE)):
        own, at, cells = zip(*block, strict=True)
        numbers.extend(own)
        places.extend(at)
        checks.extend(known[c] if c in known else crc32(text_of(c).encode()) for c in cells)
    if numbers != places:
        order = sorted(range(len(places)), key=places.__getitem__)
        for column in columns:
            column[:] = array(column.typecode, map(column.__getitem__, order))
    return columns


def faulty_seats(save: Save) -> dict[int, set[int]]:
    """The seats with a faulty answer, by match; those to private probes move nothing."""
    probes = {entry.game.name: entry.game.probes for entry in save.tournament.games}
    seats: dict[int, set[int]] = defaultdict(set)
    for match, seat, kind, game in save._select(
        "SELECT match, seat, kind, game FROM answers JOIN matches ON number = match"
        " WHERE fault IS NOT NULL"
    ):
        if kind not in probes[game]:
            seats[match].add(seat)
    return seats


def records_in_full(save: Save, numbers: Sequence[int]) -> list[MatchRecord]:
    """The given finished matches with all their answers, in the given order."""
    return save._records(_matches(save, numbers))


def _matches(save: Save, numbers: Sequence[int]) -> list[StoredMatch]:
    """The matches with these numbers, in this order."""
    stored = save._matches("number IN (SELECT value FROM json_each(?))", json.dumps(list(numbers)))
    by_number = {match.number: match for match in stored}
    return [by_number[number] for number in numbers if number in by_number]
