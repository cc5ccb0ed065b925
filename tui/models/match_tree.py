"""The list of matches as a tree: at the table, then a heading for each game with its matches."""

from collections.abc import Sequence
from dataclasses import dataclass

from parlour.tournament.save.queries import MatchLine

MANY_MATCHES = 400
"""A game of more matches has its experiments as a level between."""
FEWEST_ROWS = 3
"""The rows of finished matches that an open heading has at least, however low the pane."""
Group = tuple[int, str]
"""The index of a game under a condition, and an experiment of it, "" for all of them."""


@dataclass(frozen=True, slots=True)
class Section:
    """The heading of the matches in play."""

    count: int


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match, among those at the table or below its game."""

    number: int
    at_table: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """A game, or an experiment of a game, that opens and closes."""

    group: Group
    is_open: bool
    over: int
    total: int


@dataclass(frozen=True, slots=True)
class Rest:
    """The matches of a group that have no row of their own; ``is_open``: all have."""

    group: Group
    earlier: int
    to_come: int
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """An empty line."""


TreeRow = Section | MatchRow | Heading | Rest | Gap
"""A row of the list."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Everything that decides the rows.

    ``playing`` are the numbers of the matches at the table, ``focus`` that of the match on screen,
    ``room`` the rows of the pane, ``over`` the number of ended matches by game entry. ``wanted``
    are the rows of ``lines`` that fit the filter, None without one.
    """

    playing: Sequence[int]
    focus: int | None
    room: int
    over: Sequence[int]
    wanted: Sequence[int] | None = None


class MatchTree:
    """Rows of the match list; built again only when something that decides them has changed."""

    def __init__(self, lines: Sequence[MatchLine], entries: Sequence[tuple[str, str]]) -> None:
        """``lines`` has one entry a match, kept up to date by its owner.

        ``entries`` has game and condition of each game entry: the same ones make one heading.
        """
        self._lines = lines
        self.games = list(dict.fromkeys(entries))
        self._game_of = [self.games.index(entry) for entry in entries]
        self._games: list[list[int]] = [[] for _ in self.games]
        for line in lines:
            self._games[self._game_of[line.entry]].append(line.number)
        self.totals = [len(numbers) for numbers in self._games]
        self._named: dict[int, dict[str, list[int]]] = {}
        """For each game with many matches: their numbers by experiment."""
        self._over: dict[Group, int] = {}
        """The ended matches of experiments, as long as no other one ends."""
        self._opened: set[Group] = set()
        self._closed: set[Group] = set()
        self._whole: set[Group] = set()
        self._reach: dict[Group, int] = {}
        """The rows of finished matches that a group had at most since it was opened."""
        self._built: tuple[object, ...] = ()
        self.rows: list[TreeRow] = []
        self._places: dict[int, int] = {}

    def update(self, shown: Shown) -> None:
        """Builds the rows if they may be other ones than before."""
        wanted = None if shown.wanted is None else tuple(shown.wanted)
        basis = (tuple(shown.playing), shown.focus, shown.room, tuple(shown.over), wanted)
        if basis != self._built:
            if self._built[3:4] != basis[3:4]:
                self._over.clear()
            self._built = basis
            self._build(shown)

    def toggle(self, row: TreeRow) -> None:
        """Opens or closes a heading, or shows the rest of a group or hides it again."""
        self._built = ()
        if isinstance(row, Rest):
            self._whole ^= {row.group}
        elif isinstance(row, Heading) and row.is_open:
            self._opened.discard(row.group)
            self._closed.add(row.group)
            self._reach.pop(row.group, None)
        elif isinstance(row, Heading):
            self._closed.discard(row.group)
            self._opened.add(row.group)

    def row_of(self, number: int) -> int | None:
        """The index of a match: at the table, else below its game; None without a row."""
        return self._places.get(number)

    @property
    def first(self) -> int | None:
        """The number of the first match that has a row."""
        return next((row.number for row in self.rows if isinstance(row, MatchRow)), None)

    def _build(self, shown: Shown) -> None:
        wanted = None if shown.wanted is None else {row + 1 for row in shown.wanted}
        playing = [number for number in shown.playing if wanted is None or number in wanted]
        rows: list[TreeRow] = []
        if playing:
            rows.append(Section(len(playing)))
            rows += [MatchRow(number, at_table=True) for number in playing]
            rows.append(Gap())
        focus = None if shown.focus is None else self._lines[shown.focus - 1]
        room = shown.room - len(rows) - len(self._games)
        over = [0] * len(self.games)
        for entry, count in enumerate(shown.over):
            over[self._game_of[entry]] += count
        for game, numbers in enumerate(self._games):
            if wanted is not None:
                fitting = [number for number in numbers if number in wanted]
                rows += self._filtered(game, fitting, shown) if fitting else ()
                continue
            group = (game, "")
            is_open = self._is_open(group, focus)
            rows.append(Heading(group, is_open, over[game], len(numbers)))
            if is_open and len(numbers) > MANY_MATCHES:
                rows += self._experiments(game, numbers, shown, focus, room)
            elif is_open:
                rows += self._matches(group, numbers, shown, room)
        self.rows = rows
        # Backwards, so that the row at the table wins over one below.
        numbered = reversed(list(enumerate(rows)))
        self._places = {row.number: at for at, row in numbered if isinstance(row, MatchRow)}

    def _is_open(self, group: Group, focus: MatchLine | None) -> bool:
        """True if opened by hand, or if the match on screen is in it and it was not closed."""
        if group in self._opened:
            return True
        if focus is None or group in self._closed:
            return False
        game, experiment = group
        return self._game_of[focus.entry] == game and experiment in ("", focus.experiment)

    def _filtered(self, game: int, numbers: Sequence[int], shown: Shown) -> list[TreeRow]:
        """A game with all matches that fit the filter, in the order that they have without one."""
        over = [number for number in reversed(numbers) if self._lines[number - 1].over]
        group = (game, "")
        is_open = group not in self._closed
        heading = Heading(group, is_open, len(over), len(numbers))
        waiting = sorted(set(numbers).difference(over, shown.playing))
        return [heading, *map(MatchRow, [*over, *waiting])] if is_open else [heading]

    def _experiments(
        self, game: int, numbers: Sequence[int], shown: Shown, focus: MatchLine | None, room: int
    ) -> list[TreeRow]:
        """The experiments of a game with many matches, and the matches of the open ones."""
        if game not in self._named:
            by_name: dict[str, list[int]] = self._named.setdefault(game, {})
            for number in numbers:
                by_name.setdefault(self._lines[number - 1].experiment, []).append(number)
        rows: list[TreeRow] = []
        for name, own in self._named[game].items():
            group = (game, name)
            if group not in self._over:
                self._over[group] = sum(self._lines[number - 1].over for number in own)
            over = self._over[group]
            is_open = self._is_open(group, focus)
            rows.append(Heading(group, is_open, over, len(own)))
            if is_open:
                rows += self._matches(group, own, shown, room)
        return rows

    def _matches(
        self, group: Group, numbers: Sequence[int], shown: Shown, room: int
    ) -> list[TreeRow]:
        """The finished matches of a group for which there is room, newest first, and the rest."""
        playing = frozenset(shown.playing)
        over = [number for number in reversed(numbers) if self._lines[number - 1].over]
        waiting = set(numbers).difference(over, playing)
        if group in self._whole:
            listed = [*over, *sorted(waiting)]
            rest = Rest(group, 0, 0, is_open=True)
            return [*map(MatchRow, listed), rest]
        most = max(FEWEST_ROWS, room - 1, self._reach.get(group, 0))
        if shown.focus in over:  # the match on screen has a row, and those above it keep theirs
            most = self._reach[group] = max(most, over.index(shown.focus) + 1)
        listed = over[:most]
        if shown.focus in waiting:
            listed.append(shown.focus)
            waiting.remove(shown.focus)
        rest = Rest(group, max(0, len(over) - most), len(waiting))
        more = [rest] if rest.earlier or rest.to_come else []
        return [*map(MatchRow, listed), *more]


def fits(row: TreeRow) -> bool:
    """True for a row that the cursor can stand on."""
    return not isinstance(row, Section | Gap)
