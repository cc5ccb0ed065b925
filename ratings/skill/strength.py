"""Strength: how good an agent is over the games and roles of a tournament.

One probit model of all paired outcomes:

    P(first above second) = Φ(offset of first's position - offset of second's
                              + mean skill of first - mean skill of second)

A skill is agent + agent x game + agent x role, each with a normal prior around 0 (Thurstone 1927,
with priors). The estimate is the posterior mode, found by Newton's method on counts, so that the
order of the matches cannot matter. Ranks come from pairwise differences, as in Mogstad, Romano,
Shaikh and Wilhelm 2024.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from parlour.ratings.counting.counted import Finished
from parlour.ratings.skill.paired_outcomes import (
    WIN,
    GameOutcomes,
    PairedOutcome,
    Party,
    paired_outcomes,
)
from parlour.ratings.statistics.clusters import Clusters
from parlour.ratings.statistics.intervals import DRAWS, Floats, Z
from parlour.ratings.statistics.probit import Probit

AGENT_SD, GAME_SD, ROLE_SD, POSITION_SD = 1.0, 0.3, 0.3, 1.0
"""Standard deviations of the priors, on the probit scale. The prior of an agent is weak: of two
agents drawn from it, the better one wins 4 of 5 matches. The priors of games and roles are smaller,
since an agent good at one is mostly good at others; they matter where an agent has few matches."""
TOLERANCE = 1e-10
"""The estimate has converged when no parameter moves by more than this."""
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
        in_game = fit.strengths(fit.overall_skills())
        for agent, strength in in_game.items():
            result.by_game[name, agent] = strength
        for role in game.roles:
            in_role = fit.strengths(fit.role_skills(name, role), role)
            for agent, strength in in_role.items():
                result.by_role[name, role, agent] = strength
        if len(games) == 1:
            result.overall.update(in_game)
    if len(games) > 1:
        fit = Fit(games, draws)
        result.overall.update(fit.strengths(fit.overall_skills()))
    return result


Parameter = tuple[str, ...]
"""("position", game, position), ("agent", agent), ("game", game, agent) or ("role", game, role,
agent)."""
_SD = {"agent": AGENT_SD, "game": GAME_SD, "role": ROLE_SD, "position": POSITION_SD}
_Points = Callable[[NDArray[np.int64]], Floats]
"""From weights (draws, kinds of cluster) to points won and lost (draws, 2 rows)."""
_WeightedSum = Sequence[tuple[Parameter, float]]
"""A linear combination of parameters."""


class Fit:
    """The model fitted to the outcomes of some games, and to their bootstrap draws."""

    def __init__(self, games: Mapping[str, GameOutcomes], draws: int) -> None:
        self._games = games
        self._agents = sorted(set(chain.from_iterable(game.agents for game in games.values())))
        self._index = {each: index for index, each in enumerate(sorted(self._parameters()))}
        rows, scale = [], []
        for name, game in games.items():
            rows += [self._row(name, outcome) for outcome in game.outcomes]
            # All pairs of a match together weigh as much as one win.
            scale += [outcome.pairs * WIN for outcome in game.outcomes]
        precision = np.array([_SD[parameter[0]] ** -2 for parameter in self._index])
        self._model = Probit(rows, np.array(scale), precision)
        points = _points(list(games.values()))
        counts = [np.bincount(game.clusters, minlength=len(game.kinds)) for game in games.values()]
        start = np.zeros(len(self._index))
        all_matches = points(np.concatenate(counts)[np.newaxis])
        self._mode, hessian = self._model.mode(all_matches, start, TOLERANCE)
        self._covariance = np.linalg.inv(hessian[0])
        self._draws = np.concatenate(list(self._bootstrap(points, draws)))

    def strengths(
        self, skills: Mapping[str, _WeightedSum], role: str | None = None
    ) -> dict[str, Strength]:
        """Returns the strengths of the agents that met others, from the skill of each agent."""
        matches = self._matches(skills, role)
        if len(matches) < 2:
            return {}
        rows = np.array([self._dense(skills[agent]) for agent in matches])
        # Only differences of skills are identified, so strength is relative to the mean agent.
        rows -= rows.mean(axis=0)
        values = rows @ self._mode[0]
        # The bootstrap sees the correlation within clusters, but no variance where all draws
        # agree, as among few matches; the posterior sees the reverse. The larger one counts.
        covariances = (
            np.cov(self._draws @ rows.T, rowvar=False),
            rows @ self._covariance @ rows.T,
        )
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

    def probabilities(self) -> dict[tuple[str, PairedOutcome], float]:
        """Returns the probability that the first party is above the second, by game and outcome."""
        from scipy.special import ndtr

        shares: dict[tuple[str, PairedOutcome], float] = {}
        for name, game in self._games.items():
            for outcome in game.outcomes:
                row = self._row(name, outcome).items()
                eta = sum(weight * self._mode[0][index] for index, weight in row)
                shares[name, outcome] = float(ndtr(eta))
        return shares

    def _matches(self, agents: Mapping[str, object], role: str | None) -> dict[str, int]:
        """Returns how many matches rate each agent, for those with any."""
        matches = {}
        for agent in agents:
            key = (role, agent) if role else agent
            count = sum(game.matches.get(key, 0) for game in self._games.values())
            if count:
                matches[agent] = count
        return matches

    def overall_skills(self) -> dict[str, _WeightedSum]:
        """Returns each agent's mean skill over the games, in each game over its roles."""
        skills: dict[str, dict[Parameter, float]] = {agent: {} for agent in self._agents}
        for name, game in self._games.items():
            for role in game.roles:
                share = 1 / len(self._games) / len(game.roles)
                for agent, skill in skills.items():
                    for parameter in self._skill(name, role, agent):
                        skill[parameter] = skill.get(parameter, 0.0) + share
        return {agent: list(skill.items()) for agent, skill in skills.items()}

    def role_skills(self, game: str, role: str) -> dict[str, _WeightedSum]:
        """Returns each agent's skill in one role."""

        def skill(agent: str) -> _WeightedSum:
            return [(parameter, 1.0) for parameter in self._skill(game, role, agent)]

        return {agent: skill(agent) for agent in self._agents}

    def _parameters(self) -> set[Parameter]:
        parameters: set[Parameter] = set()
        for name, game in self._games.items():
            parameters |= {("position", name, position) for position in game.positions}
            for role in game.roles:
                for agent in self._agents:
                    parameters.update(self._skill(name, role, agent))
        return parameters

    def _skill(self, game: str, role: str, agent: str) -> Iterator[Parameter]:
        """Yields the terms of a skill. A single game or role has no term of its own."""
        yield "agent", agent
        if len(self._games) > 1:
            yield "game", game, agent
        if len(self._games[game].roles) > 1:
            yield "role", game, role, agent

    def _row(self, game: str, outcome: PairedOutcome) -> dict[int, float]:
        """Returns the design row of a paired outcome: weights by parameter index."""
        row: dict[int, float] = {}
        for party, sign in ((outcome.first, 1.0), (outcome.second, -1.0)):
            for parameter, weight in self._terms(game, party):
                index = self._index[parameter]
                row[index] = row.get(index, 0.0) + sign * weight
        # Terms of an agent on both sides may cancel but for rounding.
        return {index: weight for index, weight in sorted(row.items()) if abs(weight) > 1e-9}

    def _terms(self, game: str, party: Party) -> Iterator[tuple[Parameter, float]]:
        """Yields the offset of a party's position, and its skills weighted by their seats."""
        yield ("position", game, party.position), 1.0
        for (role, agent), seats in party.seats:
            for parameter in self._skill(game, role, agent):
                yield parameter, seats / party.size

    def _dense(self, weighted: _WeightedSum) -> Floats:
        row = np.zeros(len(self._index))
        for parameter, weight in weighted:
            row[self._index[parameter]] += weight
        return row

    def _bootstrap(self, points: _Points, draws: int) -> Iterator[Floats]:
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
        one_step = len(self._index) > ONE_STEP_PARAMETERS
        size = len(self._index) ** (1 if one_step else 2)
        per_draw = max(size, sum(kinds for _, kinds in games), self._model.rows)
        batch = max(1, BATCH_NUMBERS // per_draw)
        for done in range(0, draws, batch):
            drawn = points(np.array([weights() for _ in range(min(batch, draws - done))]))
            if one_step:
                yield self._model.one_step(drawn, self._mode[0], self._covariance)
            else:
                yield self._model.mode(drawn, self._mode[0], DRAW_TOLERANCE)[0]


def _variances_of_differences(covariance: Floats) -> Floats:
    """Returns the variance of the difference of every two agents, never below 0 by rounding."""
    own = np.diag(covariance)
    variances: Floats = np.maximum(own[:, np.newaxis] + own - 2 * covariance, 0.0)
    return variances


def _points(games: Sequence[GameOutcomes]) -> _Points:
    """Returns the function from weights of the kinds of cluster to points of each outcome."""
    from scipy.sparse import block_diag, csr_array

    blocks = []
    for game in games:
        column = {outcome: 2 * i for i, outcome in enumerate(game.outcomes)}
        entries = []
        for kind, counts in enumerate(game.kinds):
            for outcome, (won, lost) in counts.items():
                entries += [(kind, column[outcome], won), (kind, column[outcome] + 1, lost)]
        rows, columns, values = np.array(entries).T
        shape = (len(game.kinds), 2 * len(game.outcomes))
        blocks.append(csr_array((values.astype(np.float64), (rows, columns)), shape=shape))
    table = block_diag(blocks, format="csr")

    def weighted(weights: NDArray[np.int64]) -> Floats:
        sums: Floats = weights @ table
        return sums

    return weighted
