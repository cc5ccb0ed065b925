"""All checks of a leaderboard."""

from collections.abc import Iterable
from dataclasses import dataclass

from parlour.ratings.counting.counted import Finished, records_of
from parlour.ratings.sensitivity.clones import Clone, clones
from parlour.ratings.sensitivity.cycles import Cycles, cycles
from parlour.ratings.sensitivity.drop import Drop, matches_to_drop
from parlour.ratings.sensitivity.faults import Faults, FaultySeats, faults
from parlour.ratings.sensitivity.fits import fitted, weighted
from parlour.ratings.sensitivity.held_out import HeldOut, held_out
from parlour.ratings.sensitivity.tied import Ties, ties


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
