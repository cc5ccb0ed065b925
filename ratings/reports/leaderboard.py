"""The leaderboard: ranks agents by strength, with ratings, measures and confidence intervals."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from math import inf
from typing import Literal

from pydantic import TypeAdapter

from parlour.games.common.text import clean_all
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.registry import games
from parlour.ratings.counting.counted import Counted, Finished, counted
from parlour.ratings.counting.counts import declared_measures
from parlour.ratings.measures import formulas
from parlour.ratings.measures.conditions import condition_name
from parlour.ratings.measures.measures import Row, leaderboard_measures
from parlour.ratings.reports.head_to_head import Meeting, meetings
from parlour.ratings.reports.never_met import NeverMet, never_met
from parlour.ratings.skill.checkpoints import rated
from parlour.ratings.skill.strength import Strength, strengths
from parlour.ratings.skill.trueskill_ladders import Skill
from parlour.ratings.statistics.clusters import Clusters

FORMULAS = 13
"""Version of the formulas. A stored leaderboard of another version is computed again.

So is one without a column of today: a new column needs no new version."""
By = Literal["overall", "game", "role", "condition"]
Group = tuple[str | None, str | None, str]
"""Game, role and agent; None for all."""
BY_ROLE = ("win_rate", "payoff", "welfare")
"""The measures of a leaderboard that are split by role. Payoff and welfare stand beside the win
rate, since in a dilemma an agent may beat its neighbours and still earn little."""
COLUMNS = {
    "win_rate": "Win rate",
    "payoff": "Payoff",
    "welfare": "Welfare",
    "judgment": "Judgment",
    "reasoning": "Reasoning",
    "deception": "Deception",
    "self_awareness": "Self-awareness",
    "cooperation": "Cooperation",
    "coordination": "Coordination",
    "rationality": "Rationality",
    "radar_area": "Radar area",
}
"""Measures of every game that a leaderboard shows beside strength and rating, with their titles."""
NOT_SHOWN = {"fault_rate": "Fault rate", "suspicion": "Suspicion"}
"""Measures that are stored with a leaderboard for its footnotes and for the page of an agent."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A measure as shown: value, counts, the ends of its 95 % interval and the standard error.

    The ends are None with too few clusters, and for a mean with an error of 0."""

    value: float
    n: float
    k: float | None
    low: float | None
    high: float | None
    se: float | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """One agent's line: overall (game and role None), in a game, or in a role of a game.

    A line with a ``condition`` is of a game under this condition alone.

    ``strength`` ranks; None if no match with another agent rates this one. ``mu``, ``sigma`` and
    ``rating`` (mu - 3 sigma) are TrueSkill's; None if no match moved it.
    """

    game: str | None
    role: str | None
    agent: str
    matches: int
    strength: Strength | None
    mu: float | None
    sigma: float | None
    rating: float | None
    measures: dict[str, Cell]
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All standings, best first within each game and role.

    ``skipped`` counts matches that TrueSkill's arithmetic could not rate. ``clusters`` has the
    unit of the clusters of each game. ``left_out`` counts the matches left out because of a
    fault; None if they are included. ``meetings`` are the head-to-head results. ``grouped_by`` is
    the key of ``meta`` by which agents are one, None where each is one of its own. ``newcomers``
    are those of a rating: the others are the reference pool. ``never_met`` are groups of agents
    whose ranks do not compare. ``distinct`` counts the matches without copies of others.
    """

    standings: tuple[Standing, ...]
    matches: int
    skipped: int
    clusters: dict[str, str]
    left_out: int | None = None
    meetings: tuple[Meeting, ...] = ()
    grouped_by: str | None = None
    newcomers: tuple[str, ...] = ()
    never_met: tuple[NeverMet, ...] = ()
    distinct: int | None = None

    def by(self, by: By) -> list[Standing]:
        """Returns the standings of one kind."""
        return [standing for standing in self.standings if _kind(standing) == by]

    @property
    def definitions(self) -> str:
        """The definitions of the capabilities that it shows; "" if none needs one."""
        measured = chain.from_iterable(standing.measures for standing in self.standings)
        return formulas.definitions({*measured})

    def to_json(self) -> str:
        """Returns the text that a save stores, with keys in the order of the fields."""
        return json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Leaderboard":
        """Reads the text of ``to_json``. Raises ValueError for any other."""
        board = _BOARD.validate_python(clean_all(json.loads(text)))
        if strange := {standing.game for standing in board.standings} - {None, *games()}:
            raise ValueError(f"unknown games: {strange}")
        return board


def column_titles() -> dict[str, str]:
    """The titles of all measures of a leaderboard, in order: of every game, then game by game."""
    titled = {measure.name: measure.title for measure in declared_measures() if measure.title}
    return COLUMNS | titled


def layout() -> str:
    """The formulas and measures of a leaderboard: a stored one of another layout is outdated."""
    return " ".join([str(FORMULAS), *column_titles(), *NOT_SHOWN])


def _kind(standing: Standing) -> By:
    if standing.condition is not None:
        return "condition"
    if standing.game is None:
        return "overall"
    return "role" if standing.role else "game"


_BOARD = TypeAdapter(Leaderboard)


def leaderboard(
    finished: Finished, *, without_faults: bool = False, clusters: Clusters | None = None
) -> Leaderboard:
    """Returns the leaderboard of finished matches, given in order of match number.

    ``without_faults`` leaves out the matches in which any answer but to a private probe was a
    fault. ``clusters`` are given where the records are a part of those that the clusters are of.
    """
    every = counted(finished, details=False)
    if without_faults:
        sound = every.without_faults()
        return replace(leaderboard(sound), left_out=len(every.rows) - len(sound.rows))
    clusters = clusters or every.clusters
    skills, strong = rated(every), strengths(every, clusters=clusters)
    cells = _cells(every, clusters)
    standings = []
    for (game, role, agent), matches in _matches_played(every, clusters).items():
        skill: Skill | None
        strength: Strength | None
        if game is None:
            skill, strength = skills.overall.get(agent), strong.overall.get(agent)
        elif role is None:
            skill, strength = skills.by_game.get((game, agent)), strong.by_game.get((game, agent))
        else:
            skill = skills.by_role.get((game, role, agent))
            strength = strong.by_role.get((game, role, agent))
        standings.append(
            Standing(
                game,
                role,
                agent,
                matches,
                strength,
                skill.mu if skill else None,
                skill.sigma if skill else None,
                skill.conservative if skill else None,
                cells.get((game, role, agent), {}),
            )
        )
    standings.sort(key=_order)
    return Leaderboard(
        tuple(standings),
        len(every.rows),
        skills.skipped,
        {**clusters.units},
        meetings=meetings(every, clusters),
        never_met=never_met((each.record for each in every.alike(clusters)), _ranked(standings)),
        distinct=every.distinct,
    )


def _ranked(standings: Sequence[Standing]) -> dict[str | None, list[str]]:
    """Returns the agents with a rank in each game, and overall by None."""
    ranked: dict[str | None, list[str]] = {}
    for standing in standings:
        if standing.role is None and (standing.strength or standing.rating is not None):
            ranked.setdefault(standing.game, []).append(standing.agent)
    return ranked


def leaderboard_by_condition(finished: Finished, *, without_faults: bool = False) -> Leaderboard:
    """Returns the leaderboard with a line for each condition of each game.

    Each condition is rated by its own matches alone: nothing is pooled over conditions.
    """
    every = counted(finished, details=False)
    if without_faults:
        sound = every.without_faults()
        left_out = len(every.rows) - len(sound.rows)
        return replace(leaderboard_by_condition(sound), left_out=left_out)
    clusters = every.clusters
    slices: dict[tuple[str, str], list[int]] = {}
    for row, record in zip(every.rows, every.records, strict=True):
        slices.setdefault((record.game, record.condition), []).append(row)
    standings: list[Standing] = []
    skipped, splits = 0, list[NeverMet]()
    for (game, condition), rows in sorted(slices.items(), key=lambda each: each[0]):
        board = leaderboard(Counted(every.book, rows), clusters=clusters)
        name = condition_name(condition)
        standings += [replace(standing, condition=name) for standing in board.by("game")]
        skipped += board.skipped
        # Overall and in the game are the same here.
        splits += [replace(each, game=game, condition=name) for each in board.never_met[:1]]
    units: dict[str, str] = {**clusters.units}
    board = Leaderboard(tuple(standings), len(every.rows), skipped, units)
    return replace(board, never_met=tuple(splits), distinct=every.distinct)


def _cells(matches: Counted, clusters: Clusters) -> dict[Group, dict[str, Cell]]:
    """Returns the measures of a leaderboard by game, role and agent.

    Games pay in different units, so the overall standings have payoffs only of a single game.
    """
    shown = {*column_titles(), *NOT_SHOWN}
    single_game = len(matches.games) == 1
    cells: dict[Group, dict[str, Cell]] = {}
    for row in leaderboard_measures(matches, clusters):
        if row.measure not in shown:
            continue
        cells.setdefault((row.game, row.role, row.agent), {})[row.measure] = _cell(row)
        if single_game and row.role is None and row.measure in BY_ROLE:
            cells.setdefault((None, None, row.agent), {}).setdefault(row.measure, _cell(row))
    return cells


def _matches_played(every: Counted, clusters: Clusters) -> dict[Group, int]:
    """Returns each agent's number of counted matches: in all, by game, and by game and role.

    A defender is rated although none of its seats is counted, so it has 0 here.
    """
    played: dict[Group, int] = {}
    for record, number, _ in every.alike(clusters):
        groups: set[Group] = set()
        for seat in record.counted:
            agent = record.agents[seat]
            groups |= {(None, None, agent), (record.game, None, agent)}
            groups.add((record.game, record.outcome.roles[seat], agent))
        for group in groups:
            played[group] = played.get(group, 0) + number
        for agent in {*record.agents} - {BUILT_IN}:
            played.setdefault((None, None, agent), 0)
            played.setdefault((record.game, None, agent), 0)
    return played


def _order(standing: Standing) -> tuple[object, ...]:
    """Sorts by game and role, then by strength, and agents without one by rating."""
    strength = -inf if standing.strength is None else standing.strength.value
    rating = -inf if standing.rating is None else standing.rating
    return standing.game or "", standing.role or "", -strength, -rating, standing.agent


def _cell(row: Row) -> Cell:
    return Cell(row.value, row.n, row.k, row.low, row.high, row.se)
