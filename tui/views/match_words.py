"""A match in few words, and the rows of the match list."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.games.engine.game import Game
from parlour.games.engine.moves import Outcome
from parlour.ratings.measures.conditions import condition_name
from parlour.tournament.save.rows import StoredMatch
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look, fit, spread
from parlour.tui.models.match_tree import (
    EmptyLine,
    GroupHeading,
    InPlayHeading,
    MatchLine,
    MatchRow,
    MatchTree,
    Rest,
    TreeRow,
)
from parlour.tui.models.save_view import Focus, SaveView
from parlour.tui.text import last_words

MOST_POINTS = 4
"""The seats of a match whose points are listed; of more seats the best is named."""
ENDING_WIDTH = 18
LEAST_TITLE = 8


def suit(look: Look, game: Game) -> str:
    """The sign of the family of a game."""
    return look.signs.suits.get(game.texts.family, "·")


def game_title(look: Look, game: Game, width: int | None = None) -> str:
    """The sign and the name of a game; its last words where not all fit a width."""
    title = one_line(game.texts.title)
    if width is not None:
        title = last_words(title, max(LEAST_TITLE, width - 2))
    return f"{suit(look, game)} {title}"


def phase(game: Game, kind: str, round: int, rounds: int, *, short: bool = False) -> str:
    """The word for where a match is, with the round where there are several: "pool 3/5"."""
    word = game.texts.phases.get(kind, one_line(kind).replace("_", " "))
    if short or not 0 < round <= rounds or rounds == 1:
        return word
    return f"{word} {round}/{rounds}"


def phase_of(watched: SaveView, number: int, *, short: bool = False) -> str:
    """The phase of a match: of its table if it is in focus, else of its newest answer."""
    line, focus = watched.lines[number], watched.focus
    game, rounds = watched.save.tournament.games[line.entry].game, watched.rounds[line.entry]
    table = focus.table if focus is not None and watched.number == number else None
    if table is not None and table.pending is not None:
        return phase(game, table.pending.kind, table.pending.round, rounds, short=short)
    return phase(game, line.kind, line.round, rounds, short=short) if line.kind else "begins"


def phase_of_table(watched: SaveView, focus: Focus) -> str:
    """The phase of a match by its table, or its ending."""
    table, rounds = focus.table, watched.rounds[focus.match.entry]
    if focus.match.frozen is not None:
        return "frozen"
    if table is None:
        return ""
    if table.outcome is not None:
        return short_ending(table.game, table.outcome)
    if table.pending is None:
        return ""
    return phase(table.game, table.pending.kind, table.pending.round, rounds)


def short_ending(game: Game, outcome: Outcome) -> str:
    """The ending in at most 18 columns: in words, else points by seat, else the best."""
    words = game.texts.short_endings.get(outcome.ending)
    if words is not None:
        return one_line(words)
    points = [f"{payoff:.1f}".removesuffix(".0") for payoff in outcome.payoffs]
    if len(points) <= MOST_POINTS:
        return "  ".join(points)
    return f"best {max(outcome.payoffs):.1f}"


def winners(look: Look, cast: Cast, match: StoredMatch) -> Text:
    """The letters of the agents that won, or of those with most points where nobody won."""
    outcome = match.outcome
    if outcome is None:
        return Text()
    sign, style = look.signs.won, look.palette.warn
    best: Sequence[int] = outcome.winners
    if not best and len(set(outcome.payoffs)) > 1:
        most = max(outcome.payoffs)
        sign, style = look.signs.most, look.palette.soft
        best = [seat for seat, payoff in enumerate(outcome.payoffs) if payoff == most]
    if not best:
        return Text()
    line = Text(no_wrap=True).append(f"{sign} ", style)
    for agent in dict.fromkeys(match.agents[seat] for seat in best):
        line.append_text(look.letters(cast[agent]))
    return line


def seats(
    look: Look,
    cast: Cast,
    agents: Sequence[str],
    waiting: Iterable[int] = (),
    *,
    dim: bool = False,
    hidden: bool = False,
) -> Text:
    """The letters of a match in the order of its seats, those reversed whose turn it is.

    ``hidden``: only the agents, not their seats, in the order of the tournament.
    """
    if hidden:
        present = [agent for agent in cast.agents if agent in agents]
        return Text(" ", no_wrap=True).join([look.letters(cast[agent]) for agent in present])
    turn = frozenset(waiting)
    if len(agents) > 2 and len(set(agents)) == 1:
        times = (f" × {len(agents)}", look.palette.faint)
        line = Text.assemble(look.letters(cast[agents[0]], dim=dim), times, no_wrap=True)
        numbers = cast.seats(agents)
        for seat in sorted(turn):
            line.append("  " if seat == min(turn) else " ")
            line.append_text(look.letters(numbers[seat], turn=True))
        return line
    letters = [
        look.letters(cast[agent], turn=seat in turn, dim=dim) for seat, agent in enumerate(agents)
    ]
    return Text(" ", no_wrap=True).join(letters)


def ending(look: Look, game: Game, match: StoredMatch, width: int) -> Text:
    """The ending of a match in a width, or that it is frozen."""
    if match.frozen is not None:
        return fit(Text(f"{look.signs.failed} frozen", look.palette.bad), width)
    words = "" if match.outcome is None else short_ending(game, match.outcome)
    return fit(Text(words, look.palette.soft), width)


# --- The rows of the list

NARROW, BROAD = 38, 42
"""Columns below which progress is short and rounds are left out, and from which it is long."""
SHORTEST_ENDING = 9
"""Columns that the ending has at least, as in "best 12.7": letters give way to it."""
GONE = "cannot be read"
ROWS_KEPT = 500
"""Rows that are kept as drawn: several panes full."""


@dataclass(frozen=True, slots=True)
class ListedMatches:
    """Everything that the rows of the list are drawn from.

    MatchRows of matches that are over are drawn once, since they never change again.
    """

    watched: SaveView
    tree: MatchTree
    cast: Cast
    look: Look
    _drawn: dict[tuple[int, int, bool, bool], Text] = field(default_factory=dict)

    def line(self, row: TreeRow, width: int, *, under_cursor: bool = False) -> Text:
        """A row in a width."""
        if isinstance(row, EmptyLine):
            return fit(Text(), width)
        if isinstance(row, InPlayHeading):
            title = Text(" At the table", f"bold {self.look.palette.text}")
            return spread(title, Text(f"{row.count} ", self.look.palette.soft), width)
        if isinstance(row, GroupHeading):
            return self._heading(row, width, self._cursor(under_cursor))
        if isinstance(row, Rest):
            return self._rest(row, width, self._cursor(under_cursor))
        if row.at_table or not self.watched.lines.is_over(row.number):
            return self._match(row, width, self._cursor(under_cursor))
        key = (row.number, width, under_cursor, self.watched.number == row.number)
        if key not in self._drawn:
            if len(self._drawn) >= ROWS_KEPT:
                self._drawn.clear()
            self._drawn[key] = self._match(row, width, self._cursor(under_cursor))
        return self._drawn[key].copy()

    def _cursor(self, is_there: bool) -> Text:
        sign = self.look.signs.cursor if is_there else " "
        return Text(no_wrap=True).append(sign, self.look.palette.accent)

    def _heading(self, row: GroupHeading, width: int, cursor: Text) -> Text:
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
        style = f"bold {palette.text}" if watched.number == row.number else palette.soft
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
        return spread(text, Text.assemble(where, "  ", progress, no_wrap=True), width)
