"""Strength: how good an agent is over the games and roles of a tournament, and how surely.

One probit model of all comparisons: P(one above other) = Φ(offset of one's place - offset of
other's + mean skill of one - mean skill of other), a skill being agent + agent x game + agent x
role, each with a normal prior around 0. The estimate is the peak of the posterior, found by
Newton's method on counts, so that the order of the matches cannot matter.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from parlour.games.engine.record import MatchRecord
from parlour.ratings.skill.paired_outcomes import WIN, Compared, Comparison, Party, compared
from parlour.ratings.statistics.intervals import DRAWS, Floats, Z
from parlour.ratings.statistics.probit import Probit

AGENT_SD, GAME_SD, ROLE_SD, PLACE_SD = 1.0, 0.3, 0.3, 1.0
"""Deviations of the priors, on the probit scale. That of an agent is weak: of two agents drawn
from it the better wins 4 in 5. Those of games and roles are smaller, since an agent good at one is
mostly good at others; they matter where an agent has played little of something."""
CLOSE = 1e-10
"""The estimate stands when no parameter moves by more than this."""
CLOSE_DRAW = 1e-2
"""The same for a draw. What is left after such a step is of the order of its square, far below the
error that the draws are to show."""
MANY = 200
"""With more parameters than this (nine games of twelve agents have about as many), a draw takes
one step with the curvature of all matches: finding each peak would take minutes, and the larger
of this spread and the model's own is taken anyway."""
AT_ONCE = 2_000_000
"""Numbers in the largest array of the draws that are worked on at once."""


@dataclass(frozen=True, slots=True)
class Strength:
    """An agent's strength with its standard error, the ends of its 95 % interval, and its rank.

    ``rank`` is 1 + the number of agents that are surely better, ``last_rank`` the rank if all
    were better that are not surely worse. ``matches`` are those that tell of the agent.
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


def strengths(records: Sequence[MatchRecord], draws: int = DRAWS) -> Strengths:
    """The strengths of all agents that met another, whatever the order of the matches."""
    games = compared(records)
    found = Strengths()
    for name, game in games.items():
        fit = _Fit({name: game}, draws)
        in_game = fit.of(fit.overall())
        found.by_game.update({(name, agent): each for agent, each in in_game.items()})
        for role in game.roles:
            in_role = fit.of(fit.in_role(name, role), role)
            found.by_role.update({(name, role, agent): each for agent, each in in_role.items()})
        if len(games) == 1:
            found.overall.update(in_game)
    if len(games) > 1:
        fit = _Fit(games, draws)
        found.overall.update(fit.of(fit.overall()))
    return found


Parameter = tuple[str, ...]
"""("place", game, place), ("agent", agent), ("game", game, agent) or ("role", game, role, agent)"""
_SD = {"agent": AGENT_SD, "game": GAME_SD, "role": ROLE_SD, "place": PLACE_SD}
_Kinds = Callable[[NDArray[np.int64]], Floats]
_Weighed = Sequence[tuple[Parameter, float]]
"""Parameters that add up to something, each with its weight."""


class _Fit:
    """The model fitted to the comparisons of some games, with its draws."""

    def __init__(self, games: Mapping[str, Compared], draws: int) -> None:
        self._games = games
        self._agents = sorted({agent for game in games.values() for agent in game.agents})
        self._index = {each: place for place, each in enumerate(sorted(self._parameters()))}
        self._model = Probit(
            [self._row(game, each) for game, of in games.items() for each in of.comparisons],
            np.array([each.of * WIN for of in games.values() for each in of.comparisons]),
            np.array([_SD[each[0]] ** -2 for each in self._index]),
        )
        kinds = _kinds(list(games.values()))
        ones = [np.bincount(of.clusters, minlength=len(of.kinds)) for of in games.values()]
        everything = kinds(np.concatenate(ones)[np.newaxis])
        self._peak, curvature = self._model.peak(everything, np.zeros(len(self._index)), CLOSE)
        self._spread = np.linalg.inv(curvature[0])
        self._draws = np.concatenate(list(self._drawn(kinds, draws)))

    def of(self, skills: Mapping[str, _Weighed], role: str | None = None) -> dict[str, Strength]:
        """The strengths of those agents that met others, from how their skills add up."""
        each = [(role, agent) if role else agent for agent in skills]
        told = [sum(game.matches.get(one, 0) for game in self._games.values()) for one in each]
        matches = {agent: n for agent, n in zip(skills, told, strict=True) if n}
        if len(matches) < 2:
            return {}
        rows = np.array([self._dense(skills[agent]) for agent in matches])
        rows -= rows.mean(axis=0)
        values = rows @ self._peak[0]
        # No agent is surer than the matches would make it were they independent, nor where
        # nothing was seen to differ from draw to draw, as among few matches.
        covariances = (
            np.cov(self._draws @ rows.T, rowvar=False),
            rows @ self._spread @ rows.T,
        )
        se = np.sqrt(np.max([np.diag(each) for each in covariances], axis=0))
        apart = np.sqrt(np.max([_of_differences(each) for each in covariances], axis=0))
        better = values[:, np.newaxis] - values > Z * apart
        return {
            agent: Strength(
                float(values[i]),
                float(se[i]),
                float(values[i] - Z * se[i]),
                float(values[i] + Z * se[i]),
                matches[agent],
                1 + int(better[:, i].sum()),
                len(matches) - int(better[i].sum()),
            )
            for i, agent in enumerate(matches)
        }

    def overall(self) -> dict[str, _Weighed]:
        """Each agent's skill over the games, and the roles of each, all weighing the same."""
        skills: dict[str, dict[Parameter, float]] = {}
        for name, game in self._games.items():
            for role in game.roles:
                share = 1 / len(self._games) / len(game.roles)
                for agent in self._agents:
                    so_far = skills.setdefault(agent, {})
                    for each in self._skill(name, role, agent):
                        so_far[each] = so_far.get(each, 0.0) + share
        return {agent: list(skill.items()) for agent, skill in skills.items()}

    def in_role(self, game: str, role: str) -> dict[str, _Weighed]:
        """Each agent's skill in one role."""
        return {a: [(each, 1.0) for each in self._skill(game, role, a)] for a in self._agents}

    def _parameters(self) -> set[Parameter]:
        found: set[Parameter] = set()
        for name, game in self._games.items():
            found |= {("place", name, place) for place in game.places}
            for role in game.roles:
                found |= {each for a in self._agents for each in self._skill(name, role, a)}
        return found

    def _skill(self, game: str, role: str, agent: str) -> Iterator[Parameter]:
        """What adds up to a skill. One game or one role alone has nothing of its own."""
        yield "agent", agent
        if len(self._games) > 1:
            yield "game", game, agent
        if len(self._games[game].roles) > 1:
            yield "role", game, role, agent

    def _row(self, game: str, comparison: Comparison) -> dict[int, float]:
        """The weight of each parameter in a comparison, by its index."""
        row: dict[int, float] = {}
        for party, sign in ((comparison.one, 1.0), (comparison.other, -1.0)):
            for each, weight in self._party(game, party):
                place = self._index[each]
                row[place] = row.get(place, 0.0) + sign * weight
        return {place: weight for place, weight in sorted(row.items()) if abs(weight) > 1e-9}

    def _party(self, game: str, party: Party) -> Iterator[tuple[Parameter, float]]:
        yield ("place", game, party.place), 1.0
        for (role, agent), seats in party.seats:
            for each in self._skill(game, role, agent):
                yield each, seats / party.size

    def _dense(self, weighed: _Weighed) -> Floats:
        row = np.zeros(len(self._index))
        for each, weight in weighed:
            row[self._index[each]] += weight
        return row

    def _drawn(self, kinds: _Kinds, draws: int) -> Iterator[Floats]:
        """The peaks of the draws: of each game as many clusters as it has, with replacement."""
        dice = np.random.Generator(np.random.PCG64(0))
        clusters = [(np.array(of.clusters), len(of.kinds)) for of in self._games.values()]
        many = len(self._index) > MANY
        size = len(self._index) ** (1 if many else 2)
        most = max(size, sum(n for _, n in clusters), self._model.rows)
        at_once = max(1, AT_ONCE // most)
        for begun in range(0, draws, at_once):
            weights = [
                np.concatenate(
                    [
                        np.bincount(of[dice.integers(len(of), size=len(of))], minlength=n)
                        for of, n in clusters
                    ]
                )
                for _ in range(min(at_once, draws - begun))
            ]
            halves = kinds(np.array(weights))
            if many:
                yield self._model.step(halves, self._peak[0], self._spread)
            else:
                yield self._model.peak(halves, self._peak[0], CLOSE_DRAW)[0]


def _of_differences(covariance: Floats) -> Floats:
    """The variance of the difference of every two. (Rounding may leave less than nothing.)"""
    own = np.diag(covariance)
    found: Floats = np.maximum(own[:, np.newaxis] + own - 2 * covariance, 0.0)
    return found


def _kinds(games: Sequence[Compared]) -> _Kinds:
    """From how often each kind of cluster comes to the halves won and lost in each comparison."""
    from scipy.sparse import block_diag, csr_array

    blocks = []
    for game in games:
        place = {comparison: 2 * i for i, comparison in enumerate(game.comparisons)}
        entries = [
            (kind, place[comparison] + lost, halves)
            for kind, counts in enumerate(game.kinds)
            for comparison, both in counts.items()
            for lost, halves in enumerate(both)
        ]
        kind, column, halves = np.array(entries).T
        shape = (len(game.kinds), 2 * len(game.comparisons))
        blocks.append(csr_array((halves.astype(np.float64), (kind, column)), shape=shape))
    table = block_diag(blocks, format="csr")

    def summed(weights: NDArray[np.int64]) -> Floats:
        found: Floats = weights @ table
        return found

    return summed
