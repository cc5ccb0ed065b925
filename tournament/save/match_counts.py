"""Counts of the matches of a save, and whether an adaptive plan goes on to grow."""

from typing import TYPE_CHECKING

from parlour.games.common.text import one_line
from parlour.tournament.save.database import damaged
from parlour.tournament.save.rows import MatchCount, Progress

if TYPE_CHECKING:
    from parlour.tournament.save.reader import Save

RANK = "rank"
"""The rule for the end of an adaptive save that stores none."""
BEYOND = "another round would exceed the tournament's {}, after {} of them"
"""The stop of an adaptive tournament that has its most matches."""
_COUNTS = "count(*), count(outcome), count(frozen)"
GROWS = (
    "(SELECT json_extract(body, '$.stop') IS NULL OR json_extract(body, '$.until')"
    f" IS NOT coalesce((SELECT until FROM control), '{RANK}')"
    " OR json_extract(body, '$.stage') < (SELECT max(number) FROM stages)"
    " FROM decisions ORDER BY seq DESC LIMIT 1)"
)
"""SQL that is 1 while no rule for the end of an adaptive tournament holds, or it has grown since.

Null for a tournament without decisions.
"""


def match_count(save: "Save") -> MatchCount:
    """Counts of matches; quick, however many answers there are."""
    row = save._one(f"SELECT {_COUNTS}, {GROWS} FROM stored_matches")
    return MatchCount(*row[:3], grows=_grows(save, row[3]))


def last_match(save: "Save") -> int:
    """The number of the last planned match; it is looked up and not counted."""
    return int(save._one("SELECT coalesce(max(number), 0) FROM stored_matches")[0])


def progress(save: "Save") -> Progress:
    """Counts of matches, answers and faults. Reads every answer: a second for millions."""
    row = save._one(
        f"SELECT {_COUNTS}, (SELECT count(*) FROM stored_answers),"
        " (SELECT count(fault) FROM stored_answers),"
        f" {GROWS} FROM stored_matches"
    )
    return Progress(*row[:5], grows=_grows(save, row[5]))


def _grows(save: "Save", cell: int | None) -> bool:
    """Reads the last column. BadSave for an adaptive tournament without decisions."""
    tournament = save.tournament
    if cell is None and tournament.schedule == "adaptive" and tournament.fork is None:
        raise damaged(save.path, "decisions: the adaptive schedule has none")
    return bool(cell)


def decided(save: "Save") -> str | None:
    """One sentence on the last decision of an adaptive tournament; None for another one."""
    if save.tournament.schedule != "adaptive":
        return None
    row = save._select(
        "SELECT json_extract(body, '$.pairs[0]'), json_extract(body, '$.pairs[1]'), seq,"
        " json_extract(body, '$.stop'),"
        " json_extract(body, '$.stage') < (SELECT max(number) FROM stages)"
        " FROM decisions ORDER BY seq DESC LIMIT 1"
    )
    if not row:
        return None
    pairs, every, seq, stop, has_grown = row[0]
    end = one_line(str(stop)) if stop else f"decision {seq} is played"
    before = "before the tournament grew: " if has_grown else ""
    return f"{before}{pairs} of {every} pairs decided; {end}"
