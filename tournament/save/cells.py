"""Rows of ``stored_matches`` and ``stored_answers`` in cells, and the statements that add them."""

import json
from collections.abc import Callable
from typing import Any

from parlour.tournament.plan.schedule import PlannedMatch
from parlour.tournament.save.digests import digest_text, packed_digest
from parlour.tournament.save.rows import StoredAnswer, notes_to_json, tidy
from parlour.tournament.save.texts import TextNumbers

ADD_TEXT = "INSERT INTO texts (id, text) VALUES (?, ?)"
ADD_MATCH = (
    "INSERT INTO stored_matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?, NULL, NULL)"
)
ADD_DECISION = "INSERT INTO decisions VALUES (?, ?, ?, ?)"
ADD_ANSWER = "INSERT INTO stored_answers VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def match_cells(match: PlannedMatch, place: int, texts: TextNumbers) -> tuple[object, ...]:
    """The values of ``ADD_MATCH``."""
    return (
        match.number,
        match.entry,
        texts.cell(match.game),
        texts.cell(match.condition),
        match.setting,
        texts.cell(match.setting_key),
        texts.cell(match.experiment),
        texts.cell(json.dumps(match.agents)),
        texts.cell(json.dumps(match.counted)),
        match.seed,
        None if place == match.number else place,
    )


def answer_cells(answer: StoredAnswer, texts: TextNumbers) -> tuple[object, ...]:
    """The values of ``ADD_ANSWER``."""
    match, ask, seat, kind, round, value, fault, tries, notes, digest, _seq = answer
    cells = texts.cell(kind), texts.cell(value), packed_digest(digest)
    column = notes_to_json(notes) if notes else None
    return match, ask, seat, cells[0], round, cells[1], fault, tries, column, cells[2]


def answer_of(cells: tuple[Any, ...], text_of: Callable[[int | str], str]) -> StoredAnswer:
    """Returns an answer from its cells and its ``seq``, its short texts cleaned."""
    match, ask, seat, kind, round, value, fault, tries, notes, digest, seq = cells
    kind, value, digest = tidy(text_of(kind)), text_of(value), digest_text(digest)
    fault = tidy(fault) if fault is not None else None
    return StoredAnswer(match, ask, seat, kind, round, value, fault, tries, notes, digest, seq)
