"""All checks of a leaderboard."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from parlour.ratings.counting.counted import Finished, records_of
from parlour.ratings.sensitivity.clones import Clone, clones
from parlour.ratings.sensitivity.drop import Drop, matches_to_drop
from parlour.ratings.sensitivity.faults import Faults, FaultySeats, faults
from parlour.ratings.sensitivity.fits import fitted, weighted
from parlour.ratings.sensitivity.held_out import HeldOut, held_out
from parlour.ratings.sensitivity.tied import Ties, ties

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


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The checks of the leaderboard over all games. ``order`` has the agents by strength."""

    matches: int
    order: tuple[str, ...]
    drops: tuple[Drop, ...]
    cycles: Cycles
    held_out: HeldOut
    ties: Ties
    faults: Faults
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
