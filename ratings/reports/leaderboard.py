"""The leaderboard: ratings and capabilities of every agent, with counts and intervals."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Literal

from pydantic import TypeAdapter

from parlour.games.common.text import clean_all
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.record import MatchRecord
from parlour.ratings.counting.counts import cluster_unit
from parlour.ratings.counting.magic import CAPABILITIES
from parlour.ratings.measures.measures import Row, shown_measures
from parlour.ratings.reports.head_to_head import Meeting, meetings
from parlour.ratings.skill.strength import Strength, strengths
from parlour.ratings.skill.trueskill_ladders import Skill, rate

FORMULAS = 8
"""Version of the formulas; a stored leaderboard of another version is computed anew."""
By = Literal["overall", "game", "role"]
Place = tuple[str | None, str | None, str]
"""Game, role and agent; None for all."""
OF_A_ROLE = ("win_rate", "payoff", "welfare")
"""The measures of a leaderboard that are split by role; what an agent earns stands beside whom it
beats, since in a dilemma the one is not the other."""
COLUMNS = (
    *OF_A_ROLE,
    *CAPABILITIES,
    "radar_area",
    "cost",
    "score",
    "payback",
    "contribution",
    "cooperation_ratio",
    "investment_ratio",
    "return_ratio",
    "image_score",
    "discounted_return",
    "gini",
)
"""The measures that a leaderboard shows beside strength and rating, in order."""

BESIDE = ("fault_rate",)
"""Measures that are kept with a leaderboard for the page of an agent."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A measure as shown: value, counts and the ends of its 95 % interval."""

    value: float
    n: float
    k: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """One agent's line, overall (game and role None), in a game, or in a role of a game.

    ``strength`` ranks; it is None if no match tells of the agent, or of it alone. ``mu``, ``sigma``
    and ``rating`` (mu - 3 sigma) are TrueSkill's; None if no match moved it.
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


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All standings, best first within each game and role.

    ``skipped`` counts matches too lopsided for TrueSkill; ``clusters`` names, for each game,
    what the intervals of its win rates draw as a whole. ``left_out`` counts the matches that are
    not in it since they had a fault; None if those are in it. ``meetings`` say who came out above
    whom.
    """

    standings: tuple[Standing, ...]
    matches: int
    skipped: int
    clusters: dict[str, str]
    left_out: int | None = None
    meetings: tuple[Meeting, ...] = ()

    def by(self, by: By) -> list[Standing]:
        """The standings of one kind."""
        return [
            standing
            for standing in self.standings
            if by == ("overall" if standing.game is None else "role" if standing.role else "game")
        ]

    def to_json(self) -> str:
        """The text that a save keeps. In its own order, so that it reads back the same."""
        return json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Leaderboard":
        """Reads back ``to_json``. ValueError if it is not one."""
        return _BOARD.validate_python(clean_all(json.loads(text)))


_BOARD = TypeAdapter(Leaderboard)


def leaderboard(records: Sequence[MatchRecord], *, without_faults: bool = False) -> Leaderboard:
    """The leaderboard of finished matches, given in canonical order.

    ``without_faults`` leaves out the matches in which any answer was a fault.
    """
    if without_faults:
        sound = [record for record in records if not record.faulty]
        return replace(leaderboard(sound), left_out=len(records) - len(sound))
    skills, strong = rate(records), strengths(records)
    played = _matches_played(records)
    cells = _cells(records)
    standings = []
    for (game, role, agent), matches in played.items():
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
    met, units = meetings(records), cluster_unit(records)
    return Leaderboard(tuple(standings), len(records), skills.skipped, units, meetings=met)


def _cells(records: Sequence[MatchRecord]) -> dict[Place, dict[str, Cell]]:
    """The measures that are shown, by place.

    Games pay in units of their own, so over all of them there is a payoff only if there is one.
    """
    only = len({record.game for record in records}) == 1
    cells: dict[Place, dict[str, Cell]] = {}
    for row in shown_measures(records):
        if row.measure in {*COLUMNS, *BESIDE}:
            cells.setdefault((row.game, row.role, row.agent), {})[row.measure] = _cell(row)
            if only and row.role is None and row.measure in OF_A_ROLE:
                cells.setdefault((None, None, row.agent), {}).setdefault(row.measure, _cell(row))
    return cells


def _matches_played(records: Sequence[MatchRecord]) -> dict[Place, int]:
    """How many matches count for each agent: in all, by game, and by game and role.

    A defender is rated though nothing of it is counted, so it stands here with 0.
    """
    played: dict[Place, int] = {}
    for record in records:
        places: set[Place] = set()
        for seat in record.counted:
            agent = record.agents[seat]
            places |= {(None, None, agent), (record.game, None, agent)}
            places.add((record.game, record.outcome.roles[seat], agent))
        for place in places:
            played[place] = played.get(place, 0) + 1
        for agent in {*record.agents} - {BUILT_IN}:
            played.setdefault((None, None, agent), 0)
            played.setdefault((record.game, None, agent), 0)
    return played


def _order(standing: Standing) -> tuple[object, ...]:
    strength = -inf if standing.strength is None else standing.strength.value
    rating = -inf if standing.rating is None else standing.rating
    return standing.game or "", standing.role or "", -strength, -rating, standing.agent


def _cell(row: Row) -> Cell:
    return Cell(row.value, row.n, row.k, row.low, row.high)
