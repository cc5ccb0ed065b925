"""Rebuilds matches from their stored answers."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from shlex import quote

from pydantic import ValidationError

from parlour.games.common.errors import BadSave
from parlour.games.common.validation_messages import first_problem
from parlour.games.engine.moves import Fault, FaultKind, Seat, player
from parlour.games.engine.table import IllegalAnswer, Table
from parlour.games.engine.transcript import lines_of
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.rows import StoredAnswer, StoredMatch, notes_of


class Diverged(Exception):
    """A stored answer does not fit the replayed match: rules, settings or the save changed."""


def not_replayable(path: Path, difference: Diverged) -> BadSave:
    """The error for a match that cannot be shown, with the command that checks the others."""
    return BadSave(str(path), str(difference), f"see `parlour check {quote(str(path))}`")


def new_table(tournament: Tournament, match: StoredMatch) -> Table:
    """Returns the table of a match before its first answer."""
    entry = tournament.games[match.entry]
    setting = entry.game.seating.for_counted(entry.setting(match.setting), match.counted)
    return Table(entry.game, setting, entry.game.seats(setting), match.seed, entry.version)


def place_of(stored: StoredAnswer) -> str:
    """The place of a stored answer in words, with the player as its match names it."""
    return f"match {stored.match}, ask {stored.ask}, {player(stored.seat)}"


def feed(table: Table, stored: StoredAnswer) -> None:
    """Feeds one stored answer to a table. Diverged if it does not answer the pending ask."""
    place = place_of(stored)
    if table.pending is None:
        raise Diverged(f"{place}: the replayed match was over before this answer")
    asked = (table.ask_number, table.pending.kind, table.pending.round)
    if asked != (stored.ask, stored.kind, stored.round):
        raise Diverged(
            f"{place}: stored as {stored.kind!r} of round {stored.round}, but the replay asks"
            f" {table.pending.kind!r} of round {table.pending.round} (ask {table.ask_number})"
        )
    if stored.seat not in table.waiting:
        raise Diverged(f"{place}: the replay does not wait for this player")
    if table.digest() != stored.digest:
        raise Diverged(f"{place}: what the asked players had been told differs from the replay")
    try:
        value = table.pending.answer.model_validate_json(stored.value)
        if stored.fault is None:
            table.answer({stored.seat: value})
            return
        # Not compared as text: the order of the fields may differ.
        if value != table.fallback(stored.seat):
            raise Diverged(f"{place}: the fallback differs from the replay")
        table.answer({stored.seat: Fault(FaultKind(stored.fault))})
    except ValidationError as error:
        raise Diverged(f"{place}{': '.join(first_problem(error))}") from None
    except IllegalAnswer as error:  # names the player
        raise Diverged(f"match {stored.match}, ask {stored.ask}, {error}") from None
    except ValueError as error:
        raise Diverged(f"{place}: {error}") from None


def rebuild(tournament: Tournament, match: StoredMatch, answers: Iterable[StoredAnswer]) -> Table:
    """Returns the table of a match after all its stored answers. Raises Diverged."""
    table = new_table(tournament, match)
    for answer in answers:
        feed(table, answer)
    return table


def reason_of_fault(answer: StoredAnswer) -> str:
    """The reason of a faulty answer; "" for any other one, and where it cannot be read."""
    with suppress(ValueError):
        return str(notes_of(answer).get("problem", "")) if answer.fault is not None else ""
    return ""


def transcript_lines(
    match: StoredMatch,
    table: Table,
    viewer: Seat | None = None,
    answers: Iterable[StoredAnswer] = (),
) -> Iterator[str]:
    """Yields a match as text: seating, events and result; or only what one seat was told.

    ``answers`` have the reasons of their faults.
    """
    problems: dict[tuple[int | None, Seat | None], str] = {
        (answer.ask, answer.seat): reason_of_fault(answer) for answer in answers
    }
    yield f"Match {match.number}: {' '.join(match.experiment.split())}"
    yield from lines_of(table, match.agents, viewer, problems)
