"""Messages by which a screen asks the app for another screen."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from parlour.tui.models.save_view import SaveView
    from parlour.tui.models.standings import Standings
    from parlour.tui.views.live_places import LivePane


@dataclass
class OpenSave(Message):
    """Open a save on the live screen."""

    path: Path


@dataclass
class OpenAgain(Message):
    """Open a save that has grown on a new live screen in place of the one that shows it."""

    path: Path


@dataclass
class TakeSeat(Message):
    """Open the seat of a person."""

    path: Path
    agent: str


@dataclass
class ShowLeaderboard(Message):
    """Open the leaderboard of a save."""

    path: Path


@dataclass
class ShowHeadToHead(Message):
    """Open the matrix of all agents against all."""

    path: Path
    standings: "Standings"


@dataclass
class ShowAgent(Message):
    """Open the page of an agent, compared with ``against`` if that is given."""

    path: Path
    standings: "Standings"
    agent: str
    against: str | None = None


@dataclass
class ShowReplay(Message):
    """Open the replay of a match."""

    path: Path
    number: int


@dataclass
class ShowPrompts(Message):
    """Open the exact prompts of a match, at an ask (None: the last)."""

    path: Path
    number: int
    ask: int | None = None


@dataclass
class ShowThoughts(Message):
    """Open the thoughts of the players of a match."""

    path: Path
    number: int


@dataclass
class ShowWall(Message):
    """Open the wall of the matches in play.

    ``back`` takes the pane that the live screen shows next, None for the one as before.
    """

    watched: "SaveView"
    standings: "Standings"
    back: Callable[["LivePane | None"], None]


@dataclass
class ShowFork(Message):
    """Open a fork beside the match that it comes from."""

    path: Path


@dataclass
class GoHome(Message):
    """Go back to the list of saves."""


@dataclass
class NewTournament(Message):
    """Open the form for a new tournament."""
