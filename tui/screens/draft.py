"""A tournament that is put together: its file, and its start."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.games.engine.transcript import counted
from parlour.tournament.plan.loader import preset_content, preset_names, read_tournament
from parlour.tui.models.new_tournament import (
    Draft,
    changed,
    first_draft,
    preset_draft,
    to_toml,
    tournament_file,
    with_preset_agents,
)
from parlour.tui.models.offered import OfferedAgent, offered_agents
from parlour.tui.models.plan_forecast import PlanForecast, forecast, run_options
from parlour.tui.screens.messages import OpenSave
from parlour.tui.screens.planning import PlanningScreen
from parlour.tui.screens.starting import StartingScreen
from parlour.tui.widgets.dialogs import Choice


class DraftScreen(PlanningScreen[Draft], StartingScreen):
    """A screen with the draft of a tournament, which it saves and plays."""

    DOES, NOT_YET = "play", "It cannot be played yet"

    def __init__(self) -> None:
        self._first = first_draft()
        super().__init__(self._first)
        self._own: tuple[OfferedAgent, ...] = ()
        self._written = ""

    def offer(self, own: tuple[OfferedAgent, ...]) -> None:
        """Offers agents of the user's file too."""
        self._own = own
        self.offered = with_preset_agents(offered_agents(own), self.draft.origin)
        self.forget_plan()
        self.show_draft()
        self.compute()

    def forecast(self, draft: Draft, is_stopped: Callable[[], bool]) -> PlanForecast:
        """The forecast of the tournament."""
        return forecast(draft, self.offered, is_stopped)

    def with_value(self, field: str, value: object) -> Draft:
        """The draft with another value of a field."""
        return changed(self.draft, field, value)

    def action_fill(self) -> None:
        """Asks for a preset to fill the form in from."""
        options = [(name, _preset_words(name)) for name in preset_names()]
        lost = "" if self._nothing_to_lose else "; what it says now is lost"
        self.app.push_screen(Choice(f"Fill the form in from a preset{lost}", options), self._fill)

    def _fill(self, name: str | None) -> None:
        if name is not None:
            self.draft = self._first = preset_draft(name)
            self.filled()
            self.offer(self._own)

    def filled(self) -> None:
        """Called when the form was filled in again."""
        raise NotImplementedError

    @property
    def _file(self) -> Path:
        return Path(f"{self.draft.name}.toml")

    def _text(self) -> str:
        """The text of the file. Raises BadInput for run options out of range."""
        options = run_options(self.draft)
        names = ("concurrency", "pace", "until")
        shown = {name: getattr(options, name) for name in names}
        given = {name: value for name, value in shown.items() if value is not None}
        return to_toml(tournament_file(self.draft, self.offered), given)

    @property
    def is_saved(self) -> bool:
        """True if the file says what the draft says."""
        try:
            return self._stored_text() == self._text()
        except ParlourError:
            return False

    @property
    def _nothing_to_lose(self) -> bool:
        return self.draft == self._first or self.is_saved

    def _stored_text(self) -> str | None:
        """The text of the file, None if there is none that can be read."""
        try:
            return self._file.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None

    def action_save(self) -> None:
        """Writes the tournament file; asks before it replaces another one."""
        self._write(play=False)

    def action_play(self) -> None:
        """Writes the tournament file and plays it, as soon as its forecast has no problem."""
        self.do_when_planned()

    def do_it(self) -> None:
        """Writes the tournament file and plays it."""
        self._write(play=True)

    def _write(self, *, play: bool) -> None:
        try:
            text = self._text()
        except ParlourError as error:
            self.say(str(error), bad=True)
            return
        if not self.draft.name or "/" in self.draft.name or "\0" in self.draft.name:
            self.say("The file needs a name without slashes: write one under Schedule.", bad=True)
            return
        if self._file.exists() and self._stored_text() not in {text, self._written}:
            options = [("keep", "keep it; choose another name"), ("replace", "replace it")]
            title = f"{one_line(str(self._file))} is there already"
            self.app.push_screen(
                Choice(title, options), lambda choice: self._replace(choice, text, play)
            )
        else:
            self._store(text, play=play)

    def _replace(self, choice: str | None, text: str, play: bool) -> None:
        if choice == "replace":
            self._store(text, play=play)

    def _store(self, text: str, *, play: bool) -> None:
        file = self._file
        self.write(file, text)
        self._written = text
        self.show_draft()
        if play and self.is_saved:
            options = run_options(self.draft)
            # The user has put it together here, so it is no stranger's file.
            self.begin(lambda: replace(read_tournament(file), source=None), options)

    def started(self, path: Path) -> None:
        """Closes the form, so that Escape leads from the tournament to the saves."""
        self.close()
        self.app.post_message(OpenSave(path))

    def action_back(self) -> None:
        """Goes back to the saves; asks first if something would be lost."""
        if self._nothing_to_lose:
            self.close()
            return
        options = [("stay", "go on with the form"), ("leave", "leave it; what it says is lost")]
        self.app.push_screen(Choice("The form is not saved", options), self._leave)

    def _leave(self, choice: str | None) -> None:
        if choice == "leave":
            self.close()


def _preset_words(name: str) -> str:
    """A preset in a line: its name, and how many games and agents it has."""
    content = preset_content(name)
    games = len({block["name"] for block in content["games"]})
    agents = counted(len(content["agents"]), "agent")
    return f"{name:<15} {counted(games, 'game')}, {agents}"
