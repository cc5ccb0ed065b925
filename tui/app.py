"""The app: opens screens, holds the keys that work everywhere, and asks before leaving.

Screens are imported when they are opened: the first frame waits for the first one alone.
"""

import asyncio
import sys
import time
from collections.abc import Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from shlex import quote
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import ActiveBinding, Binding, BindingType
from textual.screen import Screen
from textual.widget import Widget

from parlour.agents.llm.keys import traceback_of
from parlour.games.common.collection import imported
from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.tui.bindings import check_keys
from parlour.tui.look.look import Look
from parlour.tui.look.palette import FANCY, NIGHT, PLAIN
from parlour.tui.look.themes import NAMES, own_themes, palette_of, variables
from parlour.tui.models.save_view import LocalState
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.screens.messages import GoHome, OpenAgain, OpenSave, Show
from parlour.tui.settings import Settings, read_settings
from parlour.tui.widgets.dialogs import CommandList, Leaving
from parlour.tui.widgets.terminal import FramedApp, exit_without_terminal

if TYPE_CHECKING:
    from parlour.tui.screens.live import LiveScreen

LEAVE_SECONDS = 60
"""Seconds that leaving waits for the runner to pause or stop."""


class ParlourApp(FramedApp):
    """Shows saves and controls their runners. Closing it at any time loses nothing."""

    TITLE = "Parlour"
    CSS_PATH = "style.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "help", "Help", id="app.help"),
        Binding("q", "leave", "Leave", id="app.leave"),
        Binding("T", "next_theme", "Next theme", show=False, id="app.theme"),
        Binding(
            "ctrl+q,ctrl+c",
            "leave",
            "Leave, also from a dialog",
            show=False,
            priority=True,
            id="app.quit",
        ),
        Binding("ctrl+l", "redraw", "Draw again", show=False, priority=True, id="app.redraw"),
        Binding(
            "ctrl+p", "command_palette", "All actions", show=False, priority=True, id="app.palette"
        ),
    ]

    def __init__(self, path: Path | None, settings: Settings | None = None) -> None:
        """Raises BadInput if the settings or the save cannot be used."""
        super().__init__()
        self.animation_level = "none"
        self.settings = settings or read_settings()
        for theme in own_themes():
            self.register_theme(theme)
        self._take_theme()
        self._local_states: dict[Path, LocalState] = {}
        self.last_watched: Path | None = None
        self.farewell = ""
        """Words for the terminal once the app is closed."""
        # Made before the terminal is taken, so that an unreadable save is refused in plain text.
        self._first = _home() if path is None else self._live_screen(path)
        if self.settings.keys:
            check_keys(type(self), self.settings)
        self.set_keymap(self.settings.keys)

    def _take_theme(self) -> None:
        """Takes the theme of the settings before the first frame, which is drawn only once so."""
        if self.settings.theme in self.available_themes:
            self.set_reactive(App.theme, self.settings.theme)
            self.stylesheet.set_variables(self.get_css_variables())
            dark = self.current_theme.dark
            self.set_class(dark, "-dark-mode")
            self.set_class(not dark, "-light-mode")

    def on_mount(self) -> None:
        """Shows the home screen or the requested save."""
        self.push_screen(self._first)
        self.theme_changed_signal.subscribe(self, self._store_theme)

    def get_key_display(self, binding: Binding) -> str:
        """The keys of a binding; Enter is a sign that every font has."""
        return super().get_key_display(binding).replace("\u23ce", "\u21b5")

    @property
    def look(self) -> Look:
        """The palette of the current theme with the signs of the settings."""
        signs = PLAIN if self.settings.glyphs == "plain" else FANCY
        return Look(palette_of(self.current_theme), signs)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The variables of our style sheets, before a theme is set."""
        return variables(NIGHT)

    def get_css_variables(self) -> dict[str, str]:
        """The variables of style sheets: those of Textual and the tokens of the palette."""
        tokens = variables(palette_of(self.current_theme))
        return {**super().get_css_variables(), **tokens}

    def _store_theme(self, _theme: object) -> None:
        if self.settings.theme == self.theme:
            return
        self.settings.theme = self.theme
        problem = self.settings.store()
        if problem and isinstance(self.screen, ParlourScreen):
            self.screen.say(problem, bad=True)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Yields the palette's commands: the action of every key, then the themes."""
        if isinstance(screen, ParlourScreen):
            for active, keys in screen.all_keys():
                yield SystemCommand(
                    active.binding.description,
                    f"key {keys}",
                    partial(self.call_later, self._run_there, active),
                )
        yield SystemCommand("Theme", "Change the colours", self.action_change_theme)

    async def _run_there(self, active: ActiveBinding) -> None:
        """Runs the action of a key, unless its screen has been closed meanwhile."""
        node = active.node
        if not isinstance(node, Widget) or (node.is_attached and node.screen is self.screen):
            await self.run_action(active.binding.action, node)

    def action_command_palette(self) -> None:
        """Opens the palette, unless it is open."""
        if not isinstance(self.screen, CommandList):
            self.push_screen(CommandList(self.get_system_commands(self.screen)))

    def search_themes(self) -> None:
        """Opens the palette of the themes."""
        themes = [
            SystemCommand(name, "", partial(setattr, self, "theme", name))
            for name in self.available_themes
        ]
        self.push_screen(CommandList(themes))

    def action_next_theme(self) -> None:
        """Goes to the next of our own themes."""
        own = list(NAMES)
        here = own.index(self.theme) if self.theme in own else -1
        self.theme = own[(here + 1) % len(own)]
        if isinstance(self.screen, ParlourScreen):
            self.screen.say(f"Theme: {self.theme}")

    def action_help(self) -> None:
        """Lists the keys of the screen."""
        if isinstance(self.screen, ParlourScreen):
            self.screen.action_help()

    def _local_state(self, path: Path) -> LocalState:
        """The state of this terminal for a save, kept as long as the app runs."""
        return self._local_states.setdefault(path.resolve(), LocalState())

    def _live_screen(self, path: Path) -> "LiveScreen":
        from parlour.tui.screens.live import LiveScreen

        self.last_watched = path
        return LiveScreen(path, self.settings, self._local_state(path))

    # --- What screens ask for

    def on_open_save(self, message: OpenSave) -> None:
        """Opens a save on the live screen."""
        from parlour.tui.screens.live import LiveScreen

        self.last_watched = message.path
        self._open(LiveScreen, message.path, self.settings, self._local_state(message.path))

    def on_open_again(self, message: OpenAgain) -> None:
        """Shows all of a tournament that has grown; other screens than the live one say so."""
        from parlour.tui.screens.live import LiveScreen

        here = next(reversed(self.screen_stack), None)  # none while the app closes
        if isinstance(here, LiveScreen) and here.watched.has_grown:
            self.switch_screen(self._live_screen(message.path))

    def on_show(self, message: Show) -> None:
        """Opens the screen that a message names, with what the message has."""
        module, name, with_state = message.target
        kind = getattr(import_module(f"parlour.tui.screens.{module}"), name)
        arguments = message.arguments
        state = (self._local_state(arguments[0]),) if with_state else ()
        self._open(kind, *arguments, *state)

    def _open(self, kind: type[ParlourScreen], *arguments: Any) -> None:
        """Opens a screen, or shows the error that prevents it."""
        # A key struck twice posts its message twice, the second before the first is handled.
        if not self.is_running or isinstance(self.screen, kind):
            return
        try:
            self.push_screen(kind(*arguments))
        except ParlourError as error:
            if isinstance(self.screen, ParlourScreen):
                self.screen.say(str(error), bad=True)

    def on_go_home(self, _message: GoHome) -> None:
        """Goes back to the list of saves."""
        from parlour.tui.screens.home import HomeScreen

        if isinstance(self.screen, HomeScreen):  # a key struck twice
            return
        if any(isinstance(screen, HomeScreen) for screen in self.screen_stack):
            self.pop_screen()
        else:
            self.switch_screen(_home())

    def action_leave(self) -> None:
        """Leaves; asks first what happens to a running tournament."""
        if self.last_watched is None:
            self.exit()
            return
        from parlour.tui.screens.live import LiveScreen

        live = next((s for s in self.screen_stack if isinstance(s, LiveScreen)), None)
        again = isinstance(self.screen, Leaving)
        if live is None or again or not (live.watched.live or live.watched.hung):
            self.exit()
            return

        def leave(choice: str | None) -> None:
            if choice == "leave":
                self.exit()
            elif choice is not None:
                self.run_worker(self._leave(live, choice), exit_on_error=False)

        self.push_screen(Leaving(live.watched.state, live.watched.hung), leave)

    async def _leave(self, live: "LiveScreen", command: str) -> None:
        """Leaves once the runner is paused or has stopped, or with the reason why it is not."""
        problem = await (live.watched.stop() if command == "stop" else live.watched.pause())
        if problem is not None:
            self.farewell = one_line(problem)
            self.exit()
            return
        deadline = time.monotonic() + LEAVE_SECONDS
        while time.monotonic() < deadline:
            await live.watched.listen()
            if live.watched.live is None or live.watched.live.state == "paused":
                break
            await asyncio.sleep(0.1)
        self.exit()


def _home() -> ParlourScreen:
    from parlour.tui.screens.home import HomeScreen

    return HomeScreen()


def watch(path: Path | None) -> Path | None:
    """Runs the app on a save, or on the home screen; returns the save that was watched last.

    Raises BadInput for unusable settings, and ParlourError after an unexpected
    error of the screens, which ends nothing else.
    """
    with imported():
        app = ParlourApp(path)
    if sys.stdin.isatty():
        Thread(target=exit_without_terminal, daemon=True).start()
    app.run()
    if app.farewell:
        print(app.farewell, file=sys.stderr)
    if app.return_code != 0:
        if app.failure is not None:
            print(traceback_of(app.failure), file=sys.stderr)
        path = app.last_watched
        again = "parlour" if path is None else f"parlour attach {quote(str(path))}"
        raise ParlourError(f"the screens failed; what is played goes on: `{again}` shows it again")
    return app.last_watched
