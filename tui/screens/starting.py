"""Ways to start a tournament: the demo, a preset, a file, the form; and the start itself."""

from collections.abc import Callable
from pathlib import Path

from textual import work

from parlour.games.common.errors import ParlourError
from parlour.tournament.calls.budget import refuse_unbounded
from parlour.tournament.control.launch import start_detached
from parlour.tournament.plan.loader import preset_names, read_preset, read_tournament
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.create import create_save, merge_options
from parlour.tournament.save.directory import new_save
from parlour.tournament.save.rows import RunOptions
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.screens.messages import OpenSave
from parlour.tui.widgets.dialogs import Choice, LinePrompt

DEMO = RunOptions(concurrency=4, pace=4.0)
"""Slow enough to watch."""


class StartingScreen(ParlourScreen):
    """A screen from which tournaments are started."""

    def action_demo(self) -> None:
        """Plays the demo, paced so that there is something to watch."""
        self.begin(lambda: read_preset("demo"), DEMO)

    def action_preset(self) -> None:
        """Asks which preset to play."""
        names = [name for name in preset_names() if name != "demo"]
        options = [(name, name) for name in ["demo", *names]]
        self.app.push_screen(Choice("Play a preset", options), self._play_preset)

    def _play_preset(self, name: str | None) -> None:
        if name == "demo":
            self.action_demo()
        elif name is not None:
            self.begin(lambda: read_preset(name), RunOptions())

    def action_file(self) -> None:
        """Asks for a tournament file to play."""
        prompt = LinePrompt("Tournament file", hint="my-tournament.toml")
        self.app.push_screen(prompt, self._play_file)

    def _play_file(self, path: str | None) -> None:
        if path:
            file = Path(path).expanduser()
            self.begin(lambda: read_tournament(file), RunOptions())

    @work(thread=True, exclusive=True, group="begin", exit_on_error=False)
    def begin(self, read: Callable[[], Tournament], options: RunOptions) -> None:
        """Creates the save of a tournament, starts its runner and opens it."""
        try:
            tournament = read()
            refuse_unbounded(tournament.models, merge_options(RunOptions(), tournament))
            path = new_save(tournament.name)
            create_save(path, tournament)
            start_detached(path, options)
        except ParlourError as error:
            self.app.call_from_thread(self.say, str(error), bad=True)
        else:
            self.app.call_from_thread(self.started, path)

    def started(self, path: Path) -> None:
        """Opens the save of a tournament that has been started."""
        self.app.post_message(OpenSave(path))
