"""The matches of a save in short form, and their list as a tree."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from parlour.games.engine.game import Game
from parlour.tournament.save.outline import Begun, begun_matches, endings_of_all, outline
from parlour.tournament.save.queries import NewAnswers
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import tidy


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match in a list.

    ``answers`` is the number of answers so far, 0 for a match that was over from the start.
    ``kind`` and ``round`` are those of the newest answer. ``over``: it has ended or is frozen.
    """

    number: int
    entry: int
    experiment: str
    over: bool
    answers: int
    kind: str
    round: int


_NO_ANSWER = Begun()


class MatchLines:
    """All matches by number; kept up to date by their owner.

    ``groups`` are the game entries with their experiments; ``totals`` and ``ended`` count the
    matches of each, ``over`` all that are over. ``count`` has the number of matches at first.
    """

    def __init__(self, save: Save) -> None:
        plan = outline(save)
        self.groups, self.count = list(plan.groups), plan.count
        self._group_of, self._over = plan.group_of, plan.over
        self.totals = [group.matches for group in plan.groups.values()]
        self.ended = [group.over for group in plan.groups.values()]
        self.over = sum(self.ended)
        self._begun = begun_matches(save)

    def __len__(self) -> int:
        return len(self._over)

    def __getitem__(self, number: int) -> MatchLine:
        entry, experiment = self.groups[self.group_of(number)]
        begun = self._begun.get(number, _NO_ANSWER)
        over = self.is_over(number)
        return MatchLine(number, entry, experiment, over, begun.answers, begun.kind, begun.round)

    def group_of(self, number: int) -> int:
        """The index of a match's group."""
        return self._group_of[number - 1]

    def is_over(self, number: int) -> bool:
        """True if a match has ended or is frozen."""
        return bool(self._over[number - 1])

    def open_numbers(self) -> set[int]:
        """The matches that have answers and are not over."""
        return {number for number in self._begun if not self.is_over(number)}

    def first_left(self) -> int | None:
        """The first match that is not over."""
        row = self._over.find(0)
        return None if row < 0 else row + 1

    def last_over(self, most: int) -> list[int]:
        """The last matches that are over, ``most`` at most, in order of their numbers."""
        numbers: list[int] = []
        row = len(self._over)
        while len(numbers) < most and (row := self._over.rfind(1, 0, row)) >= 0:
            numbers.append(row + 1)
        return numbers[::-1]

    def numbers(self, groups: Iterable[int]) -> "array[int]":
        """The matches of some groups, in order."""
        wanted = frozenset(groups)
        of_row = enumerate(self._group_of, start=1)
        return array("I", (number for number, group in of_row if group in wanted))

    def among_over(self, numbers: "array[int]") -> "array[int]":
        """Those of the numbers whose matches are over."""
        over = self._over
        return array("I", (number for number in numbers if over[number - 1]))

    def add_answers(self, number: int, new: NewAnswers) -> None:
        """Adds new answers of a match."""
        begun = self._begun.setdefault(number, Begun())
        begun.answers, begun.kind, begun.round = begun.answers + new.answers, new.kind, new.round

    def end(self, number: int, *, frozen: bool) -> None:
        """Marks a match as over."""
        if not self.is_over(number):
            self._over[number - 1] = 1
            self.ended[self.group_of(number)] += 1
            self.over += 1
        if not frozen:
            self._begun.pop(number, None)


def fitting(save: Save, lines: MatchLines, text: str) -> Iterator[int]:
    """Yields the matches that fit a casefolded text.

    A text that is part of a game's title names games alone: "impostor" is no ending then.
    """
    games = [entry.game for entry in save.tournament.games]
    titled = {entry for entry, game in enumerate(games) if text in game.texts.title.casefold()}
    known: dict[tuple[int, str, str | None, bool], str] = {}
    begins_as_number = text[:1].isdigit()  # else it lies beside the number or nowhere
    for number, entry, experiment, ending in endings_of_all(save):
        if titled:
            if entry in titled:
                yield number
            continue
        key = (entry, experiment, ending, lines.is_over(number))
        words = known.get(key)
        if words is None:
            words = known[key] = f" {_words(games[entry], *key[1:])}"
        if text in words or (begins_as_number and text in f"{number}{words}"):
            yield number


def _words(game: Game, experiment: str, ending: str | None, over: bool) -> str:
    """The name and the ending of a match as the list shows them, casefolded."""
    if ending is None:
        shown = "frozen" if over else ""
    else:
        shown = game.texts.short_endings.get(tidy(str(ending)), tidy(str(ending)))
    return f"{tidy(experiment)} {shown}".casefold()


# --- The tree

MANY_MATCHES = 400
"""A game of more matches has its experiments as a level between."""
FEWEST_ROWS = 3
"""The rows of finished matches that an open heading has at least, however low the pane."""
Group = tuple[int, str]
"""The index of a game under a condition, and an experiment of it, "" for all of them."""


@dataclass(frozen=True, slots=True)
class InPlayHeading:
    """The heading of the matches in play."""

    count: int


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match, among those at the table or below its game."""

    number: int
    at_table: bool = False


@dataclass(frozen=True, slots=True)
class GroupHeading:
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
class EmptyLine:
    """An empty line."""


TreeRow = InPlayHeading | MatchRow | GroupHeading | Rest | EmptyLine
"""A row of the list."""


@dataclass(frozen=True, slots=True)
class TreeBasis:
    """Everything that decides the rows besides the matches that are over.

    ``playing`` are the numbers of the matches at the table, ``focus`` that of the match on screen,
    ``room`` the rows of the pane. ``wanted`` are the matches that fit the filter, None without one.
    """

    playing: Sequence[int]
    focus: int | None
    room: int
    wanted: Sequence[int] | None = None


class MatchTree:
    """Rows of the match list; built again only when something that decides them has changed.

    The matches of a heading are looked up when it is first opened, and those of them that are over
    again when one more is: a list of a million matches is as quick as a short one.
    """

    def __init__(self, lines: MatchLines, entries: Sequence[tuple[str, str]]) -> None:
        """``entries`` has game and condition of each game entry: the same ones make one heading."""
        self.games = list(dict.fromkeys(entries))
        self._game_of = [self.games.index(entry) for entry in entries]
        self._opened: set[Group] = set()
        self._closed: set[Group] = set()
        self._whole: set[Group] = set()
        self._reach: dict[Group, int] = {}
        """The rows of finished matches that a group had at most since it was opened."""
        self._take(lines)

    def use(self, lines: MatchLines) -> None:
        """Takes the matches of a plan that may have grown; what is open stays open."""
        if lines is not self._lines:
            self._take(lines)

    def _take(self, lines: MatchLines) -> None:
        self._lines = lines
        self._parts: dict[Group, list[int]] = {(game, ""): [] for game in range(len(self.games))}
        """The groups of ``lines`` below each heading."""
        self._experiments: list[list[str]] = [[] for _ in self.games]
        for part, (entry, experiment) in enumerate(lines.groups):
            game = self._game_of[entry]
            self._parts[game, ""].append(part)
            if (game, experiment) not in self._parts:
                self._experiments[game].append(experiment)
                self._parts[game, experiment] = []
            if experiment:  # a damaged save may have matches of none
                self._parts[game, experiment].append(part)
        self.totals = [self._total((game, "")) for game in range(len(self.games))]
        self._numbers: dict[Group, array[int]] = {}
        self._ended: dict[Group, array[int]] = {}
        self._built: tuple[object, ...] = ()
        self.rows: list[TreeRow] = []
        self._places: dict[int, int] = {}

    def update(self, shown: TreeBasis) -> None:
        """Builds the rows if they may be other ones than before."""
        if self._built != self._basis(shown):
            self._build(shown)
            self._built = self._basis(shown)

    def toggle(self, row: TreeRow) -> None:
        """Opens or closes a heading, or shows the rest of a group or hides it again."""
        self._built = ()
        if isinstance(row, Rest):
            self._whole ^= {row.group}
        elif isinstance(row, GroupHeading) and row.is_open:
            self._opened.discard(row.group)
            self._closed.add(row.group)
            self._reach.pop(row.group, None)
        elif isinstance(row, GroupHeading):
            self._closed.discard(row.group)
            self._opened.add(row.group)

    def row_of(self, number: int) -> int | None:
        """The index of a match: at the table, else below its game; None without a row."""
        return self._places.get(number)

    @property
    def first(self) -> int | None:
        """The number of the first match that has a row."""
        return next((row.number for row in self.rows if isinstance(row, MatchRow)), None)

    # --- The matches of a heading

    def _group_of(self, number: int) -> Group:
        """The group in whose list a match is."""
        entry, experiment = self._lines.groups[self._lines.group_of(number)]
        game = self._game_of[entry]
        return (game, experiment if self._has_experiments(game) else "")

    def _has_experiments(self, game: int) -> bool:
        return self.totals[game] > MANY_MATCHES

    def _total(self, group: Group) -> int:
        return sum(self._lines.totals[part] for part in self._parts[group])

    def _over(self, group: Group) -> int:
        return sum(self._lines.ended[part] for part in self._parts[group])

    def _numbers_of(self, group: Group) -> "array[int]":
        if group not in self._numbers:
            self._numbers[group] = self._lines.numbers(self._parts[group])
        return self._numbers[group]

    def _ended_of(self, group: Group) -> "array[int]":
        """The matches of a group that are over, in order."""
        ended = self._ended.get(group)
        if ended is None or len(ended) != self._over(group):
            ended = self._ended[group] = self._lines.among_over(self._numbers_of(group))
        return ended

    def _place(self, group: Group, number: int) -> int:
        """The place of a match that is over in its group, the newest first, from 1."""
        ended = self._ended_of(group)
        return len(ended) - bisect_left(ended, number)

    # --- The rows

    def _basis(self, shown: TreeBasis) -> tuple[object, ...]:
        """Everything that decides the rows; the match on screen only as far as it does."""
        focus: tuple[object, ...] = ()
        if shown.focus is not None and shown.wanted is None:
            group = self._group_of(shown.focus)
            focus = (group, shown.focus)
            if self._lines.is_over(shown.focus):
                has_row = self._place(group, shown.focus) <= self._reach.get(group, 0)
                focus = (group,) if has_row or group in self._whole else focus
        return (list(shown.playing), shown.room, self._lines.over, shown.wanted, focus)

    def _build(self, shown: TreeBasis) -> None:
        wanted = None if shown.wanted is None else set(shown.wanted)
        playing = [number for number in shown.playing if wanted is None or number in wanted]
        rows: list[TreeRow] = []
        if playing:
            rows.append(InPlayHeading(len(playing)))
            rows += [MatchRow(number, at_table=True) for number in playing]
            rows.append(EmptyLine())
        room = shown.room - len(rows) - len(self.games)
        if shown.wanted is not None:
            rows += self._filtered(shown)
        else:
            for game in range(len(self.games)):
                rows += self._game(game, shown, room)
        self.rows = rows
        # Backwards, so that the row at the table wins over one below.
        numbered = reversed(list(enumerate(rows)))
        self._places = {row.number: at for at, row in numbered if isinstance(row, MatchRow)}

    def _game(self, game: int, shown: TreeBasis, room: int) -> list[TreeRow]:
        """A game, and what is below it where it is open."""
        group = (game, "")
        is_open = self._is_open(group, shown.focus)
        rows: list[TreeRow] = [GroupHeading(group, is_open, self._over(group), self.totals[game])]
        if not is_open:
            return rows
        if not self._has_experiments(game):
            return rows + self._matches(group, shown, room)
        for experiment in self._experiments[game]:
            group = (game, experiment)
            is_open = self._is_open(group, shown.focus)
            rows.append(GroupHeading(group, is_open, self._over(group), self._total(group)))
            if is_open:
                rows += self._matches(group, shown, room)
        return rows

    def _is_open(self, group: Group, focus: int | None) -> bool:
        """True if opened by hand, or if the match on screen is in it and it was not closed."""
        if group in self._opened:
            return True
        if focus is None or group in self._closed:
            return False
        entry, experiment = self._lines.groups[self._lines.group_of(focus)]
        return group in {(self._game_of[entry], ""), (self._game_of[entry], experiment)}

    def _filtered(self, shown: TreeBasis) -> list[TreeRow]:
        """The games with all matches that fit the filter, in the order that they have without."""
        fitting: list[list[int]] = [[] for _ in self.games]
        for number in shown.wanted or ():
            fitting[self._group_of(number)[0]].append(number)
        rows: list[TreeRow] = []
        for game, numbers in enumerate(fitting):
            group = (game, "")
            is_open = group not in self._closed
            over = [number for number in reversed(numbers) if self._lines.is_over(number)]
            waiting = sorted(set(numbers).difference(over, shown.playing))
            if numbers:
                rows.append(GroupHeading(group, is_open, len(over), len(numbers)))
            if is_open:
                rows += map(MatchRow, [*over, *waiting])
        return rows

    def _matches(self, group: Group, shown: TreeBasis, room: int) -> list[TreeRow]:
        """The finished matches of a group for which there is room, newest first, and the rest."""
        ended, playing = self._ended_of(group), frozenset(shown.playing)
        if group in self._whole:
            numbers = self._numbers_of(group)
            waiting = (n for n in numbers if not (self._lines.is_over(n) or n in playing))
            rest = Rest(group, 0, 0, is_open=True)
            return [*map(MatchRow, reversed(ended)), *map(MatchRow, waiting), rest]
        here = [number for number in playing if self._group_of(number) == group]
        to_come = self._total(group) - len(ended)
        to_come -= sum(not self._lines.is_over(number) for number in here)
        most = max(FEWEST_ROWS, room - 1, self._reach.get(group, 0))
        focus = shown.focus if shown.focus and self._group_of(shown.focus) == group else None
        if focus is not None and self._lines.is_over(focus):
            # The match on screen has a row, and those above it keep theirs.
            most = self._reach[group] = max(most, self._place(group, focus))
        listed = list(reversed(ended[-most:]))
        if focus is not None and not self._lines.is_over(focus) and focus not in playing:
            listed.append(focus)
            to_come -= 1
        rest = Rest(group, max(0, len(ended) - most), to_come)
        more = [rest] if rest.earlier or rest.to_come else []
        return [*map(MatchRow, listed), *more]


def fits(row: TreeRow) -> bool:
    """True for a row that the cursor can stand on."""
    return not isinstance(row, InPlayHeading | EmptyLine)
