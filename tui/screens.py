"""What every screen can do: help, leave, messages, files."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rich.markup import escape
from textual.binding import Binding
from textual.screen import Screen

from tui.describe import one_line
from tui.dialogs import Help

if TYPE_CHECKING:
    from tui.app import ParlourApp


class ParlourScreen(Screen[None]):
    """The base of the screens."""

    @property
    def parlour(self) -> "ParlourApp":
        """The app, by its own type."""
        return cast("ParlourApp", self.app)

    def all_keys(self) -> Iterator[Binding]:
        """Every binding that works here, the screen's own first, each action once."""
        seen: set[tuple[str, str]] = set()
        everything = [active for active in self.active_bindings.values() if active.enabled]
        for active in sorted(everything, key=lambda active: active.node is not self):
            binding = active.binding
            if binding.system or not binding.description:
                continue
            if (binding.action, binding.description) not in seen:
                seen.add((binding.action, binding.description))
                yield binding

    def action_help(self) -> None:
        """Lists every key of this screen."""
        lines = []
        for binding in self.all_keys():
            every = [
                self.app.get_key_display(active.binding)
                for active in self.active_bindings.values()
                if active.binding.action == binding.action
            ]
            lines.append((" ".join(dict.fromkeys(every)), binding.description))
        self.app.push_screen(Help(str(self.TITLE), lines))

    def say(self, text: str, *, bad: bool = False) -> None:
        """A short message in the corner."""
        self.app.clear_notifications()  # the newest is the one that matters
        self.notify(escape(one_line(text)), severity="error" if bad else "information", timeout=6)

    def write(self, target: Path, text: str) -> None:
        """Writes a file and says where, or why not."""
        try:
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            self.say(f"{target} cannot be written ({error.strerror})", bad=True)
        else:
            self.say(f"Written: {target}")
