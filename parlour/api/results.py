"""The results of a save as pandas data frames, and its matches."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from parlour.api.columns import TABLES, Kind
from parlour.api.matches import Match
from parlour.games.common.errors import BadInput
from parlour.games.common.packages import needing
from parlour.games.engine.moves import player
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.growing.check import raise_if_damaged
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import Diverged, not_replayable, rebuild

if TYPE_CHECKING:
    import pandas

    from parlour.ratings.measures.measures import Row
    from parlour.ratings.reliability.reliability import Reliability
    from parlour.ratings.reports.leaderboard import By, Leaderboard
    from parlour.ratings.reports.report import Report
    from parlour.ratings.sensitivity.sensitivity import Sensitivity
    from parlour.ratings.statistics.corrections import Correction

_DTYPES: dict[Kind, str] = {"whole": "Int64", "number": "float64", "flag": "boolean"}
"""Column types that support missing values; texts and nested values stay objects."""


class Results:
    """The contents of a save. The file is opened for each call, so it may grow meanwhile.

    In data frames the column ``player`` names a seat as the games do: "Player 1" is the first.
    Records of the games (``value``, ``facts``, ``notes``) stay as they are stored: a seat in them
    is a number that counts from 0.
    """

    def __init__(self, path: Path) -> None:
        """Raises BadSave if the file is not a save."""
        self.path = path
        with Save(path) as save:
            self.name: str = save.name
            self.tournament: Tournament = save.tournament

    def __repr__(self) -> str:
        with Save(self.path) as save:
            count = save.match_count()
        return f"<{self.path}: {self.name!r}, {count.finished}/{count.matches} matches finished>"

    @property
    def finished(self) -> bool:
        """True if every match is over."""
        with Save(self.path) as save:
            return save.match_count().done

    def leaderboard(
        self, by: str = "overall", *, without_faults: bool = False
    ) -> "pandas.DataFrame":
        """One row an agent (``by="overall"``), or one for each game, role or condition of it.

        Columns of measures that nobody has are left out. ``by="meta.family"``: one row a
        value of this key of the agents' ``meta``.
        """
        from parlour.ratings.reports.leaderboard_report import (
            OF_STRENGTH,
            PARTS,
            SKILLS,
            leaderboard_report,
        )
        from parlour.tournament.reports.leaderboards import decided_ranks

        with Save(self.path) as save:
            ranks = decided_ranks(save)
        report = leaderboard_report(*board_by(self.path, without_faults, by), decided=ranks)
        titles = report.fields
        frame = _frame(titles, (map(row.get, titles) for row in report.records))
        empty = [name for name in titles if frame[name].isna().all()]
        # Of a measure all columns stay, or none.
        measured = {f"{name}{end}" for name, end in product({*titles} - {*empty}, PARTS)}
        return frame.drop(columns={*empty} - measured - {"agent", *OF_STRENGTH, *SKILLS})

    def measures(self, *, without_faults: bool = False) -> "pandas.DataFrame":
        """Every measure as tidy rows: game, condition, agent, role, measure, value, interval."""
        from parlour.ratings.measures.measures import Row

        titles = [field.name for field in fields(Row)]
        rows = measures_of(self.path, without_faults)
        return _frame(titles, map(attrgetter(*titles), rows))

    def matches(self) -> "pandas.DataFrame":
        """One row a planned match."""
        return self._table("matches")

    def seats(self) -> "pandas.DataFrame":
        """One row a seat of a match: agent, role, payoff."""
        return self._table("seats")

    def answers(self) -> "pandas.DataFrame":
        """One row a stored answer, private probes included."""
        return self._table("answers")

    def calls(self) -> "pandas.DataFrame":
        """One row an attempt to call a model, answered or failed."""
        return self._table("calls")

    def conduct(self) -> "pandas.DataFrame":
        """One row an agent: faults, repairs, calls, tokens, dollars, latency."""
        return self._table("conduct")

    def compare(
        self,
        one: str | None = None,
        other: str | None = None,
        measures: Sequence[str] = (),
        correction: "Correction" = "holm",
        *,
        agent: str | None = None,
        against: str | None = None,
        game: str | None = None,
        role: str | None = None,
    ) -> "pandas.DataFrame":
        """One row a measure and two agents: their difference in paired matches.

        Without names all pairs of agents are compared as one family, or all agents ``against``
        one. ``game`` and ``role`` take the matches of this game and what was done in this role.
        With ``agent`` the two are conditions, such as "monitoring=private", in which it played.
        """
        from parlour.api.comparing import Compared, comparisons_of
        from parlour.ratings.reports.comparison_report import comparison_report

        wanted = Compared(one, other, agent, against, game, role)
        report = comparison_report(comparisons_of(self.path, wanted, measures, correction))
        titles = [name for name in report.fields if name not in {"match", "other_match"}]
        rows = (row for row in report.records if "p" in row)  # not the gain in radar area
        return _frame(titles, (map(row.get, titles) for row in rows))

    def reliability(self) -> "pandas.DataFrame":
        """One row an estimate: variance components, split-half, test-retest, correlations."""
        from parlour.ratings.reports.reliability_report import reliability_report

        report = reliability_report(reliability_of(self.path))
        return _frame(report.fields, (map(row.get, report.fields) for row in report.records))

    def pairwise(self) -> "pandas.DataFrame":
        """One row for each two agents that met in a match: model_a, model_b, winner."""
        return self._table("pairwise")

    def clues(self) -> "pandas.DataFrame":
        """One row a clue of a word game: its length, hedging, sentiment and similarities."""
        return self._table("clues")

    def agents(self) -> "pandas.DataFrame":
        """One row an agent: its kind, its model and its ``meta``."""
        return self._table("agents")

    def match(self, number: int) -> Match:
        """One match by its number, from 1. BadInput if there is none."""
        with Save(self.path) as save:
            stored = save.match(number)
            try:
                table = rebuild(save.tournament, stored, save.answers_of(number))
            except Diverged as difference:
                raise not_replayable(self.path, difference) from None
        return Match(table, stored.agents)

    def _table(self, name: str) -> "pandas.DataFrame":
        from parlour.api.tables import batches

        columns = TABLES[name]
        rows: list[dict[str, Any]] = []
        with Save(self.path) as save, raise_if_damaged(save):
            for batch in batches(save, {name}):
                rows += batch[name]
        frame = _frame(list(columns), (row.values() for row in rows))
        kinds = {column: _DTYPES[kind] for column, kind in columns.items() if kind in _DTYPES}
        frame = frame.astype(kinds)
        if "seat" in columns:
            frame["seat"] = [player(seat) for seat in frame["seat"]]
            frame = frame.rename(columns={"seat": "player"})
        return frame


META = "meta."
"""The beginning of a ``by`` that names a key of the agents' ``meta``."""


def board_by(
    path: Path, without_faults: bool, by: str, place: str = "by"
) -> "tuple[Leaderboard, By]":
    """The leaderboard of a save by a text, and the kind of its standings. BadInput at a place."""
    from parlour.ratings.reports.leaderboard import By
    from parlour.tournament.reports.leaderboards import group_leaderboard

    if by.startswith(META):
        with Save(path) as save:
            key = by.removeprefix(META)
            return group_leaderboard(save, key, without_faults=without_faults), "overall"
    for known in get_args(By):
        if by == known:
            return board_of(path, without_faults, known), known
    fix = f"give one of {', '.join(get_args(By))}, {META}KEY"
    raise BadInput(place, f"cannot be {by!r}", fix)


def board_of(path: Path, without_faults: bool = False, by: "By" = "overall") -> "Leaderboard":
    """The leaderboard of a save: the stored one while it holds, else computed.

    That by condition is computed, and has nothing else.
    """
    from parlour.tournament.reports.leaderboards import condition_leaderboard, current_leaderboard

    with Save(path) as save:
        if by == "condition":
            return condition_leaderboard(save, without_faults=without_faults)
        return current_leaderboard(save, without_faults=without_faults)


def measures_of(path: Path, without_faults: bool = False) -> "list[Row]":
    """Every measure of a save; ``without_faults`` leaves out matches with a faulty answer."""
    from parlour.ratings.measures.measures import measures
    from parlour.tournament.reports.counted_matches import MatchCounter, raise_if_false

    with Save(path) as save, raise_if_false(save):
        counted = MatchCounter().counted(save)
        return measures(counted.without_faults() if without_faults else counted)


def rating_of(path: Path) -> "Report":
    """The report of a rating: its newcomers on the scale of the reference pool. BadInput."""
    from parlour.agents.registry import ScriptedConfig
    from parlour.ratings.reference.placing import placed
    from parlour.ratings.reference.scale import shipped_scale
    from parlour.ratings.reports.rating_report import rating_report
    from parlour.tournament.plan.rating import newcomers
    from parlour.tournament.reports.counted_matches import MatchCounter, raise_if_false
    from parlour.tournament.save.provenance.remarks import remarks_of

    scale = shipped_scale()
    with Save(path) as save:
        names = newcomers(save.tournament)
        if not names:
            problem = f"is no rating on scale {scale.version} of the reference pool"
            raise BadInput(str(path), problem, "make one: parlour rate MODEL")
        with raise_if_false(save), save.one_moment():
            counted = MatchCounter(details=False).counted(save)
            ratings = [placed(counted, name, scale) for name in names]
            count, provenance = save.match_count(), list(map(asdict, remarks_of(save)))
            agents = save.tournament.agents
            own_words = [each.name for each in agents if not isinstance(each, ScriptedConfig)]
            return rating_report(ratings, count.finished, count.matches, provenance, own_words)


def sensitivity_of(path: Path) -> "Sensitivity":
    """The checks of the leaderboard of a save. BadInput for a fork."""
    from parlour.ratings.reports.sensitivity_report import checked
    from parlour.tournament.reports.counted_matches import MatchCounter, raise_if_false
    from parlour.tournament.save.finished import faulty_seats
    from parlour.tournament.save.growing.fork import refuse_fork

    with Save(path) as save, raise_if_false(save):
        refuse_fork(save)
        with save.one_moment():
            counted = MatchCounter(details=False).counted(save)
            return checked(counted, faulty_seats(save))


def reliability_of(path: Path) -> "Reliability":
    """The reliability of the measures of a save, and the variance components of its outcomes."""
    from parlour.ratings.reliability.reliability import reliability
    from parlour.tournament.reports.counted_matches import MatchCounter, raise_if_false

    with Save(path) as save, raise_if_damaged(save), raise_if_false(save), save.one_moment():
        counted = MatchCounter().counted(save)
        return reliability(counted, list(save.records()))


def _frame(titles: Sequence[str], rows: Iterable[Iterable[object]]) -> "pandas.DataFrame":
    """A data frame. BadInput if pandas is not installed."""
    with needing("pandas", "data frames"):
        import pandas
    return pandas.DataFrame([[*row] for row in rows], columns=list(titles))
