"""Dependence of winning on the faults of opponents."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.sensitivity.fits import fitted, weighted
from parlour.ratings.skill.trueskill_ladders import mean_payoffs, net_shares

FaultySeats = Mapping[int, Collection[int]]
"""The seats with a faulty answer, by match number; matches without any may be left out."""


@dataclass(frozen=True, slots=True)
class FaultDependence:
    """Results of an agent with and without a fault of an opponent.

    ``share`` is the share of matches won where no opponent had a fault, ``share_with`` where one
    had; a draw is half a win. ``of_wins`` is the share of wins with a fault of an opponent.
    ``rank`` is the place by strength over all matches, ``clean_rank`` that over the matches
    without any fault; None where it does not exist.
    """

    agent: str
    clean: int
    share: float | None
    faulty: int
    share_with: float | None
    of_wins: float | None
    rank: int | None
    clean_rank: int | None


@dataclass(frozen=True, slots=True)
class FaultChecks:
    """The number of matches with any fault, and the dependence of each agent."""

    faulty: int
    n: int
    agents: tuple[FaultDependence, ...] = field(default=())


def faults(records: Sequence[MatchRecord], seats: FaultySeats) -> FaultChecks:
    """Returns how much each agent's wins depend on faults of opponents."""
    # The scores of each agent without a fault of an opponent, and with one.
    scores: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for record in records:
        faulty = seats.get(record.number, ())
        for agent, score, opponents in _results(record):
            scores[agent][not opponents.isdisjoint(faulty)].append(score)
    clean = [record for record in records if not seats.get(record.number)]
    ranks = fitted(weighted(records)).ranks()
    clean_ranks = fitted(weighted(clean)).ranks() if len(clean) < len(records) else ranks
    agents = [
        _dependence(agent, *scores[agent], ranks.get(agent), clean_ranks.get(agent))
        for agent in sorted(scores, key=lambda agent: (ranks.get(agent, len(ranks) + 1), agent))
    ]
    return FaultChecks(len(records) - len(clean), len(records), tuple(agents))


def _dependence(
    agent: str,
    clean: Sequence[float],
    faulty: Sequence[float],
    rank: int | None,
    clean_rank: int | None,
) -> FaultDependence:
    won, won_with = sum(clean), sum(faulty)
    share = won / len(clean) if clean else None
    share_with = won_with / len(faulty) if faulty else None
    of_wins = won_with / (won + won_with) if won + won_with else None
    counts = len(clean), share, len(faulty), share_with
    return FaultDependence(agent, *counts, of_wins, rank, clean_rank)


def _results(record: MatchRecord) -> Iterator[tuple[str, float, frozenset[int]]]:
    """Yields each agent with its score from 0 to 1, and the seats of its opponents."""
    rated = find_game(record.game, f"match {record.number}").scoring.rated
    if rated == "none":
        return
    agents, sides = record.agents, record.outcome.sides
    if rated == "sides":
        winning = {sides[seat] for seat in record.outcome.winners}
        for side, shares in net_shares(record).items():
            score = float(side in winning) if len(winning) == 1 else 0.5
            others = frozenset(seat for seat, own in enumerate(sides) if own != side)
            for agent in shares:
                if agent != BUILT_IN:
                    yield agent, score, others
        return
    means = mean_payoffs(record)
    for agent, payoff in means.items():
        others_payoffs = [other for name, other in means.items() if name != agent]
        scores = [(1 + (payoff > other) - (payoff < other)) / 2 for other in others_payoffs]
        if scores:
            seats = enumerate(agents)
            others = frozenset(seat for seat, name in seats if name not in {agent, BUILT_IN})
            yield agent, sum(scores) / len(scores), others
