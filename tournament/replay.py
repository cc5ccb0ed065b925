"""Replaying: a table rebuilt from stored answers, and whether it is the one that was stored."""

from collections.abc import Iterable
from itertools import zip_longest

from games.moves import Fault, FaultKind
from games.table import IllegalAnswer, NotAsked, Table
from tournament.config import Tournament
from tournament.save import Save, StoredAnswer, StoredMatch, outcome_to_json
from tournament.schedule import PlannedMatch, schedule


class Diverged(Exception):
    """A stored answer does not fit the replayed match: rules, settings or the save changed."""


def new_table(tournament: Tournament, match: StoredMatch) -> Table:
    """The table of a match before its first answer."""
    entry = tournament.games[match.entry]
    setting = entry.game.make_setting(entry.records[match.setting], entry.variant)
    return Table(entry.game, setting, entry.game.seats(setting), match.seed)


def feed(table: Table, stored: StoredAnswer) -> None:
    """Gives a table one stored answer; Diverged if it is not the answer to what is asked now."""
    place = f"match {stored.match}, ask {stored.ask}, seat {stored.seat}"
    if table.pending is None:
        raise Diverged(f"{place}: the replayed match was over before this answer")
    if (table.ask_number, table.pending.kind) != (stored.ask, stored.kind):
        raise Diverged(
            f"{place}: stored as {stored.kind!r}, but the replay asks"
            f" {table.pending.kind!r} (ask {table.ask_number})"
        )
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
    except (NotAsked, IllegalAnswer, ValueError) as error:
        raise Diverged(f"{place}: {' '.join(str(error).split())}") from None


def rebuild(tournament: Tournament, match: StoredMatch, answers: Iterable[StoredAnswer]) -> Table:
    """The table of a match after all its stored answers. Raises Diverged."""
    table = new_table(tournament, match)
    for answer in answers:
        feed(table, answer)
    return table


def _plan_of(match: StoredMatch | PlannedMatch) -> tuple[object, ...]:
    return (match.number, match.entry, match.setting, match.agents, match.counted, match.seed)


def first_difference(save: Save) -> str | None:
    """Replays every match and compares; the first difference in words, None if there is none."""
    planned = save.matches()
    for match, intended in zip_longest(planned, schedule(save.tournament)):
        if match is None or intended is None or _plan_of(match) != _plan_of(intended):
            number = (match or intended).number
            return f"match {number}: the stored plan differs from the tournament's schedule"
    answers: dict[int, list[StoredAnswer]] = {match.number: [] for match in planned}
    for answer in save.answers():
        if answer.match not in answers:
            return f"match {answer.match}: has answers, but is not in the plan"
        answers[answer.match].append(answer)
    for match in planned:
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
