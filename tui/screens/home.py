"""The home screen: lists the saves and starts new tournaments."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from parlour.games.common.errors import ParlourError
from parlour.tournament.control.client import ask_runner_soon
from parlour.tournament.control.launch import start_detached
from parlour.tournament.control.requests import GetStatus
from parlour.tournament.plan.loader import preset_names, read_preset, read_tournament
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.create import create_save
from parlour.tournament.save.database import APPLICATION_ID
from parlour.tournament.save.directory import FOLDER, all_saves, new_save
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.screens.messages import OpenSave, ShowLeaderboard
from parlour.tui.text import fitted, one_line
from parlour.tui.views import match as describe
from parlour.tui.widgets.dialogs import Choice, LinePrompt
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.panes import ListPane

DEMO_PACE, DEMO_CONCURRENCY = 4.0, 4
MAX_SAVES = 500
"""Number of saves listed, the newest first."""
SQLITE_MAGIC = b"SQLite format 3\0"


class HomeScreen(ParlourScreen):
    """All saves with their state and progress."""

    TITLE = "Saves"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "new", "New", id="home.new"),
        Binding("l,L", "leaderboard", "Leaderboard", id="home.leaderboard"),
        Binding("r", "reload", "Reload", show=False, id="home.reload"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._saves: list[tuple[Path, Text]] = []
        self._states: dict[Path, str] = {}

    def compose(self) -> ComposeResult:
        """Yields the list of saves."""
        yield Static(Text("Parlour: your tournaments", "bold"), id="status")
        yield ListPane(self._row, empty="No saves here yet: n starts a tournament.", id="saves")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Reads the folders, and again every three seconds."""
        self.query_one("#saves").border_title = Text(
            f"{FOLDER}/ and this folder   Enter opens, n new"
        )
        self.query_one("#saves").focus()
        self.action_reload()
        self.set_interval(3.0, self.action_reload)

    def on_screen_resume(self) -> None:
        """Reads the saves again on coming back from a tournament."""
        self.action_reload()

    def action_reload(self) -> None:
        """Reads the saves and their states."""
        self._show(_saves()[:MAX_SAVES])
        self._ask_runners()

    def _show(self, paths: list[Path]) -> None:
        self._saves = [(path, _summary(path, self._states.get(path, "running"))) for path in paths]
        self.query_one("#saves", ListPane).show(len(self._saves))

    @work(exclusive=True, group="states", exit_on_error=False)
    async def _ask_runners(self) -> None:
        """Asks the runners for their states: the lock tells only that a save has a runner."""
        states: dict[Path, str] = {}
        for path, _ in self._saves:
            if holder(path) is not None:
                with suppress(ParlourError):  # it may end at this very moment
                    states[path] = (await ask_runner_soon(path, GetStatus())).state
        if states != self._states:
            self._states = states
            self._show([path for path, _ in self._saves])

    def _row(self, index: int, width: int) -> Text:
        return self._saves[index][1].copy()

    def on_list_pane_opened(self, message: ListPane.Opened) -> None:
        """Opens a save on the live screen."""
        self.app.post_message(OpenSave(self._saves[message.row][0]))

    def action_leaderboard(self) -> None:
        """Shows the leaderboard of the save under the cursor."""
        if self._saves:
            row = self.query_one("#saves", ListPane).cursor
            self.app.post_message(ShowLeaderboard(self._saves[row][0]))

    def action_new(self) -> None:
        """Asks which tournament to start."""
        presets = sorted(preset_names(), key=lambda name: name != "demo")
        options = [(f"preset {name}", f"the preset {name}") for name in presets]
        options.append(("file", "a tournament file of your own"))
        self.app.push_screen(Choice("New tournament from", options), self._chosen)

    def _chosen(self, source: str | None) -> None:
        if source == "file":
            self.app.push_screen(
                LinePrompt("Tournament file", hint="my-tournament.toml"), self._file
            )
        elif source is not None:
            name = source.removeprefix("preset ")
            self._begin(lambda: read_preset(name), demo=name == "demo")

    def _file(self, path: str | None) -> None:
        if path:
            self._begin(lambda: read_tournament(Path(path).expanduser()), demo=False)

    @work(thread=True, exclusive=True, group="begin", exit_on_error=False)
    def _begin(self, read: Callable[[], Tournament], demo: bool) -> None:
        """Creates the save, starts its runner and opens it."""
        try:
            tournament = read()
            path = new_save(tournament.name)
            create_save(path, tournament)
            start_detached(path, RunOptions(DEMO_CONCURRENCY, DEMO_PACE) if demo else RunOptions())
        except ParlourError as error:
            self.app.call_from_thread(self.say, str(error), bad=True)
        else:
            self.app.post_message(OpenSave(path))


def _saves() -> list[Path]:
    """The saves in the folder of saves, then those in the working folder, each newest first.

    Any other file in the folder of saves is listed with its error. The working folder may hold
    databases of other programs, which are left out.
    """
    return [*all_saves(), *(path for path in all_saves(Path()) if _is_save(path))]


def _is_save(path: Path) -> bool:
    """Reads the header of an SQLite file, which has the id of the application at byte 68."""
    try:
        with path.open("rb") as file:
            header = file.read(72)
    except OSError:
        return False
    return header.startswith(SQLITE_MAGIC) and header[68:] == APPLICATION_ID.to_bytes(4, "big")


def _summary(path: Path, runner_state: str) -> Text:
    """A save in one line: file, state, progress and name. ``runner_state`` is for one that runs."""
    try:
        with Save(path) as save:
            progress, name = save.match_count(), one_line(save.name)
    except ParlourError as error:
        return Text(one_line(str(error)), "bold red", no_wrap=True)
    if holder(path) is not None:
        sign, word, _style = describe.STATES.get(runner_state, describe.STATES["running"])
        state = f"{sign} {word}"
    else:
        state = "✓ finished" if progress.done else "○ unfinished"
    file = path.name if path.parent == FOLDER else f"./{path}"
    text = f"{fitted(one_line(file), 28)} {state:<12}"
    text += f" {progress.finished:>6}/{progress.matches} matches  {name}"
    return Text(text, no_wrap=True)
