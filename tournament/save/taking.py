"""A new save made of matches of others, with all that is stored of them."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import mkdtemp

from pydantic import BaseModel, ConfigDict, Field

from parlour.games.common.errors import BadInput, BadSave
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.backup import ELSEWHERE, back_up
from parlour.tournament.save.copies import Contribution, Copies
from parlour.tournament.save.create import add_stage, write_head
from parlour.tournament.save.database import GROWS, damaged, upgrade
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import CONTROL, RunOptions
from parlour.tournament.save.stages import stage_body
from parlour.tournament.save.taking_calls import CallTaker
from parlour.tournament.save.taking_over import MatchTaker
from parlour.tournament.save.texts import MOST_SHARED, TextNumbers


class _Stage(BaseModel):
    """The body of a stage: the number of agents by then, and when agents of a merge had joined."""

    model_config = ConfigDict(extra="ignore", strict=True)

    agents: int = Field(ge=0)
    joined: dict[str, str] = Field(default_factory=dict)


_ORPHANS = "SELECT 1 FROM {} WHERE match NOT IN (SELECT number FROM stored_matches) LIMIT 1"


@contextmanager
def opened(path: Path, folder: Path) -> Iterator[Save]:
    """Context of a save that matches are taken over from, as it is at one moment.

    A save of an older version is migrated as a copy in the folder. Raises BadSave for a damaged
    save, and BadInput for one whose plan grows by decisions.
    """
    with ExitStack() as stack:
        save = stack.enter_context(Save(path))
        if save.version < GROWS:
            private = Path(mkdtemp(prefix=f".{path.name}.", dir=folder))
            stack.callback(shutil.rmtree, private, ignore_errors=True)
            _copy_migrated(path, private / path.name)
            save = stack.enter_context(Save(private / path.name))
            save.path = path  # for error messages
        stack.enter_context(save.one_moment())
        _refuse_damaged(save)
        if save._select("SELECT 1 FROM decisions LIMIT 1"):
            problem = "plans its matches by decisions, which cannot be taken over"
            raise BadInput(str(path), problem, "leave it out")
        yield save


def _copy_migrated(path: Path, copy: Path) -> None:
    """Copies a save of an older version and migrates the copy. BadSave that names the save."""
    try:
        back_up(path, copy)
        upgrade(copy)
    except BadSave as error:
        if error.place != str(copy):
            raise
        problem = f"is of an older version, and its copy {error.problem}"
        fix = error.fix.replace(ELSEWHERE, "write the new save to another folder")
        raise BadSave(str(path), problem, fix) from None


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
        made = write_head(connection, tournament, RunOptions())
        copies = Copies(connection, contributions)
        matches = MatchTaker(connection, contributions, copies)
        matches.take_matches(TextNumbers(most=MOST_SHARED // 2))
        shared = connection.execute("SELECT id, text FROM texts").fetchall()
        matches.take_answers(TextNumbers(shared))
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
    for moment, body in save._select("SELECT since, body FROM stages ORDER BY number"):
        try:
            stage = _Stage.model_validate_json(body)
            of_stage = dict.fromkeys(names[: stage.agents], moment)
            moments = {**of_stage, **stage.joined}
        except (ValueError, RecursionError):
            raise damaged(save.path, "stages: one cannot be read") from None
        since = {**moments, **since}
    return {contribution.names.get(name, name): moment for name, moment in since.items()}
