"""Position of each seat in the networks of one ballot.

Two graphs. *Co-vote*: p → q where both named the same seat; its nodes are the seats with a valid
vote. Its parts are cliques, so nobody lies between two others: betweenness is 0 and brokerage
equals reach. *Vote*: voter → the seat it named; its nodes are all seats.

Source: the impostor paper, appendix C.3, for the first graph; the second is not in the paper.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import permutations
from types import MappingProxyType

from parlour.games.engine.counting import Ballot, Count
from parlour.games.engine.moves import Seat
from parlour.games.engine.record import MatchRecord

SETTLED = 256
"""Steps of the random walk of PageRank: 0.85 to this power is negligible."""


def of_ballot(record: MatchRecord, ballot: Ballot) -> Iterator[Count]:
    """Yields the positions of each agent's seats in each role."""
    for (agent, role), seats in record.seats_of().items():
        for counter, total, number in _positions_of(ballot, tuple(seats)):
            yield agent, role, counter, total, number


@lru_cache(maxsize=16384)  # cached: four seats have only 256 ballots
def _positions_of(ballot: Ballot, seats: tuple[Seat, ...]) -> list[tuple[str, float, int]]:
    """Positions of some seats in the networks: measure, sum and number of seats."""
    values_of: dict[str, list[float]] = {}
    for seat in seats:
        for counter, value in positions(ballot)[seat].items():
            values_of.setdefault(counter, []).append(value)
    return [(counter, sum(values), len(values)) for counter, values in values_of.items()]


@lru_cache(maxsize=4096)  # cached: four seats have only 256 ballots
def positions(ballot: Ballot) -> tuple[Mapping[str, float], ...]:
    """Network measures of each seat, by name.

    A seat that abstained has none in the co-vote graph, and where nobody voted there is none.
    """
    if all(suspect is None for suspect in ballot):
        return ({},) * len(ballot)
    among_votes, among_voters = _vote_graph(ballot), _co_vote_graph(ballot)
    return tuple(
        MappingProxyType({**among_voters.get(seat, {}), **among_votes[seat]})
        for seat in range(len(ballot))
    )


def _co_vote_graph(ballot: Ballot) -> dict[int, dict[str, float]]:
    import networkx as nx

    voters = [seat for seat, suspect in enumerate(ballot) if suspect is not None]
    graph = nx.DiGraph()
    graph.add_nodes_from(voters)
    graph.add_edges_from((p, q) for p, q in permutations(voters, 2) if ballot[p] == ballot[q])
    if len(voters) == 1:  # networkx gives a single node centrality 1
        return {voters[0]: {"centrality": 0.0, "reach": 0.0, "brokerage": 0.0}}
    centrality, between = nx.degree_centrality(graph), nx.betweenness_centrality(graph)
    return {
        seat: {
            "centrality": centrality[seat],
            "reach": graph.out_degree(seat) / (len(voters) - 1),
            "brokerage": (centrality[seat] + between[seat]) / 2,
        }
        for seat in voters
    }


def _vote_graph(ballot: Ballot) -> dict[int, dict[str, float]]:
    import networkx as nx
    import numpy as np

    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(ballot)))
    graph.add_edges_from(
        (seat, suspect) for seat, suspect in enumerate(ballot) if suspect is not None
    )
    named, between = nx.in_degree_centrality(graph), nx.betweenness_centrality(graph)
    # nx.pagerank needs scipy; here the matrix is only four by four.
    rank = np.linalg.matrix_power(nx.google_matrix(graph), SETTLED)[0]
    return {
        seat: {
            "vote_in_degree": named[seat],
            "vote_pagerank": float(rank[seat]),
            "vote_betweenness": between[seat],
        }
        for seat in graph
    }
