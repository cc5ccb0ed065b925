"""Section of the decided ranks of an adaptive tournament."""

from parlour.ratings.adaptive.standing import Place
from parlour.ratings.reports import cells
from parlour.ratings.reports.decided_ranks import decided_note
from parlour.report.charts import SHARES, axis_cell, interval_cell
from parlour.report.figures import (
    Cell,
    Entry,
    Figure,
    Section,
    Table,
    bounds,
    count,
    entries,
    number,
)
from parlour.report.source import Source


def decided(source: Source) -> list[Section]:
    """The ranks and scores that hold at all times; no section for another schedule."""
    ranks = source.decided
    if ranks is None:
        return []
    forest = Cell("Score", picture=axis_cell(SHARES, plain=True), style="forest")
    titles = entries("Rank", "Agent", forest, "Score")
    rows = [_row(source, place) for place in ranks.places]
    figure = Figure(
        "decided-ranks",
        "Decided ranks",
        "Dots are mean scores against all others, lines the intervals that hold at all times. An"
        " agent that shares its rank with others is not decided against them. Below each score:"
        " its interval and its n, the rounds in which the agent met everybody.",
        Table(titles, rows, lead=2),
    )
    words = [
        "The schedule was adaptive: it chose matches by outcomes, so ranks are read from here."
        " Strengths and win rates describe what was played.",
        decided_note(ranks),
    ]
    return [Section("decided", "Decided ranks", "Decided", words, [figure])]


def _row(source: Source, place: Place) -> list[Entry]:
    who = source.cast[place.agent]
    picture = interval_cell(SHARES, place.score, place.low, place.high, who.colour)
    small = f"{bounds(place.low, place.high)}\nn {count(place.rounds)}"
    score = Cell(cells.NOTHING if place.score is None else number(place.score), small)
    return [
        cells.rank(place),
        Cell(person=who),
        Cell(picture=picture, style="forest"),
        score,
    ]
