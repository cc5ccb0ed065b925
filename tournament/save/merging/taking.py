"""A new save made of matches of others, with all that is stored of them."""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.database import damaged
from parlour.tournament.save.growing.create import add_stage, write_head
from parlour.tournament.save.growing.stages import stage_body, stages_of
from parlour.tournament.save.merging.copies import Contribution, Copies
from parlour.tournament.save.merging.taking_calls import CallTaker
from parlour.tournament.save.merging.taking_over import MatchTaker
from parlour.tournament.save.merging.taking_programs import ProgramTaker
from parlour.tournament.save.provenance.origins import second_after
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import CONTROL, RunOptions
from parlour.tournament.save.texts import MOST_SHARED, TextNumbers

_ORPHANS = "SELECT 1 FROM {} WHERE match NOT IN (SELECT number FROM stored_matches) LIMIT 1"


@contextmanager
def opened(path: Path) -> Iterator[Save]:
    """Context of a save that matches are taken over from, as it is at one moment.

    Raises BadSave for a damaged save.
    """
    with Save(path) as save, save.one_moment():
        _refuse_damaged(save)
        yield save


def _refuse_damaged(save: Save) -> None:
    """BadSave if a match does not fit the tournament, or if something belongs to no match."""
    last = 0
    while matches := save.matches_after(last, 4096):
        last = matches[-1].number
    for table in ("stored_answers", "calls", "reservations"):
        if save._select(_ORPHANS.format(table)):
            raise damaged(save.path, f"{table.removeprefix('stored_')}: one is of no match")


def fill(
    draft: Path,
    tournament: Tournament,
    contributions: Sequence[Contribution],
    options: Callable[[Copies], RunOptions],
    stage: tuple[str, dict[str, object]],
) -> None:
    """Fills an empty file with a tournament and the matches of the contributions.

    ``options`` returns the run options of the new save. ``stage`` is the kind of its first stage,
    and what the stage says of it. The file is on the disk when this returns.
    """
    with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
        # Nothing can be rolled back, and nothing needs to be: nobody knows the file yet.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        # Growth stands after what it grew from: its plan must be younger than all that it has.
        after = max(second_after(contribution.save) for contribution in contributions)
        made = write_head(connection, tournament, RunOptions(), after)
        copies = Copies(connection, contributions)
        matches = MatchTaker(connection, contributions, copies)
        matches.take_matches(TextNumbers(most=MOST_SHARED // 2))
        shared = connection.execute("SELECT id, text FROM texts").fetchall()
        matches.take_answers(TextNumbers(shared), ProgramTaker(connection, made.program))
        calls = CallTaker(connection, contributions, copies)
        calls.take_calls()
        calls.take_reservations()
        connection.execute(CONTROL, options(copies).row())
        add_stage(connection, stage[0], made, stage_body(tournament, **stage[1]))
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
    _flush(draft)


def _flush(path: Path) -> None:
    """Returns once the file is on the disk."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def joined(contribution: Contribution) -> dict[str, str]:
    """The time at which each agent joined the tournament of a save, by its new name."""
    save, since = contribution.save, dict[str, str]()
    names = [agent.name for agent in save.tournament.agents]
    for stored in stages_of(save):
        moments = {**dict.fromkeys(names[: stored.stage.agents], stored.since), **stored.joined}
        since = {**moments, **since}
    return {contribution.names.get(name, name): moment for name, moment in since.items()}
