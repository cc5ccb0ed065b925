"""What every screen can do: help, leave, messages, files."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import ActiveBinding, Binding, BindingType
from textual.notifications import SeverityLevel
from textual.screen import Screen

from parlour.tui.models.save_view import BARRED, SaveView
from parlour.tui.views.match import one_line
from parlour.tui.widgets.dialogs import Help

if TYPE_CHECKING:
    from parlour.tui.app import ParlourApp


class ParlourScreen(Screen[None]):
    """The base of the screens."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "app.focus_next", "Next pane", show=False, id="app.next"),
        Binding("shift+tab", "app.focus_previous", "Previous pane", show=False, id="app.previous"),
    ]

    @property
    def parlour(self) -> "ParlourApp":
        """The app, by its own type."""
        return cast("ParlourApp", self.app)

    def all_keys(self) -> Iterator[tuple[ActiveBinding, str]]:
        """Each action that a key of ours does here, once, with all its keys as shown.

        The screen's own come first, then the focused pane's, then those that work everywhere.
        """
        keys: dict[str, list[ActiveBinding]] = {}
        for active in self.active_bindings.values():
            if active.enabled and active.binding.id is not None:  # without one: Textual's own
                keys.setdefault(active.binding.id, []).append(active)

        def rank(group: list[ActiveBinding]) -> int:
            id = str(group[0].binding.id)
            return 2 if id.startswith("app.") else 0 if group[0].node is self else 1

        for group in sorted(keys.values(), key=rank):
            shown = [self.app.get_key_display(active.binding) for active in group]
            yield group[0], " ".join(dict.fromkeys(shown))

    def action_help(self) -> None:
        """Lists every key of this screen."""
        lines = [(keys, active.binding.description) for active, keys in self.all_keys()]
        self.app.push_screen(Help(str(self.TITLE), lines))

    def say(self, text: str, *, bad: bool = False) -> None:
        """A short message in the corner."""
        self.app.clear_notifications()  # the newest is the one that matters
        severity: SeverityLevel = "error" if bad else "information"
        self.notify(one_line(text), severity=severity, timeout=6, markup=False)

    def write(self, target: Path, text: str) -> None:
        """Writes a file and says where, or why not."""
        try:
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            self.say(f"{target} cannot be written ({error.strerror})", bad=True)
        else:
            self.say(f"Written: {target}")


class MatchScreen(ParlourScreen):
    """A screen that shows a match of a save."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "thoughts", "What players think", show=False, id="match.thoughts"),
    ]
    watched: SaveView

    def action_thoughts(self) -> None:
        """Shows what the players of the match believe and think, over all of it."""
        focus = self.watched.focus
        if focus is not None and focus.barred:
            self.say(BARRED)
        elif focus is not None:
            self.parlour.show_thoughts(self.watched.path, focus.match.number)
