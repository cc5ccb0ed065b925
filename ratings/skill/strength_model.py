"""The strength model: its parameters, design and fit, for the outcomes of some games.

P(first above second) = Φ(offset of first's position - offset of second's + mean skill of first
- mean skill of second). ``strength.py`` makes strengths and ranks of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, repeat
from math import fsum, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.counted import Counted, Finished
from parlour.ratings.skill.paired_outcomes import (
    WIN,
    GameOutcomes,
    PairedOutcome,
    match_outcomes,
    paired_outcomes,
)
from parlour.ratings.skill.strength import Strength, Strengths
from parlour.ratings.statistics.clusters import Clusters
from parlour.ratings.statistics.intervals import AGREE, FEWEST_CLUSTERS, Floats, Spread, combined
from parlour.ratings.statistics.probit import Probit
from parlour.ratings.statistics.simultaneous import above

AGENT_SD, GAME_SD, ROLE_SD, POSITION_SD = 1.0, 0.3, 0.3, 1.0
"""Standard deviations of the priors, on the probit scale. The prior of an agent is weak: of two
agents drawn from it, the better one wins 4 of 5 matches. The priors of games and roles are smaller,
since an agent good at one is mostly good at others; they matter where an agent has few matches."""
TOLERANCE = 1e-10
"""The estimate has converged when no parameter moves by more than this."""
Parameter = tuple[str, ...]
"""("position", game, position), ("agent", agent), ("game", game, agent) or ("role", game, role,
agent)."""
_SD = {"agent": AGENT_SD, "game": GAME_SD, "role": ROLE_SD, "position": POSITION_SD}
WeightedSum = Sequence[tuple[Parameter, float]]
"""A linear combination of parameters."""


class StrengthModel:
    """The model of the outcomes of some games.

    ``held`` has the values of parameters that are not estimated. ``kinds`` counts the kinds of
    cluster of all games, one game after the other, and ``index`` has the place of each parameter
    that is estimated.
    """

    def __init__(
        self, games: Mapping[str, GameOutcomes], held: Mapping[Parameter, float] | None = None
    ) -> None:
        self._games, self._held = games, held or {}
        self.agents = sorted(set(chain.from_iterable(game.agents for game in games.values())))
        free = sorted(self._parameters() - self._held.keys())
        self.index = {each: index for index, each in enumerate(free)}
        self.kinds = sum(len(game.kinds) for game in games.values())
        rows, scale, offsets = [], [], []
        for name, game in games.items():
            rows += [self._row(name, outcome) for outcome in game.outcomes]
            offsets += [self._offset(name, outcome) for outcome in game.outcomes]
            # All pairs of a match together weigh as much as one win.
            scale += [outcome.pairs * WIN for outcome in game.outcomes]
        precision = np.array([_SD[parameter[0]] ** -2 for parameter in self.index])
        self.probit = Probit(rows, np.array(scale), precision, np.array(offsets))
        self._table = _table_of_points(list(games.values()))

    def points(self, weights: NDArray[np.int64]) -> Floats:
        """Returns points won and lost (sets, 2 rows) of weights of kinds (sets, kinds)."""
        sums: Floats = weights @ self._table
        return sums

    def points_of_kinds(self) -> Floats:
        """Returns the points won and lost of each kind of cluster (kinds, 2 rows)."""
        points: Floats = self._table.toarray()
        return points

    def left_out(self, mode: Floats, covariance: Floats) -> list[tuple[Floats, int]]:
        """Returns how the mode moves without one cluster, and the number of clusters, of each game.

        Rows are kinds of cluster, weighted so that their outer products sum up to the covariance
        of the mode by the jackknife. Games are strata.
        """
        result, end, weights = [], 0, self.all_matches()
        for game in self._games.values():
            begin, end = end, end + len(game.kinds)
            own, table = weights[begin:end], self._table[begin:end]
            count = int(own.sum())
            if count < 2:  # nothing stands for it
                result.append((np.zeros((1, len(mode))), count))
                continue
            moves = self.probit.left_out(table, own, mode, covariance)
            result.append((moves * np.sqrt(own * ((count - 1) / count))[:, np.newaxis], count))
        return result

    def all_matches(self) -> NDArray[np.int64]:
        """Returns the weights with which every match counts once."""
        games = self._games.values()
        return np.concatenate(
            [np.bincount(game.clusters, minlength=len(game.kinds)) for game in games]
        )

    def fit(self, weights: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Returns the mode (parameters) for weights of the kinds, and the posterior covariance."""
        start = np.zeros(len(self.index))
        mode, hessian = self.probit.mode(self.points(weights[np.newaxis]), start, TOLERANCE)
        return mode[0], np.linalg.inv(hessian[0])

    def error(self, mode: Floats, covariance: Floats) -> Floats:
        """Returns the covariance of the mode if all matches are independent.

        It is that of the posterior (given), less the variance within matches: of a score y in
        [0, 1] with mean p the variance is p (1 - p) - E[y (1 - y)], so a draw takes a quarter.
        """
        within: list[float] = []
        for game in self._games.values():
            within += [game.within[outcome] for outcome in game.outcomes]
        points = self.points(self.all_matches()[np.newaxis])
        trials = points.reshape(-1, 2).sum(axis=1) / WIN
        chances = self.probit.chances(mode)
        left = 1 - np.array(within) / (trials * chances * (1 - chances))
        hessian = self.probit.hessian(points * np.repeat(left, 2), mode)
        error: Floats = covariance @ hessian @ covariance
        return error

    def probabilities(self, mode: Floats) -> dict[tuple[str, PairedOutcome], float]:
        """Returns the probability that the first party is above the second, by game and outcome."""
        outcomes: list[tuple[str, PairedOutcome]] = []
        for name, game in self._games.items():
            outcomes += [(name, outcome) for outcome in game.outcomes]
        return dict(zip(outcomes, map(float, self.probit.chances(mode)), strict=True))

    def overall_skills(self) -> dict[str, WeightedSum]:
        """Returns each agent's mean skill over the games, in each game over its roles."""
        skills: dict[str, dict[Parameter, float]] = {agent: {} for agent in self.agents}
        for name, game in self._games.items():
            for role in game.roles:
                share = 1 / len(self._games) / len(game.roles)
                for agent, skill in skills.items():
                    for parameter in self._skill(name, role, agent):
                        skill[parameter] = skill.get(parameter, 0.0) + share
        return {agent: list(skill.items()) for agent, skill in skills.items()}

    def role_skills(self, game: str, role: str) -> dict[str, WeightedSum]:
        """Returns each agent's skill in one role."""
        return {
            agent: list(zip(self._skill(game, role, agent), repeat(1.0))) for agent in self.agents
        }

    def _parameters(self) -> set[Parameter]:
        parameters: set[Parameter] = set()
        for name, game in self._games.items():
            parameters |= {("position", name, position) for position in game.positions}
            for role in game.roles:
                for agent in self.agents:
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
        for parameter, weight in self._signed_terms(game, outcome):
            if parameter in self.index:
                index = self.index[parameter]
                row[index] = row.get(index, 0.0) + weight
        # Terms of an agent on both sides may cancel but for rounding.
        return {index: weight for index, weight in sorted(row.items()) if abs(weight) > 1e-9}

    def _offset(self, game: str, outcome: PairedOutcome) -> float:
        """Returns the part of the first party's advantage that is held."""
        terms = self._signed_terms(game, outcome)
        return fsum(weight * self._held.get(parameter, 0.0) for parameter, weight in terms)

    def _signed_terms(self, game: str, outcome: PairedOutcome) -> Iterator[tuple[Parameter, float]]:
        """Yields the terms of the first party, then those of the second with negative weights."""
        for party, sign in ((outcome.first, 1.0), (outcome.second, -1.0)):
            yield ("position", game, party.position), sign
            for (role, agent), seats in party.seats:
                for parameter in self._skill(game, role, agent):
                    yield parameter, sign * (seats / party.size)

    def dense(self, weighted: WeightedSum) -> Floats:
        """Returns the weights of a sum of parameters, one for each parameter."""
        row = np.zeros(len(self.index))
        for parameter, weight in weighted:
            row[self.index[parameter]] += weight
        return row


def _table_of_points(games: Sequence[GameOutcomes]) -> Any:
    """Returns points won and lost of each outcome (columns) in each kind of cluster (rows)."""
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
    return block_diag(blocks, format="csr")


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
        self._error = self.model.error(self._mode, self._covariance)

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
        """Returns the error of a sum of parameters by the jackknife, and that by the model.

        The jackknife sees the correlation within clusters, but no variance where all clusters
        agree, as among few matches; the model sees the reverse. The larger one counts.
        """
        least = max(0.0, float(row @ self._error @ row)) ** 0.5
        games = []
        for moves, count in self._left_out:
            moved = moves @ row
            if count < 2:  # nothing shows its spread
                return Spread(0.0, 0, least)
            games.append(Spread(float(moved @ moved) ** 0.5, count - 1))
        spread = combined(games)
        posterior = float(row @ self._covariance @ row) ** 0.5
        agree = spread.se < AGREE * posterior
        return spread._replace(least=posterior if agree else least)

    def _matches(self, agents: Mapping[str, object], role: str | None) -> dict[str, int]:
        """Returns how many matches rate each agent, for those with any."""
        matches = {}
        for agent in agents:
            key = (role, agent) if role else agent
            count = sum(game.matches.get(key, 0) for game in self._games.values())
            if count:
                matches[agent] = count
        return matches


LEAST = 1e-12
"""The least probability, so that its logarithm is finite."""


def surprises(matches: Counted, clusters: Clusters) -> Iterator[tuple[MatchRecord, float]]:
    """Yields a match of each kind of result, with the bits of surprise in it.

    They are -log2 of the probability of its paired outcomes, on average over these; a draw is
    half of each. The model is the one that ranks agents, fitted to all of the matches, so that
    a match also speaks for itself.
    """
    games = paired_outcomes(matches, clusters)
    if not games:
        return
    model = StrengthModel(games)
    mode, _covariance = model.fit(model.all_matches())
    probabilities = model.probabilities(mode)
    for record, _number, _clusters in matches.alike(clusters):
        game = find_game(record.game, f"match {record.number}")
        outcomes = match_outcomes(record, game) if record.game in games else ()
        bits = 0.0
        for outcome, points in outcomes:
            probability = probabilities[record.game, outcome]
            for share, chance in ((points, probability), (WIN - points, 1 - probability)):
                bits -= share / WIN * log2(max(LEAST, chance))
        if outcomes:
            yield record, bits / len(outcomes)
