"""Messages by which a screen asks the app for another screen."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

if TYPE_CHECKING:
    from parlour.tui.models.save_view import SaveView
    from parlour.tui.models.standings import Standings
    from parlour.tui.views.live_places import LivePane


@dataclass
class Show(Message):
    """Open the screen of that name, with the fields of the message.

    ``WITH_STATE``: and with the state of this terminal for the save of its first field.
    """

    SCREEN: ClassVar[str]
    WITH_STATE: ClassVar[bool] = False


@dataclass
class OpenSave(Message):
    """Open a save on the live screen."""

    path: Path


@dataclass
class OpenAgain(Message):
    """Open a save that has grown on a new live screen in place of the one that shows it."""

    path: Path


@dataclass
class TakeSeat(Show):
    """Open the seat of a person."""

    SCREEN, WITH_STATE = "seat.SeatScreen", True

    path: Path
    agent: str


@dataclass
class ShowLeaderboard(Show):
    """Open the leaderboard of a save."""

    SCREEN, WITH_STATE = "leaderboard.LeaderboardScreen", True

    path: Path


@dataclass
class ShowHeadToHead(Show):
    """Open the matrix of all agents against all."""

    SCREEN = "head_to_head.HeadToHeadScreen"

    path: Path
    standings: "Standings"


@dataclass
class ShowAgent(Show):
    """Open the page of an agent, compared with ``against`` if that is given."""

    SCREEN = "agent.AgentScreen"

    path: Path
    standings: "Standings"
    agent: str
    against: str | None = None


@dataclass
class ShowReplay(Show):
    """Open the replay of a match."""

    SCREEN, WITH_STATE = "replay.ReplayScreen", True

    path: Path
    number: int


@dataclass
class ShowPrompts(Show):
    """Open the exact prompts of a match, at an ask (None: the last)."""

    SCREEN = "prompts.PromptsScreen"

    path: Path
    number: int
    ask: int | None = None


@dataclass
class ShowThoughts(Show):
    """Open the thoughts of the players of a match."""

    SCREEN, WITH_STATE = "thoughts.ThoughtsScreen", True

    path: Path
    number: int


@dataclass
class ShowWall(Show):
    """Open the wall of the matches in play.

    ``back`` takes the pane that the live screen shows next, None for the one as before.
    """

    SCREEN = "wall.WallScreen"

    watched: "SaveView"
    standings: "Standings"
    back: Callable[["LivePane | None"], None]


@dataclass
class ShowFork(Show):
    """Open a fork beside the match that it comes from."""

    SCREEN, WITH_STATE = "fork.ForkScreen", True

    path: Path


@dataclass
class GoHome(Message):
    """Go back to the list of saves."""


@dataclass
class NewTournament(Show):
    """Open the form for a new tournament."""

    SCREEN = "new.NewScreen"
