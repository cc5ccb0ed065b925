"""The base of the screens that read one match: whose view, which words, and which reasons."""

from typing import ClassVar

from textual.binding import Binding, BindingType

from parlour.tui.screens.match_base import MatchScreen
from parlour.tui.views.live_places import WHY_FROM
from parlour.tui.views.match_words import phase_of_table
from parlour.tui.views.scene import AUDIENCE, Scene, Viewer, next_viewer, scene_of, viewer_name
from parlour.tui.widgets.drawn import DrawnPane

EVERYTHING = "Everything is shown: all that any player was told."


class ReadingScreen(MatchScreen):
    """A screen with the talk and the board of one match, through the eyes of a viewer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "viewer", "Next view of the match", show=False, id="match.viewer"),
        Binding("w", "why", "Reasons of votes, on or off", show=False, id="match.why"),
        Binding("X", "verbatim", "Words as written, or names", show=False, id="match.verbatim"),
    ]
    _viewer: Viewer = None
    _why: bool | None = None
    """None: as there is room for reasons."""
    _verbatim = False

    def paint_match(self, *, reset: bool = False) -> None:
        """Draws talk, board and titles again."""
        raise NotImplementedError

    def scene(self) -> Scene | None:
        """The match in focus as its viewer sees it."""
        focus = self.watched.focus
        if focus is None:
            return None
        return scene_of(
            focus,
            self.cast(),
            self.look,
            waiting=() if focus.table is None else focus.table.waiting,
            verbatim=self._verbatim,
            viewer=self._viewer,
        )

    def phase(self) -> str:
        """The phase of the match as far as its viewer is told: a seat knows of its own asks."""
        scene = self.scene()
        if scene is None:
            return ""
        pending = None if scene.focus.table is None else scene.focus.table.pending
        if scene.is_seat and (pending is None or scene.viewer not in pending.seats):
            return ""
        return phase_of_table(self.watched, scene.focus)

    def seen_by(self) -> str:
        """The words for the viewer, "" for everything."""
        scene = self.scene()
        return "" if scene is None else viewer_name(scene)

    def shows_reasons(self, width: int) -> bool:
        """True if a talk of this width has the reasons of votes."""
        return width >= WHY_FROM if self._why is None else self._why

    def leave_seat(self) -> None:
        """Shows everything again, if a seat's view was shown: another match has other seats."""
        if self._viewer != AUDIENCE:
            self._viewer = None

    def action_viewer(self) -> None:
        """Goes round the viewers: everything, the audience, each seat."""
        focus = self.watched.focus
        if focus is None or focus.table is None:
            self.say("Nothing of this match is shown yet.")
            return
        self._viewer = next_viewer(self._viewer, len(focus.match.agents))
        self.paint_match(reset=True)
        seen_by = self.seen_by()
        self.say(f"The match {seen_by}." if seen_by else EVERYTHING)

    def action_why(self) -> None:
        """Shows or hides the reasons of votes."""
        width = self.query_one("#talk", DrawnPane).scrollable_content_region.width
        self._why = not self.shows_reasons(width)
        self.paint_match()
        self.say("Reasons are shown." if self._why else "Reasons are hidden.")

    def action_verbatim(self) -> None:
        """Shows the words of players as written, or with names in place of seats."""
        self._verbatim = not self._verbatim
        self.paint_match()
        self.say("Words as written." if self._verbatim else "Names in place of seats.")
