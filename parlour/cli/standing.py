"""The standing of an adaptive tournament: ranks that are decided, and scores at all times."""

from parlour.cli.console_tables import print_table
from parlour.cli.output import safe_print
from parlour.games.common.text import one_line
from parlour.ratings.adaptive.order import ERROR
from parlour.ratings.adaptive.standing import Place
from parlour.ratings.adaptive.until import LEVEL
from parlour.ratings.reports.cells import NOTHING
from parlour.tournament.save.decisions import followed
from parlour.tournament.save.reader import Save


def print_standing(save: Save) -> None:
    """Prints what the decisions of an adaptive save know of ranks and scores; else nothing."""
    if save.tournament.schedule != "adaptive":
        return
    adaptive = followed(save)
    rows = [_row(place) for place in adaptive.standing.places()]
    print_table(["Rank", "Agent", "Score", "Always within", "Rounds"], rows, right=[0, 2, 3, 4])
    decided, pairs = adaptive.standing.decided_pairs()
    ended = f"; {adaptive.stop}" if adaptive.stop else ""
    safe_print(
        f"Decided: {decided} of {pairs} pairs of agents{ended}. Score: mean score against all"
        f" others. Ranks are right together with probability {1 - ERROR:.0%}, each interval with"
        f" {LEVEL:.0%}, whenever they are looked at (docs/adaptive.md)."
    )


def _row(place: Place) -> list[str]:
    same = place.first_rank == place.last_rank
    rank = str(place.first_rank) if same else f"{place.first_rank}–{place.last_rank}"
    score = NOTHING if place.score is None else f"{place.score:.3f}"
    interval = f"[{place.low:.3f}, {place.high:.3f}]"
    return [rank, one_line(place.agent), score, interval, str(place.rounds)]
