"""One agent of the standings below their table: as a radar chart, or as values."""

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from parlour.ratings.reports.cells import counts, rank
from parlour.tui.look.look import fit
from parlour.tui.views.radar import Shape, radar_lines
from parlour.tui.views.standings_table import BoardState, interval_of

if TYPE_CHECKING:
    from parlour.ratings.reports.leaderboard import Standing

MEAN = "mean"


def capability_names() -> list[str]:
    """The names of the seven capabilities, in the order of the spokes."""
    from parlour.ratings.measures.formulas import CAPABILITIES
    from parlour.ratings.reports.leaderboard import column_titles

    titles = column_titles()
    return [titles[name] for name in CAPABILITIES]


def values_of(standing: "Standing | None") -> list[float | None]:
    """The seven capabilities of a standing, None for what is not measured."""
    from parlour.ratings.measures.formulas import CAPABILITIES

    cells = [standing.measures.get(name) if standing else None for name in CAPABILITIES]
    return [None if cell is None else cell.value for cell in cells]


def mean_values(state: BoardState) -> list[float | None]:
    """The mean of each capability over the agents for whom it is measured."""
    columns = zip(*map(values_of, state.board.by("overall")), strict=True)
    means: list[float | None] = []
    for column in columns:
        present = [value for value in column if value is not None]
        means.append(sum(present) / len(present) if present else None)
    return means


def radar_of(
    state: BoardState, agent: str, against: str | None, width: int, height: int
) -> list[Text]:
    """The radar chart of an agent, against another one or the mean of all."""
    who = state.cast[agent]
    shapes = [Shape(who.name, who.colour, values_of(_standing(state, agent)))]
    if against is None:
        shapes.append(Shape(MEAN, state.look.palette.soft, mean_values(state)))
    else:
        other = state.cast[against]
        shapes.append(Shape(other.name, other.colour, values_of(_standing(state, against))))
    return radar_lines(state.look, capability_names(), shapes, width, height)


def _standing(state: BoardState, agent: str) -> "Standing | None":
    return next((each for each in state.board.by("overall") if each.agent == agent), None)


def details_lines(state: BoardState, agent: str, width: int, height: int) -> list[Text]:
    """The capabilities of an agent as lines with interval and counts, and a note on ranks."""
    from parlour.ratings.measures.formulas import CAPABILITIES

    palette, standing = state.look.palette, _standing(state, agent)
    if standing is None:
        return []
    names = capability_names()
    columns = 2 if width >= 72 else 1
    each = (width - 2 * (columns - 1)) // columns
    label = min(max(map(cell_len, names)), max(4, each // 2))
    parts = []
    for name, key in zip(names, CAPABILITIES, strict=True):
        cell = standing.measures.get(key)
        line = fit(Text(name, palette.soft), label).append(" ")
        room = max(0, each - label - 13)
        line.append_text(state.look.track(interval_of(cell), room, state.cast[agent].colour))
        value = "–" if cell is None else f"{100 * cell.value:.0f}"
        line.append(f" {value:>3}", f"bold {palette.text}")
        line.append(f" {counts(cell) if cell else '':>7}", palette.faint)
        parts.append(fit(line, each))
    rows = -(-len(parts) // columns)
    lines = []
    for row in range(rows):
        line = Text("  ", no_wrap=True).join(parts[row::rows])
        lines.append(fit(line, width))
    shared = standing.strength is not None and standing.strength.rank != standing.strength.last_rank
    if shared:
        words = f"Rank {rank(standing.strength)} is shared: these cannot be told apart yet."
        lines += [Text(" " * max(0, width)), fit(Text(words, palette.soft), width)]
    return lines[:height]
