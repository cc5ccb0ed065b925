"""Events in words, one line each, for onlookers. Each game brings its own sentences."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from parlour.games.common.validation_messages import in_toml
from parlour.games.engine.events import Event
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Record, Seat, player
from parlour.games.engine.table import Table

_SEATS = frozenset({"speaker", "suspect", "viewer", "proposer", "voter", "accused"})
"""Fields that hold a seat."""


def transcript(game: Game, events: Sequence[Event]) -> Iterator[Event]:
    """Yields the events worth a line.

    An answer that all are told in the next event is left out, unless it is a fault or has a
    private reason.
    """
    for event in game.texts.told(events):
        published = event.by is not None and event.kind in game.texts.published
        if not published or event.fault is not None or because(event.record):
            yield event


def lines_of(
    table: Table,
    agents: Iterable[str],
    viewer: Seat | None = None,
    problems: Mapping[tuple[int | None, Seat | None], str] | None = None,
) -> Iterator[str]:
    """Yields a match as text: seating, events and result; or only what one seat was told.

    ``problems`` says what was wrong with faulty answers, by ask and seat.
    """
    for number, agent in enumerate(agents):
        yield f"  {player(number)} is {' '.join(agent.split())}"
    events = table.events if viewer is None else table.view(viewer).events
    for event in transcript(table.game, events):
        problem = (problems or {}).get((event.ask, event.by), "")
        known = {key: value for key, value in event.record.items() if value is not None}
        shown = event._replace(record=known) if event.kind == "rules" else event
        yield f"[{event.round}] {sentence(table.game, shown, problem)}"
    if table.outcome is None:
        yield f"Unfinished: waiting for {', '.join(player(seat) for seat in table.waiting)}"
        return
    ending = table.outcome.ending
    yield f"Ended: {ending} ({table.game.texts.endings.get(ending, ending)})"
    for number, role in enumerate(table.outcome.roles):
        yield f"  {player(number)}: {role}, {earned(table, number)}"


def sentence(game: Game, event: Event, problem: str = "") -> str:
    """An event as one line. Whatever a player wrote stands in quotation marks.

    ``problem`` is what was wrong with a faulty answer.
    """
    if event.by is not None:
        who = player(event.by)
    elif event.to is not None:
        who = f"To {', '.join(map(player, event.to)) or 'nobody'}"
    else:
        who = "Table"
    why = f", {quoted(problem)}" if problem else ""
    fault = f" [fault: {event.fault}{why}]" if event.fault else ""
    return f"{who}: {_words(game, event)}{fault}"


def _words(game: Game, event: Event) -> str:
    """The game's own words, or the fields of the record if it has none for this event."""
    own = game.texts.sentences.get(event.kind)
    if own is None:
        return fields_of(event)
    try:
        return own(event)
    except (LookupError, TypeError, ValueError, AttributeError):  # a record of another form
        return fields_of(event)


def fields_of(event: Event) -> str:
    """Kind and fields of any event."""
    fields = (f"{key} {_shown(key, value)}" for key, value in event.record.items())
    return f"{event.kind}: " + ", ".join(fields)


def because(record: Record) -> str:
    """The private reason of an answer, "" without one."""
    reason = record.get("justification") or record.get("reasoning")
    return f", because {quoted(str(reason))}" if reason else ""


def quoted(text: str) -> str:
    """A player's words as one JSON string, which cannot pass for the moderator's."""
    return json.dumps(text, ensure_ascii=False)


def exact(amount: float) -> str:
    """An amount of money in full, without a needless .0."""
    return f"{amount:.15g}"


def seat_name(seat: int | None) -> str:
    """The name of a seat, or "nobody"."""
    return "nobody" if seat is None else player(seat)


def each_seat(actions: Iterable[object], results: Iterable[str]) -> str:
    """The action of each seat, with its result in brackets."""
    pairs = enumerate(zip(actions, results, strict=True))
    return ", ".join(f"{player(seat)} {action} ({result})" for seat, (action, result) in pairs)


def counted(number: float, what: str) -> str:
    """A number with its noun: "1 match", "2 matches"."""
    plural = what if number == 1 else what + ("es" if what.endswith("ch") else "s")
    return f"{number:g} {plural}" if isinstance(number, float) else f"{number} {plural}"


def earned(table: Table, seat: int) -> str:
    """Payoff of a seat in a finished match: credits, or points in a game without credits."""
    assert table.outcome is not None
    credits = table.game.scoring.roles[table.outcome.roles[seat]] is not None
    points = counted(table.outcome.payoffs[seat], "credit" if credits else "point")
    mechanism = table.outcome.facts.get("mechanism")
    return (
        f"{points} ({mechanism['name']} {mechanism['changes'][seat]:+g})" if mechanism else points
    )


def _shown(key: str, value: Any) -> str:
    """A field that no sentence of the game covers; a number under a seat's name is a seat."""
    if key in _SEATS and (value is None or type(value) is int):
        return seat_name(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} {_shown(k, v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "(" + ", ".join(_shown(key.removesuffix("s"), entry) for entry in value) + ")"
    return str(value) if value is None else in_toml(value)
