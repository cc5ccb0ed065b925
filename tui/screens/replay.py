"""The replay screen: one match forwards and backwards, an ask at a time."""

from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from parlour.tui.models.save_view import LocalState, view_of_match
from parlour.tui.screens.base import MatchScreen
from parlour.tui.views import match as describe
from parlour.tui.views import side_pane
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.panes import TextPane


class ReplayScreen(MatchScreen):
    """A match in its state before any of its asks, or at its end."""

    TITLE = "Replay"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,n", "go(1)", "Next ask", id="replay.forward"),
        Binding("left,h,p", "go(-1)", "Previous ask", id="replay.back"),
        # Priority over Home and End of the focused pane, which keeps g and G.
        Binding("home,0", "edge(0)", "First ask", show=False, priority=True, id="replay.start"),
        Binding("end", "edge(1)", "Last ask", show=False, priority=True, id="replay.end"),
        Binding("1", "tab(0)", "Votes", show=False, id="replay.votes"),
        Binding("2", "tab(1)", "Players", show=False, id="replay.players"),
        Binding("e", "export", "Export", id="replay.export"),
        Binding("escape,b", "back", "Back", id="replay.close"),
    ]

    def __init__(self, path: Path, number: int, local: LocalState | None = None) -> None:
        """Raises BadSave if the match cannot be read."""
        super().__init__()
        self.watched, self._focus = view_of_match(path, number, local)
        self._steps = self._focus.turn_starts()
        self._at = len(self._steps) - 1
        self._tab = 1

    def compose(self) -> ComposeResult:
        """Yields the transcript up to an ask, and the side pane."""
        yield Static(id="status")
        with Horizontal(id="body"):
            yield TextPane(empty="Nothing was said yet.", id="transcript", follows=True)
            yield TextPane(empty="Nothing yet.", id="side")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Starts at the end of the match."""
        self.query_one("#transcript").focus()
        self._paint()

    def on_unmount(self) -> None:
        """Closes the save."""
        self.watched.close()

    def _paint(self) -> None:
        focus = self._focus
        focus.show(self.watched.save, self._steps[self._at] if self._steps else 0)
        pane, side = self.query_one("#transcript", TextPane), self.query_one("#side", TextPane)
        pane.border_title = Text(describe.heading(focus))
        pane.show(describe.transcript_lines(focus), reset=True)
        side.border_title = describe.tabs(side_pane.names(focus), self._tab, first=1)
        side.show(side_pane.texts(focus, self._tab), reset=True)
        title = f"Replay  ask {self._at} of {len(self._steps) - 1}   ← back   → forward"
        self.query_one("#status", Static).update(Text(title, "bold"))

    def action_go(self, by: int) -> None:
        """Goes one ask forwards or backwards."""
        self._at = max(0, min(len(self._steps) - 1, self._at + by))
        self._paint()

    def action_edge(self, end: int) -> None:
        """Goes to the first ask, or behind the last."""
        self._at = len(self._steps) - 1 if end else 0
        self._paint()

    def action_tab(self, tab: int) -> None:
        """Switches the tab of the side pane."""
        self._tab = tab
        self._paint()

    def action_export(self) -> None:
        """Writes the transcript up to the current ask."""
        at_end = self._at == len(self._steps) - 1
        self.write_transcript("" if at_end else f"-ask-{self._at}")
