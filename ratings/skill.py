"""TrueSkill: who beats whom, overall, per game and per role.

The order of matches is the canonical one (match number), so the same matches always give the
same ratings. Reference: Herbrich, Minka, Graepel, "TrueSkill: a Bayesian skill rating system",
2006; the package ``trueskill`` does the arithmetic.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from trueskill import Rating as _Rating
from trueskill import TrueSkill

from games.game import BUILT_IN
from games.record import MatchRecord
from games.registry import find_game

Player = tuple[str, ...]
"""Who is rated: an agent (in a scope), or the pseudo-player of a side."""
_Moved = Sequence[Mapping[Player, _Rating]]
"""Groups of players with their new ratings."""


@dataclass(frozen=True, slots=True)
class Skill:
    """A rating: mean and deviation of the skill, and the matches that moved it."""

    mu: float
    sigma: float
    matches: int

    @property
    def conservative(self) -> float:
        """The skill that is all but certain: three deviations below the mean."""
        return self.mu - 3 * self.sigma


@dataclass(slots=True)
class Skills:
    """Ratings by agent, by (game, agent) and by (game, role, agent).

    ``skipped`` counts the matches too lopsided for the arithmetic, in any of the three.
    """

    overall: dict[str, Skill] = field(default_factory=dict)
    by_game: dict[tuple[str, str], Skill] = field(default_factory=dict)
    by_role: dict[tuple[str, str, str], Skill] = field(default_factory=dict)
    skipped: int = 0


def rate(records: Iterable[MatchRecord]) -> Skills:
    """TrueSkill over finished matches in canonical order."""
    overall, by_game, by_role = (
        _Ladder(lambda game, side, agent: (agent,)),
        _Ladder(lambda game, side, agent: (game, agent)),
        _Ladder(lambda game, side, agent: (game, side, agent)),
    )
    ladders = (overall, by_game, by_role)
    skipped = 0
    for record in records:
        played = [ladder.play(record) for ladder in ladders]
        skipped += not all(played)
    return Skills(
        {agent: skill for (agent,), skill in overall.skills().items()},
        {(game, agent): skill for (game, agent), skill in by_game.skills().items()},
        {(game, role, a): skill for (game, role, a), skill in by_role.skills().items()},
        skipped,
    )


@cache
def _arithmetic(draw_probability: float) -> TrueSkill:
    """The package set up for a game: agents do not change, so no dynamics (tau = 0)."""
    return TrueSkill(tau=0, draw_probability=draw_probability)


def net_shares(record: MatchRecord) -> dict[str, dict[str, float]]:
    """Each agent's weight on each side, by side.

    A seat weighs 1 / (size of its side). An agent that sits on both sides plays only for the
    side where it has more, with the difference.
    """
    sides = record.outcome.sides
    shares: dict[str, dict[str, float]] = {side: defaultdict(float) for side in sorted(set(sides))}
    for agent, side in zip(record.agents, sides, strict=True):
        shares[side][agent] += 1 / sides.count(side)
    net: dict[str, dict[str, float]] = {side: {} for side in shares}
    for side, agents in shares.items():
        for agent, share in agents.items():
            elsewhere = sum(shares[other].get(agent, 0.0) for other in shares if other != side)
            if share - elsewhere > 1e-9:
                net[side][agent] = share - elsewhere
    return net


def mean_payoffs(record: MatchRecord) -> dict[str, float]:
    """Each agent's mean payoff over its seats, by name; seats of the rules do not count."""
    payoffs: dict[str, list[float]] = defaultdict(list)
    for agent, payoff in zip(record.agents, record.outcome.payoffs, strict=True):
        if agent != BUILT_IN:
            payoffs[agent].append(payoff)
    return {agent: sum(of) / len(of) for agent, of in sorted(payoffs.items())}


class _Ladder:
    """Ratings under one way of naming who is rated."""

    def __init__(self, player: Callable[[str, str, str], Player]) -> None:
        self._player = player
        self._ratings: dict[Player, _Rating] = {}
        self._matches: dict[Player, int] = defaultdict(int)
        self._pseudo: dict[Player, _Rating] = {}

    def skills(self) -> dict[Player, Skill]:
        """The ratings of agents (not of pseudo-players)."""
        return {
            player: Skill(float(rating.mu), float(rating.sigma), self._matches[player])
            for player, rating in sorted(self._ratings.items())
        }

    def play(self, record: MatchRecord) -> bool:
        """Moves the ratings by one match; False if it was too lopsided and is skipped."""
        game = find_game(record.game, f"match {record.number}")
        arithmetic = _arithmetic(game.draw_probability)
        if game.rated == "none":
            return True
        play = self._play_payoffs if game.rated == "payoff" else self._play_sides
        try:
            self._keep(play(record, arithmetic))
        except FloatingPointError:
            return False
        return True

    def _play_payoffs(self, record: MatchRecord, arithmetic: TrueSkill) -> _Moved:
        """Everybody for itself: agents ranked by the mean payoff of their seats, equals level."""
        means = mean_payoffs(record)
        if len(means) < 2:
            return []  # one agent with itself: nothing to learn about it
        roles = dict(zip(record.agents, record.outcome.roles, strict=True))
        groups: list[dict[Player, _Rating]] = []
        for agent in means:
            player = self._player(record.game, roles[agent], agent)
            groups.append({player: self._ratings.get(player, arithmetic.create_rating())})
        moved: _Moved = arithmetic.rate(groups, ranks=[-payoff for payoff in means.values()])
        return moved

    def _play_sides(self, record: MatchRecord, arithmetic: TrueSkill) -> _Moved:
        """Winners above losers.

        On each side plays a pseudo-player of that (game, side), so that winning with an easy
        role earns an agent nothing.
        """
        game, outcome = record.game, record.outcome
        net = net_shares(record)
        if not any(net.values()):
            return []  # the same agents on both sides: nothing to learn about them
        groups: list[dict[Player, _Rating]] = []
        weights: dict[tuple[int, Player], float] = {}
        for number, (side, agents) in enumerate(net.items()):
            fresh = arithmetic.create_rating()
            pseudo: Player = ("", game, side)
            group: dict[Player, _Rating] = {pseudo: self._pseudo.get(pseudo, fresh)}
            for agent, share in agents.items():
                player = self._player(game, side, agent)
                group[player] = self._ratings.get(player, fresh)
                weights[number, player] = share
            groups.append(group)
        winning = {outcome.sides[seat] for seat in outcome.winners}
        ranks = [0 if side in winning or not winning else 1 for side in net]
        moved: _Moved = arithmetic.rate(groups, ranks=ranks, weights=weights)
        return moved

    def _keep(self, moved: _Moved) -> None:
        for group in moved:
            for player, rating in group.items():
                if player[0] == "":
                    self._pseudo[player] = rating
                else:
                    self._ratings[player] = rating
                    self._matches[player] += 1
