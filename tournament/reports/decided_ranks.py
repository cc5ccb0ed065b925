"""The decided ranks of an adaptive save, from its decisions and outcomes."""

from parlour.games.common.text import one_line
from parlour.ratings.reports.decided_ranks import DecidedRanks
from parlour.tournament.save.growing.decisions import Adaptive, followed
from parlour.tournament.save.reader import Save


def decided_ranks(save: Save) -> DecidedRanks | None:
    """The decided ranks of a save so far, None for one whose schedule is not adaptive."""
    if save.tournament.schedule != "adaptive":
        return None
    return ranks_of(followed(save))


def ranks_of(adaptive: Adaptive) -> DecidedRanks:
    """The decided ranks of a course that was followed."""
    standing, stop = adaptive.standing, adaptive.stop
    words = one_line(stop) if stop else None
    return DecidedRanks(standing.places(), standing.decided_pairs(), words)
