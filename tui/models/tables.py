"""The tables of several matches at once, each brought up to date when it is looked at."""

from collections.abc import Iterable

from parlour.games.common.errors import ParlourError
from parlour.tui.models.focus import Focus
from parlour.tui.models.save_view import SaveView


class Tables:
    """The matches that a wall shows; those that are no longer asked for are let go."""

    def __init__(self, watched: SaveView) -> None:
        self._watched = watched
        self._known: dict[int, Focus] = {}

    def up_to_date(self, numbers: Iterable[int]) -> list[Focus]:
        """These matches up to their newest answers, without those that cannot be read."""
        known: dict[int, Focus] = {}
        for number in numbers:
            try:
                known[number] = self._up_to_date(number)
            except ParlourError:
                continue
        self._known = known
        return list(known.values())

    def _up_to_date(self, number: int) -> Focus:
        watched, focus = self._watched, self._known.get(number)
        if watched.focus is not None and watched.focus.match.number == number:
            return watched.focus
        line = watched.lines[number]
        if focus is not None and line.answers == len(focus.answers) and not line.over:
            same = focus.barred == watched.barred(focus.match)
            return focus if same else watched.up_to_date(focus, number)
        return watched.up_to_date(focus, number)
