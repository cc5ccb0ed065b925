"""Section of the decided ranks of an adaptive tournament."""

from parlour.games.common.tables import Column
from parlour.ratings.adaptive.standing import DecidedPlace
from parlour.ratings.reports import cells
from parlour.ratings.reports.decided_ranks import decided_note
from parlour.site.charts import SHARES
from parlour.site.figures import (
    FOREST,
    PERSON,
    Figure,
    PageCell,
    Section,
    bounds,
    count,
    number,
    table_of,
)
from parlour.site.forests import forest_cell, forest_head
from parlour.site.source import SiteSource


def decided(source: SiteSource) -> list[Section]:
    """The ranks and scores that hold at all times; no section for another schedule."""
    ranks = source.decided
    if ranks is None:
        return []
    cast = source.cast

    def interval(place: DecidedPlace) -> PageCell:
        return forest_cell(SHARES, place.score, place.low, place.high, cast[place.agent])

    columns: list[Column[DecidedPlace]] = [
        Column("Rank", lambda place: place, cells.RANK),
        Column("Agent", lambda place: place.agent, PERSON),
        Column(FOREST, interval),
        Column("Score", _score),
    ]
    figure = Figure(
        "decided-ranks",
        "Decided ranks",
        "Dots are mean scores against all others, lines the intervals that hold at all times. An"
        " agent that shares its rank with others is not decided against them. Below each score:"
        " its interval and its n, the rounds in which the agent met everybody.",
        table_of(columns, ranks.places, cast, 2, forest_head("Score", SHARES)),
    )
    words = [
        "The schedule was adaptive: it chose matches by outcomes, so ranks are read from here."
        " Strengths and win rates describe what was played.",
        decided_note(ranks),
    ]
    return [Section("decided", "Decided ranks", "Decided", words, [figure])]


def _score(place: DecidedPlace) -> PageCell:
    small = f"{bounds(place.low, place.high)}\nn {count(place.rounds)}"
    return PageCell(number(place.score), small)
