"""The turn of a quick agent, which decides at once: in the runner or in a worker process."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from parlour.agents.base import Call
from parlour.games.common.text import clean_all
from parlour.games.engine.events import View
from parlour.games.engine.moves import Answer, Ask, Fault, Seat
from parlour.games.engine.table import Table
from parlour.tournament.save.rows import StoredAnswer, StoredMatch

REPAIRS = 2
"""Times that an agent is asked again after a faulty answer, before the fallback is used."""


Decide = Callable[[Ask[Any], View, Call], object]
"""The method by which a quick agent answers."""


class Turn(NamedTuple):
    """The answer of a turn as a row and as the table takes it, and the seat's notes on it."""

    answer: StoredAnswer
    judged: Answer | Fault
    own_notes: dict[str, Any]


def quick_turn(decide: Decide, match: StoredMatch, table: Table, seat: Seat, digest: str) -> Turn:
    """The turn of a seat's agent, which is asked again after a faulty answer."""
    ask, view = table.pending, table.view(seat)
    assert ask is not None
    faulty: tuple[tuple[str, Fault], ...] = ()
    for attempt in range(1, 2 + REPAIRS):
        value = decide(ask, view, Call(match.dice(table.ask_number, seat, attempt), faulty))
        judged = value if isinstance(value, Fault) else ask.judge(seat, value)
        if not isinstance(judged, Fault):
            break
        faulty += (("", judged),)
    return turn_of(match.number, table, seat, digest, judged, attempt)


def turn_of(
    match: int,
    table: Table,
    seat: Seat,
    digest: str,
    judged: Answer | Fault,
    tries: int,
    notes: Mapping[str, Any] | None = None,
    own_notes: Mapping[str, Any] | None = None,
) -> Turn:
    """The turn that ends with a judged answer.

    ``notes`` are as stored, ``own_notes`` as the seat reads them later: cleaned.
    """
    ask = table.pending
    assert ask is not None
    applied: Any = judged
    fault = None
    stored, own = dict(notes or {}), dict(own_notes or {})
    if isinstance(judged, Fault):
        applied = table.fallback(seat)
        fault = judged.kind.value
        if judged.message:
            problem = {"problem": judged.message}
            stored |= problem
            own |= clean_all(problem)
    # model_dump_json without its overhead.
    value = applied.__pydantic_serializer__.to_json(applied).decode()
    number, kind, round = table.ask_number, ask.kind, ask.round
    answer = StoredAnswer(
        match, number, seat, kind, round, value, fault, tries, stored or None, digest
    )
    return Turn(answer, judged, own)
