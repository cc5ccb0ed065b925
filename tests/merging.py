"""Small saves to merge: runs of tournaments and copies that grew, partly played, with calls.

Each is a copy of a finished save from which the last answers of some matches are removed, so that
two copies of one save hold the same matches at different moments.
"""

import json
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

from parlour.tournament.plan.additions import Addition
from parlour.tournament.reports.leaderboards import current_leaderboard
from parlour.tournament.save.growing.grow import grow
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import ADD_TEMPLATE, fingerprint
from tests.tournaments import finished, play, resealed, scripted

OTHER = """
name = "other"
seed = 3
repetitions = 2

[[games]]
name = "prisoners_dilemma"
limit = 1

[[games]]
name = "undercover"
limit = 2
""" + scripted(Rob="random", Kim="random")

_CALL = (
    "INSERT INTO calls (seq, match, ask, seat, try, number, attempt, agent, model, prompt,"
    " templates, parameters, failure, text, finish, prompt_tokens, completion_tokens, price,"
    " latency, cache_key, copy_of, served)"
    " VALUES (?, ?, ?, ?, 1, 1, ?, ?, 'm', ?, '[\"d\"]', '{}', ?, ?, 'stop', 9, 3, ?, 0.5, ?, ?,"
    " 's')"
)


def base_save(folder: Path, text: str, name: str, created: str) -> Path:
    """A finished save with a fixed identity, and with calls for the answers of the first seat."""
    place = folder / name
    place.mkdir()
    path = finished(place, text)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE tournament SET save_id = ?, created = ?", (name * 16, created))
        connection.execute(ADD_TEMPLATE, (fingerprint("A template"), "clue.j2", "A template"))
        _add_calls(connection, name)
        connection.execute("DELETE FROM leaderboards")
        connection.execute("DELETE FROM counts")
    resealed(path)
    return path


def grown_save(base: Path, name: str, addition: Addition) -> Path:
    """A finished copy of a finished save that grew, with calls as the base has them."""
    path = base.with_name(f"{name}.db")
    shutil.copyfile(base, path)
    with Save(path) as save:
        known = save.match_count().matches
    assert grow(path, addition).matches
    assert play(path).progress.done
    with closing(sqlite3.connect(path)) as connection, connection:
        _add_calls(connection, name, known)
        connection.execute("DELETE FROM leaderboards")
        connection.execute("DELETE FROM counts")
    resealed(path)
    with closing(sqlite3.connect(path)) as connection:  # so that the file alone is the save
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def _add_calls(connection: sqlite3.Connection, name: str, known: int = 0) -> None:
    """Adds a failed call and an answered one for each answer of seat 0; some from the cache.

    The first ``known`` matches have calls already.
    """
    (last,) = connection.execute("SELECT coalesce(max(seq), 0) FROM calls").fetchone()
    seqs, first = count(last + 1), {}
    for match, ask, agents in connection.execute(
        "SELECT match, ask, agents FROM answers JOIN matches ON number = match"
        " WHERE seat = 0 AND match > ? ORDER BY seq",
        (known,),
    ).fetchall():
        agent = json.loads(agents)[0]
        key = f"{agent} {ask}"
        prompt = f"{name} {match} {ask}"
        row = (next(seqs), match, ask, 0, 1, agent, prompt, "timeout", None, 0.25, None, None)
        connection.execute(_CALL, row)
        seq, source = next(seqs), first.get(key)
        price = 0.5 if source is None else 0.0
        row = (seq, match, ask, 0, 2, agent, prompt, None, "{}", price, key, source)
        connection.execute(_CALL, row)
        first.setdefault(key, seq)


def cut(base: Path, target: Path, left: Mapping[int, int]) -> Path:
    """A copy of a save in which some matches have but so many answers, and are not over.

    The calls for the next answer stay, one of them reserved for; later ones are removed.
    """
    shutil.copyfile(base, target)
    with closing(sqlite3.connect(target)) as connection, connection:
        for match, answers in left.items():
            seqs = [
                seq
                for (seq,) in connection.execute(
                    "SELECT seq FROM answers WHERE match = ? ORDER BY ask, seat", (match,)
                )
            ]
            if answers >= len(seqs):
                continue
            (ask,) = connection.execute(
                "SELECT ask FROM answers WHERE seq = ?", (seqs[answers],)
            ).fetchone()
            connection.executemany(
                "DELETE FROM stored_answers WHERE seq = ?", [(seq,) for seq in seqs[answers:]]
            )
            connection.execute("DELETE FROM calls WHERE match = ? AND ask > ?", (match, ask))
            connection.execute(
                "UPDATE stored_matches SET outcome = NULL WHERE number = ?", (match,)
            )
            if answers % 2:
                connection.execute(
                    "INSERT INTO reservations (agent, dollars, match, ask, seat)"
                    " SELECT json_extract(agents, '$[0]'), 2.0, number, ?, 0 FROM matches"
                    " WHERE number = ?",
                    (ask, match),
                )
    resealed(target)
    return target


# The stages of an adaptive tournament plan their matches after they were stored.
_OWN_ORIGIN = (
    "(SELECT save_id || coalesce('.' || json_extract(body, '$.id'), '') FROM tournament, stages"
    " WHERE stages.number = (SELECT 1 + count(*) FROM stages WHERE last_match < matches.number"
    " AND NOT (number = 1 AND json_extract(spec, '$.schedule') = 'adaptive')))"
)


def matches_of(path: Path) -> dict[tuple[str, int], Any]:
    """Contents of each match by its origin: plan, result, answers, calls, reservations."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        identities = {
            number: (save, there)
            for number, save, there in connection.execute(
                f"SELECT number, coalesce(origin_save, {_OWN_ORIGIN}),"
                " coalesce(origin_number, number) FROM matches"
            )
        }
        contents: dict[tuple[str, int], Any] = {}
        for number, *plan in connection.execute(
            "SELECT number, game, condition, setting, setting_key, experiment, agents, counted,"
            " seed, outcome, frozen FROM matches"
        ):
            contents[identities[number]] = {"plan": plan, "answers": [], "calls": [], "held": []}
        for match, *answer in connection.execute(
            "SELECT match, ask, seat, kind, round, value, fault, tries, notes, digest FROM answers"
            " ORDER BY match, ask, seat"
        ):
            contents[identities[match]]["answers"].append(answer)
        sources = dict(
            connection.execute("SELECT seq, match || ' ' || ask || ' ' || seat FROM calls")
        )
        for match, copy_of, *call in connection.execute(
            "SELECT match, copy_of, ask, seat, try, number, attempt, agent, model, prompt,"
            " templates, parameters, failure, text, finish, price, latency, cache_key, served"
            " FROM calls ORDER BY match, ask, seat, seq"
        ):
            source = None
            if copy_of is not None:
                place = sources.get(copy_of)
                source = "left behind"
                if place is not None:
                    number, rest = place.split(" ", 1)
                    source = (identities[int(number)], rest)
            contents[identities[match]]["calls"].append((source, *call))
        for match, *held in connection.execute(
            "SELECT match, agent, dollars, ask, seat FROM reservations ORDER BY 1, 2, 3, 4, 5"
        ):
            contents[identities[match]]["held"].append(held)
        return contents


def board_of(path: Path) -> str:
    """The leaderboard of a save, computed from its answers."""
    with Save(path) as save:
        return current_leaderboard(save).to_json()
