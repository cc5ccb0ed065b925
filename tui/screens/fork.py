"""The fork screen: a forked match beside the one that it comes from, from where the two part."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size

from parlour.tournament.save.growing.fork import origin_of
from parlour.tui.models.save_view import LocalState, SaveView, view_of_match
from parlour.tui.screens.match_base import MatchScreen
from parlour.tui.screens.messages import REPLAY, SEAT, OpenSave, Show
from parlour.tui.views.fork import (
    TITLES,
    ForkedPair,
    fork_header,
    fork_lines,
    pair_titles,
    progress_words,
)
from parlour.tui.views.header import tabs_line
from parlour.tui.views.scene import Scene, scene_of
from parlour.tui.views.talk import cast_lines
from parlour.tui.widgets.drawn import DrawnLines
from parlour.tui.widgets.footer import KeyFooter
from parlour.tui.widgets.placed import Placed
from parlour.tui.widgets.talk_pane import TalkPane

POLL_SECONDS = 0.5
"""Seconds between two checks for new answers of the fork."""
BESIDE, BELOW = 110, 36
"""Columns from which both are side by side, and rows of the body from which one is below the
other; on a smaller screen they are tabs."""
PANES = ("origin", "fork")


class ForkScreen(MatchScreen):
    """Both matches as they went, from the round in which they part."""

    TITLE = "Fork"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open the fork", id="fork.open"),
        Binding("r", "replay", "Replay", id="fork.replay"),
        Binding("s", "seat", "Take the seat", show=False, id="fork.seat"),
        Binding("1", "pane('origin')", "Go to the match as it went", show=False, id="fork.origin"),
        Binding("2", "pane('fork')", "Go to the fork", show=False, id="fork.pane"),
        Binding("escape,b", "back", "Back", id="fork.back"),
    ]

    def __init__(self, path: Path, local: LocalState | None = None) -> None:
        """Raises BadSave if the fork or its origin cannot be read."""
        super().__init__()
        self._path = path
        self.watched, _ = view_of_match(path, 1, local)
        at = self.watched.save.tournament.fork
        assert at is not None
        try:
            origin, _ = view_of_match(origin_of(path, at), at.match, local)
        except BaseException:
            self.watched.close()
            raise
        self._pair = ForkedPair(self.watched, origin, at)
        self._tab = "fork"

    def compose(self) -> ComposeResult:
        """Yields the header, the match as it went, and the fork."""
        yield DrawnLines(id="header", height=2)
        fork, origin = self._pair.fork, self._pair.origin
        before, after = partial(self._lines, origin, fork), partial(self._lines, fork, origin)
        cast_before, cast_after = partial(self._cast, origin), partial(self._cast, fork)
        yield Placed(
            TalkPane(before, head=cast_before, id="origin", follows=False),
            TalkPane(after, head=cast_after, id="fork", follows=not fork.progress.done),
            places=self._places,
            id="body",
        )
        yield KeyFooter()

    def on_mount(self) -> None:
        """Shows both, and the fork as it goes on."""
        self.query_one("#fork").focus()
        self.paint()
        self.set_interval(POLL_SECONDS, self._poll)

    def on_unmount(self) -> None:
        """Closes both saves."""
        self._pair.fork.close()
        self._pair.origin.close()

    async def _poll(self) -> None:
        pair = self._pair
        await pair.fork.listen()
        if pair.fork.poll() | pair.origin.poll():
            for name in PANES:
                self.query_one(f"#{name}", TalkPane).show()
        self.paint()

    # --- Painting

    @property
    def _has_tabs(self) -> bool:
        body = self.query_one("#body").size
        return body.width < BESIDE and body.height < BELOW

    def _places(self, size: Size) -> Mapping[str, Region]:
        width, height = size
        if width >= BESIDE:
            half = width // 2
            return {
                "origin": Region(0, 0, half, height),
                "fork": Region(half, 0, width - half, height),
            }
        if height >= BELOW:
            half = height // 2
            return {
                "origin": Region(0, 0, width, half),
                "fork": Region(0, half, width, height - half),
            }
        return {self._tab: Region(0, 0, width, height)}

    def paint(self) -> None:
        """Shows the header, and title and state of each pane."""
        if not self.is_mounted:
            return
        look, pair, width = self.look, self._pair, self.size.width
        tabs = None
        if self._has_tabs:
            tabs = tabs_line(look, TITLES, PANES.index(self._tab), width)
        self.query_one("#header", DrawnLines).show(fork_header(pair, look, width, tabs))
        views = (pair.origin, pair.fork)
        for name, title, view in zip(PANES, pair_titles(pair, look), views, strict=True):
            pane = self.query_one(f"#{name}", TalkPane)
            if pane.has_focus:
                title.stylize(f"bold {look.palette.accent}", 0, 1)
            pane.set_title(title)
            pane.set_hint(Text(progress_words(view, look), look.palette.soft))

    def on_descendant_focus(self) -> None:
        """Marks the pane that has the keys; keys of a match are about the one in it."""
        is_origin = self.query_one("#origin").has_focus
        self.watched = self._pair.origin if is_origin else self._pair.fork
        self.paint()

    def _scene(self, view: SaveView) -> Scene:
        focus = view.focus
        assert focus is not None
        return scene_of(focus, view.cast(self.look.palette), self.look)

    def _lines(self, view: SaveView, other: SaveView, width: int, height: int) -> Sequence[Text]:
        scenes = self._scene(view), self._scene(other)
        return fork_lines(*scenes, width, height)

    def _cast(self, view: SaveView, width: int, height: int) -> Sequence[Text]:
        return cast_lines(self._scene(view), width, height)

    # --- Keys

    def action_pane(self, name: str) -> None:
        """Goes to a pane, or to its tab."""
        self._tab = name
        self.query_one("#body", Placed).arrange_again()
        self.set_focus(self.query_one(f"#{name}"))
        self.paint()

    def action_open(self) -> None:
        """Opens the fork on the live screen."""
        self.app.post_message(OpenSave(self._path))

    def action_replay(self) -> None:
        """Opens the replay of the match in the pane with the keys."""
        if self.watched.number is not None:
            self.app.post_message(Show(REPLAY, self.watched.path, self.watched.number))

    def action_seat(self) -> None:
        """Takes the seat of the person that plays in the fork."""
        people = self._pair.fork.save.tournament.people
        seated = self._pair.fork.focus
        playing = [name for name in people if seated and name in seated.match.agents]
        if self._pair.fork.progress.done:
            self.say("The fork is over: no seat waits for anybody.")
        elif self._pair.fork.local.looked_on:
            self.say("This terminal has watched people play: take the seat at another one.")
        elif playing:
            self.app.post_message(Show(SEAT, self._path, playing[0]))
        else:
            self.say("No person plays in this fork.")
