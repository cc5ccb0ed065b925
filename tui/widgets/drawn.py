"""Pane whose lines come from a function of its width and height."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.geometry import Size

from parlour.tui.widgets.panes import Pane

Draw = Callable[[int, int], Sequence[Text]]
"""Returns the lines of a pane from its width and height in cells."""


class DrawnPane(Pane):
    """Shows drawn lines; more lines than fit are scrolled.

    One that ``follows`` keeps the newest line in sight unless the reader has scrolled up. It
    jumps by half pages: the lines above stay where they are, which is read and sent with less
    effort.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Scroll up", show=False, id="text.up"),
        Binding("down,j", "scroll_down", "Scroll down", show=False, id="text.down"),
        Binding("pageup", "page_up", "Page up", show=False, id="text.page_up"),
        Binding("pagedown", "page_down", "Page down", show=False, id="text.page_down"),
        Binding("home", "scroll_home", "To the start", show=False, id="text.first"),
        Binding("end,G", "follow", "To the end", show=False, id="text.last"),
    ]

    def __init__(self, draw: Draw | None = None, *, id: str, follows: bool = False) -> None:
        super().__init__(id=id)
        self._draw: Draw = draw or (lambda width, height: ())
        self._follows = follows
        self.following = follows
        self.lines: Sequence[Text] = ()
        """The drawn lines."""
        self._top = self._seen = 0
        """The first line in sight, and how many lines there were when the reader was at the end."""
        self._hint = Text()

    def show(self, draw: Draw | None = None, *, reset: bool = False) -> None:
        """Draws again, with another function if one is given; ``reset`` returns to the start."""
        self._draw = draw or self._draw
        size = self.scrollable_content_region
        self.lines = self._draw(size.width, size.height) if size.width and size.height else ()
        if reset:
            self.following, self._top = self._follows, 0
        if self._follows and self.following:
            self._keep_up()
        self.virtual_size = Size(0, max(len(self.lines), self._top + size.height))
        if reset or (self._top != self.scroll_offset.y and self.following):
            self.scroll_to(y=self._top, animate=False, immediate=True, force=True)
        self._show_hint()
        self.repaint()

    def line(self, index: int, width: int) -> Text:
        """A drawn line."""
        return self.lines[index] if index < len(self.lines) else Text()

    def action_follow(self) -> None:
        """Goes to the newest line and stays there."""
        self.following = self._follows
        self._top = max(0, len(self.lines) - self.scrollable_content_region.height)
        self.scroll_to(y=self._top, animate=False, immediate=True, force=True)
        self._seen = len(self.lines)
        self._show_hint()

    def action_scroll_home(self) -> None:
        """Goes to the first line and stops following."""
        self.go_to(0)
        self._show_hint()

    def go_to(self, top: int) -> None:
        """Puts a line at the top and stops following."""
        self._top, self.following = top, False
        self.scroll_to(y=top, animate=False, immediate=True, force=True)

    def set_hint(self, hint: Text) -> None:
        """Sets the words at the lower right corner."""
        self._hint = hint
        self._show_hint()

    def on_resize(self) -> None:
        """Draws for the new size."""
        self.show()

    def watch_scroll_y(self, old: float, new: float) -> None:
        """Stops following where the reader scrolls up, and follows again at the end."""
        super().watch_scroll_y(old, new)
        if self._follows and round(new) != self._top:
            self._top = round(new)
            height = self.scrollable_content_region.height
            self.following = self._top >= len(self.lines) - height
            self._show_hint()

    def _keep_up(self) -> None:
        """Jumps once new lines no longer fit, so that they begin at half the height."""
        height = self.scrollable_content_region.height
        if len(self.lines) > self._top + height:
            self._top = len(self.lines) - (height + 1) // 2
        elif self._top >= len(self.lines):
            self._top = max(0, len(self.lines) - height)
        self._seen = len(self.lines)

    def _show_hint(self) -> None:
        unseen = 0 if self.following else len(self.lines) - self._seen
        news = self._follows and unseen > 0
        words = Text(f"↓ {unseen} new", "bold") if news else self._hint
        if str(words) != str(self.border_subtitle):
            self.border_subtitle = words
