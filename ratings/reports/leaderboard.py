"""The leaderboard: ranks agents by strength, with ratings, measures and confidence intervals."""

import json
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Literal

from pydantic import TypeAdapter

from parlour.games.common.text import clean_all
from parlour.games.engine.registry import games
from parlour.ratings.counting.counts import declared_measures
from parlour.ratings.measures.capabilities import definitions
from parlour.ratings.reports.never_met import NeverMet
from parlour.ratings.skill.strength import Strength

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
class Meeting:
    """The results of the matches in which two agents met, in one game or in all (game None).

    Wins, draws and losses are those of ``agent``. ``trials`` is the effective sample size of
    these matches, which come in clusters, None with too few clusters.
    """

    game: str | None
    agent: str
    other: str
    wins: int
    draws: int
    losses: int
    trials: float | None

    @property
    def n(self) -> int:
        """The number of matches in which the two met."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        """The share of matches that the agent won; a draw is half a win."""
        return (self.wins + self.draws / 2) / self.n

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The ends of the Wilson interval of the share, None with too few clusters."""
        if self.trials is None:
            return None, None
        from parlour.ratings.statistics.intervals import wilson  # imports numpy

        return wilson(self.share * self.trials, self.trials)[1:]

    def swapped(self) -> "Meeting":
        """Returns the meeting seen from the other agent."""
        results = (self.losses, self.draws, self.wins)
        return Meeting(self.game, self.other, self.agent, *results, self.trials)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All standings, best first within each game and role.

    ``skipped`` counts matches that TrueSkill's arithmetic could not rate. ``clusters`` has the
    unit of the clusters of each game. ``left_out`` counts the matches left out because of a
    fault; None if they are included. ``meetings`` are the head-to-head results. ``grouped_by`` is
    the key of ``meta`` by which agents are one, None where each is one of its own. ``newcomers``
    are those of a rating: the others are the reference pool. ``never_met`` are groups of agents
    whose ranks do not compare. ``agents_left_out`` have no match but those left
    out. ``distinct`` counts the matches without copies of others.
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
    agents_left_out: tuple[str, ...] = ()

    def by(self, by: By) -> list[Standing]:
        """Returns the standings of one kind."""
        return [standing for standing in self.standings if _kind(standing) == by]

    @property
    def definitions(self) -> str:
        """The definitions of the capabilities that it shows; "" if none needs one."""
        measured = chain.from_iterable(standing.measures for standing in self.standings)
        return definitions({*measured})

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
