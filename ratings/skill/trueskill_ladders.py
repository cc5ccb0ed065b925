"""TrueSkill ratings: one ladder over everything, one per game and one per role.

Matches are rated in the order of their places, so the same matches always give the same ratings.
Reference: Herbrich, Minka, Graepel, "TrueSkill: a Bayesian skill rating system", 2006. Two groups
have a closed form, of the package's V and W; for more the package iterates.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache, lru_cache
from math import erfc, exp, pi, sqrt
from statistics import NormalDist

from trueskill import TrueSkill, calc_draw_margin

from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game

Player = tuple[str, ...]
"""A rated player: an agent (in a game or role), or the pseudo-player of a side."""
PSEUDO = ""
"""The agent's name in a pseudo-player; no agent has this name."""
ROOT_2, ROOT_2_PI = sqrt(2), sqrt(2 * pi)


@dataclass(slots=True)
class Skill:
    """A rating: mean and standard deviation of the skill, and the number of matches that moved it.

    A ladder changes it in place, so that kept encounters share it, and gives copies of it.
    """

    mu: float
    sigma: float
    matches: int = 0

    @property
    def conservative(self) -> float:
        """A lower bound of the skill: three standard deviations below the mean."""
        return self.mu - 3 * self.sigma


Part = tuple[Skill, float]
"""A player in a match, with its weight in its group."""
Ranked = tuple[list[list[Part]], list[float]]
"""The groups of a match, and the rank of each: the lowest is the best."""


@dataclass(slots=True)
class Skills:
    """Ratings by agent, by (game, agent) and by (game, role, agent).

    ``skipped`` counts the matches that underflowed in any of the three ladders.
    """

    overall: dict[str, Skill] = field(default_factory=dict)
    by_game: dict[tuple[str, str], Skill] = field(default_factory=dict)
    by_role: dict[tuple[str, str, str], Skill] = field(default_factory=dict)
    skipped: int = 0


def overall_ladder() -> "Ladder":
    """Returns a ladder over everything, before its first match."""
    return Ladder(lambda game, side, agent: (agent,))


State = list[tuple[Player, float, float, int]]
"""The players of a ladder, each with mu, sigma and the number of matches that moved it."""


class Ladders:
    """The ladders over everything, by game and by role, with the matches rated so far.

    With a single game, its ladder would repeat that over everything: ``several`` False.
    """

    def __init__(self, *, several: bool) -> None:
        self._overall = overall_ladder()
        self._by_game = Ladder(lambda game, side, agent: (game, agent))
        self._by_role = Ladder(lambda game, side, agent: (game, side, agent))
        self._all = [self._overall, self._by_role, *([self._by_game] if several else [])]
        self.skipped = 0

    def play(self, record: MatchRecord) -> None:
        """Rates the next match."""
        played = [ladder.play(record) for ladder in self._all]
        self.skipped += not all(played)

    def states(self) -> list[State]:
        """Returns the state of each ladder."""
        return [ladder.state() for ladder in self._all]

    def go_on_from(self, states: Sequence[State], skipped: int) -> None:
        """Continues at the states of ladders as ``states`` gave them, before any match."""
        self.skipped = skipped
        for ladder, state in zip(self._all, states, strict=True):
            ladder.go_on_from(state)

    def skills(self, games: Iterable[str]) -> Skills:
        """Returns the ratings in these games, which are all that were played."""
        agents = {agent: skill for (agent,), skill in self._overall.skills().items()}
        in_games = {(game, agent): skill for (game, agent), skill in self._by_game.skills().items()}
        if not in_games:
            for game in games:
                in_games |= {(game, agent): skill for agent, skill in agents.items()}
        in_roles = {
            (game, role, agent): skill
            for (game, role, agent), skill in self._by_role.skills().items()
        }
        return Skills(agents, in_games, in_roles, self.skipped)


@cache
def arithmetic_of(draw_probability: float) -> TrueSkill:
    """Returns the package's environment for a game: agents do not change, so tau = 0.

    The normal distribution is that of the standard library: faster than the package's own, and
    exact to the last digit, while the package's has seven digits.
    """

    def cdf(x: float) -> float:
        return erfc(-x / ROOT_2) / 2

    def pdf(x: float) -> float:
        return exp(-x * x / 2) / ROOT_2_PI

    normal = (cdf, pdf, NormalDist().inv_cdf)
    return TrueSkill(tau=0, draw_probability=draw_probability, backend=normal)


class RankedEncounter:
    """Two groups that meet, one of them ranked above the other unless both have the same rank.

    With two groups the package's iteration has a closed form (Herbrich, Minka, Graepel 2006,
    section 3 with weights): a player of weight w moves by w σ² / c × V, and its variance shrinks by
    the factor 1 - w² σ² / c² × W, where c is the standard deviation of the difference in
    performance. The package itself takes fifty times as long.
    """

    def __init__(
        self, arithmetic: TrueSkill, groups: Sequence[Sequence[Part]], ranks: Sequence[float]
    ) -> None:
        better, worse = groups if ranks[0] <= ranks[1] else (groups[1], groups[0])
        self._parts = (*better, *((rated, -weight) for rated, weight in worse))
        self._performance = arithmetic.beta**2
        self._margin = _draw_margin(arithmetic, len(self._parts))
        level = ranks[0] == ranks[1]
        self._v = arithmetic.v_draw if level else arithmetic.v_win
        self._w = arithmetic.w_draw if level else arithmetic.w_win

    def play(self) -> bool:
        """Moves the ratings of all players. Returns False, and moves none, on underflow."""
        variance, lead = 0.0, 0.0
        for rated, weight in self._parts:
            variance += weight * weight * (rated.sigma**2 + self._performance)
            lead += weight * rated.mu
        c = sqrt(variance)
        try:
            v, w = self._v(lead / c, self._margin / c), self._w(lead / c, self._margin / c)
        except FloatingPointError:
            return False
        if w >= 1:  # by the rounding of tiny differences
            return False
        for rated, weight in self._parts:
            sigma = rated.sigma
            pull = weight * sigma / c
            rated.mu += pull * sigma * v
            rated.sigma = sigma * sqrt(1 - pull * pull * w)
            rated.matches += 1
        return True


@cache
def _draw_margin(arithmetic: TrueSkill, size: int) -> float:
    """Returns the package's draw margin for a match of so many players."""
    return float(calc_draw_margin(arithmetic.draw_probability, size, arithmetic))


def net_shares(record: MatchRecord) -> Mapping[str, Mapping[str, float]]:
    """Returns each agent's weight on each side, by side.

    A seat weighs 1 / (size of its side). An agent on both sides plays only for the side where it
    has more weight, with the difference.
    """
    return _net_shares(record.agents, record.outcome.sides)


@lru_cache(maxsize=4096)  # a tournament repeats its seatings
def _net_shares(agents: tuple[str, ...], sides: tuple[str, ...]) -> dict[str, dict[str, float]]:
    shares: dict[str, dict[str, float]] = {side: defaultdict(float) for side in sorted(set(sides))}
    for agent, side in zip(agents, sides, strict=True):
        shares[side][agent] += 1 / sides.count(side)
    net: dict[str, dict[str, float]] = {side: {} for side in shares}
    for side, weights in shares.items():
        for agent, share in weights.items():
            elsewhere = sum(shares[other].get(agent, 0.0) for other in shares if other != side)
            if share - elsewhere > 1e-9:  # equal shares may differ by rounding
                net[side][agent] = share - elsewhere
    return net


def mean_payoffs(record: MatchRecord) -> dict[str, float]:
    """Returns each agent's mean payoff over its seats, sorted by name, without built-in seats."""
    payoffs: dict[str, list[float]] = defaultdict(list)
    for agent, payoff in zip(record.agents, record.outcome.payoffs, strict=True):
        if agent != BUILT_IN:
            payoffs[agent].append(payoff)
    return {agent: sum(values) / len(values) for agent, values in sorted(payoffs.items())}


class Ladder:
    """Ratings of the players that ``player`` makes of game, side or role, and agent.

    The encounters of two groups are kept, since a tournament repeats them.
    """

    def __init__(self, player: Callable[[str, str, str], Player]) -> None:
        self._player = player
        self._ratings: dict[Player, Skill] = {}
        self._encounters: dict[tuple[object, ...], RankedEncounter | None] = {}

    def skills(self) -> dict[Player, Skill]:
        """Returns the ratings of agents, without pseudo-players."""
        return {
            player: copy(rated)
            for player, rated in sorted(self._ratings.items())
            if rated.matches and player[0] != PSEUDO
        }

    def state(self) -> State:
        """Returns the ratings of all players, with which another ladder can go on."""
        return [
            (player, rated.mu, rated.sigma, rated.matches)
            for player, rated in sorted(self._ratings.items())
        ]

    def go_on_from(self, state: State) -> None:
        """Takes the ratings of another ladder, before the first match of this one."""
        self._ratings = {player: Skill(mu, sigma, matches) for player, mu, sigma, matches in state}

    def skill(self, player: Player) -> Skill | None:
        """Returns the rating of a player, None before its first rated match."""
        rated = self._ratings.get(player)
        return copy(rated) if rated is not None and rated.matches else None

    def play(self, record: MatchRecord) -> bool:
        """Rates one match. Returns False if it underflowed and is skipped."""
        outcome = record.outcome
        seated = (
            *(record.game, record.agents, outcome.roles, outcome.sides),
            *(outcome.winners, outcome.payoffs),
        )
        if seated in self._encounters:
            encounter = self._encounters[seated]
            return encounter is None or encounter.play()
        game = find_game(record.game, f"match {record.number}")
        if game.scoring.rated == "none":
            return True
        arithmetic = arithmetic_of(game.scoring.draw_probability)
        if game.scoring.rated == "payoff":
            groups, ranks = self._by_payoff(record, arithmetic)
        else:
            groups, ranks = self._by_side(record, arithmetic)
        if len(groups) > 2:
            return _play_many(arithmetic, groups, ranks)
        encounter = RankedEncounter(arithmetic, groups, ranks) if groups else None
        self._encounters[seated] = encounter
        return encounter is None or encounter.play()

    def _rated(self, player: Player, arithmetic: TrueSkill) -> Skill:
        """Returns the rating of a player, that of a new one before its first match."""
        if player not in self._ratings:
            self._ratings[player] = Skill(arithmetic.mu, arithmetic.sigma)
        return self._ratings[player]

    def _by_payoff(self, record: MatchRecord, arithmetic: TrueSkill) -> Ranked:
        """Returns one group an agent, ranked by the mean payoff of its seats; equal means draw."""
        means = mean_payoffs(record)
        if len(means) < 2:
            return [], []  # one agent alone: no information
        roles = dict(zip(record.agents, record.outcome.roles, strict=True))
        players = [self._player(record.game, roles[agent], agent) for agent in means]
        groups = [[(self._rated(player, arithmetic), 1.0)] for player in players]
        return groups, [-payoff for payoff in means.values()]

    def _by_side(self, record: MatchRecord, arithmetic: TrueSkill) -> Ranked:
        """Returns one group a side, winners above losers.

        Each side has a pseudo-player of that (game, side). It absorbs how easy the side is, so
        that agents gain nothing by being dealt an easy role.
        """
        game, outcome = record.game, record.outcome
        net = net_shares(record)
        if not any(net.values()):
            return [], []  # the same agents on both sides: no information
        groups = []
        for side, agents in net.items():
            group = [(self._rated((PSEUDO, game, side), arithmetic), 1.0)]
            for agent, share in agents.items():
                group.append((self._rated(self._player(game, side, agent), arithmetic), share))
            groups.append(group)
        winning = {outcome.sides[seat] for seat in outcome.winners}
        return groups, [0 if side in winning or not winning else 1 for side in net]


def _play_many(
    arithmetic: TrueSkill, groups: Sequence[Sequence[Part]], ranks: Sequence[float]
) -> bool:
    """Moves the ratings of three groups or more by the package; False if it underflows."""
    before, weights = [], []
    for group in groups:
        before.append([arithmetic.create_rating(rated.mu, rated.sigma) for rated, _ in group])
        weights.append([weight for _, weight in group])
    try:
        after = arithmetic.rate(before, ranks=ranks, weights=weights)
    except FloatingPointError:
        return False
    for group, ratings in zip(groups, after, strict=True):
        for (rated, _), rating in zip(group, ratings, strict=True):
            rated.mu, rated.sigma = float(rating.mu), float(rating.sigma)
            rated.matches += 1
    return True
