"""The rows of the match list: at the table, games, experiments and their matches."""

from dataclasses import dataclass, field

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.ratings.measures.conditions import condition_name
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look, fit, spread
from parlour.tui.models.match_lines import MatchLine
from parlour.tui.models.match_tree import Gap, Heading, MatchRow, MatchTree, Rest, Section, TreeRow
from parlour.tui.models.save_view import SaveView
from parlour.tui.views.match_words import (
    ENDING_WIDTH,
    ending,
    game_title,
    phase_of,
    seats,
    suit,
    winners,
)

NARROW, BROAD = 38, 42
"""Columns below which progress is short and rounds are left out, and from which it is long."""
SHORTEST_ENDING = 9
"""Columns that the ending has at least, as in "best 12.7": letters give way to it."""
GONE = "cannot be read"
ROWS_KEPT = 500
"""Rows that are kept as drawn: several panes full."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Everything that the rows of the list are drawn from.

    Rows of matches that are over are drawn once, since they never change again.
    """

    watched: SaveView
    tree: MatchTree
    cast: Cast
    look: Look
    _drawn: dict[tuple[int, int, bool, bool], Text] = field(default_factory=dict)

    def line(self, row: TreeRow, width: int, *, under_cursor: bool = False) -> Text:
        """A row in a width."""
        if isinstance(row, Gap):
            return fit(Text(), width)
        if isinstance(row, Section):
            title = Text(" At the table", f"bold {self.look.palette.text}")
            return spread(title, Text(f"{row.count} ", self.look.palette.soft), width)
        if isinstance(row, Heading):
            return self._heading(row, width, self._cursor(under_cursor))
        if isinstance(row, Rest):
            return self._rest(row, width, self._cursor(under_cursor))
        if row.at_table or not self.watched.lines.is_over(row.number):
            return self._match(row, width, self._cursor(under_cursor))
        focus = self.watched.focus
        in_focus = focus is not None and focus.match.number == row.number
        key = (row.number, width, under_cursor, in_focus)
        if key not in self._drawn:
            if len(self._drawn) >= ROWS_KEPT:
                self._drawn.clear()
            self._drawn[key] = self._match(row, width, self._cursor(under_cursor))
        return self._drawn[key].copy()

    def _cursor(self, is_there: bool) -> Text:
        sign = self.look.signs.cursor if is_there else " "
        return Text(no_wrap=True).append(sign, self.look.palette.accent)

    def _heading(self, row: Heading, width: int, cursor: Text) -> Text:
        palette, signs = self.look.palette, self.look.signs
        index, experiment = row.group
        line = cursor.append(f"{signs.open if row.is_open else signs.closed} ", palette.soft)
        if experiment:
            name = one_line(experiment.split(": ", maxsplit=1)[-1])
            line = Text("  ", no_wrap=True).append_text(line).append(name, palette.soft)
        else:
            name, condition = self.tree.games[index]
            style = f"bold {palette.text}" if row.is_open else palette.text
            line.append(game_title(self.look, self.watched.games[name]), style)
            several = sum(name == other for other, _condition in self.tree.games) > 1
            if several:
                line.append(f" {one_line(condition_name(condition))}", palette.faint)
        digits = len(str(max(self.tree.totals, default=0)))
        share = row.over / row.total if row.total else 0.0
        count = Text(f"{row.over:>{digits}}/{row.total:<{digits}} ", palette.soft)
        bar = self.look.progress(share, 8 if width > BROAD else 6).append("  ")
        # The whole name comes before the bar: it tells experiments apart.
        if width < NARROW - 8 or line.cell_len + 1 + bar.cell_len + count.cell_len > width:
            return spread(line, count, width)
        return spread(line, bar.append_text(count), width)

    def _rest(self, row: Rest, width: int, cursor: Text) -> Text:
        earlier = f"{row.earlier} earlier" if row.earlier else ""
        to_come = f"{row.to_come} to come" if row.to_come else ""
        words = "fewer" if row.is_open else " · ".join(filter(None, (earlier, to_come)))
        return fit(cursor.append(f"        {words}", f"italic {self.look.palette.faint}"), width)

    def _match(self, row: MatchRow, width: int, cursor: Text) -> Text:
        watched, palette = self.watched, self.look.palette
        line = watched.lines[row.number]
        game = watched.save.tournament.games[line.entry].game
        digits = max(3, len(str(len(watched.lines))))
        text = Text(" ", no_wrap=True).append_text(cursor)
        text.append(suit(self.look, game) if row.at_table else " ", palette.soft)
        focus = watched.focus
        in_focus = focus is not None and focus.match.number == row.number
        style = f"bold {palette.text}" if in_focus else palette.soft
        text.append(f" {row.number:>{digits}}  ", style)
        match = watched.stored(row.number)
        if match is None:
            return fit(text.append(GONE, palette.bad), width)
        waiting = watched.waited_for(row.number) if row.at_table else ()
        dim, hidden = not row.at_table, watched.barred(match)
        letters = seats(self.look, self.cast, match.agents, waiting, dim=dim, hidden=hidden)
        if row.at_table:
            return self._at_table(text.append_text(letters), line, width, hidden=hidden)
        won = winners(self.look, self.cast, match)
        room = max(0, width - text.cell_len - won.cell_len - 3)
        if letters.cell_len > room - SHORTEST_ENDING:
            letters = fit(letters, max(0, room - SHORTEST_ENDING))
        cell = ending(self.look, game, match, min(ENDING_WIDTH, room - letters.cell_len))
        return spread(text.append_text(letters).append("  ").append_text(cell), won, width)

    def _at_table(self, text: Text, line: MatchLine, width: int, *, hidden: bool) -> Text:
        """The row of a match in play: its phase, unless that is hidden, and its progress."""
        watched, palette = self.watched, self.look.palette
        share = line.answers / max(1, watched.expected[line.entry])
        progress = self.look.progress(min(1.0, share), 5 if width < NARROW else 7)
        live = watched.live
        if live is not None and line.number in live.parked:
            where = Text("parked", palette.warn)
        elif hidden:
            where = Text()
        else:
            words = phase_of(watched, line.number)
            if width < NARROW or text.cell_len + len(words) + progress.cell_len + 4 > width:
                words = phase_of(watched, line.number, short=True)
            where = Text(words, palette.soft)
        right = Text(no_wrap=True).append_text(where).append("  ").append_text(progress)
        return spread(text, right, width)
