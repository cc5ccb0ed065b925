"""Race: the course of TrueSkill ratings over the matches, in the order in which they were over."""

from array import array
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from parlour.games.engine.record import MatchRecord
from parlour.ratings.skill.trueskill_ladders import overall_ladder

FEWEST = 3
"""Rated matches from which on an agent has a line: the swings before would flatten all else."""


@dataclass(frozen=True, slots=True)
class RaceChart:
    """The courses of all agents at the same points.

    ``points`` are numbers of matches that were over, from 1. ``above`` has for each agent μ less
    the mean of the field at each point, None before its line begins; ``sigma`` its uncertainty
    now, ``matches`` the number that rated it.
    """

    points: tuple[int, ...] = ()
    above: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    sigma: Mapping[str, float] = field(default_factory=dict)
    matches: Mapping[str, int] = field(default_factory=dict)

    def ranks(self) -> dict[str, tuple[float | None, ...]]:
        """The rank of each agent at each point, 1 for the highest rating."""
        ranks: dict[str, list[float | None]] = {agent: [] for agent in self.above}
        for index in range(len(self.points)):
            values = {agent: course[index] for agent, course in self.above.items()}
            rated = sorted((value for value in values.values() if value is not None), reverse=True)
            for agent, value in values.items():
                ranks[agent].append(None if value is None else 1.0 + rated.index(value))
        return {agent: tuple(course) for agent, course in ranks.items()}


@dataclass(slots=True)
class _Course:
    """The ratings of one agent: after which matches it moved, and where to."""

    at: "array[int]" = field(default_factory=lambda: array("q"))
    mu: "array[float]" = field(default_factory=lambda: array("d"))


@dataclass(frozen=True, slots=True)
class Swing:
    """The largest move of a rating by one match: ``before`` and ``after`` are μ.

    ``size`` is the move over the σ before, so that early matches, when all ratings are unsure,
    do not always have the largest one.
    """

    match: int
    game: str
    agent: str
    before: float
    after: float
    size: float


class Race:
    """Ratings of all agents after each match; matches are added as they are over.

    ``swing`` is the largest move of a rating so far, None before an agent's fourth rated match.
    """

    def __init__(self) -> None:
        self.swing: Swing | None = None
        self._ladder = overall_ladder()
        self._courses: dict[str, _Course] = {}
        self._means = array("d")
        self._sum = 0.0

    def add(self, record: MatchRecord) -> None:
        """Rates the next match."""
        agents = sorted({*record.agents})
        before = {agent: self._ladder.skill((agent,)) for agent in agents}
        self._ladder.play(record)
        for agent in agents:
            skill, earlier = self._ladder.skill((agent,)), before[agent]
            if skill is None or skill == earlier:
                continue
            course = self._courses.setdefault(agent, _Course())
            course.at.append(len(self._means) + 1)
            course.mu.append(skill.mu)
            self._sum += skill.mu - (earlier.mu if earlier else 0.0)
            if earlier is not None and len(course.at) > FEWEST:
                size = abs(skill.mu - earlier.mu) / earlier.sigma
                if self.swing is None or size > self.swing.size:
                    self.swing = Swing(
                        *(record.number, record.game, agent, earlier.mu, skill.mu, size)
                    )
        self._means.append(self._sum / max(1, len(self._courses)))

    def chart(self, most: int) -> RaceChart:
        """Returns the courses at ``most`` points at most, from where everybody has a line.

        Where that leaves less than half of the matches, since some came late, the chart begins
        with the first line, and each line where it begins.
        """
        begins = {
            agent: course.at[FEWEST - 1]
            for agent, course in self._courses.items()
            if len(course.at) >= FEWEST
        }
        last = len(self._means)
        if not begins:
            return RaceChart()
        first = max(begins.values())
        if last - first < last / 2:
            first = min(begins.values())
        steps = max(1, min(most - 1, last - first))
        points = tuple(first + (last - first) * step // steps for step in range(steps + 1))
        skills = {agent: self._ladder.skill((agent,)) for agent in begins}
        return RaceChart(
            points=points,
            above={agent: self._above(agent, begins[agent], points) for agent in begins},
            sigma={agent: skill.sigma for agent, skill in skills.items() if skill},
            matches={agent: skill.matches for agent, skill in skills.items() if skill},
        )

    def _above(self, agent: str, begin: int, points: tuple[int, ...]) -> tuple[float | None, ...]:
        course = self._courses[agent]
        values: list[float | None] = []
        for point in points:
            if point < begin:
                values.append(None)
            else:
                mu = course.mu[bisect_right(course.at, point) - 1]
                values.append(mu - self._means[point - 1])
        return tuple(values)


def add_to_races(races: dict[str | None, Race], record: MatchRecord, *, single_game: bool) -> None:
    """Rates the next match in the race of all games, by None, and in that of its game.

    With a single game both are one race.
    """
    whole = races.setdefault(None, Race())
    whole.add(record)
    own = races.setdefault(record.game, whole if single_game else Race())
    if own is not whole:
        own.add(record)
