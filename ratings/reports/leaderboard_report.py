"""The report of a leaderboard: its columns, footnotes and records."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain, product
from typing import Any

from parlour.games.common import forms
from parlour.games.common.tables import Column, ColumnTable, taken
from parlour.games.engine.transcript import counted
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.reports import cells, decided_ranks
from parlour.ratings.reports.decided_ranks import DecidedRanks, decided_report
from parlour.ratings.reports.faults import faults_notes, faults_of
from parlour.ratings.reports.leaderboard import BY_ROLE, By, Leaderboard, Standing, column_titles
from parlour.ratings.reports.never_met import never_met_sentences
from parlour.ratings.reports.report import Record, Report

GAME: Column[Standing] = Column("Game", lambda standing: standing.game)
GROUPS: dict[By, list[Column[Standing]]] = {
    "overall": [],
    "game": [GAME],
    "role": [GAME, Column("Role", lambda standing: standing.role)],
    "condition": [GAME, Column("Condition", lambda standing: standing.condition)],
}
RANKED: Column[Standing] = Column("#", lambda standing: standing.strength, cells.RANK)
STRENGTH: Column[Standing] = Column("Strength", lambda standing: standing.strength, cells.STRENGTH)
MATCHES: Column[Standing] = Column("Matches", lambda standing: standing.matches, forms.COUNT)
TRUESKILL: list[Column[Standing]] = [
    Column("Rating", lambda standing: standing.rating, forms.decimals(2)),
    Column("μ", lambda standing: standing.mu, forms.decimals(2)),
    Column("σ", lambda standing: standing.sigma, forms.decimals(2)),
]
SKILL: list[Column[Standing]] = [
    Column("Agent", lambda standing: standing.agent),
    STRENGTH,
    *TRUESKILL,
    MATCHES,
]
"""The columns between the game and role of a standing and its measures."""
NAMED = ("game", "condition", "role", "agent")
SKILLS = ("rating", "mu", "sigma", "matches")
OF_STRENGTH = {
    **{"rank": "rank", "last_rank": "last_rank", "strength": "value", "strength_n": "matches"},
    **{"strength_se": "se", "strength_low": "low", "strength_high": "high"},
}
"""The fields of a record that are attributes of a strength."""
FIELDS = (*NAMED, *OF_STRENGTH, *SKILLS)
"""The fields of a record before its measures."""
PARTS = {"": "value", "_n": "n", "_low": "low", "_high": "high"}
"""The ends of the fields of a measure, with the attributes of its cell."""
MET_NOBODY = "Nobody met another agent in a match that has winners, so nothing ranks them."
SETTINGS_ONLY = "With clusters of observations, results hold for the settings played only."
MANY_COPIES = 0.1
"""Share of matches that are copies beyond which a leaderboard says so."""


def leaderboard_table(board: Leaderboard, by: By) -> ColumnTable[Standing]:
    """Returns the table of a leaderboard; ranks start from 1 in each game, role and condition."""
    measures = list(map(of_measure, _shown(board, by)))
    columns = [RANKED, *GROUPS[by], *SKILL, *measures]
    return ColumnTable(columns, board.by(by), leads=columns.index(STRENGTH))


def of_measure(name: str) -> Column[Standing]:
    """Returns the column of a measure."""
    title = column_titles().get(name, name)
    return Column(title, lambda standing: standing.measures.get(name), cells.MEASURE)


def _columns(by: By) -> list[str]:
    """Returns the measures of one kind of leaderboard; capabilities are not split by role."""
    return [name for name in column_titles() if by != "role" or name in BY_ROLE]


def _shown(board: Leaderboard, by: By) -> list[str]:
    """Returns the measures that any agent has; before the first match, the capabilities."""
    measured = set(chain.from_iterable(standing.measures for standing in board.by(by)))
    expected = {"win_rate", *CAPABILITIES}
    shown = [name for name in _columns(by) if name in measured]
    return shown or [name for name in _columns(by) if name in expected]


def footnotes(board: Leaderboard, planned: int | None = None) -> list[str]:
    """Returns the notes that explain the numbers; ``planned`` is the number of all matches."""
    unfinished = (planned or 0) > board.matches + (board.left_out or 0)
    units = sorted(set(board.clusters.values())) or ["observation"]
    notes = [
        f"{matches_in_words(board)}{f' of {planned:,}' if unfinished else ''}."
        " Strength: 0 is the mean. #: the possible ranks. Rating = μ - 3σ (TrueSkill). In brackets:"
        f" 95 % intervals, clustered by {' or '.join(units)}; strength by t, means by t less"
        " their skewness, shares by Wilson."
    ]
    if has_observations(board):
        notes[0] += f" {SETTINGS_ONLY}"
    measured = chain.from_iterable(each.measures.values() for each in board.standings)
    strengths = (each.strength for each in board.standings if each.strength is not None)
    if None in [*(cell.low for cell in measured), *(each.low for each in strengths)]:
        notes[0] += f" {cells.NO_INTERVAL}"
    notes += copies_sentences(board)
    if board.newcomers:
        notes.append(
            f"A rating: {', '.join(board.newcomers)} played the reference pool, which did not play"
            " itself here. Strengths of other saves compare on the fixed scale alone: `parlour rate"
            " SAVE` prints it."
        )
    notes += never_met_sentences(board.never_met)
    overall = board.by("overall")
    if len(overall) > 1 and all((each.strength, each.rating) == (None, None) for each in overall):
        notes.append(MET_NOBODY)
    if board.grouped_by is not None:
        notes.append(f"Agents with the same {board.grouped_by} count as one.")
    if board.left_out is not None:
        without = f", and with them {', '.join(board.agents_left_out)}"
        notes.append(
            f"Left out because of a fault: {counted(board.left_out, 'match')}"
            f"{without if board.agents_left_out else ''}."
        )
    if board.skipped:
        notes.append(
            f"{counted(board.skipped, 'match')} not rated by TrueSkill: the result was too"
            " unlikely for its arithmetic."
        )
    notes += faults_notes(faults_of(board.by("overall")))
    return [*notes, board.definitions] if board.definitions else notes


def has_observations(board: Leaderboard) -> bool:
    """Returns True if observations are the clusters of a game, so that settings are no sample."""
    return "observation" in board.clusters.values() or not board.clusters


def matches_in_words(board: Leaderboard) -> str:
    """Returns the number of finished matches, and of the distinct ones if there are many copies."""
    distinct = f", {board.distinct:,} distinct" if _has_many_copies(board) else ""
    return f"{counted(board.matches, 'finished match')}{distinct}"


def copies_sentences(board: Leaderboard) -> list[str]:
    """Returns a sentence on copies if there are many."""
    if not _has_many_copies(board):
        return []
    return [
        f"{counted(board.matches - (board.distinct or 0), 'match')} of {board.matches:,} are"
        " copies: the same agents by seat gave the same answers on the same setting. A copy adds no"
        " evidence."
    ]


def _has_many_copies(board: Leaderboard) -> bool:
    return board.distinct is not None and board.distinct < (1 - MANY_COPIES) * board.matches


def empty_message(board: Leaderboard) -> str:
    """Returns the text that replaces a leaderboard without agents."""
    if board.left_out:
        left_out = counted(board.left_out, "match")
        return f"No match is left: {left_out} had a fault, and no other match is finished."
    return "No match is finished yet."


def leaderboard_report(
    board: Leaderboard,
    by: By,
    provenance: Sequence[Mapping[str, object]] = (),
    decided: DecidedRanks | None = None,
    progress: Sequence[Mapping[str, object]] = (),
    planned: int | None = None,
) -> Report:
    """Returns the report of a leaderboard overall, by game or by role.

    ``provenance`` are remarks on what changed within the figures, each with its ``sentence``.
    ``decided`` are the decided ranks of an adaptive tournament; a record of a single agent over all
    games has its own. ``progress`` are the planned and finished matches of each agent, ``planned``
    are those of all agents.
    """
    measures = [f"{name}{part}" for name, part in product(_columns(by), PARTS)]
    body = {
        "by": by,
        "matches": board.matches,
        "distinct": board.distinct,
        "skipped": board.skipped,
        "clusters": board.clusters,
        "definitions": board.definitions,
        "left_out": board.left_out,
        "grouped_by": board.grouped_by,
        "never_met": list(map(asdict, board.never_met)),
        "provenance": [*provenance],
        "progress": [*progress],
        "decided": None if decided is None else decided.body(),
        "standings": [asdict(standing) for standing in board.by(by)],
    }
    records = [_record(standing) for standing in board.by(by)]
    fields, notes = [*FIELDS, *measures], footnotes(board, planned)
    tables: list[ColumnTable[Any]] = [leaderboard_table(board, by)]
    if decided is not None:
        own_report = decided_report(decided)
        tables += own_report.tables
        notes += own_report.notes
        if by == "overall" and board.grouped_by is None:
            fields += decided_ranks.FIELDS
            places = (decided.place_of(standing.agent) for standing in board.by(by))
            owns = [{} if place is None else decided_ranks.record_of(place) for place in places]
            records = [{**record, **own} for record, own in zip(records, owns, strict=True)]
    notes += [f"{remark['sentence']}." for remark in provenance]
    empty = empty_message(board)
    return Report(fields, records, body, tables, notes, label="tab:leaderboard", empty=empty)


def _record(standing: Standing) -> Record:
    """Returns a standing with each count and end of an interval in a field of its own."""
    record = taken(standing, (*NAMED, *SKILLS))
    if (strength := standing.strength) is not None:
        record |= {name: getattr(strength, own) for name, own in OF_STRENGTH.items()}
    for name, cell in standing.measures.items():
        record |= {f"{name}{part}": getattr(cell, own) for part, own in PARTS.items()}
    return record
