"""All checks of a leaderboard, among them cycles and the dependence on faults of opponents.

Cycles are agents that beat each other in turn, which no single scale can show.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.record import MatchRecord
from parlour.games.engine.registry import find_game
from parlour.ratings.counting.counted import Finished, records_of
from parlour.ratings.sensitivity.drop import Drop, matches_to_drop
from parlour.ratings.sensitivity.held_out import HeldOut, held_out
from parlour.ratings.sensitivity.refits import Clone, TieChecks, clones, fitted, ties, weighted
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


LONGEST, MOST = 4, 100
"""Length of the cycles that are looked for, and how many are named at most."""


@dataclass(frozen=True, slots=True)
class Cycles:
    """Cycles among the pairs that met: each beats the next, and the last the first.

    ``observed`` counts those of all shares above one half. ``surviving`` are those in which every
    share is significantly above it: the interval excludes one half.
    """

    observed: int
    surviving: tuple[tuple[str, ...], ...]


def cycles(above: Iterable[tuple[str, str]], significantly: Iterable[tuple[str, str]]) -> Cycles:
    """Returns the cycles of pairs (winner, loser), of all and of the significant ones."""
    import networkx

    loops_of = []
    for pairs in (above, significantly):
        graph = networkx.DiGraph(sorted(pairs))
        loops = islice(networkx.simple_cycles(graph, length_bound=LONGEST), MOST)
        begins = ((loop, loop.index(min(loop))) for loop in loops)  # the name that sorts first
        loops_of.append([(*loop[begin:], *loop[:begin]) for loop, begin in begins])
    return Cycles(len(loops_of[0]), tuple(sorted(loops_of[1])))


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The checks of the leaderboard over all games. ``order`` has the agents by strength."""

    matches: int
    order: tuple[str, ...]
    drops: tuple[Drop, ...]
    cycles: Cycles
    held_out: HeldOut
    ties: TieChecks
    faults: FaultChecks
    clones: tuple[Clone, ...]


def sensitivity(
    matches: Finished,
    faulty: FaultySeats,
    above: Iterable[tuple[str, str]],
    significantly: Iterable[tuple[str, str]],
) -> Sensitivity:
    """Makes all checks of finished matches.

    ``faulty`` has the seats with faulty answers. ``above`` are the pairs of agents of which the
    first won more than half of what the two played, ``significantly`` those where the interval
    excludes one half.
    """
    records = records_of(matches)
    kinds = weighted(records)
    return Sensitivity(
        len(records),
        tuple(fitted(kinds).order),
        matches_to_drop(matches),
        cycles(above, significantly),
        held_out(matches),
        ties(kinds),
        faults(records, faulty),
        clones(kinds),
    )
