"""Pane whose lines come from a function of its width and height."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.widget import Widget

from parlour.tui.widgets.panes import Pane

Draw = Callable[[int, int], Sequence[Text]]
"""Returns the lines of a pane from its width and height in cells."""


class DrawnPane(Pane):
    """Shows drawn lines; more lines than fit are scrolled.

    One that ``follows`` keeps the newest line in sight unless the reader has scrolled up. It
    jumps by half pages: the lines above stay where they are, which is read and sent with less
    effort.
    """

    DEFAULT_CSS = "DrawnPane { scrollbar-size: 0 0; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Scroll up", show=False, id="text.up"),
        Binding("down,j", "scroll_down", "Scroll down", show=False, id="text.down"),
        Binding("pageup", "page_up", "Page up", show=False, id="text.page_up"),
        Binding("pagedown", "page_down", "Page down", show=False, id="text.page_down"),
        Binding("home", "scroll_home", "To the start", show=False, id="text.first"),
        Binding("end,G", "follow", "To the end", show=False, id="text.last"),
    ]

    def __init__(
        self, draw: Draw | None = None, *, id: str, follows: bool = False, head: Draw | None = None
    ) -> None:
        """``head`` draws the lines at the top that stay where they are."""
        super().__init__(id=id)
        self._draw: Draw = draw or (lambda width, height: ())
        self._draw_head: Draw = head or (lambda width, height: ())
        self._follows = follows
        self.following = follows
        self.lines: Sequence[Text] = ()
        """The drawn lines."""
        self._top = self._seen = 0
        """The first line in sight, and how many lines there were when the reader was at the end."""
        self._hint = Text()
        self._unsized = True

    def show(self, draw: Draw | None = None, *, reset: bool = False) -> None:
        """Draws again, with another function if one is given.

        ``reset`` begins at the start, or at the end if the pane follows.
        """
        self._draw = draw or self._draw
        size = self.scrollable_content_region
        drawable = bool(size.width and size.height)
        self.head = self._draw_head(size.width, size.height) if drawable else ()
        self.lines = self._draw(size.width, self.room) if drawable else ()
        if reset:
            self.following, self._top = self._follows, 0
        if drawable and self._follows and self.following and (reset or self._unsized):
            self._top = max(0, len(self.lines) - self.room)  # a whole page, not half of one
        self._unsized = not drawable
        if self._follows and self.following:
            self._keep_up()
        below = max(len(self.lines), self._top + self.room)
        self.virtual_size = Size(0, len(self.head) + below)
        if reset or (self._top != self.scroll_offset.y and self.following):
            self.scroll_to(y=self._top, animate=False, immediate=True, force=True)
        self._show_hint()
        self.repaint()

    def line(self, index: int, width: int) -> Text:
        """A drawn line."""
        return self.lines[index] if 0 <= index < len(self.lines) else Text()

    @property
    def room(self) -> int:
        """The lines that are in sight below the head."""
        return max(1, self.scrollable_content_region.height - len(self.head))

    def action_follow(self) -> None:
        """Goes to the newest line and stays there."""
        self.following = self._follows
        self._top = max(0, len(self.lines) - self.room)
        self.scroll_to(y=self._top, animate=False, immediate=True, force=True)
        self._seen = len(self.lines)
        self._show_hint()

    def action_scroll_home(self) -> None:
        """Goes to the first line and stops following."""
        self.go_to(0)
        self._show_hint()

    def action_page_up(self) -> None:
        """Goes back by the lines in sight, which the head takes no part of."""
        self.scroll_relative(y=-self.room, animate=False)

    def action_page_down(self) -> None:
        """Goes on by the lines in sight."""
        self.scroll_relative(y=self.room, animate=False)

    def go_to(self, top: int) -> None:
        """Puts a line at the top and stops following."""
        self._top, self.following = top, False
        self.scroll_to(y=top, animate=False, immediate=True, force=True)

    def set_hint(self, hint: Text) -> None:
        """Sets the words at the lower right corner."""
        self._hint = hint
        self._show_hint()

    def on_resize(self) -> None:
        """Draws for the new size; a follower gets a whole page."""
        self._unsized = True
        self.show()

    def watch_scroll_y(self, old: float, new: float) -> None:
        """Stops following where the reader scrolls up, and follows again at the end."""
        super().watch_scroll_y(old, new)
        if self._follows and round(new) != self._top:
            self._top = round(new)
            self.following = self._top >= len(self.lines) - self.room
        self._show_hint()

    def _keep_up(self) -> None:
        """Jumps once new lines no longer fit, so that they begin at half the height."""
        height = self.room
        if len(self.lines) > self._top + height:
            self._top = len(self.lines) - (height + 1) // 2
        elif self._top >= len(self.lines):
            self._top = max(0, len(self.lines) - height)
        self._seen = len(self.lines)

    def _show_hint(self) -> None:
        unseen = 0 if self.following else len(self.lines) - self._seen
        below = 0 if self._follows else len(self.lines) - self.room - round(self.scroll_y)
        if self._follows and unseen > 0:
            self.set_subtitle(Text(f"↓ {unseen} new", "bold"))
        elif below > 0 and not self._hint.plain:
            self.set_subtitle(Text(f"↓ {below} more"))
        else:
            self.set_subtitle(self._hint)


class DrawnLines(Pane, can_focus=False):
    """A few lines without a border, such as a header; as high as they are many."""

    DEFAULT_CSS = """
    DrawnLines, DrawnLines:focus { border: none; padding: 0; height: 1; overflow-y: hidden; }
    """

    def __init__(self, *, id: str, height: int = 1) -> None:
        """``height`` is the number of lines that are expected."""
        super().__init__(id=id)
        self._lines: Sequence[Text] = ()
        self.styles.height = height

    def show(self, lines: Sequence[Text]) -> None:
        """Shows these lines."""
        self.styles.height = len(lines)
        self._lines = lines
        self.virtual_size = Size(0, len(lines))
        self.repaint()

    def line(self, index: int, width: int) -> Text:
        """One of the lines."""
        return self._lines[index]


class ChartPane(DrawnPane, inherit_bindings=False):
    """Shows a picture of its own size; the keys that move are those of the screen."""


class Drawing(Widget):
    """A part of a screen that is only looked at."""

    ALLOW_SELECT = False

    def __init__(self, draw: Draw, *, id: str) -> None:
        super().__init__(id=id)
        self._draw = draw

    def render(self) -> Text:
        """The lines, one below the other."""
        return Text("\n", no_wrap=True).join(self._draw(self.size.width, self.size.height))
