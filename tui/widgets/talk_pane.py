"""Pane of a conversation: follows it, searches it, and copies a line of it."""

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message

from parlour.tui.widgets.dialogs import LinePrompt
from parlour.tui.widgets.drawn import Draw, DrawnPane

NO_SEARCH = "Nothing is searched for: / begins a search."


NO_WORDS = " ▌│"
"""The characters of a line that has no words: blanks and edges."""


class TalkPane(DrawnPane):
    """A drawn pane with a mark: the line that was found or clicked, which ``y`` copies."""

    DEFAULT_CSS = "TalkPane > .pane--cursor { background: $look-cursor; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search the talk", show=False, id="talk.search"),
        Binding("n", "find(1)", "Next line found", show=False, id="talk.next"),
        Binding("N", "find(-1)", "Previous line found", show=False, id="talk.previous"),
        Binding("escape", "end_search", "End the search", show=False, id="talk.end_search"),
        Binding("y", "copy", "Copy the line", show=False, id="talk.copy"),
    ]

    class Copied(Message):
        """The user copies a line."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(
        self, draw: Draw | None = None, *, id: str, follows: bool = True, head: Draw | None = None
    ) -> None:
        super().__init__(draw, id=id, follows=follows, head=head)
        self._wanted = ""
        self._mark: int | None = None
        self._words = Text()

    def set_hint(self, hint: Text) -> None:
        """Sets the words at the lower right corner, where a search shows its own."""
        self._words = hint
        if not self._wanted:
            super().set_hint(hint)

    def _show_hint(self) -> None:
        """Shows the words of a search, also where there are new lines below."""
        if self._wanted:
            self.set_subtitle(self._hint)
        else:
            super()._show_hint()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys of a search belong to the screen while nothing is searched for."""
        if action in {"find", "end_search"}:
            return bool(self._wanted)
        return True

    def why_not(self, action: str) -> str:
        """The reason why a key of a search does nothing."""
        return "" if self.check_action(action.partition("(")[0], ()) else NO_SEARCH

    def show(self, draw: Draw | None = None, *, reset: bool = False) -> None:
        """Draws again; another conversation has no mark and no search."""
        if reset:
            self._mark, self._wanted = None, ""
            self.set_hint(self._words)
        super().show(draw, reset=reset)

    def line_style(self, index: int) -> Style | None:
        """The style of the mark."""
        if index == self._mark:
            return self.get_component_rich_style("pane--cursor", partial=True)
        return None

    def action_search(self) -> None:
        """Asks for words and goes to the last line that has them."""
        self.app.push_screen(LinePrompt("Search the talk", self._wanted), self._search)

    def _search(self, words: str | None) -> None:
        if words is None:
            return
        self._wanted = words.casefold()
        self._mark = None
        self.refresh_bindings()
        if self._wanted:
            self.action_find(-1)
        else:
            self.action_end_search()

    def action_find(self, by: int) -> None:
        """Goes to the next or previous line that has the words, round the ends."""
        numbered = enumerate(self.lines)
        hits = [index for index, line in numbered if self._wanted in line.plain.casefold()]
        if not hits:
            self._mark = None
            super().set_hint(Text(f"not found: {self._wanted}"))
            return
        self._mark = _neighbour(hits, self._mark, by)
        self.following = False
        if not self.scroll_offset.y <= self._mark < self.scroll_offset.y + self.room:
            self.go_to(max(0, self._mark - self.room // 2))
        super().set_hint(Text(f"{hits.index(self._mark) + 1} of {len(hits)}  n N  esc"))
        self.refresh()

    def action_end_search(self) -> None:
        """Ends the search and goes back to the newest line."""
        self._wanted, self._mark = "", None
        self.refresh_bindings()
        self.set_hint(self._words)
        self.action_follow()
        self.refresh()

    def action_copy(self) -> None:
        """Copies the marked line, else the last one in sight."""
        last = min(len(self.lines), self.scroll_offset.y + self.room)
        in_sight = range(last - 1, self.scroll_offset.y - 1, -1)
        written = (index for index in in_sight if self.lines[index].plain.strip(NO_WORDS))
        index = self._mark if self._mark is not None else next(written, None)
        if index is not None and index < len(self.lines):
            self.post_message(self.Copied(self.lines[index].plain.strip()))
        else:
            self.notify("There is no line to copy.", timeout=6, markup=False)

    def on_click(self, event: Click) -> None:
        """Marks the clicked line."""
        index = self.index_at(event.y - 1)  # the border takes the first line
        if 0 <= index < len(self.lines):
            self._mark = index
            self.refresh()


def _neighbour(hits: Sequence[int], mark: int | None, by: int) -> int:
    """The hit after or before the mark, round the ends; without a mark the last one."""
    if mark is None:
        return hits[-1]
    if by > 0:
        return next((hit for hit in hits if hit > mark), hits[0])
    return next((hit for hit in reversed(hits) if hit < mark), hits[-1])
