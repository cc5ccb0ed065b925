"""Replaying: a table rebuilt from stored answers, and whether it is the one that was stored."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import zip_longest

from pydantic import ValidationError

from parlour.games.common.errors import ParlourError
from parlour.games.common.validation_messages import first_problem
from parlour.games.engine.moves import Fault, FaultKind, Seat, player
from parlour.games.engine.table import IllegalAnswer, Table
from parlour.games.engine.transcript import earned, sentence, transcript
from parlour.tournament.plan.loader import Tournament
from parlour.tournament.save.create import planned
from parlour.tournament.save.database import damaged
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredAnswer, StoredMatch, outcome_to_json


class Diverged(Exception):
    """A stored answer does not fit the replayed match: rules, settings or the save changed."""


def new_table(tournament: Tournament, match: StoredMatch) -> Table:
    """The table of a match before its first answer."""
    entry = tournament.games[match.entry]
    setting = entry.setting(match.setting)
    return Table(entry.game, setting, entry.game.seats(setting), match.seed)


def feed(table: Table, stored: StoredAnswer) -> None:
    """Gives a table one stored answer; Diverged if it is not the answer to what is asked now."""
    place = f"match {stored.match}, ask {stored.ask}, seat {stored.seat}"
    if table.pending is None:
        raise Diverged(f"{place}: the replayed match was over before this answer")
    asked = (table.ask_number, table.pending.kind, table.pending.round)
    if asked != (stored.ask, stored.kind, stored.round):
        raise Diverged(
            f"{place}: stored as {stored.kind!r} of round {stored.round}, but the replay asks"
            f" {table.pending.kind!r} of round {table.pending.round} (ask {table.ask_number})"
        )
    if stored.seat not in table.waiting:
        raise Diverged(f"{place}: the replay does not wait for this seat")
    if table.digest() != stored.digest:
        raise Diverged(f"{place}: what the asked seats had been told differs from the replay")
    try:
        if stored.fault is not None:
            fallback = table.fallback(stored.seat).model_dump_json()
            if fallback != stored.value:
                raise Diverged(f"{place}: the fallback differs from the replay")
            table.answer({stored.seat: Fault(FaultKind(stored.fault))})
        else:
            value = table.pending.answer.model_validate_json(stored.value)
            table.answer({stored.seat: value})
    except ValidationError as error:
        raise Diverged(f"{place}{': '.join(first_problem(error))}") from None
    except (IllegalAnswer, ValueError) as error:
        raise Diverged(f"{place}: {error}") from None


def rebuild(tournament: Tournament, match: StoredMatch, answers: Iterable[StoredAnswer]) -> Table:
    """The table of a match after all its stored answers. Raises Diverged."""
    table = new_table(tournament, match)
    for answer in answers:
        feed(table, answer)
    return table


def first_difference(save: Save) -> str | None:
    """Replays every match and compares; the first difference in words, None if there is none."""
    matches = save.matches()
    for match, intended in zip_longest(matches, planned(save.tournament)):
        found = match and replace(match, outcome=None, frozen=None)
        if found != intended:
            numbers = [row.number for row in (found, intended) if row]
            return f"match {min(numbers)}: the stored plan differs from the tournament's schedule"
    answers: dict[int, list[StoredAnswer]] = {match.number: [] for match in matches}
    for answer in save.answers():
        if answer.match not in answers:
            return f"match {answer.match}: has answers, but is not in the plan"
        answers[answer.match].append(answer)
    for match in matches:
        if match.frozen is not None:
            return f"match {match.number}: frozen ({match.frozen})"
        try:
            table = rebuild(save.tournament, match, answers[match.number])
        except Diverged as difference:
            return str(difference)
        if match.outcome is not None and table.outcome is None:
            return f"match {match.number}: has an outcome, but its answers do not end it"
        if match.outcome is not None and table.outcome is not None:
            stored, replayed = outcome_to_json(match.outcome), outcome_to_json(table.outcome)
            if stored != replayed:
                return f"match {match.number}: outcome {stored} is stored, {replayed} is replayed"
    return None


def told(match: StoredMatch, table: Table, seat: Seat | None = None) -> Iterator[str]:
    """A match in lines: who sits where, what happened, how it ended; or what one seat saw."""
    yield f"Match {match.number}: {' '.join(match.experiment.split())}"
    for place, agent in enumerate(match.agents):
        yield f"  {player(place)} is {' '.join(agent.split())}"
    events = table.events if seat is None else table.view(seat).events
    for event in transcript(table.game, events):
        yield f"[{event.round}] {sentence(table.game, event)}"
    if table.outcome is None:
        yield f"Unfinished: waiting for {' and '.join(player(place) for place in table.waiting)}"
        return
    ending = table.outcome.ending
    yield f"Ended: {ending} ({table.game.texts.endings.get(ending, ending)})"
    for place, role in enumerate(table.outcome.roles):
        yield f"  {player(place)}: {role}, {earned(table, Seat(place))}"


@contextmanager
def trusting(save: Save) -> Iterator[None]:
    """For work on stored matches, which takes them for what the games made of them.

    Where it fails, and the matches turn out not to be that, BadSave names the difference; if
    they are in order the mistake is ours, and the exception passes.
    """
    try:
        yield
    except (ParlourError, OSError):
        raise
    except Exception:
        difference = first_difference(save)
        if difference is None:
            raise
        raise damaged(save.path, difference) from None
