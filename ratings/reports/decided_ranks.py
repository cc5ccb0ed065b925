"""The decided ranks of an adaptive tournament: their table, notes and records."""

from collections.abc import Sequence
from dataclasses import dataclass

from parlour.games.common import forms
from parlour.games.common.tables import Column, ColumnTable
from parlour.ratings.adaptive.until import ERROR, LEVEL, DecidedPlace
from parlour.ratings.reports import cells
from parlour.ratings.reports.report import Record, Report

FIELDS = (
    *("decided_rank", "decided_last_rank"),
    *("decided_score", "decided_score_n", "decided_score_low", "decided_score_high"),
)
"""The fields of an agent in a record of the leaderboard, whose ``score`` is a measure."""


@dataclass(frozen=True, slots=True)
class DecidedRanks:
    """The agents of an adaptive tournament by decided rank, the first first.

    ``pairs`` are the pairs of agents whose order is decided, and all pairs. ``stop`` is why no more
    matches are planned, None while they are.
    """

    places: Sequence[DecidedPlace]
    pairs: tuple[int, int]
    stop: str | None = None

    def place_of(self, agent: str) -> DecidedPlace | None:
        """The place of an agent, None for one that the tournament does not have."""
        return next((place for place in self.places if place.agent == agent), None)

    def body(self) -> Record:
        """The ranks as nested data."""
        decided, pairs = self.pairs
        return {
            "pairs_decided": decided,
            "pairs": pairs,
            "stop": self.stop,
            "error": ERROR,
            "level": LEVEL,
            "agents": [{"agent": place.agent, **record_of(place)} for place in self.places],
        }


def record_of(place: DecidedPlace) -> Record:
    """The rank and score of an agent by field; its n counts rounds."""
    values = (place.rank, place.last_rank, place.score, place.rounds, place.low, place.high)
    return dict(zip(FIELDS, values, strict=True))


COLUMNS: list[Column[DecidedPlace]] = [
    Column("Rank", lambda place: place, cells.RANK),
    Column("Agent", lambda place: place.agent),
    Column("Score", lambda place: place.score, forms.decimals()),
    Column("Always within", lambda place: f"[{place.low:.3f}, {place.high:.3f}]", forms.COUNT),
    Column("Rounds", lambda place: place.rounds, forms.COUNT),
]


def decided_report(ranks: DecidedRanks) -> Report:
    """The table of decided ranks with its note; the leaderboard has the records."""
    shown = ColumnTable(COLUMNS, ranks.places, "Decided ranks")
    return Report((), (), ranks.body(), [shown], [decided_note(ranks)])


def decided_note(ranks: DecidedRanks) -> str:
    """The sentences that say what the table of decided ranks promises."""
    decided, pairs = ranks.pairs
    ended = f"; {ranks.stop}" if ranks.stop else ""
    return (
        f"Decided: {decided} of {pairs} pairs of agents{ended}. Score: mean score against all"
        " others, each with the same weight, over all rounds since the last agent or game"
        " joined. Ranks are right together with"
        f" probability {100 * (1 - ERROR):.0f} %, each interval with {100 * LEVEL:.0f} %, whenever"
        " they are looked at (docs/adaptive.md)."
    )
