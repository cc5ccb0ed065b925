"""The overall standings for a pane: ranks, strengths as a forest on one scale, and moves."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from parlour.games.common.forms import NOTHING, number, percent
from parlour.games.common.tables import Column
from parlour.games.common.text import one_line
from parlour.ratings.reports.cells import MEASURE, rank
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look, common_scale, fit, signed, spread, wrapped
from parlour.tui.models.sorting import Sorting
from parlour.tui.models.standings import Standings
from parlour.tui.views.standings_table import interval_of, measured, move_text, strength_of
from parlour.tui.views.states import centred

if TYPE_CHECKING:
    from parlour.ratings.reports.leaderboard import Leaderboard, Standing

NOBODY = "No match is over yet: nobody stands anywhere."
NOBODY_MET = "No two agents met: there is no strength to rank by."
TOO_FEW = "too few matches for an interval"
RATES = {
    "cooperation_ratio": "helps",
    "cooperation": "helps",
    "win_rate": "wins",
    "payoff": "points",
}
"""The measures that stand in for strength where nobody met anybody, with words for them."""
LEAST_FOREST = 9
SKELETON_ROWS = 8


def standings_lines(
    standings: Standings, cast: Cast, look: Look, width: int, height: int = 0
) -> list[Text]:
    """The leaderboard in a width, or the reason why there is none."""
    board = standings.board
    if standings.trouble:
        words = Text(f"{look.signs.failed} {standings.trouble}", look.palette.bad)
        return [fit(line, width) for line in wrapped(words, width)]
    if board is None:
        return skeleton(look, standings.progress, width)
    rows = board.by("overall")
    if not rows:
        return centred(look, [NOBODY], width, height)
    if nobody_met(board):
        return _by_rate(board, cast, look, width)
    return _by_strength(rows, standings.before, cast, look, width)


def nobody_met(board: "Leaderboard | None") -> bool:
    """True if there are standings, but no strength to rank by."""
    rows = board.by("overall") if board is not None else []
    return bool(rows) and all(row.strength is None for row in rows)


def skeleton(look: Look, words: str, width: int) -> list[Text]:
    """The state of a computation, above grey rows in the shape of its result."""
    palette, longest = look.palette, max(1, 3 * width // 4)
    lines = [fit(Text(f" {words}", palette.soft), width)]
    for row in range(SKELETON_ROWS):
        bar = look.signs.spared * max(1, longest - row)
        line = Text(f"{row + 1:>3}  ", palette.faint).append(bar, palette.rule)
        lines.append(fit(line, width))
    return lines


def _by_strength(
    rows: Sequence["Standing"], before: Mapping[str, int], cast: Cast, look: Look, width: int
) -> list[Text]:
    """Ranks and strengths; ``before`` has the place of each agent when the reader looked last."""
    palette = look.palette
    ranks = [rank(row.strength) for row in rows]
    rank_width = max(4, *map(len, ranks)) if width >= 30 else max(map(len, ranks))
    intervals = [strength_of(row) for row in rows]
    scale = common_scale(intervals)
    tail_width = 9
    name_width = _name_width(rows, width - rank_width - tail_width - 6)
    forest_width = width - rank_width - name_width - tail_width - 7
    with_forest = forest_width >= LEAST_FOREST
    ticks = look.axis(forest_width, scale) if with_forest else Text()
    head = Text("rank", palette.faint, no_wrap=True)
    head = fit(head, rank_width + name_width + 6 if with_forest else 5)
    ticks.rstrip()  # else the title would cut it
    title = Text("strength ", palette.faint)
    lines = [spread(head.append_text(ticks), title, width)]
    for place, row in enumerate(rows):
        who = cast[row.agent]
        rank_words = (f"{ranks[place]:<{rank_width}}", palette.soft)
        name = fit(look.name(who), name_width)
        line = Text.assemble(rank_words, look.chip(who), " ", name, " ", no_wrap=True)
        if with_forest:
            line.append_text(look.forest(intervals[place], forest_width, scale, who.colour))
        value = NOTHING if row.strength is None else signed(row.strength.value)
        move = move_text(look, before.get(row.agent, place) - place)
        value_words = (f"{value:>5} ", f"bold {palette.text}")
        tail = Text.assemble(value_words, fit(move, 3, align="right"), no_wrap=True)
        lines.append(spread(line, tail, width))
    if with_forest and any(each is not None and each.is_point for each in intervals):
        lines.append(fit(Text(f"{look.signs.hollow} {TOO_FEW}", f"italic {palette.faint}"), width))
    return lines


def _by_rate(board: "Leaderboard", cast: Cast, look: Look, width: int) -> list[Text]:
    """A rate with its interval, from 0 to 1, where nobody met anybody."""
    palette = look.palette
    rows = board.by("overall")
    known = set[str]().union(*(row.measures for row in rows))
    measure = next((name for name in RATES if name in known), "win_rate")
    best = Sorting(measure).order(rows, Column("", measured(measure), MEASURE).order)
    name_width = _name_width(rows, width - 13)
    forest_width = width - name_width - 13
    with_forest = forest_width >= LEAST_FOREST and measure != "payoff"
    head = fit(Text(), 4 + name_width)
    if with_forest:
        head.append(" ").append_text(look.axis(forest_width, (0.0, 1.0)))
    lines = [spread(head, Text(f"{RATES[measure]} ", palette.faint), width)]
    for row in best:
        who, cell = cast[row.agent], row.measures.get(measure)
        name = fit(look.name(who), name_width)
        line = Text.assemble(look.chip(who), " ", name, " ", no_wrap=True)
        if with_forest and cell is not None:
            interval = interval_of(cell)
            line.append_text(look.forest(interval, forest_width, (0.0, 1.0), who.colour))
        value = None if cell is None else cell.value
        words = number(value, 1) if measure == "payoff" else percent(value)
        tail = Text(f"{words} ", f"bold {palette.text}")
        lines.append(spread(line, tail, width))
    note = wrapped(Text(NOBODY_MET, f"italic {palette.faint}"), width)
    return [*lines, *(fit(line, width) for line in note)]


def _name_width(rows: Sequence["Standing"], most: int) -> int:
    longest = max(Text(one_line(row.agent)).cell_len for row in rows)
    return max(3, min(longest, most, 20))
