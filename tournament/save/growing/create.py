"""Creates saves and updates their run options."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

from parlour.agents.registry import refuse_unready
from parlour.tournament.plan.growth import Stage, first_stage, grown
from parlour.tournament.plan.model import Source, Tournament
from parlour.tournament.save.database import create_tables, writing
from parlour.tournament.save.growing.stages import ADD_STAGE, stage_json
from parlour.tournament.save.lock import locked
from parlour.tournament.save.new_file import new_file
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import (
    ADD_ANSWER,
    ADD_DECISION,
    ADD_MATCH,
    ADD_TEXT,
    CONTROL,
    MOST_SHARED,
    RunOptions,
    StoredAnswer,
    TextNumbers,
    answer_cells,
    match_cells,
)
from parlour.tournament.save.seals import seal
from parlour.tournament.trust.consent import agree, refuse_untrusted
from parlour.tournament.trust.needs import needs


def create_save(
    path: Path,
    tournament: Tournament,
    run_options: RunOptions | None = None,
    answers: Sequence[StoredAnswer] = (),
    *,
    newcomers: Sequence[str] = (),
    against: Sequence[str] | None = None,
) -> None:
    """Creates a save with all matches planned; the file appears complete or not at all.

    With ``newcomers``, the last agents of the tournament, only those matches are planned in which
    one of them sits: with each other or with the anchors ``against``, None for all agents.
    ``answers`` are stored with it: those that a forked match begins with. ``run_options`` are
    updated by those of the tournament. Raises BadSave if the file exists or its folder cannot be
    written, and BadInput if the key of a model is not set or a function is missing, since then
    nothing could be played; Untrusted for a file that the user has not agreed to.
    """
    refuse_untrusted(tournament)
    for agent in tournament.agents:
        refuse_unready(agent)
    _agree_to_save(path, tournament)
    elsewhere = "choose another place with --save"
    if_taken = "continue it without a tournament, or choose another name"
    with new_file(path, elsewhere, if_taken) as draft:
        stage = first_stage(tournament, newcomers, against)
        _fill(draft, tournament, stage, run_options or RunOptions(), answers)


def apply_file_options(path: Path, tournament: Tournament) -> None:
    """Updates an existing save to the run options of a tournament file. It must not be in use.

    These are limits, budgets, and how models are reached (address, key, timeout, retries): what
    may change between runs while the matches stay the same. Untrusted for a file that the user
    has not agreed to.
    """
    refuse_untrusted(tournament)
    _agree_to_save(path, tournament)
    with Save(path) as save:
        stored_options, stored_text = save.control(), save.tournament_json
    options, text = merge_options(stored_options, tournament), tournament.to_json()
    if options != stored_options or text != stored_text:
        update_run_options(path, options, text)


def update_run_options(path: Path, options: RunOptions, tournament: str | None = None) -> None:
    """Stores the run options of a save that is not in use. Raises BadSave.

    ``tournament`` is the stored text of the tournament with other connection settings.
    """
    with locked(path), writing(path) as connection:
        connection.execute(CONTROL, options.row())
        if tournament is not None:
            connection.execute("UPDATE tournament SET spec = ?", (tournament,))


def change_models(path: Path, changes: Mapping[str, Mapping[str, Any]]) -> None:
    """Changes keys of models, by agent, from the next answer on. The save must not be in use.

    What they were is kept, since the prompts until then were made with it.
    """
    with Save(path) as save:
        tournament = save.tournament
    since = datetime.now(UTC).isoformat(timespec="seconds")
    rows, agents = [], []
    for agent in tournament.agents:
        wanted = changes.get(agent.name, {})
        new = {key: value for key, value in wanted.items() if getattr(agent, key) != value}
        if new:
            before = agent.model_dump(mode="json", include=set(new))
            rows.append((since, agent.name, json.dumps(before)))
        agents.append(agent.model_copy(update=new))
    if rows:
        changed = replace(tournament, agents=tuple(agents)).to_json()
        with locked(path), writing(path) as connection:
            connection.executemany(_ADD_CHANGE, rows)
            connection.execute("UPDATE tournament SET spec = ?", (changed,))
            seal(connection)


_ADD_CHANGE = (
    "INSERT INTO changes (since, agent, body, last_answer)"
    " SELECT ?, ?, ?, coalesce(max(seq), 0) FROM stored_answers"
)


def _agree_to_save(path: Path, tournament: Tournament) -> None:
    """Stores that the user agrees to a save that is made from what was agreed to.

    A save has no folder of its own, so it needs consent to more than the file that it is made from.
    """
    agree(needs(replace(tournament, source=Source(path))))


def merge_options(stored: RunOptions, tournament: Tournament) -> RunOptions:
    """Returns stored options updated from a tournament file; budgets it leaves out remain."""
    return replace(
        stored,
        limits=tournament.limits,
        budget=stored.budget if tournament.budget is None else tournament.budget,
        agent_budgets={**stored.agent_budgets, **tournament.agent_budgets},
    )


def _fill(
    path: Path,
    tournament: Tournament,
    stage: Stage,
    run_options: RunOptions,
    answers: Sequence[StoredAnswer],
) -> None:
    """Writes tables, tournament, run options, matches and answers in one transaction."""
    texts = TextNumbers(most=MOST_SHARED // 2)  # answers and outcomes get the other half
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        made = write_head(connection, tournament, merge_options(run_options, tournament))
        connection.executemany(
            ADD_MATCH,
            (match_cells(match, place, texts) for place, match in grown(tournament, [stage], [0])),
        )
        add_stage(connection, "planned", made, stage_json(stage))
        if tournament.schedule == "adaptive" and tournament.fork is None:
            from parlour.tournament.save.growing.decisions import first_decision  # imports numpy

            connection.execute(ADD_DECISION, first_decision(tournament))
        connection.executemany(ADD_ANSWER, (answer_cells(answer, texts) for answer in answers))
        connection.executemany(ADD_TEXT, texts.new)
        seal(connection)
        connection.execute("COMMIT")


class MadeBy(NamedTuple):
    """The time at which a save is made, in UTC, and the version of the program that makes it."""

    since: str
    program: str


def write_head(
    connection: sqlite3.Connection,
    tournament: Tournament,
    run_options: RunOptions,
    earliest: str = "",
) -> MadeBy:
    """Begins the transaction that makes a save: its tables, its tournament and run options.

    The save is made now, but not before the time ``earliest``.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    made = MadeBy(max(now, earliest), version("parlour"))
    connection.execute("BEGIN")
    create_tables(connection)
    connection.execute(
        "INSERT INTO tournament VALUES (1, ?, ?, ?, ?, ?)",
        (tournament.name, tournament.to_json(), *made, token_hex(8)),
    )
    connection.execute(CONTROL, run_options.row())
    return made


def add_stage(connection: sqlite3.Connection, kind: str, made: MadeBy, body: str) -> None:
    """Adds the first stage, after the matches."""
    (last,) = connection.execute("SELECT coalesce(max(number), 0) FROM stored_matches").fetchone()
    connection.execute(ADD_STAGE, (kind, *made, last, body))
