"""Ways to start a tournament: the demo, a preset, a file, the form; and the start itself."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from parlour.games.common.errors import BadInput
from parlour.tournament.calls.budget import refuse_unbounded
from parlour.tournament.control.launch import start_detached
from parlour.tournament.plan.expansion import preset_names
from parlour.tournament.plan.loader import read_preset, read_tournament
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.directory import new_save
from parlour.tournament.save.growing.create import create_save, merge_options
from parlour.tournament.save.rows import RunOptions
from parlour.tui.models.saves import SaveRow
from parlour.tui.screens.consenting import ConsentingScreen
from parlour.tui.screens.messages import OpenSave
from parlour.tui.widgets.dialogs import LinePrompt

DEMO_NAME = "demo"
"""The preset and the tournament."""
DEMO = RunOptions(concurrency=4, pace=4.0)
"""Slow enough to watch."""


class StartingScreen(ConsentingScreen):
    """A screen from which tournaments are started."""

    def action_demo(self) -> None:
        """Plays the demo, paced so that there is something to watch."""
        self.begin(lambda: read_preset(DEMO_NAME), DEMO)

    def ask_for_demo(self, played: SaveRow | None) -> None:
        """Asks whether to play the demo; ``played`` is its newest save, which can be opened."""
        play = partial(StartingScreen.action_demo, self)
        answers: dict[str, Callable[[], None]] = {}
        answers["play it: four scripted players, nine games, two minutes"] = play
        if played is not None:
            answers = {
                f"open {played.file}": partial(self.started, played.path),
                "play it again, as a new save": play,
            }
        self.ask("The demo", answers)

    def action_preset(self) -> None:
        """Asks which preset to play."""
        others = [name for name in preset_names() if name != DEMO_NAME]
        answers: dict[str, Callable[[], None]] = {
            name: partial(self.begin, partial(read_preset, name), RunOptions()) for name in others
        }
        self.ask("Play a preset", {DEMO_NAME: self.action_demo} | answers)

    def action_file(self) -> None:
        """Asks for a tournament file to play."""
        prompt = LinePrompt("Tournament file", hint="my-tournament.toml", check=_from_file)
        self.app.push_screen(prompt, self._play_file)

    def _play_file(self, path: str | None) -> None:
        if path:
            self.begin(partial(_from_file, path), RunOptions())

    def begin(self, read: Callable[[], Tournament], options: RunOptions) -> None:
        """Creates the save of a tournament, starts its runner and opens it."""

        def play(tournament: Tournament) -> None:
            refuse_unbounded(tournament.callers, merge_options(RunOptions(), tournament))
            path = new_save(tournament.name)
            create_save(path, tournament)
            start_detached(path, options)
            self.app.call_from_thread(self.started, path)

        self.once_agreed(read, play)

    def started(self, path: Path) -> None:
        """Opens the save of a tournament that has been started."""
        self.app.post_message(OpenSave(path))


def _from_file(typed: str) -> Tournament:
    """The tournament of a file. BadInput if it cannot be played."""
    path = Path(typed).expanduser()
    if not path.is_file():
        raise BadInput(typed, f"no such file in {Path.cwd()}", "correct it, or Esc and p: presets")
    return read_tournament(path)
