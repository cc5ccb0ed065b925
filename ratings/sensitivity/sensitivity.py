"""All checks of a leaderboard."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from parlour.ratings.counting.counted import Finished, records_of
from parlour.ratings.sensitivity.clones import Clone, clones
from parlour.ratings.sensitivity.drop import Drop, matches_to_drop
from parlour.ratings.sensitivity.faults import FaultChecks, FaultySeats, faults
from parlour.ratings.sensitivity.fits import fitted, weighted
from parlour.ratings.sensitivity.held_out import HeldOut, held_out
from parlour.ratings.sensitivity.tied import TieChecks, ties

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

    found = []
    for pairs in (above, significantly):
        graph = networkx.DiGraph(sorted(pairs))
        loops = islice(networkx.simple_cycles(graph, length_bound=LONGEST), MOST)
        begins = ((loop, loop.index(min(loop))) for loop in loops)  # the name that sorts first
        found.append([(*loop[begin:], *loop[:begin]) for loop, begin in begins])
    return Cycles(len(found[0]), tuple(sorted(found[1])))


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
