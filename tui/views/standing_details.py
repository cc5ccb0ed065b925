"""One agent of the standings below their table: as a chart, as values, or one opened cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from parlour.games.common.forms import percent
from parlour.games.common.text import one_line
from parlour.games.engine.registry import games
from parlour.games.engine.transcript import counted
from parlour.ratings.measures.capabilities import CAPABILITIES
from parlour.ratings.reports.cells import counts, rank
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.look.look import common_scale, fit, signed
from parlour.tui.models.game_names import game_title, title_with_suit
from parlour.tui.models.tiles import TileColumn, role_words
from parlour.tui.views.radar import Shape, radar_lines
from parlour.tui.views.standings_table import (
    BoardState,
    chip_and_name,
    chip_width,
    half,
    interval_of,
    strength_of,
)

if TYPE_CHECKING:
    from parlour.ratings.reports.leaderboard import Cell, Standing


MEAN = "mean"


def capability_names() -> list[str]:
    """The names of the seven capabilities, in the order of the spokes."""
    from parlour.ratings.reports.leaderboard import column_titles

    titles = column_titles()
    return [titles[name] for name in CAPABILITIES]


def values_of(standing: "Standing | None") -> list[float | None]:
    """The seven capabilities of a standing, None for what is not measured."""
    measures = standing.measures if standing else {}
    return [measures[name].value if name in measures else None for name in CAPABILITIES]


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
    shapes = [
        Shape(state.cast[name].name, state.cast[name].colour, values_of(_standing(state, name)))
        for name in filter(None, (agent, against))
    ]
    if against is None:
        shapes.append(Shape(MEAN, state.look.palette.soft, mean_values(state)))
    return radar_lines(state.look, capability_names(), shapes, width, height)


def _standing(state: BoardState, agent: str) -> "Standing | None":
    return next((each for each in state.board.by("overall") if each.agent == agent), None)


def details_lines(
    state: BoardState, agent: str, against: str | None, width: int, height: int
) -> list[Text]:
    """The capabilities of an agent as lines with interval and counts, and a note on ranks.

    The values of another agent, or the means of all, stand after its own.
    """
    palette, standing = state.look.palette, _standing(state, agent)
    if standing is None:
        return []
    names = capability_names()
    columns = 2 if width >= 72 else 1
    each = (width - 2 * (columns - 1)) // columns
    label = min(max(map(cell_len, names)), max(4, each // 2))
    parts = []
    values = mean_values(state) if against is None else values_of(_standing(state, against))
    colour = palette.soft if against is None else state.cast[against].colour
    for name, key, other in zip(names, CAPABILITIES, values, strict=True):
        cell = standing.measures.get(key)
        line = fit(Text(name, palette.soft), label).append(" ")
        room = max(0, each - label - 17)
        line.append_text(state.look.track(interval_of(cell), room, state.cast[agent].colour))
        value = "–" if cell is None else f"{100 * cell.value:.0f}"
        line.append(f" {value:>3}", f"bold {palette.text}")
        line.append(f" {'–' if other is None else f'{100 * other:.0f}':>3}", colour)
        line.append(f" {counts(cell) if cell else '':>7}", palette.faint)
        parts.append(fit(line, each))
    rows = -(-len(parts) // columns)
    lines = []
    for row in range(rows):
        line = Text("  ", no_wrap=True).join(parts[row::rows])
        lines.append(fit(line, width))
    strength = standing.strength
    if strength is not None and strength.rank != strength.last_rank:
        words = f"Rank {rank(strength)} is shared: these cannot be told apart yet."
        lines += [Text(" " * max(0, width)), fit(Text(words, palette.soft), width)]
    return lines[:height]


# --- An opened cell

NARROW_NUMBERS = 16
"""Columns of the numbers beside a forest where only strength and interval fit."""
TWO_COLUMNS = 130
"""Columns from which on matches stand beside each other."""


@dataclass(frozen=True, slots=True)
class OpenedCell:
    """An agent and a column, and the matches behind them (None: not read yet)."""

    agent: str
    column: TileColumn
    matches: Sequence[StoredMatch] | None = None


def cell_lines(state: BoardState, cell: OpenedCell, width: int, height: int) -> list[Text]:
    """The opened cell: a line about it, a forest, and as many matches as fit."""
    standings = _standings(state, cell)
    if not standings:
        who = chip_and_name(state.look, state.cast[cell.agent], width, chip_width(state.cast))
        nothing = Text("No finished match of this kind.", state.look.palette.soft)
        return [who, fit(nothing, width)][:height]
    lines = [_about(state, cell, standings[0], width), *_forest(state, cell, standings, width)]
    left = height - len(lines) - 2
    if left >= 1:
        lines.append(Text(" " * width))
        lines += _matches(state, cell, width, left)
    return lines[:height]


def _standings(state: BoardState, cell: OpenedCell) -> "list[Standing]":
    """The standing of the cell, then those of its roles, or of all games its games."""
    column, board = cell.column, state.board
    own = [each for each in board.standings if each.agent == cell.agent and not each.condition]
    if column.role is not None:
        return [each for each in own if (each.game, each.role) == (column.game, column.role)]
    if column.game is None:
        return [each for each in own if each.role is None]
    of_game = [each for each in own if each.game == column.game]
    return sorted(of_game, key=lambda each: each.role is not None)


def _place(state: BoardState, cell: OpenedCell) -> str:
    column = cell.column
    if column.game is None:
        return "all games"
    title = title_with_suit(column.game, state.look.signs)
    return f"{title} as {role_words(column.role)}" if column.role else title


def _about(state: BoardState, cell: OpenedCell, standing: "Standing", width: int) -> Text:
    palette = state.look.palette
    who = state.cast[cell.agent]
    line = state.look.person(who, speaks=True, width=chip_width(state.cast))
    line.append(" in ", palette.soft).append(one_line(_place(state, cell)), f"bold {palette.text}")
    line.append(f"   {standing.matches:,} {_matches_word(standing)}   won ", palette.soft)
    line.append_text(_rate(state, standing.measures.get("win_rate")))
    places = [(each.game, each.role, each.condition) for each in state.board.standings]
    line.append("   rank ", palette.soft).append(rank(standing.strength), f"bold {palette.text}")
    same = places.count((standing.game, standing.role, None))
    return fit(line.append(f" of {same}", palette.soft), width)


def _matches_word(standing: "Standing") -> str:
    return counted(standing.matches, "match").partition(" ")[2]


def _rate(state: BoardState, cell: "Cell | None") -> Text:
    palette = state.look.palette
    line = Text().append(percent(None if cell is None else cell.value), f"bold {palette.text}")
    if cell is not None and cell.low is not None and cell.high is not None:
        line.append(f" [{100 * cell.low:.0f}, {100 * cell.high:.0f}]", palette.faint)
    return line


def _forest(
    state: BoardState, cell: OpenedCell, standings: "list[Standing]", width: int
) -> list[Text]:
    palette, look = state.look.palette, state.look
    names = [_name(cell, standing) for standing in standings]
    label = min(max(map(cell_len, names)) + 4, max(10, width // 3))
    numbers = 42 if width >= 96 else NARROW_NUMBERS
    middle = max(8, min(60, width - label - numbers - 1))
    scale = common_scale([strength_of(each) for each in standings])
    lines = [fit(Text(" " * label).append_text(look.axis(middle, scale)), width)]
    colour = state.cast[cell.agent].colour
    for name, standing in zip(names, standings, strict=True):
        line = fit(Text(f"  {name}", palette.soft), label)
        interval = strength_of(standing)
        line.append_text(look.forest(interval, middle, scale, colour))
        if interval is None:
            line.append("  not ranked".ljust(15), palette.faint)
        else:
            line.append(f"  {signed(interval.value)}", f"bold {palette.text}")
            line.append(f" {half(interval)}  ", palette.soft)
        if numbers != NARROW_NUMBERS:
            rate = standing.measures.get("win_rate")
            matches = f"{standing.matches:>5,} {_matches_word(standing):<7}"
            line.append(f"{matches}   won ", palette.soft).append_text(_rate(state, rate))
        lines.append(fit(line, width))
    return lines


def _name(cell: OpenedCell, standing: "Standing") -> str:
    if cell.column.game is None:
        return "all games" if standing.game is None else game_title(standing.game)
    if standing.role is None:
        return "all roles"
    return f"as {role_words(standing.role)}"


def _matches(state: BoardState, cell: OpenedCell, width: int, height: int) -> list[Text]:
    look, palette = state.look, state.look.palette
    lines = [look.rule(width, "its matches, newest first")]
    if cell.matches is None:
        return [*lines, fit(Text("reading …", palette.faint), width)]
    columns = 2 if width >= TWO_COLUMNS else 1
    each = width // columns
    matches = list(cell.matches)[: height * columns]
    rows = -(-len(matches) // columns)
    for row in range(rows):
        line = Text(no_wrap=True)
        for place in range(row, len(matches), rows):
            line.append_text(match_line(state, matches[place], cell.agent, each))
        lines.append(fit(line, width))
    return lines


def match_line(state: BoardState, match: StoredMatch, agent: str, width: int) -> Text:
    """A finished match: number, a star if the agent won, letters, ending and its roles."""
    look, palette, outcome = state.look, state.look.palette, match.outcome
    line = Text(f"{match.number:>5} ", palette.faint, no_wrap=True)
    if outcome is None:
        return fit(line, width)
    own = [seat for seat, name in enumerate(match.agents) if name == agent]
    won = any(seat in outcome.winners for seat in own)
    line.append(look.signs.won if won else " ", palette.warn)
    for name in match.agents[:9]:
        line.append(" ").append_text(look.letters(state.cast[name]))
    game = games().get(match.game)
    short = {} if game is None else game.texts.short_endings
    ending = one_line(short.get(outcome.ending, outcome.ending))
    if cell_len(line.plain) < width:
        line = fit(line, max(line.cell_len, 16))
    line.append(f"   {ending}", palette.soft)
    roles = " ".join(dict.fromkeys(role_words(outcome.roles[seat]) for seat in own))
    right = Text(f"as {roles}   " if roles else "", palette.faint)
    room = width - right.cell_len
    return fit(line, room).append_text(right) if room > line.cell_len else fit(line, width)
