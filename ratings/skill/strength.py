"""Strength: how good an agent is over the games and roles of a tournament.

One probit model of all paired outcomes:

    P(first above second) = Φ(offset of first's position - offset of second's
                              + mean skill of first - mean skill of second)

A skill is agent + agent x game + agent x role, each with a normal prior around 0 (Thurstone 1927,
with priors). The estimate is the posterior mode, found by Newton's method on counts, so that the
order of the matches cannot matter. Ranks come from pairwise differences, as in Mogstad, Romano,
Shaikh and Wilhelm 2024.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from parlour.ratings.counting.counted import Finished
from parlour.ratings.skill.paired_outcomes import GameOutcomes, paired_outcomes
from parlour.ratings.skill.strength_model import Parameter, StrengthModel, WeightedSum
from parlour.ratings.statistics.clusters import Clusters
from parlour.ratings.statistics.intervals import DRAWS, Floats, Z

DRAW_TOLERANCE = 1e-2
"""The same for a bootstrap draw. Newton's method converges quadratically, so the error left is of
the order of this squared, far below the standard error that the draws estimate."""
ONE_STEP_PARAMETERS = 200
"""With more parameters than this (nine games of twelve agents have about as many), a draw takes
one Newton step with the Hessian of all matches: to fit each draw would take minutes, and the larger
of this spread and the model's own is taken anyway."""
BATCH_NUMBERS = 2_000_000
"""Size of the largest array of a batch of draws, which bounds the memory."""


@dataclass(frozen=True, slots=True)
class Strength:
    """An agent's strength: value, standard error, ends of the 95 % interval, and rank.

    ``rank`` is 1 + the number of agents that are significantly better, ``last_rank`` the number
    of agents less those that are significantly worse. ``matches`` are those that rate the agent.
    """

    value: float
    se: float
    low: float
    high: float
    matches: int
    rank: int
    last_rank: int


@dataclass(frozen=True, slots=True)
class Strengths:
    """Strengths by agent, by (game, agent) and by (game, role, agent).

    Those of a game and its roles come from the matches of that game alone.
    """

    overall: dict[str, Strength] = field(default_factory=dict)
    by_game: dict[tuple[str, str], Strength] = field(default_factory=dict)
    by_role: dict[tuple[str, str, str], Strength] = field(default_factory=dict)


def strengths(matches: Finished, draws: int = DRAWS, clusters: Clusters | None = None) -> Strengths:
    """Returns the strengths of all agents that met another; any order of matches gives the same.

    ``clusters`` are those of the matches, if they are known already.
    """
    games = paired_outcomes(matches, clusters)
    result = Strengths()
    for name, game in games.items():
        fit = Fit({name: game}, draws)
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
        fit = Fit(games, draws)
        result.overall.update(fit.strengths(fit.model.overall_skills()))
    return result


class Fit:
    """The model fitted to the outcomes of some games, and to their bootstrap draws.

    ``held`` has the values of parameters that are not estimated.
    """

    def __init__(
        self,
        games: Mapping[str, GameOutcomes],
        draws: int,
        held: Mapping[Parameter, float] | None = None,
    ) -> None:
        self._games = games
        self.model = StrengthModel(games, held)
        self._mode, self._covariance = self.model.fit(self.model.all_matches())
        self._draws = np.concatenate(list(self._bootstrap(draws)))

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
        covariances = self._covariances(rows)
        se = np.sqrt(np.max([np.diag(each) for each in covariances], axis=0))
        se_differences = np.sqrt(
            np.max([_variances_of_differences(each) for each in covariances], axis=0)
        )
        # better[i, j]: agent i is significantly better than agent j.
        better = values[:, np.newaxis] - values > Z * se_differences
        return {
            agent: Strength(
                value=float(values[i]),
                se=float(se[i]),
                low=float(values[i] - Z * se[i]),
                high=float(values[i] + Z * se[i]),
                matches=matches[agent],
                rank=1 + int(better[:, i].sum()),
                last_rank=len(matches) - int(better[i].sum()),
            )
            for i, agent in enumerate(matches)
        }

    def estimate(self, skill: WeightedSum) -> tuple[float, float]:
        """Returns a sum of parameters and its standard error."""
        row = self.model.dense(skill)[np.newaxis]
        error = max(float(each[0, 0]) for each in self._covariances(row)) ** 0.5
        return float((row @ self._mode)[0]), error

    def _covariances(self, rows: Floats) -> tuple[Floats, Floats]:
        """Returns the covariance of some sums of parameters by the bootstrap and the posterior.

        The bootstrap sees the correlation within clusters, but no variance where all draws agree,
        as among few matches; the posterior sees the reverse. The larger one counts.
        """
        drawn = np.atleast_2d(np.cov(self._draws @ rows.T, rowvar=False))
        return drawn, rows @ self._covariance @ rows.T

    def _matches(self, agents: Mapping[str, object], role: str | None) -> dict[str, int]:
        """Returns how many matches rate each agent, for those with any."""
        matches = {}
        for agent in agents:
            key = (role, agent) if role else agent
            count = sum(game.matches.get(key, 0) for game in self._games.values())
            if count:
                matches[agent] = count
        return matches

    def _bootstrap(self, draws: int) -> Iterator[Floats]:
        """Yields the modes of the draws in batches (draws, parameters).

        Each draw takes of each game as many clusters as it has, with replacement.
        """
        generator = np.random.Generator(np.random.PCG64(0))
        games = [(np.array(game.clusters), len(game.kinds)) for game in self._games.values()]

        def weights() -> NDArray[np.int64]:
            """Draws the number of times that each kind of cluster of each game is taken."""
            # Stratified by game: every draw has all games, so that no skill loses its data.
            drawn = []
            for clusters, kinds in games:
                taken = clusters[generator.integers(len(clusters), size=len(clusters))]
                drawn.append(np.bincount(taken, minlength=kinds))
            return np.concatenate(drawn)

        # A full fit needs a Hessian (parameters squared) for each draw, one step only a gradient.
        model = self.model.probit
        one_step = len(self.model.index) > ONE_STEP_PARAMETERS
        size = len(self.model.index) ** (1 if one_step else 2)
        per_draw = max(size, sum(kinds for _, kinds in games), model.rows)
        batch = max(1, BATCH_NUMBERS // per_draw)
        for done in range(0, draws, batch):
            drawn = self.model.points(
                np.array([weights() for _ in range(min(batch, draws - done))])
            )
            if one_step:
                yield model.one_step(drawn, self._mode, self._covariance)
            else:
                yield model.mode(drawn, self._mode, DRAW_TOLERANCE)[0]


def _variances_of_differences(covariance: Floats) -> Floats:
    """Returns the variance of the difference of every two agents, never below 0 by rounding."""
    own = np.diag(covariance)
    variances: Floats = np.maximum(own[:, np.newaxis] + own - 2 * covariance, 0.0)
    return variances
