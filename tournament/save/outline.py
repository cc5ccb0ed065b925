"""The plan of a save in outline: a few bytes a match, so that a million of them are read quickly.

Screens list matches from it, and the status counts experiments and games.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from parlour.tournament.save.database import damaged
from parlour.tournament.save.reader import BEGUN, Save
from parlour.tournament.save.rows import MatchCount, tidy


@dataclass(slots=True)
class GroupCount:
    """The number of matches of a group, and of those that are over."""

    matches: int = 0
    over: int = 0


@dataclass(frozen=True, slots=True)
class Outline:
    """Every match by its row, which is its number less one.

    ``groups`` are the game entries with their experiments, in order of their first match, each
    with its count. ``group_of`` has the index of a match's group, ``over`` 1 for a match that has
    ended or is frozen. ``count`` has the number of all matches.
    """

    groups: dict[tuple[int, str], GroupCount]
    group_of: "array[int]"
    over: bytearray
    count: MatchCount


def outline(save: Save) -> Outline:
    """The outline of all matches. Raises BadSave if a match or a game entry is missing."""
    codes: defaultdict[tuple[int, int | str, int, int], int] = defaultdict(count().__next__)
    rows = save._rows(
        "SELECT entry, experiment, outcome IS NOT NULL, frozen IS NOT NULL FROM stored_matches"
        " ORDER BY number",
        checked=False,  # a million rows have few different values, which are checked below
    )
    # By map, without a line of Python for each of a million rows.
    coded = array("I", map(codes.__getitem__, rows))
    if save._select("SELECT min(number), max(number) FROM matches") != [(1, len(coded))]:
        raise damaged(save.path, "matches: are not numbered from 1 on")
    matches = Counter(coded)
    groups: dict[tuple[int, str], GroupCount] = {}
    index: dict[tuple[int, str], int] = {}
    group_of, over = [], []
    finished = frozen = 0
    for (entry, experiment, has_ended, is_frozen), code in codes.items():
        if type(entry) is not int or not 0 <= entry < len(save.tournament.games):
            raise damaged(save.path, f"matches: there is no game entry {entry}")
        group = entry, tidy(save._texts.text(experiment))
        group_of.append(index.setdefault(group, len(index)))
        over.append(has_ended or is_frozen)
        counted = groups.setdefault(group, GroupCount())
        counted.matches += matches[code]
        counted.over += over[-1] * matches[code]
        finished += has_ended * matches[code]
        frozen += is_frozen * matches[code]
    return Outline(
        groups,
        array("I", map(group_of.__getitem__, coded)),
        bytearray(map(over.__getitem__, coded)),
        MatchCount(len(coded), finished, frozen, grows=save.match_count().grows),
    )


@dataclass(slots=True)
class Begun:
    """The answers so far of a match without an outcome: how many; kind and round of the newest."""

    answers: int = 0
    kind: str = ""
    round: int = 0


def begun_matches(save: Save) -> dict[int, Begun]:
    """The matches that have answers and no outcome, by number."""
    # With max(), SQLite takes the other columns from the row that has it: the newest answer.
    return {
        match: Begun(answers, tidy(save._texts.text(kind)), round)
        for match, answers, _seq, kind, round in save._select(
            "SELECT match, count(*), max(seq), kind, round FROM stored_answers"
            f" WHERE match IN ({BEGUN}) GROUP BY match"
        )
    }


def endings_of_all(save: Save) -> Iterator[tuple[int, int, str, str | None]]:
    """Yields number, game entry, experiment and ending (None before it) of every match."""
    return save._rows(
        "SELECT number, entry, experiment, json_extract(outcome, '$.ending') FROM matches"
        " ORDER BY number"
    )


def experiment_counts(save: Save) -> tuple[int, int]:
    """The number of experiments, and of those of which every match is over."""
    # Two lists of names: SQLite would sort all matches to group them.
    query = "SELECT DISTINCT experiment FROM stored_matches"
    every = save._select(query)
    unfinished = save._select(f"{query} WHERE outcome IS NULL AND frozen IS NULL")
    # An experiment may be there twice: as a text, and as its number.
    experiments = len({save._texts.text(cell) for (cell,) in every})
    return experiments, experiments - len({save._texts.text(cell) for (cell,) in unfinished})


def entry_counts(save: Save) -> list[tuple[int, int, int]]:
    """Game entry, matches and finished matches, in order of the entries."""
    if len(save.tournament.games) == 1:  # nothing to be sorted
        whole = save.match_count()
        return [(0, whole.matches, whole.finished)]
    return save._select(
        "SELECT entry, count(*), count(outcome) FROM stored_matches GROUP BY entry ORDER BY entry"
    )
