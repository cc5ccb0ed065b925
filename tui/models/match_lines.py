"""The matches of a save in short form: a few bytes for each, more for those that are played."""

from array import array
from collections.abc import Iterable, Iterator
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
