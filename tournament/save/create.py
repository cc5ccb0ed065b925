"""Making a save: whole or not at all, with every match planned."""

import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from tempfile import mkstemp

from parlour.agents.registry import refuse_keyless
from parlour.games.common.errors import BadSave
from parlour.tournament.plan.loader import Tournament
from parlour.tournament.plan.schedule import schedule, setting_key
from parlour.tournament.save.database import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    connect,
    damaged,
    migrate,
    upgrade,
)
from parlour.tournament.save.directory import FOLDER
from parlour.tournament.save.lock import locked
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import CONTROL, Control, StoredMatch


def create_save(path: Path, tournament: Tournament) -> None:
    """Makes a new save with all matches planned; it appears whole or not at all.

    Raises BadSave if the file exists or its folder cannot be written, and BadInput if a model's
    key is not set: nothing could be played, so nothing is left behind.
    """
    for agent in tournament.agents:
        refuse_keyless(agent)
    elsewhere = "choose another place with --save"
    if not path.parent.exists() and path.parent != FOLDER:
        # Not made: it may be a slip of the pen.
        fix = f"make it first (mkdir -p {quote(str(path.parent))}), or {elsewhere}"
        raise BadSave(str(path), f"there is no folder {path.parent}", fix)
    log = path.with_name(path.name + "-wal")
    try:
        if log.exists() and not path.exists():  # SQLite would take it for a part of the new file
            fix = f"restore the save that it belongs to or delete it, or {elsewhere}"
            raise BadSave(str(log), "is left of a save that is gone", fix)
        if not path.parent.exists() and path.parent == FOLDER:
            path.parent.mkdir(mode=0o700)
        handle, name = mkstemp(".new", f".{path.name}.", path.parent)  # readable by its owner only
        os.close(handle)
        try:
            _fill(Path(name), tournament)
            os.link(name, path)  # fails if the name is taken, where a rename would replace
        except FileExistsError:
            fix = "continue it without a tournament, or choose another name"
            raise BadSave(str(path), "exists already", fix) from None
        finally:
            for ending in ("", "-wal", "-shm"):  # a full disk leaves all three
                Path(name + ending).unlink(missing_ok=True)
    except OSError as error:
        raise BadSave(str(path), f"cannot be made ({error.strerror})", elsewhere) from None
    except sqlite3.Error as error:
        fix = f"free some space, or {elsewhere}"
        raise BadSave(str(path), f"cannot be made ({error})", fix) from None


def adopt(path: Path, tournament: Tournament) -> None:
    """Has a save that is there keep what a file says of how it is played. It must not be in use.

    These are limits, budgets, and where and how patiently models are asked: all that may change
    while what is played stays.
    """
    with Save(path) as save:
        kept, stored = save.control(), save.tournament_json
    control, wanted = as_written(kept, tournament), tournament.to_json()
    if control != kept or stored != wanted:
        settle(path, control, wanted)


def settle(path: Path, control: Control, tournament: str | None = None) -> None:
    """Has a save that nobody uses keep how it is played. Raises BadSave.

    ``tournament`` is its text with models asked elsewhere, or otherwise patiently.
    """
    with locked(path):
        upgrade(path)
        connection = connect(path, writable=True)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(CONTROL, control.row())
            if tournament is not None:
                connection.execute("UPDATE tournament SET spec = ?", (tournament,))
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise damaged(path, error) from None
        finally:
            connection.close()


def as_written(kept: Control, tournament: Tournament) -> Control:
    """What a tournament file says of how it is played; budgets that it leaves out stay."""
    return replace(
        kept,
        limits=tournament.limits,
        budget=kept.budget if tournament.budget is None else tournament.budget,
        agent_budgets={**kept.agent_budgets, **tournament.agent_budgets},
    )


def planned(tournament: Tournament) -> Iterator[StoredMatch]:
    """The matches of a tournament as a new save holds them."""
    keys = [
        [
            setting_key(record)
            for record in entry.records
            for _ in entry.game.settings_file.expand_settings
        ]
        for entry in tournament.games
    ]
    for match in schedule(tournament):
        entry = tournament.games[match.entry]
        yield StoredMatch(
            number=match.number,
            entry=match.entry,
            setting=match.setting,
            setting_key=keys[match.entry][match.setting],
            game=entry.game.name,
            condition=entry.condition,
            experiment=match.experiment,
            agents=match.agents,
            counted=match.counted,
            seed=match.seed,
            outcome=None,
            frozen=None,
        )


def _fill(path: Path, tournament: Tournament) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN")
        migrate(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute(
            "INSERT INTO tournament VALUES (1, ?, ?, ?, ?)",
            (
                tournament.name,
                tournament.to_json(),
                datetime.now(UTC).isoformat(timespec="seconds"),
                version("parlour"),
            ),
        )
        connection.execute(CONTROL, as_written(Control(), tournament).row())
        connection.executemany(
            "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
            (
                (
                    match.number,
                    match.entry,
                    match.game,
                    match.condition,
                    match.setting,
                    match.setting_key,
                    match.experiment,
                    json.dumps(match.agents),
                    json.dumps(match.counted),
                    match.seed,
                )
                for match in planned(tournament)
            ),
        )
        connection.execute("COMMIT")
    finally:
        connection.close()
