"""Provenance of a save: what served its agents, and the versions of the program that played."""

import json
from typing import NamedTuple

from parlour.games.common.text import one_line
from parlour.tournament.save.provenance.origins import finished_repeats
from parlour.tournament.save.provenance.remarks import Playing, Remark, Serving, remarks
from parlour.tournament.save.queries import templates
from parlour.tournament.save.reader import Save

_TOTALS = (
    "SELECT agent, model, templates, served, fingerprint, host, total, first FROM provenances"
    " JOIN (SELECT provenance, count(*) AS total, min(seq) AS first FROM stored_calls"
    " WHERE provenance IS NOT NULL AND copy_of IS NULL GROUP BY provenance) ON number = provenance"
)
"""Reads an index alone: a tenth of a second for a million calls."""


def remarks_of(save: Save) -> list[Remark]:
    """Returns the remarks on the provenance of a save; none for most saves."""
    rules = [(entry.game.name, entry.played_version) for entry in save.tournament.games]
    return remarks(servings(save), rules, playings(save), finished_repeats(save))


def servings(save: Save) -> list[Serving]:
    """Returns the servings of the save's agents."""
    rows = save._select(
        "SELECT totals.*, stored_matches.number, stored_matches.entry"
        f" FROM ({_TOTALS}) AS totals"
        " JOIN calls ON calls.seq = first JOIN stored_matches ON stored_matches.number = match"
    )
    texts, games = templates(save), save.tournament.games
    names = {agent.name for agent in save.tournament.agents}
    made = []
    for agent, asked, digests, served, fingerprint, host, calls, first, match, entry in rows:
        if agent not in names or not 0 <= entry < len(games):
            continue  # a damaged save may have others
        game = games[entry].game.name
        known = tuple((texts[each][0], each) for each in _digests(digests) if each in texts)
        made.append(
            Serving(
                agent,
                _label(asked),
                game,
                known,
                _label(served),
                _label(fingerprint),
                _label(host),
                calls,
                first,
                match,
            )
        )
    return made


def _label(text: object) -> str:
    return one_line(text) if isinstance(text, str) else ""


def _digests(text: str) -> list[str]:
    try:
        digests = json.loads(text)
    except (ValueError, RecursionError):  # `check` says so
        return []
    return [each for each in digests if isinstance(each, str)] if isinstance(digests, list) else []


def playings(save: Save) -> list[Playing]:
    """Returns the versions of the program that stored answers, in order."""
    rows = program_rows(save)
    made: list[Playing] = []
    newest = save.last_seq()
    ends = [row.last_answer for row in rows[1:]]
    for (_since, program, begin), end in zip(rows, [*ends, newest], strict=True):
        if begin < end and (not made or made[-1].program != program):
            made.append(Playing(_label(program), _match_after(save, begin)))
    return made


class ProgramRow(NamedTuple):
    """A version of the program that went on with a save after an answer, and when it first did."""

    since: str
    program: str
    last_answer: int


def program_rows(save: Save) -> list[ProgramRow]:
    """Returns the versions of the program that had the save, in order; the first one made it."""
    rows = save._select(
        "SELECT created AS since, program, 0 AS last_answer, 0 AS number FROM tournament"
        " UNION ALL SELECT since, program, last_answer, number FROM programs"
        " ORDER BY last_answer, number"
    )
    return [ProgramRow(since, program, last) for since, program, last, _number in rows]


def _match_after(save: Save, answer: int) -> int:
    """The match of the first answer after one."""
    sql = "SELECT match FROM stored_answers WHERE seq > ? ORDER BY seq LIMIT 1"
    return int(save._one(sql, answer)[0])


def newest_program(save: Save) -> str:
    """Returns the version of the program that went on with the save last, or that made it."""
    rows = save._select("SELECT program FROM programs ORDER BY number DESC LIMIT 1")
    return str(rows[0][0] if rows else save._one("SELECT program FROM tournament")[0])
