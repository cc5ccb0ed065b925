"""The overall table: that of strengths, or of an adaptive tournament its decided ranks."""

from typing import TYPE_CHECKING

from rich.text import Text

from parlour.tui.look.look import Interval, signed
from parlour.tui.views.board_table import BoardColumn, BoardTable
from parlour.tui.views.standings_table import (
    BoardState,
    chip_and_name,
    chip_width,
    half,
    measure_columns,
    people_width,
    percent,
    strength_of,
    table_of,
    value_of,
)

if TYPE_CHECKING:
    from parlour.ratings.adaptive.standing import Place
    from parlour.ratings.reports.leaderboard import Standing

NARROW = 96
"""Columns of a table from which on it has the share of matches won, and the matches."""


def overall_table(state: BoardState, width: int) -> "BoardTable[Standing]":
    """The standings of all games: decided ranks and scores first where the schedule is adaptive."""
    if state.decided is None:
        return table_of(state, width)
    from parlour.ratings.reports.cells import rank as rank_text

    palette, cast, look = state.look.palette, state.cast, state.look
    places = {place.agent: place for place in state.decided.places}
    order = list(places)
    standings = [each for each in state.board.by("overall") if each.agent in places]
    standings.sort(key=lambda each: order.index(each.agent))
    chip = chip_width(cast)

    def place(standing: "Standing") -> "Place":
        return places[standing.agent]

    def rank(standing: "Standing", wide: int) -> Text:
        own = place(standing)
        is_decided = own.rank == own.last_rank
        return Text(rank_text(own), f"bold {palette.text}" if is_decided else palette.soft)

    def track(standing: "Standing", wide: int) -> Text:
        """The score with the interval that holds at all times, from 0 to 1."""
        own = place(standing)
        known = None if own.score is None else Interval(own.score, own.low, own.high)
        return look.track(known, wide, cast[standing.agent].colour)

    def score(standing: "Standing", wide: int) -> Text:
        value = place(standing).score
        if value is None:
            return Text("–", palette.faint)
        return Text(f"{value:.2f}", f"bold {palette.text}")

    def always(standing: "Standing", wide: int) -> Text:
        own = place(standing)
        return Text(f"{own.low:.2f}–{own.high:.2f}", palette.soft)

    def strength(standing: "Standing", wide: int) -> Text:
        interval = strength_of(standing)
        if interval is None:
            return Text("–", palette.faint)
        text = Text(signed(interval.value), palette.text)
        return text.append(f" ±{half(interval):.2f}", palette.soft)

    def won(standing: "Standing", wide: int) -> Text:
        value = value_of(standing, "win_rate")
        return Text(percent(value), palette.faint if value is None else palette.text)

    columns: list[BoardColumn[Standing]] = [
        BoardColumn("rank", "rank", max(4, *(len(rank_text(each)) for each in places.values())),
                    rank, lambda each: -order.index(each.agent), align="left"),
        BoardColumn("agent", "", people_width(cast, width),
                    lambda each, wide: chip_and_name(look, cast[each.agent], wide, chip),
                    lambda each: cast[each.agent].name, align="left", texts=True),
        BoardColumn("forest", "", 20, track, grows=20,
                    head=lambda wide: Text(f"0{'1':>{wide - 1}}", palette.faint)),
        BoardColumn("score", "score", 7, score, lambda each: place(each).score),
        BoardColumn("always", "always in", 9, always),
        BoardColumn("rounds", "rounds", 8,
                    lambda each, wide: Text(f"{place(each).rounds:,}", palette.soft),
                    lambda each: place(each).rounds),
        BoardColumn("won", "won", 6, won,
                    lambda each: value_of(each, "win_rate"), least=NARROW),
        BoardColumn("matches", "matches", 7,
                    lambda each, wide: Text(f"{each.matches:,}", palette.soft),
                    lambda each: each.matches, least=NARROW),
        BoardColumn("strength", "strength", 11, strength,
                    lambda each: each.strength.value if each.strength else None, scrolls=True),
        *measure_columns(state, width),
    ]  # fmt: skip
    return BoardTable(look, columns, standings, state.sorting, state.first)
