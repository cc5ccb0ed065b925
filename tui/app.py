"""The app: which screen, the keys that work everywhere, and how one leaves."""

import asyncio
import os
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from threading import Thread
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from parlour.games.common.errors import ParlourError
from parlour.tui.models.save_view import Here
from parlour.tui.models.standings import Standings
from parlour.tui.screens.agent import AgentScreen
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.screens.head_to_head import HeadToHeadScreen
from parlour.tui.screens.home import HomeScreen
from parlour.tui.screens.leaderboard import LeaderboardScreen
from parlour.tui.screens.live import LiveScreen
from parlour.tui.screens.replay import ReplayScreen
from parlour.tui.screens.seat import SeatScreen
from parlour.tui.screens.thoughts import ThoughtsScreen
from parlour.tui.settings import Settings, read_settings
from parlour.tui.widgets.dialogs import Choice

GONE_SECONDS = 1.0
"""How often it looks whether the terminal is still there."""


class Leaving(Choice):
    """What is to become of a tournament that runs, when its watcher goes."""

    def __init__(self) -> None:
        options = [
            ("leave", "leave it running: `parlour attach` comes back"),
            ("pause", "finish the turns in flight and pause"),
            ("stop", "stop it: `parlour resume` goes on"),
        ]
        super().__init__("Leave", options)


class ParlourApp(App[None]):
    """Watches saves and steers their runners; it can be closed at any time and harms nothing."""

    TITLE = "Parlour"
    CSS_PATH = "style.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "help", "Help", id="app.help"),
        Binding("q", "leave", "Leave", id="app.leave"),
        Binding(
            "ctrl+q,ctrl+c",
            "leave",
            "Leave, from a window too",
            show=False,
            priority=True,
            id="app.quit",
        ),
        Binding(
            "ctrl+p", "command_palette", "All actions", show=False, priority=True, id="app.palette"
        ),
    ]

    def __init__(self, path: Path | None, settings: Settings | None = None) -> None:
        """Raises BadInput if the settings or the save cannot be used."""
        super().__init__()
        self.animation_level = "none"
        self.settings = settings or read_settings()
        self._here: dict[Path, Here] = {}
        # Made here, so that a save that cannot be read is refused before the screen is taken.
        self._first = HomeScreen() if path is None else LiveScreen(path, self.here(path))
        self.set_keymap(self.settings.keys)

    def on_mount(self) -> None:
        """The home screen, or the save that was asked for."""
        if self.settings.theme in self.available_themes:
            self.theme = self.settings.theme
        self.theme_changed_signal.subscribe(self, self._remember_theme)
        self.push_screen(self._first)

    def _remember_theme(self, _theme: object) -> None:
        if self.settings.theme != self.theme:
            self.settings.theme = self.theme
            self.settings.remember()

    def get_system_commands(self, screen: Screen) -> Iterable[SystemCommand]:
        """Every key's action by name, then the themes: what the palette offers."""
        if isinstance(screen, ParlourScreen):
            for active, keys in screen.all_keys():
                yield SystemCommand(
                    active.binding.description,
                    f"key {keys}",
                    partial(self.call_later, self.run_action, active.binding.action, active.node),
                )
        yield SystemCommand("Theme", "Change the colours", self.action_change_theme)

    def action_help(self) -> None:
        """Lists the keys of the screen."""
        if isinstance(self.screen, ParlourScreen):
            self.screen.action_help()

    def open_save(self, path: Path) -> None:
        """Opens a save on the live screen."""
        self._open(lambda: LiveScreen(path, self.here(path)))

    def here(self, path: Path) -> Here:
        """What was done at this terminal with a save, for as long as the app runs."""
        return self._here.setdefault(path.resolve(), Here())

    def take_seat(self, path: Path, agent: str) -> None:
        """Opens the seat of a person."""
        self._open(lambda: SeatScreen(path, agent, self.here(path)))

    def show_leaderboard(self, path: Path) -> None:
        """Opens the leaderboard screen of a save."""
        self._open(lambda: LeaderboardScreen(path))

    def show_head_to_head(self, path: Path, standings: Standings) -> None:
        """Opens the matrix of all agents against all."""
        self._open(lambda: HeadToHeadScreen(path, standings))

    def show_agent(self, path: Path, standings: Standings, agent: str) -> None:
        """Opens the page of an agent."""
        self._open(lambda: AgentScreen(path, standings, agent))

    def replay(self, path: Path, number: int) -> None:
        """Opens the replay of a match."""
        self._open(lambda: ReplayScreen(path, number, self.here(path)))

    def show_thoughts(self, path: Path, number: int) -> None:
        """Opens what the players of a match think."""
        self._open(lambda: ThoughtsScreen(path, number, self.here(path)))

    def _open(self, make: Callable[[], ParlourScreen]) -> None:
        """Shows a screen, or says why it cannot be made."""
        try:
            self.push_screen(make())
        except ParlourError as error:
            if isinstance(self.screen, ParlourScreen):
                self.screen.say(str(error), bad=True)

    def go_home(self) -> None:
        """Back to all saves."""
        if any(isinstance(screen, HomeScreen) for screen in self.screen_stack):
            self.pop_screen()
        else:
            self.switch_screen(HomeScreen())

    def action_leave(self) -> None:
        """Asks what is to become of a running tournament, or just leaves."""
        live = next((s for s in self.screen_stack if isinstance(s, LiveScreen)), None)
        asked = isinstance(self.screen, Leaving)  # a second time: leave at once
        if live is None or live.watched.live is None or asked:
            self.exit()
            return

        def leave(how: str | None) -> None:
            if how == "leave":
                self.exit()
            elif how is not None:
                self.run_worker(self._leave(live, how), exit_on_error=False)

        self.push_screen(Leaving(), leave)

    async def _leave(self, live: LiveScreen, how: str) -> None:
        """Pauses or stops the runner, waits until it has come to rest, and leaves."""
        await live.watched.tell({"do": how})
        for _ in range(600):
            await live.watched.listen()
            if live.watched.live is None or live.watched.live.state == "quiesced":
                break
            await asyncio.sleep(0.1)
        self.exit()


def watch(path: Path | None) -> None:
    """Runs the app on a save, or on the home screen. Raises BadInput for unusable settings."""
    app = ParlourApp(path)
    if sys.stdin.isatty():
        Thread(target=_end_with_the_terminal, daemon=True).start()
    app.run()


def _end_with_the_terminal() -> None:
    """Ends the process once its terminal has gone.

    Not everybody who loses a terminal is sent a signal, and the app would wait for ever until
    somebody reads what it writes.
    """
    while True:
        time.sleep(GONE_SECONDS)
        try:
            termios.tcgetattr(sys.stdin)
        except termios.error:
            os._exit(128 + signal.SIGHUP)
