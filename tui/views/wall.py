"""Matches in play side by side: a tile each on a broad terminal, two lines each on a narrow one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look, fit, spread, whole_words
from parlour.tui.models.save_view import Focus, SaveView
from parlour.tui.models.standings import Standings
from parlour.tui.views.boards.boards import small_board
from parlour.tui.views.match_words import ending, game_title, phase_of_table, seats, suit, winners
from parlour.tui.views.scene import scene_of
from parlour.tui.views.standings import standings_lines
from parlour.tui.views.talk import cast_line, latest, tile_lines

FOUR_COLUMNS, THREE_COLUMNS = 150, 110
"""Columns of the terminal from which tiles are four and three beside each other."""
TILE_HEIGHT = 13
"""The fewest lines of a tile, where there is room for one."""
WITH_BOARD = 11
"""Lines inside a tile from which it has a small board."""
LEAST_TALK = 3
"""Lines of a tile that stay free of the board: the newest words, and a blank line."""
TITLE_WIDTH = 20


@dataclass(frozen=True, slots=True)
class WallTile:
    """A tile with what draws its lines in a width and height; ``number`` is that of its match."""

    title: Text
    hint: str
    draw: Callable[[int, int], Sequence[Text]]
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Raster:
    """The columns and rows of tiles; no columns: matches are lists of two lines each."""

    columns: int
    rows: int

    @property
    def tiles(self) -> int:
        """The number of tiles on a page."""
        return max(1, self.columns) * self.rows


def raster(width: int, height: int) -> Raster:
    """The tiles for which there is room."""
    if width < THREE_COLUMNS:
        return Raster(0, max(1, height // 2))
    return Raster(4 if width >= FOUR_COLUMNS else 3, max(1, height // TILE_HEIGHT))


@dataclass(frozen=True, slots=True)
class Wall:
    """Everything that the tiles are drawn from."""

    watched: SaveView
    standings: Standings
    cast: Cast
    look: Look

    def tile(self, focus: Focus) -> WallTile:
        """The tile of a match: people, progress, the end of its talk and a small board."""
        title = Text(game_title(self.look, self.watched.games[focus.match.game]))
        title.stylize(f"bold {self.look.palette.text}")
        title.append(f" {focus.match.number}", self.look.palette.faint)
        hint = phase_of_table(self.watched, focus)

        def draw(width: int, height: int) -> Sequence[Text]:
            return self._match(focus, width, height)

        return WallTile(title, hint, draw, focus.match.number)

    def _match(self, focus: Focus, width: int, height: int) -> list[Text]:
        share = share_played(self.watched, focus)
        progress = self.look.progress(share, width)
        if focus.table is None:
            words = one_line(focus.trouble)
            return [progress, Text(), fit(Text(words, self.look.palette.soft), width)]
        scene = scene_of(focus, self.cast, self.look)
        lines = [cast_line(scene, width), progress, Text()]
        board: list[Text] = []
        if height >= WITH_BOARD:
            board = list(small_board(scene, width, height - len(lines) - LEAST_TALK))
        room = height - len(lines) - len(board) - bool(board)
        said = tile_lines(scene, width, room)
        blank = [Text()] * (height - len(lines) - len(said) - len(board))
        return [*lines, *said, *blank, *board]

    def _just_over(self, width: int, height: int) -> list[Text]:
        lines = []
        for number in reversed(self.watched.ended[-height:]):
            match = self.watched.stored(number)
            if match is not None:
                game = self.watched.games[match.game]
                line = Text(f"{suit(self.look, game)} {number:>3} ", self.look.palette.soft)
                line.append_text(seats(self.look, self.cast, match.agents, dim=True)).append(" ")
                won = winners(self.look, self.cast, match)
                room = max(0, width - line.cell_len - won.cell_len - 1)
                line.append_text(ending(self.look, game, match, min(18, room)))
                lines.append(spread(line, won, width))
        return lines

    def tiles(self, foci: Sequence[Focus], room: int) -> list[WallTile]:
        """The tiles of a page: matches, and in free places those just over and the standings."""
        strong = f"bold {self.look.palette.text}"
        over = WallTile(Text("just over", strong), "", self._just_over)
        table = partial(standings_lines, self.standings, self.cast, self.look)
        spare = [over] if self.watched.ended else []
        spare.append(WallTile(Text("standings", strong), "", table))
        return [*map(self.tile, foci), *spare][: max(room, len(foci))]


def wall_lines(
    look: Look,
    tiles: Sequence[WallTile],
    columns: int,
    rows: int,
    width: int,
    height: int,
    chosen: int,
) -> list[Text]:
    """Tiles side by side in exactly this width and height; ``chosen`` is the number of a match."""
    lines: list[Text] = []
    for row in range(rows):
        top, bottom = height * row // rows, height * (row + 1) // rows
        boxes = []
        for column in range(columns):
            left, right = width * column // columns, width * (column + 1) // columns
            index = row * columns + column
            tile = tiles[index] if index < len(tiles) else None
            boxes.append(_box(look, tile, right - left, bottom - top, chosen))
        lines += [Text(no_wrap=True).join(parts) for parts in zip(*boxes, strict=True)]
    return lines


def _box(look: Look, tile: WallTile | None, width: int, height: int, chosen: int) -> list[Text]:
    """A tile with its border; blank lines for a place without one."""
    if tile is None or width < 8 or height < 3:
        return [fit(Text(), width)] * height
    corner, line, end, side, low, low_end = tuple(look.signs.box)
    is_chosen = tile.number is not None and tile.number == chosen
    style = look.palette.accent if is_chosen else look.palette.rule
    title = whole_words(tile.title, width - 6)
    rest = line * (width - title.cell_len - 5) + end
    head = Text.assemble((f"{corner}{line} ", style), title, " ", (rest, style), no_wrap=True)
    hint = fit(Text(tile.hint, look.palette.soft), min(len(tile.hint), width - 6))
    beside = Text.assemble(" ", hint, (f" {line}", style)) if hint.plain else Text()
    filled = low + line * (width - beside.cell_len - 2)
    foot = Text.assemble((filled, style), beside, (low_end, style), no_wrap=True)
    inside = list(tile.draw(width - 4, height - 2))[: height - 2]
    inside += [Text()] * (height - 2 - len(inside))
    left, right = (f"{side} ", style), (f" {side}", style)
    middle = [Text.assemble(left, fit(text, width - 4), right, no_wrap=True) for text in inside]
    return [head, *middle, foot]


def share_played(watched: SaveView, focus: Focus) -> float:
    """The share of a match's answers that has come."""
    if focus.match.outcome is not None:
        return 1.0
    line = watched.lines[focus.match.number]
    return min(1.0, line.answers / max(1, watched.expected[focus.match.entry]))


def two_lines(
    watched: SaveView, cast: Cast, look: Look, focus: Focus, width: int, *, chosen: bool = False
) -> list[Text]:
    """A match in two lines: its people, phase and progress, and the newest line of its talk."""
    palette = look.palette
    game = watched.games[focus.match.game]
    cursor = Text(" ").append(look.signs.cursor if chosen else " ", palette.accent)
    name = game_title(look, game)
    title = Text.assemble((name[:2], palette.soft), (name[2:], f"bold {palette.text}"))
    number = (f" {focus.match.number:>3}  ", palette.soft)
    letters = seats(look, cast, focus.match.agents, focus.waiting, hidden=focus.barred)
    first = Text.assemble(cursor, fit(title, TITLE_WIDTH if width >= 60 else 2), number, letters)
    progress = look.progress(share_played(watched, focus), 10 if width >= 60 else 6)
    right = Text.assemble((phase_of_table(watched, focus), palette.soft), "  ", progress)
    newest = latest(scene_of(focus, cast, look), max(4, width - 5))
    second = Text.assemble(cursor, "  ", newest or "")
    # With a blank at the end of both.
    lines = [fit(spread(first, right, width - 1), width), fit(fit(second, width - 1), width)]
    for line in lines if chosen else ():
        line.stylize_before(f"on {palette.raised}")
    return lines
