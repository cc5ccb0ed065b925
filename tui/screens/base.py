"""The base of all screens: key help, short messages and files."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from inspect import isawaitable
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

from textual.binding import ActiveBinding, Binding, BindingType
from textual.events import Event, Key
from textual.notifications import SeverityLevel
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

from parlour.games.common.text import one_line
from parlour.tui.look.look import Look
from parlour.tui.models.cadence import ByteBudget
from parlour.tui.settings import Settings
from parlour.tui.views.key_help import HelpLine, help_lines
from parlour.tui.widgets.closing import unless_closing
from parlour.tui.widgets.dialogs import ChoiceDialog, Help


@runtime_checkable
class Explains(Protocol):
    """A screen or pane that switches actions off, and says why."""

    def why_not(self, action: str) -> str:
        """The reason why an action is switched off, "" for one that is not."""


def declared(owner: type) -> Iterator[tuple[str, Binding, tuple[str, ...]]]:
    """Yields name, binding and keys of each action that a class and its bases of ours declare."""
    keys: dict[str, list[str]] = {}
    first: dict[str, Binding] = {}
    for base in owner.__mro__:
        if not base.__module__.startswith("parlour."):
            continue
        for binding in Binding.make_bindings(vars(base).get("BINDINGS", [])):
            if binding.id is not None:
                keys.setdefault(binding.id, []).append(binding.key)
                first.setdefault(binding.id, binding)
    for name, binding in first.items():
        yield name, binding, tuple(dict.fromkeys(keys[name]))


def key_names(text: str) -> Iterator[str]:
    """Yields the keys of a list with commas between them, as Textual names them."""
    yield from (binding.key for binding in Binding.make_bindings([Binding(text, "", "")]))


class ParlourScreen(Screen[None]):
    """The base of the screens."""

    # Textual draws the whole screen again when the focus moves, besides the two panes.
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "app.focus_next", "Next pane", show=False, id="app.next"),
        Binding("shift+tab", "app.focus_previous", "Previous pane", show=False, id="app.previous"),
    ]

    @property
    def look(self) -> Look:
        """The look of the app's theme."""
        look = getattr(self.app, "look", None)
        return look if isinstance(look, Look) else Look()

    def paint(self) -> None:
        """Shows everything as it is now; called at another size and in another theme too."""

    def on_mount(self) -> None:
        """Follows the theme."""
        self.app.theme_changed_signal.subscribe(self, self._paint_again)

    def on_resize(self) -> None:
        """Draws for the new size."""
        self.call_after_refresh(self._paint_again)

    def _paint_again(self, _theme: object = None) -> None:
        """Paints unless the screen is not there yet, or no longer."""
        with unless_closing(self.app, self):
            if self.is_mounted and self.is_attached:
                self.paint()

    @property
    def byte_budget(self) -> ByteBudget:
        """The bytes that the app writes."""
        budget = getattr(self.app, "byte_budget", None)
        return budget if isinstance(budget, ByteBudget) else ByteBudget()

    def all_keys(self) -> Iterator[tuple[ActiveBinding, str]]:
        """Yields each action that has a key here, once, with its keys as displayed.

        The actions of the screen come first, then those of the focused pane, then the global ones.
        """
        keys: dict[str, list[ActiveBinding]] = {}
        for active in self.active_bindings.values():
            # A binding without an id is one of Textual's.
            if active.enabled and active.binding.id is not None:
                keys.setdefault(active.binding.id, []).append(active)

        def rank(group: list[ActiveBinding]) -> int:
            id = str(group[0].binding.id)
            if id.startswith("app."):
                return 2
            return 0 if group[0].node is self else 1

        for group in sorted(keys.values(), key=rank):
            shown = [self.app.get_key_display(active.binding) for active in group]
            yield group[0], " ".join(dict.fromkeys(shown))

    async def on_event(self, event: Event) -> None:
        """Handles an event; while the screen closes, widgets may be missing."""
        with unless_closing(self.app, self):
            await super().on_event(event)

    def call_after_refresh(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Calls a function once the screen is drawn, unless it is closed by then."""

        async def call() -> None:
            with unless_closing(self.app, self):
                result = callback(*args, **kwargs)
                if isawaitable(result):
                    await result

        return super().call_after_refresh(call)

    def on_key(self, event: Key) -> None:
        """Says why a key does nothing now whose action is switched off."""
        if event.key in self.active_bindings:
            return
        own = getattr(self.app, "settings", Settings(Path())).keys
        nodes: list[object] = list((self.focused or self).ancestors_with_self)
        for node in (node for node in nodes if isinstance(node, Explains)):
            for name, binding, keys in declared(type(node)):
                in_force = key_names(own[name]) if name in own else keys
                why = node.why_not(binding.action) if event.key in in_force else ""
                if why:
                    self.say(why)
                    return

    def action_help(self) -> None:
        """Opens the list of the keys of this screen."""
        lines = [
            HelpLine(str(active.binding.id), keys, active.binding.description)
            for active, keys in self.all_keys()
        ]
        self.app.push_screen(Help(str(self.TITLE), partial(help_lines, self.look, lines)))

    def action_back(self) -> None:
        """Goes back to the screen before."""
        self.close()

    def close(self) -> None:
        """Closes the screen. A key that was struck twice closes no other one."""
        if self.is_active and len(self.app.screen_stack) > 1:
            self.app.pop_screen()

    def say(self, text: str, *, bad: bool = False) -> None:
        """Shows a short message in the corner, in place of the one before."""
        self.app.clear_notifications()
        severity: SeverityLevel = "error" if bad else "information"
        self.notify(one_line(text), severity=severity, timeout=6, markup=False)

    def ask(self, title: str, answers: Mapping[str, Callable[[], object]]) -> None:
        """Asks for one of several answers by their words, and does what belongs to it."""
        actions = list(answers.values())

        def chosen(place: str | None) -> None:
            if place is not None:
                actions[int(place)]()

        options = [(str(place), words) for place, words in enumerate(answers)]
        self.app.push_screen(ChoiceDialog(title, options), chosen)

    def write(self, target: Path, text: str) -> None:
        """Writes a file and shows its path, or the error."""
        try:
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            self.say(f"{target} cannot be written ({error.strerror})", bad=True)
        else:
            self.say(f"Written: {target}")
