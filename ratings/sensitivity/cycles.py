"""Cycles of agents that beat each other in turn, which no single scale can show."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

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
    return Cycles(len(_cycles(above)), tuple(sorted(_cycles(significantly))))


def _cycles(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Returns cycles of up to ``LONGEST`` agents, each beginning with the name that sorts first."""
    import networkx

    graph = networkx.DiGraph(sorted(pairs))
    loops = networkx.simple_cycles(graph, length_bound=LONGEST)
    return [_rotated(loop) for loop in islice(loops, MOST)]


def _rotated(loop: list[str]) -> tuple[str, ...]:
    first = loop.index(min(loop))
    return (*loop[first:], *loop[:first])
