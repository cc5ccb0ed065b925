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


@dataclass(slots=True)
class _Count:
    clean: int = 0
    won: float = 0.0
    faulty: int = 0
    won_with: float = 0.0


@dataclass(frozen=True, slots=True)
class Faults:
    """The number of matches with any fault, and the dependence of each agent."""

    faulty: int
    n: int
    agents: tuple[FaultDependence, ...] = field(default=())


def faults(records: Sequence[MatchRecord], seats: FaultySeats) -> Faults:
    """Returns how much each agent's wins depend on faults of opponents."""
    counts: dict[str, _Count] = defaultdict(_Count)
    for record in records:
        faulty = seats.get(record.number, ())
        for agent, score, opponents in _results(record):
            count = counts[agent]
            if any(seat in opponents for seat in faulty):
                count.faulty += 1
                count.won_with += score
            else:
                count.clean += 1
                count.won += score
    clean = [record for record in records if not seats.get(record.number)]
    ranks = fitted(weighted(records)).ranks()
    clean_ranks = fitted(weighted(clean)).ranks() if len(clean) < len(records) else ranks
    agents = [
        _dependence(agent, counts[agent], ranks.get(agent), clean_ranks.get(agent))
        for agent in sorted(counts, key=lambda agent: (ranks.get(agent, len(ranks) + 1), agent))
    ]
    return Faults(len(records) - len(clean), len(records), tuple(agents))


def _dependence(
    agent: str, count: _Count, rank: int | None, clean_rank: int | None
) -> FaultDependence:
    wins = count.won + count.won_with
    return FaultDependence(
        agent,
        count.clean,
        count.won / count.clean if count.clean else None,
        count.faulty,
        count.won_with / count.faulty if count.faulty else None,
        count.won_with / wins if wins else None,
        rank,
        clean_rank,
    )


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
        scores = [_score(payoff, other) for name, other in means.items() if name != agent]
        if scores:
            seats = enumerate(agents)
            others = frozenset(seat for seat, name in seats if name not in {agent, BUILT_IN})
            yield agent, sum(scores) / len(scores), others


def _score(payoff: float, other: float) -> float:
    return (1 + (payoff > other) - (payoff < other)) / 2
