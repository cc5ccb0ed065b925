"""Pane of texts wrapped to its width."""

from collections.abc import Sequence
from typing import ClassVar

from rich.console import Console
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.geometry import Size

from parlour.tui.widgets.panes import Pane


class TextPane(Pane):
    """Texts wrapped to the width of the pane.

    One that ``follows`` stays at the end as texts are added, unless the reader has scrolled up.
    """

    # Always leaves room for the scrollbar: its appearance would otherwise cut wrapped lines.
    DEFAULT_CSS = "TextPane { scrollbar-gutter: stable; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Scroll up", show=False, id="text.up"),
        Binding("down,j", "scroll_down", "Scroll down", show=False, id="text.down"),
        Binding("pageup", "page_up", "Page up", show=False, id="text.page_up"),
        Binding("pagedown", "page_down", "Page down", show=False, id="text.page_down"),
        Binding("home", "scroll_home", "To the start", show=False, id="text.first"),
        Binding("end,G", "scroll_end", "To the end", show=False, id="text.last"),
    ]

    def __init__(self, *, empty: str, id: str, follows: bool = False) -> None:
        super().__init__(id=id)
        self._empty, self._follows = empty, follows
        self._texts: Sequence[Text] = ()
        self._wrapped: list[Text] = []
        self._width = 0
        self._last_max = 0
        self._unseen = 0
        self.border_subtitle = ""

    def show(self, texts: Sequence[Text], *, reset: bool = False) -> None:
        """Shows these texts; ``reset`` scrolls to the start, or to the end if the pane follows."""
        at_end = reset or self.at_end
        before = 0 if reset else len(self._texts)
        if not reset and list(texts) == list(self._texts):
            return
        self._texts = texts
        self._wrap()
        self.repaint()
        if not self._follows:
            if reset:
                self.scroll_home(animate=False)
            return
        if at_end:
            self._unseen = 0
            self.call_after_refresh(self.scroll_end, animate=False)
        else:
            self._unseen += max(0, len(texts) - before)
        self._show_unseen()

    def follow(self) -> None:
        """Scrolls to the end and stays there."""
        self.scroll_end(animate=False)
        self._unseen = 0
        self._show_unseen()

    def line(self, index: int, width: int) -> Text:
        """A wrapped line."""
        return self._wrapped[index].copy() if index < len(self._wrapped) else Text()

    def on_resize(self) -> None:
        """Wraps to the new width, and stays at the end if the reader was there."""
        at_end = self.at_end or self.scroll_offset.y >= self._last_max - 1
        self._wrap()
        self.refresh()
        if at_end and self._follows:
            self.call_after_refresh(self.scroll_end, animate=False)

    def watch_scroll_y(self, old: float, new: float) -> None:
        """Follows again once the reader has scrolled to the end."""
        super().watch_scroll_y(old, new)
        if self._unseen and self.at_end:
            self._unseen = 0
            self._show_unseen()

    @property
    def at_end(self) -> bool:
        """True if the last line is in sight."""
        return self.scroll_offset.y >= self.max_scroll_y - 1

    def _show_unseen(self) -> None:
        subtitle = f"{self._unseen} new lines, f follows" if self._unseen else ""
        if subtitle != self.border_subtitle:
            self.border_subtitle = subtitle

    def _wrap(self) -> None:
        self._width = max(8, self.scrollable_content_region.width)
        texts = self._texts or (Text(self._empty, "dim"),)
        self._wrapped = []
        for text in texts:
            self._wrapped += _hanging(text, self._width, self.app.console)
        self.virtual_size = Size(0, len(self._wrapped))
        self._last_max = self.max_scroll_y


def _hanging(text: Text, width: int, console: Console) -> list[Text]:
    """A text wrapped to a width, with a hanging indent of three columns."""
    if text.no_wrap or text.cell_len <= width:
        return [text]
    first = text.wrap(console, width)[0]
    left = len(text) - len(text.plain[len(first) :].lstrip())
    rest = text[left:].wrap(console, width - 3) if left < len(text) else ()
    return [first, *(Text("   ") + line for line in rest)]
