"""Tables of tiles: agents against games, roles or each other, coloured by strength."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from textwrap import wrap

from rich.cells import cell_len
from rich.text import Text

from parlour.games.common.text import one_line
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look, fit
from parlour.tui.models.sorting import UNSORTED, Sorting
from parlour.tui.models.tiles import Tile, TileColumn, TileTable
from parlour.tui.text import last_words, out_of_sight
from parlour.tui.views.standings_table import HIDDEN, Shows, chip_and_name, chip_width, people_width

NARROWEST, BROADEST = 6, 14
"""Columns of a tile at least and at most, with the blank before it."""
TALL_FROM = 100
"""Columns of a table from which on a tile has two lines."""
NAMED = 12
"""Columns of a tile from which on its heading is a title, not three letters."""


@dataclass(frozen=True)
class HeatTable:
    """A table of tiles at a width and height, with the cell under the cursor marked.

    ``column`` is the index of the column under the cursor. Rows are ordered by ``sorting``.
    """

    table: TileTable
    cast: Cast
    look: Look
    width: int
    height: int
    column: int = 0
    sorting: Sorting = UNSORTED
    shows: Shows = "values"

    @cached_property
    def agents(self) -> list[str]:
        """The agents in order."""
        key = self.sorting.column

        def value(agent: str) -> float | str | None:
            if key == "agent":
                return self.cast[agent].name
            tile = self.table.tiles.get((agent, key or ""))
            return None if tile is None else tile.value

        return self.sorting.order(self.table.agents, value)

    @property
    def sortable(self) -> list[str]:
        """The keys of the columns that can order the table."""
        return ["agent", *(column.key for column in self.table.columns)]

    @cached_property
    def tall(self) -> int:
        """The lines of a row: two and a blank one where there is room, else one."""
        if self.width < TALL_FROM:
            return 1
        rows = len(self.table.agents)
        heads = len(self.headings)
        return next((tall for tall in (3, 2) if rows * tall + heads <= self.height), 1)

    @cached_property
    def _chip(self) -> int:
        return chip_width(self.cast)

    @cached_property
    def _people(self) -> int:
        notes = max((len(note) for note in self.table.notes.values()), default=0)
        return max(people_width(self.cast, self.width), self._chip + 1 + notes)

    @cached_property
    def tile_width(self) -> int:
        """The columns of a tile with the blank before it: room for the words of its heading."""
        room = self.width - self._people - 2
        words = chain.from_iterable(_lines(column.below, 1) for column in self.table.columns)
        least = max([NARROWEST, *(cell_len(word) + 1 for word in words)])
        most = max(least, room // max(1, len(self.table.columns)))
        return min(BROADEST, most)

    @cached_property
    def shown(self) -> Sequence[int]:
        """The indices of the columns in sight: those around the cursor where not all fit."""
        columns = len(self.table.columns)
        count = max(1, (self.width - self._people - 2) // self.tile_width)
        start = max(0, min(self.column - count // 2, columns - count))
        return range(start, min(columns, start + count))

    @property
    def hidden(self) -> str:
        """The number of columns out of sight on either side, as words; "" if there are none."""
        if not self.table.columns:
            return ""
        after = len(self.table.columns) - 1 - self.shown[-1]
        return out_of_sight(HIDDEN, {"←": self.shown[0], "→": after})

    @cached_property
    def headings(self) -> list[Text]:
        """The titles of the columns, on one to three lines."""
        columns = [self.table.columns[index] for index in self.shown]
        parts = [self._heading(column) for column in columns]
        arrow = self.sorting.arrow("agent", self.look.signs, numbers=False)
        people = Text(f"agent {arrow}" if arrow else "", f"bold {self.look.palette.accent}")
        lines = []
        for part in range(max((len(words) for words in parts), default=1)):
            line = fit(people if part == 0 else Text(), self._people + 2)
            for words in parts:
                word = words[part] if part < len(words) else Text()
                line.append(" ").append_text(fit(word, self.tile_width - 1, align="center"))
            lines.append(fit(line, self.width))
        return lines

    def _heading(self, column: TileColumn) -> list[Text]:
        palette = self.look.palette
        arrow = self.sorting.arrow(column.key, self.look.signs, numbers=True)
        style = f"bold {palette.accent}" if arrow else palette.soft
        suit = self.look.signs.suits.get(column.family, "")
        if column.agent is not None:
            chip = self.look.chip(self.cast[column.agent], width=self._chip)
            return [Text().append_text(chip).append(arrow, style)]
        named = self.tile_width > NAMED
        title = one_line(column.title)
        if named:
            room = self.tile_width - 1 - cell_len(f"{suit} {arrow}")
            lines = [Text(f"{suit} {last_words(title, room)}{arrow}".strip(), style)]
        else:
            short = title[:3].lower() if suit else "all"
            lines = [Text(f"{suit}{arrow}", style), Text(short, style)]
        below = _lines(column.below, self.tile_width - 1)
        return [*lines, *(Text(words, palette.faint) for words in below)]

    def row(self, index: int, *, cursor: bool = False) -> list[Text]:
        """The lines of a row; ``cursor``: the cursor is in it."""
        agent, tall = self.agents[index], self.tall
        palette = self.look.palette
        mark = Text(f"{self.look.signs.cursor} " if cursor else "  ", palette.accent)
        head = chip_and_name(self.look, self.cast[agent], self._people, self._chip)
        note = Text(" " * (self._chip + 1) + self.table.notes.get(agent, ""), palette.faint)
        heads = [mark + head, Text("  ") + fit(note, self._people), Text()]
        lines = []
        for part in range(tall):
            line = fit(heads[part], self._people + 2)
            for place in self.shown:
                column = self.table.columns[place]
                chosen = cursor and place == self.column
                tile = self.table.tiles.get((agent, column.key))
                own = column.agent == agent
                line.append(" ").append_text(self._tile(tile, part, chosen=chosen, own=own))
            lines.append(fit(line, self.width))
        return lines

    def _tile(self, tile: Tile | None, part: int, *, chosen: bool, own: bool) -> Text:
        """One line of a tile."""
        palette, width = self.look.palette, self.tile_width - 1
        if part == 2:
            return Text(" " * width)
        words = self._words(tile, part) if tile else ("·" if own else "–") * (part == 0)
        shade = None if tile is None else tile.shade
        if shade is None:
            ink, colour = palette.soft if tile else palette.faint, palette.panel
        else:
            ramp = palette.strength
            step = ramp.step((shade + 1) / 2)
            ink, colour = ramp.inks[step], ramp.colours[step]
        if chosen and width < NAMED:
            ink, colour = palette.bg if palette.exact else palette.on_chip, palette.text
        bold = "bold " if tile and part == 0 else ""
        line = Text(words.center(width)[:width], f"{bold}{ink} on {colour}", no_wrap=True)
        if chosen and width >= NAMED:
            edge = Text(self.look.signs.edge, f"bold {palette.text} on {colour}")
            return edge + line[1:-1] + Text("▐" if self.look.signs.braille else "<", edge.style)
        return line

    def _words(self, tile: Tile, part: int) -> str:
        """The value above its interval; in a row of one line, the one that is asked for."""
        by_form = {"values": tile.text, "intervals": tile.half, "counts": tile.count}
        if self.tall == 1:
            return by_form[self.shows]
        below = tile.count if self.shows == "counts" else tile.below or tile.half
        return below if part else tile.text


def _lines(words: str, width: int) -> list[str]:
    """Words on lines of a width, broken at blanks and hyphens alone."""
    return wrap(one_line(words), max(1, width), break_long_words=False)
