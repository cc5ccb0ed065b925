"""A match with its people and its look: what every drawing of a match starts from."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rich.text import Text

from parlour.games.engine.moves import Seat
from parlour.tui.look.cast import Cast, Identity
from parlour.tui.look.look import Look, fit
from parlour.tui.models.save_view import Focus

_PLAYER = re.compile(r"\bPlayer ([1-9]\d*)\b")


@dataclass(frozen=True, slots=True)
class Scene:
    """A match as drawn: its state, the identity of each seat, and the look.

    ``waiting`` are the seats that have not answered the current ask. ``verbatim`` shows the words
    of players as written.
    """

    focus: Focus
    people: tuple[Identity, ...]
    look: Look
    waiting: frozenset[int] = frozenset()
    verbatim: bool = False

    @property
    def chip_width(self) -> int:
        """The columns of the widest chip of the match."""
        return max((len(who.letters) + 2 for who in self.people), default=3)

    @property
    def name_width(self) -> int:
        """The columns of the longest name of the match."""
        return max((Text(who.name).cell_len for who in self.people), default=0)

    def chip(self, seat: int, *, pending: bool = False) -> Text:
        """The chip of a seat, as wide as the widest of the match."""
        return self.look.chip(self.people[seat], width=self.chip_width, pending=pending)

    def letters(self, seat: int, *, turn: bool = False, dim: bool = False) -> Text:
        """The letters of a seat in its colour."""
        return self.look.letters(self.people[seat], turn=turn, dim=dim)

    def all_letters(self, seats: Iterable[int]) -> Text:
        """The letters of several seats, apart by blanks."""
        return Text(" ").join([self.letters(seat) for seat in seats])

    def name(self, seat: int, *, speaks: bool = False, width: int | None = None) -> Text:
        """The name of a seat in its colour, in a width if one is given."""
        name = self.look.name(self.people[seat], speaks=speaks)
        return name if width is None else fit(name, width)

    def words(self, text: str, style: str = "", *, quoted: bool = False) -> Text:
        """A text with the names of seats in place of "Player 3".

        ``quoted``: a player wrote it, so that the names are underlined, or stay as written.
        """
        if quoted and self.verbatim:
            return Text(text, style)
        line, at = Text("", style), 0
        for match in _PLAYER.finditer(text):
            seat = Seat(int(match[1]) - 1)
            if seat >= len(self.people):
                continue
            line.append(text[at : match.start()])
            who = self.people[seat]
            line.append(who.name, f"underline {who.colour}" if quoted else who.colour)
            at = match.end()
        return line.append(text[at:])


def scene_of(
    focus: Focus, cast: Cast, look: Look, *, waiting: Iterable[int] = (), verbatim: bool = False
) -> Scene:
    """The scene of the match in focus."""
    return Scene(focus, cast.seats(focus.match.agents), look, frozenset(waiting), verbatim)
