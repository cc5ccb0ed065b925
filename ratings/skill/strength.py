"""Strength: how good an agent is over the games and roles of a tournament.

One probit model of all paired outcomes:

    P(first above second) = Φ(offset of first's position - offset of second's
                              + mean skill of first - mean skill of second)

A skill is agent + agent x game + agent x role, each with a normal prior around 0 (Thurstone 1927,
with priors). The estimate is the posterior mode, found by Newton's method on counts, so that the
order of the matches cannot matter. Errors are cluster-robust, by a jackknife over clusters (CRV3).
Ranks come from the differences of all pairs, simultaneously (``statistics/simultaneous.py``).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from parlour.ratings.counting.counted import Finished
from parlour.ratings.skill.paired_outcomes import GameOutcomes, paired_outcomes
from parlour.ratings.skill.strength_model import Parameter, StrengthModel, WeightedSum
from parlour.ratings.statistics.clusters import Clusters
from parlour.ratings.statistics.intervals import FEWEST_CLUSTERS, Floats, Spread, combined
from parlour.ratings.statistics.simultaneous import above


@dataclass(frozen=True, slots=True)
class Strength:
    """An agent's strength: value, standard error, ends of the 95 % interval, and rank.

    ``se``, ``low`` and ``high`` are None with too few clusters. ``rank`` is 1 + the number of
    agents that are significantly better, ``last_rank`` the number of agents less those that are
    significantly worse; no agent's is false in 95 % of all leaderboards. ``matches`` are those that
    rate the agent.
    """

    value: float
    se: float | None
    low: float | None
    high: float | None
    matches: int
    rank: int
    last_rank: int

    @property
    def half(self) -> float | None:
        """Half the width of the interval."""
        return None if self.high is None else self.high - self.value


@dataclass(frozen=True, slots=True)
class Strengths:
    """Strengths by agent, by (game, agent) and by (game, role, agent).

    Those of a game and its roles come from the matches of that game alone.
    """

    overall: dict[str, Strength] = field(default_factory=dict)
    by_game: dict[tuple[str, str], Strength] = field(default_factory=dict)
    by_role: dict[tuple[str, str, str], Strength] = field(default_factory=dict)


def strengths(matches: Finished, clusters: Clusters | None = None) -> Strengths:
    """Returns the strengths of all agents that met another; any order of matches gives the same.

    ``clusters`` are those of the matches, if they are known already.
    """
    games = paired_outcomes(matches, clusters)
    result = Strengths()
    for name, game in games.items():
        fit = Fit({name: game})
        in_game = fit.strengths(fit.model.overall_skills())
        for agent, strength in in_game.items():
            result.by_game[name, agent] = strength
        for role in game.roles:
            in_role = fit.strengths(fit.model.role_skills(name, role), role)
            for agent, strength in in_role.items():
                result.by_role[name, role, agent] = strength
        if len(games) == 1:
            result.overall.update(in_game)
    if len(games) > 1:
        fit = Fit(games)
        result.overall.update(fit.strengths(fit.model.overall_skills()))
    return result


class Fit:
    """The model fitted to the outcomes of some games, with its errors.

    ``held`` has the values of parameters that are not estimated.
    """

    def __init__(
        self, games: Mapping[str, GameOutcomes], held: Mapping[Parameter, float] | None = None
    ) -> None:
        self._games = games
        self.model = StrengthModel(games, held)
        self._mode, self._covariance = self.model.fit(self.model.all_matches())
        self._left_out = self.model.left_out(self._mode, self._covariance)

    def strengths(
        self, skills: Mapping[str, WeightedSum], role: str | None = None
    ) -> dict[str, Strength]:
        """Returns the strengths of the agents that met others, from the skill of each agent."""
        matches = self._matches(skills, role)
        if len(matches) < 2:
            return {}
        rows = np.array([self.model.dense(skills[agent]) for agent in matches])
        # Only differences of skills are identified, so strength is relative to the mean agent.
        rows -= rows.mean(axis=0)
        values = rows @ self._mode
        better = np.zeros((len(matches), len(matches)), dtype=np.bool_)
        counts = [count for _, count in self._left_out]
        if min(counts) > 1 and sum(counts) - len(counts) >= FEWEST_CLUSTERS - 1:
            errors = []
            for moves, n in self._left_out:
                moved: Floats = moves @ rows.T
                errors.append((moved.T @ moved, n - 1))
            better = above(values, errors, rows @ self._covariance @ rows.T)
        strengths = {}
        for i, (agent, count) in enumerate(matches.items()):
            value, spread = float(values[i]), self._spread(rows[i])
            se = low = high = None
            if (half := spread.half) is not None:
                se, low, high = max(spread.se, spread.least), value - half, value + half
            rank = 1 + int(better[:, i].sum())
            last_rank = len(matches) - int(better[i].sum())
            strengths[agent] = Strength(value, se, low, high, count, rank, last_rank)
        return strengths

    def estimate(self, skill: WeightedSum) -> tuple[float, Spread]:
        """Returns a sum of parameters and its error."""
        row = self.model.dense(skill)
        return float(row @ self._mode), self._spread(row)

    def _spread(self, row: Floats) -> Spread:
        """Returns the error of a sum of parameters by the jackknife, and that by the posterior.

        The jackknife sees the correlation within clusters, but no variance where all clusters
        agree, as among few matches; the posterior sees the reverse. The larger one counts.
        """
        least = float(row @ self._covariance @ row) ** 0.5
        games = []
        for moves, count in self._left_out:
            moved = moves @ row
            if count < 2:  # nothing shows its spread
                return Spread(0.0, 0, least)
            games.append(Spread(float(moved @ moved) ** 0.5, count - 1))
        return combined(games)._replace(least=least)

    def _matches(self, agents: Mapping[str, object], role: str | None) -> dict[str, int]:
        """Returns how many matches rate each agent, for those with any."""
        matches = {}
        for agent in agents:
            key = (role, agent) if role else agent
            count = sum(game.matches.get(key, 0) for game in self._games.values())
            if count:
                matches[agent] = count
        return matches
