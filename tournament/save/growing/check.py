"""The check of a save: all of it planned and replayed again, and compared with what is stored.

What does not follow from the answers, such as what models wrote and what it cost, is held by seals.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import zip_longest

from parlour.games.common.errors import ParlourError
from parlour.games.common.progress import tracked
from parlour.games.common.text import clean
from parlour.games.engine.moves import player
from parlour.tournament.plan.growth import grown
from parlour.tournament.plan.schedule import PlannedMatch, setting_key
from parlour.tournament.save.database import damaged
from parlour.tournament.save.growing.stages import stages_of
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import Diverged, rebuild
from parlour.tournament.save.rows import (
    RETIRED,
    StoredAnswer,
    StoredMatch,
    fingerprint,
    outcome_to_json,
)
from parlour.tournament.save.seals import first_broken_seal

RANGE = 1024
"""Matches that are replayed together."""


def first_difference(save: Save, replays: Iterable[str | None] | None = None) -> str | None:
    """Replays every match and returns the first difference in words, None if there is none.

    The words name versions of games that cannot be played here, since those explain it. ``replays``
    are the results of ``replay_difference`` for all ranges, where others replay the matches.
    """
    if replays is None:
        replays = (replay_difference(save, numbers) for numbers in ranges(save))
    difference = _first_difference(save, replays) or _false_call(save) or first_broken_seal(save)
    if difference is None:
        ((verdict,),) = save._select("PRAGMA integrity_check(1)")  # such as an index without a row
        difference = None if verdict == "ok" else f"the file: {verdict}"
    versions = save.tournament.other_versions()
    return f"{difference} ({versions})" if difference and versions else difference


def ranges(save: Save, size: int = RANGE) -> Sequence[range]:
    """The numbers of all matches of a save, range by range."""
    last = save.match_count().matches
    return [range(begin, min(begin + size, last + 1)) for begin in range(1, last + 1, size)]


def _first_difference(save: Save, replays: Iterable[str | None]) -> str | None:
    if save.tournament.schedule == "adaptive" and save.tournament.fork is None:
        from parlour.tournament.save.growing.decisions import decision_that_differs  # imports numpy

        if difference := decision_that_differs(save):
            return difference
    else:
        for match, planned in zip_longest(save.matches(), _plan(save)):
            if match is None or (match.order, match.planned) != planned:
                numbers = [match.number] if match is not None else []
                numbers += [planned[1].number] if planned is not None else []
                return (
                    f"match {min(numbers)}: the stored plan differs from the tournament's schedule"
                )
    for (match_number,) in save._select(_UNPLANNED):
        return f"match {match_number}: has answers, but is not in the plan"
    replays = tracked(replays, "Replaying matches", len(ranges(save)))
    return next((difference for difference in replays if difference), None)


_UNPLANNED = (
    "SELECT match FROM stored_answers WHERE match NOT IN (SELECT number FROM stored_matches)"
    " ORDER BY match LIMIT 1"
)


def replay_difference(save: Save, numbers: range) -> str | None:
    """The first match of a range whose replay differs, in words."""
    matches = save.matches_after(numbers[0] - 1, len(numbers))
    answers: dict[int, list[StoredAnswer]] = {match.number: [] for match in matches}
    for answer in save.answers(numbers):
        answers[answer.match].append(answer)
    for match in matches:
        if match.frozen is not None and not match.frozen.startswith(RETIRED):
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


_CALL = (
    "SELECT match, ask, seat FROM stored_calls"
    " LEFT JOIN matches ON matches.number = match"
    " LEFT JOIN provenances ON provenances.number = provenance"
    " WHERE json_extract(agents, '$[' || seat || ']') IS NOT stored_calls.agent"
    " OR (failure IS NULL) IS NOT (provenances.number IS NOT NULL)"
    " OR (failure IS NULL AND (provenances.agent, provenances.model, provenances.templates)"
    " IS NOT (stored_calls.agent, stored_calls.model, stored_calls.templates))"
    " ORDER BY seq LIMIT 1"
)


def _false_call(save: Save) -> str | None:
    """The first call of another player or origin than is stored with it, or a changed template."""
    for match, ask, seat in save._select(_CALL):
        return f"match {match}, ask {ask}, {player(seat)}: a call is of another agent or origin"
    for digest, name, text in save._select("SELECT digest, name, text FROM templates"):
        if fingerprint(text) != digest:
            return f"template {clean(name)}: its fingerprint is of another text"
    return None


def _plan(save: Save) -> Iterable[tuple[int, PlannedMatch]]:
    """Place and match of the plan of a save, by number. Those of other saves' plans are as stored.

    Raises BadSave for damaged stages.
    """
    stages = stages_of(save)
    taken_over = stages[0].taken_over
    before = [0, *(stage.last_match for stage in stages[:-1])]
    plan = grown(save.tournament, [stage.stage for stage in stages], before, taken_over)
    if taken_over is None and len(stages) == 1:
        return plan
    matches = save.matches()[:taken_over] if taken_over else []
    as_stored = [(match.order, _of_its_block(save, match)) for match in matches]
    return [*as_stored, *sorted(plan, key=lambda placed: placed[1].number)]


def _of_its_block(save: Save, match: StoredMatch) -> PlannedMatch:
    """The match with the setting and the condition that its game block has."""
    entry = save.tournament.games[match.entry]
    key = setting_key(entry.record(match.setting), entry.variant)
    return replace(match.planned, setting_key=key, condition=entry.condition)


@contextmanager
def raise_if_damaged(save: Save) -> Iterator[None]:
    """Context for work that assumes that stored matches are what their games produced.

    After an unexpected exception the save is checked: BadSave names the first difference from a
    replay. Without a difference the exception is a bug of the program, and passes.
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
