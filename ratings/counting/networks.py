"""Where each seat stands in the networks of one ballot.

Two graphs. *Co-vote*: p → q where both named the same seat; its nodes are the seats with a valid
vote. Its parts are cliques, so nobody lies between two others: betweenness is 0 and brokerage
equals reach. *Vote*: voter → the seat it named; its nodes are all seats.

Source: the impostor paper, appendix C.3 (the first graph); the second is ours.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from parlour.games.engine.moves import Seat

Ballot = tuple[Seat | None, ...]
"""Whom each seat named; None is an abstention."""

SETTLED = 256
"""Steps of the random walk of PageRank: 0.85 to this power is nothing."""


@lru_cache(maxsize=4096)  # four seats have 256 ballots
def positions(ballot: Ballot) -> tuple[Mapping[str, float], ...]:
    """Measures of each seat's place, by name.

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
    graph.add_edges_from(
        (p, q) for p in voters for q in voters if p != q and ballot[p] == ballot[q]
    )
    if len(voters) == 1:  # networkx would call the only node wholly central
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
    # nx.pagerank wants scipy; the walk itself is four by four.
    rank = np.linalg.matrix_power(nx.google_matrix(graph), SETTLED)[0]
    return {
        seat: {
            "vote_in_degree": named[seat],
            "vote_pagerank": float(rank[seat]),
            "vote_betweenness": between[seat],
        }
        for seat in graph
    }
