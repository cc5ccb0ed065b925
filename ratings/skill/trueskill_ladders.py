"""TrueSkill ratings: one ladder over everything, one per game and one per role.

Matches are rated in the order of their numbers, so the same matches always give the same ratings.
Reference: Herbrich, Minka, Graepel, "TrueSkill: a Bayesian skill rating system", 2006; the package
``trueskill`` does the arithmetic.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from math import erfc, exp, pi, sqrt
from statistics import NormalDist
from typing import NamedTuple

from trueskill import TrueSkill, calc_draw_margin

from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game

Player = tuple[str, ...]
"""A rated player: an agent (in a game or role), or the pseudo-player of a side."""
PSEUDO = ""
"""The agent's name in a pseudo-player; no agent has this name."""


class _Rated(NamedTuple):
    """Mean and standard deviation of a player's skill. The package's own ratings are slow."""

    mu: float
    sigma: float


class _Part(NamedTuple):
    """A player in a match: its rating before the match, and its weight in its group."""

    player: Player
    before: _Rated
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Skill:
    """A rating: mean and standard deviation of the skill, and the number of matches rated."""

    mu: float
    sigma: float
    matches: int

    @property
    def conservative(self) -> float:
        """A lower bound of the skill: three standard deviations below the mean."""
        return self.mu - 3 * self.sigma


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


def rate(records: Sequence[MatchRecord]) -> Skills:
    """Returns the TrueSkill ratings after finished matches, given in order of match number."""
    overall = overall_ladder()
    by_game = Ladder(lambda game, side, agent: (game, agent))
    by_role = Ladder(lambda game, side, agent: (game, side, agent))
    games = {record.game for record in records}
    # With a single game, its ladder would repeat the overall one.
    ladders = (overall, by_game, by_role) if len(games) > 1 else (overall, by_role)
    skipped = 0
    for record in records:
        played = [ladder.play(record) for ladder in ladders]
        skipped += not all(played)
    agents = {agent: skill for (agent,), skill in overall.skills().items()}
    in_games = {(game, agent): skill for (game, agent), skill in by_game.skills().items()}
    if not in_games:
        for game in games:
            in_games |= {(game, agent): skill for agent, skill in agents.items()}
    in_roles = {
        (game, role, agent): skill for (game, role, agent), skill in by_role.skills().items()
    }
    return Skills(agents, in_games, in_roles, skipped)


def _cdf(x: float) -> float:
    return erfc(-x / sqrt(2)) / 2


def _pdf(x: float) -> float:
    return exp(-x * x / 2) / sqrt(2 * pi)


@cache
def _arithmetic(draw_probability: float) -> TrueSkill:
    """Returns the package's environment for a game: agents do not change, so tau = 0.

    The normal distribution is that of the standard library: faster than the package's own, and
    exact to the last digit, while the package's has seven digits.
    """
    normal = (_cdf, _pdf, NormalDist().inv_cdf)
    return TrueSkill(tau=0, draw_probability=draw_probability, backend=normal)


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


def _moved(
    arithmetic: TrueSkill, groups: Sequence[Sequence[_Part]], ranks: Sequence[float]
) -> Iterable[tuple[Player, _Rated]]:
    """Returns the new ratings of all players. Raises FloatingPointError on underflow."""
    if len(groups) == 2:
        return _moved_by_two(arithmetic, groups, ranks)
    before = []
    weights = {}
    for number, group in enumerate(groups):
        ratings = {}
        for part in group:
            ratings[part.player] = arithmetic.create_rating(part.before.mu, part.before.sigma)
            weights[number, part.player] = part.weight
        before.append(ratings)
    moved: list[tuple[Player, _Rated]] = []
    for after in arithmetic.rate(before, ranks=ranks, weights=weights):
        for player, rating in after.items():
            moved.append((player, _Rated(float(rating.mu), float(rating.sigma))))
    return moved


def _moved_by_two(
    arithmetic: TrueSkill, groups: Sequence[Sequence[_Part]], ranks: Sequence[float]
) -> Iterable[tuple[Player, _Rated]]:
    """Returns the new ratings of two groups, for which the package's iteration has a closed form.

    Herbrich, Minka, Graepel 2006, section 3 with weights: a player of weight w moves by
    w σ² / c × V, and its variance shrinks by the factor 1 - w² σ² / c² × W. About fifteen times
    as fast as the package's factor graph, from which V, W and the draw margin are taken.
    """
    first, second = groups if ranks[0] <= ranks[1] else (groups[1], groups[0])
    beta = arithmetic.beta
    parts = [(part, part.weight) for part in first] + [(part, -part.weight) for part in second]
    # c is the standard deviation of the difference in performance, lead its standardised mean.
    c = sqrt(sum(w * w * (part.before.sigma**2 + beta**2) for part, w in parts))
    lead = sum(w * part.before.mu for part, w in parts) / c
    margin = _draw_margin(arithmetic, len(parts)) / c
    if ranks[0] == ranks[1]:
        v, shrink = arithmetic.v_draw(lead, margin), arithmetic.w_draw(lead, margin)
    else:
        v, shrink = arithmetic.v_win(lead, margin), arithmetic.w_win(lead, margin)
    moved = []
    for (player, (mu, sigma), _), w in parts:
        pull = w * sigma / c
        new = _Rated(mu + pull * sigma * v, sigma * sqrt(1 - pull * pull * shrink))
        moved.append((player, new))
    return moved


class Ladder:
    """Ratings of the players that ``player`` makes of game, side or role, and agent."""

    def __init__(self, player: Callable[[str, str, str], Player]) -> None:
        self._player = player
        self._ratings: dict[Player, _Rated] = {}
        self._matches: dict[Player, int] = defaultdict(int)

    def skills(self) -> dict[Player, Skill]:
        """Returns the ratings of agents, without pseudo-players."""
        return {
            player: Skill(rated.mu, rated.sigma, self._matches[player])
            for player, rated in sorted(self._ratings.items())
            if player[0] != PSEUDO
        }

    def skill(self, player: Player) -> Skill | None:
        """Returns the rating of a player, None before its first rated match."""
        rated = self._ratings.get(player)
        return None if rated is None else Skill(rated.mu, rated.sigma, self._matches[player])

    def play(self, record: MatchRecord) -> bool:
        """Rates one match. Returns False if it underflowed and is skipped."""
        game = find_game(record.game, f"match {record.number}")
        if game.scoring.rated == "none":
            return True
        arithmetic = _arithmetic(game.scoring.draw_probability)
        fresh = _Rated(arithmetic.mu, arithmetic.sigma)
        grouped = self._by_payoff if game.scoring.rated == "payoff" else self._by_side
        groups, ranks = grouped(record, fresh)
        try:
            moved = _moved(arithmetic, groups, ranks) if groups else []
        except FloatingPointError:
            return False
        for player, rated in moved:
            self._ratings[player] = rated
            self._matches[player] += 1
        return True

    def _by_payoff(
        self, record: MatchRecord, fresh: _Rated
    ) -> tuple[list[list[_Part]], list[float]]:
        """Returns one group an agent, ranked by the mean payoff of its seats; equal means draw."""
        means = mean_payoffs(record)
        if len(means) < 2:
            return [], []  # one agent alone: no information
        roles = dict(zip(record.agents, record.outcome.roles, strict=True))
        players = [self._player(record.game, roles[agent], agent) for agent in means]
        groups = [[_Part(player, self._ratings.get(player, fresh))] for player in players]
        return groups, [-payoff for payoff in means.values()]

    def _by_side(self, record: MatchRecord, fresh: _Rated) -> tuple[list[list[_Part]], list[float]]:
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
            pseudo: Player = (PSEUDO, game, side)
            group = [_Part(pseudo, self._ratings.get(pseudo, fresh))]
            for agent, share in agents.items():
                player = self._player(game, side, agent)
                group.append(_Part(player, self._ratings.get(player, fresh), share))
            groups.append(group)
        winning = {outcome.sides[seat] for seat in outcome.winners}
        return groups, [0 if side in winning or not winning else 1 for side in net]
