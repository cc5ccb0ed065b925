"""The fork screen: a forked match beside the one that it comes from, from where the two part."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from parlour.tournament.save.fork import origin_of
from parlour.tui.models.save_view import LocalState, SaveView, view_of_match
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.screens.messages import OpenSave
from parlour.tui.text import one_line
from parlour.tui.views import match as describe
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.talk_pane import TalkPane

POLL_SECONDS = 0.5
"""Seconds between two checks for new answers of the fork."""


class ForkScreen(ParlourScreen):
    """Both matches as they went, without the part that they share."""

    TITLE = "Fork"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (70, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open the fork", id="fork.open"),
        Binding("a", "all", "All or the difference", id="fork.all"),
        Binding("escape,b", "back", "Back", id="fork.back"),
    ]
    DEFAULT_CSS = """
    ForkScreen #both { height: 1fr; layout: vertical; }
    ForkScreen.-wide #both { layout: horizontal; }
    ForkScreen TalkPane { width: 1fr; height: 1fr; }
    """

    def __init__(self, path: Path, local: LocalState | None = None) -> None:
        """Raises BadSave if the fork or its origin cannot be read."""
        super().__init__()
        self._path = path
        self._fork, _ = view_of_match(path, 1, local)
        origin = self._fork.save.tournament.fork
        assert origin is not None
        self._at = origin
        try:
            self._origin, _ = view_of_match(origin_of(path, origin), origin.match, local)
        except BaseException:
            self._fork.close()
            raise
        self._all = False

    def compose(self) -> ComposeResult:
        """Yields the match as it went, and the fork."""
        yield Static(id="status")
        with Horizontal(id="both"):
            yield TalkPane(self._lines_of_origin, id="origin", follows=False)
            yield TalkPane(self._lines_of_fork, id="fork")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Shows both, and the fork as it goes on."""
        self.query_one("#fork").focus()
        number = self._at.match
        self.query_one("#origin").border_title = Text(f"Match {number}, as it went")
        self.query_one("#fork").border_title = Text(f"Fork from ask {self._at.ask} on")
        self._paint()
        self.set_interval(POLL_SECONDS, self._poll)

    def on_unmount(self) -> None:
        """Closes both saves."""
        self._fork.close()
        self._origin.close()

    async def _poll(self) -> None:
        await self._fork.listen()
        changed = self._fork.poll()
        if changed | self._origin.poll():
            self.query_one("#origin", TalkPane).show()
            self.query_one("#fork", TalkPane).show()
        self._paint()

    def _paint(self) -> None:
        _, words, _ = describe.STATES.get(self._fork.state, ("", self._fork.state, ""))
        troubles = [*self._fork.failed, self._fork.trouble, self._origin.trouble]
        trouble = next(filter(None, troubles), "")
        note = f"   {one_line(trouble)}" if trouble else ""
        title = f"Fork of match {self._at.match} of {one_line(self._at.save)}   {words}{note}"
        self.query_one("#status", Static).update(Text(title, "bold"))

    def _lines_of_origin(self, width: int, _height: int) -> Sequence[Text]:
        return self._lines(self._origin, self._fork, width)

    def _lines_of_fork(self, width: int, _height: int) -> Sequence[Text]:
        return self._lines(self._fork, self._origin, width)

    def _lines(self, shown: SaveView, other: SaveView, width: int) -> Sequence[Text]:
        """The lines of one match, from the first that the other one does not have."""
        own = _talk(shown, width)
        if self._all:
            return own
        theirs = _talk(other, width)
        shared = 0
        while shared < min(len(own), len(theirs)) and own[shared] == theirs[shared]:
            shared += 1
        note = Text(f"{shared} lines as in both", "dim")
        return [note, *own[shared:]]

    def action_all(self) -> None:
        """Switches between the whole matches and the part in which they differ."""
        self._all = not self._all
        self.query_one("#origin", TalkPane).show(reset=True)
        self.query_one("#fork", TalkPane).show(reset=True)

    def action_open(self) -> None:
        """Opens the fork on the live screen."""
        self.app.post_message(OpenSave(self._path))


def _talk(view: SaveView, _width: int) -> list[Text]:
    return [] if view.focus is None else describe.transcript_lines(view.focus)
