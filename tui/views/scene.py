"""A match with its people and its look: what every drawing of a match starts from."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from rich.text import Text

from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome, Seat
from parlour.tournament.control.status import OpenCall
from parlour.tui.look.cast import Cast, ShownIdentity
from parlour.tui.look.look import Look, fit
from parlour.tui.models.save_view import Focus
from parlour.tui.text import following

AUDIENCE: Literal["audience"] = "audience"
Viewer = int | Literal["audience"] | None
"""The one through whose eyes a match is seen: a 0-based seat, the audience, or None for all."""

_PLAYER = re.compile(r"\bPlayer ([1-9]\d*)\b")


@dataclass(frozen=True, slots=True)
class Scene:
    """A match as drawn: its state, the identity of each seat, and the look.

    ``waiting`` are the seats that have not answered the current ask, ``calls`` the calls of models
    that are under way for them. ``verbatim`` shows the words
    of players as written. ``viewer`` is the one through whose eyes the match is seen: a seat, the
    audience, or None for everything.
    """

    focus: Focus
    people: tuple[ShownIdentity, ...]
    look: Look
    waiting: frozenset[int] = frozenset()
    verbatim: bool = False
    viewer: Viewer = None
    calls: Mapping[int, OpenCall] = field(default_factory=dict)

    @property
    def events(self) -> Sequence[Event]:
        """The events that the viewer was told: all, the public ones, or those of a seat's view."""
        table = self.focus.table
        if table is None:
            return ()
        if self.viewer is None:
            return table.events
        if self.viewer == AUDIENCE:
            return [event for event in table.events if event.to is None]
        return table.view(Seat(self.viewer)).events

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, which no seat is told."""
        table = self.focus.table
        return table.outcome if table is not None and not self.is_seat else None

    @property
    def is_seat(self) -> bool:
        """True if the match is seen through the eyes of one seat."""
        return self.viewer is not None and self.viewer != AUDIENCE

    @property
    def thinkers(self) -> frozenset[int]:
        """The seats whose private thoughts the viewer may read: all for nobody in particular."""
        return frozenset(range(len(self.people))) if self.viewer is None else frozenset()

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
    focus: Focus,
    cast: Cast,
    look: Look,
    *,
    verbatim: bool = False,
    viewer: Viewer = None,
    calls: Mapping[int, OpenCall] = MappingProxyType({}),
) -> Scene:
    """The scene of the match in focus. A seat's view does not tell who has yet to answer."""
    waiting = frozenset(() if viewer not in {None, AUDIENCE} else focus.waiting)
    people = cast.seats(focus.match.agents)
    return Scene(focus, people, look, waiting, verbatim, viewer, calls)


def next_viewer(viewer: Viewer, seats: int) -> Viewer:
    """The next in the round of viewers: everything, the audience, each seat, everything."""
    viewers: list[Viewer] = [None, AUDIENCE, *range(seats)]
    return following(viewers, viewer)


def viewer_name(scene: Scene) -> str:
    """The words for the viewer in a title, "" for everything."""
    if scene.viewer is None:
        return ""
    if scene.viewer == AUDIENCE:
        return "as the audience sees it"
    return f"as {scene.people[int(scene.viewer)].name} sees it"
