"""Messages by which a screen asks the app for another screen."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from textual.message import Message


class Target(NamedTuple):
    """A screen by its module and its class.

    ``with_state``: it gets the state of this terminal for the save of its first argument too.
    """

    module: str
    name: str
    with_state: bool = False


ADD = Target("add", "AddScreen")
AGENT = Target("agent", "AgentScreen")
FORK = Target("fork", "ForkScreen", with_state=True)
LEADERBOARD = Target("leaderboard", "LeaderboardScreen", with_state=True)
NEW = Target("new", "NewScreen")
PROMPTS = Target("prompts", "PromptsScreen")
REPLAY = Target("replay", "ReplayScreen", with_state=True)
SEAT = Target("seat", "SeatScreen", with_state=True)
THOUGHTS = Target("thoughts", "ThoughtsScreen", with_state=True)
WALL = Target("wall", "WallScreen")


class Show(Message):
    """Open a screen with these arguments."""

    def __init__(self, target: Target, *arguments: Any) -> None:
        super().__init__()
        self.target, self.arguments = target, arguments


@dataclass
class OpenSave(Message):
    """Open a save on the live screen."""

    path: Path


@dataclass
class OpenAgain(Message):
    """Open a save that has grown on a new live screen in place of the one that shows it."""

    path: Path


class GoHome(Message):
    """Go back to the list of saves."""
