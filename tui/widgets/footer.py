"""The footer: the keys of the screen and of the focused pane, in one line of text.

Textual's own has one widget for each key and builds all of them again whenever the focus moves,
which took two thirds of the time of a Tab on the live screen. This one draws one line.
"""

from typing import ClassVar, NamedTuple

from rich.text import Text
from textual.events import Leave, MouseDown, MouseMove
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget


class FooterKey(NamedTuple):
    """A key in the footer; ``start`` and ``end`` are its columns."""

    key: str
    display: str
    description: str
    action: str
    tooltip: str
    start: int
    end: int


class KeyFooter(Widget):
    """The shown bindings, one for each action, behind a few words. A click presses the key."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "footer--key",
        "footer--description",
        "footer--hover",
    }
    # Colours as in Textual's footer, so that themes apply.
    DEFAULT_CSS = """
    KeyFooter {
        dock: bottom; height: 1; text-wrap: nowrap; text-overflow: clip;
        color: $footer-foreground; background: $footer-background;
        .footer--key {
            color: $footer-key-foreground; background: $footer-key-background; text-style: bold;
        }
        .footer--description {
            color: $footer-description-foreground; background: $footer-description-background;
        }
        .footer--hover { color: $footer-key-foreground; background: $block-hover-background; }
    }
    """
    keys: reactive[tuple[FooterKey, ...]] = reactive(())
    lead: reactive[Text] = reactive(Text())
    """The words before the keys, such as whose turn it is."""
    hovered: reactive[FooterKey | None] = reactive(None)

    def on_mount(self) -> None:
        """Follows the bindings of the screen."""
        self.screen.bindings_updated_signal.subscribe(self, self._update)

    def on_unmount(self) -> None:
        """Stops following them."""
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _update(self, screen: Screen) -> None:
        # A terminal in the background has no focused pane; its footer stays as it was.
        if not self.app.app_focus or screen is not self.screen:
            return
        keys: dict[str, FooterKey] = {}
        column = 0
        for active in screen.active_bindings.values():
            binding = active.binding
            if not binding.show or binding.action in keys:
                continue
            display = self.app.get_key_display(binding)
            end = column + Text(f" {display} {binding.description} ").cell_len
            keys[binding.action] = FooterKey(
                binding.key,
                display,
                binding.description,
                binding.action,
                active.tooltip,
                column,
                end,
            )
            column = end
        self.keys = tuple(keys.values())

    def render(self) -> Text:
        """The words, then the line of keys."""
        key_style = self.get_component_rich_style("footer--key")
        description_style = self.get_component_rich_style("footer--description")
        hover_style = self.get_component_rich_style("footer--hover", partial=True)
        line = Text(no_wrap=True).append_text(self.lead)
        for key in self.keys:
            part = Text.assemble(
                (f" {key.display} ", key_style), (f"{key.description} ", description_style)
            )
            if key == self.hovered:
                part.stylize(hover_style)
            line.append_text(part)
        return line

    def on_mouse_move(self, event: MouseMove) -> None:
        """Highlights the key under the mouse."""
        self.hovered = self._key_at(event.x)

    def on_leave(self, _event: Leave) -> None:
        """Highlights no key."""
        self.hovered = None

    def watch_hovered(self) -> None:
        """Sets the tooltip and the pointer to those of the key."""
        self.tooltip = self.hovered.tooltip if self.hovered else None
        self.styles.pointer = "pointer" if self.hovered else "default"

    def on_mouse_down(self, event: MouseDown) -> None:
        """Presses the key under the mouse."""
        key = self._key_at(event.x)
        if key is not None:
            self.app.simulate_key(key.key)

    def _key_at(self, column: int) -> FooterKey | None:
        column -= self.lead.cell_len
        return next((key for key in self.keys if key.start <= column < key.end), None)
