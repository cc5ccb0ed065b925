"""The bases of the screens that show a match.

``MatchScreen`` has its thoughts, prompts, forks and transcript, ``ReadingScreen`` its talk and
board as a viewer sees them.
"""

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType

from parlour.games.common.errors import ParlourError
from parlour.tournament.control.launch import start_detached
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.growing.fork import fork_match
from parlour.tournament.save.replay import transcript_lines
from parlour.tui.clipboard import copy
from parlour.tui.look.cast import Cast
from parlour.tui.models.save_view import BARRED, Focus, SaveView
from parlour.tui.screens.consenting import ConsentingScreen
from parlour.tui.screens.messages import FORK, PROMPTS, SEAT, THOUGHTS, Show
from parlour.tui.views.boards.boards import board_lines
from parlour.tui.views.live_places import WHY_FROM
from parlour.tui.views.match_words import phase_of_table
from parlour.tui.views.scene import AUDIENCE, Scene, Viewer, next_viewer, scene_of, viewer_name
from parlour.tui.views.states import match_state, too_small
from parlour.tui.views.talk import cast_lines, talk_lines
from parlour.tui.widgets.drawn import DrawnPane
from parlour.tui.widgets.panes import Pane
from parlour.tui.widgets.talk_pane import TalkPane

EVERYTHING = "Everything is shown: all that any player was told."


class MatchScreen(ConsentingScreen):
    """A screen that shows a match of a save."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "thoughts", "Thoughts of the players", show=False, id="match.thoughts"),
        Binding("x", "prompts", "Exact prompts and answers", show=False, id="match.prompts"),
        Binding(
            "exclamation_mark",
            "prompts(True)",
            "Newest faulty answer",
            show=False,
            id="match.faulty",
        ),
        Binding("P", "page", "Transcript in $PAGER", show=False, id="match.pager"),
        Binding("F", "fork", "Fork at this ask", show=False, id="match.fork"),
        Binding("E", "edit", "Transcript in $EDITOR", show=False, id="match.editor"),
    ]
    watched: SaveView

    def cast(self) -> Cast:
        """The agents of the tournament, in the colours of the current theme."""
        return self.watched.cast(self.look.palette)

    def _open(self) -> Focus | None:
        """The match in focus, unless it is hidden, which is then said."""
        focus = self.watched.focus
        if focus is not None and focus.barred:
            self.say(BARRED)
            return None
        return focus

    def action_thoughts(self) -> None:
        """Opens the beliefs and thoughts of the players of the match."""
        if focus := self._open():
            self.app.post_message(Show(THOUGHTS, self.watched.path, focus.match.number))

    def action_prompts(self, faulty: bool = False) -> None:
        """Opens the exact prompts and raw answers of the match, or the newest ``faulty`` one."""
        if focus := self._open():
            ask = focus.table.ask_number if focus.table is not None else None
            match = focus.match.number
            self.app.post_message(Show(PROMPTS, self.watched.path, match, ask, faulty))

    def action_fork(self) -> None:
        """Asks what changes, and plays the match on from this ask beside the tournament."""
        focus = self.watched.focus
        if focus is not None and focus.barred:
            self.say(BARRED)
        elif self.watched.save.tournament.fork is not None:
            self.say("This is a fork itself: fork the match that it comes from.")
        elif focus is None or focus.table is None or focus.table.pending is None:
            self.say("The match is over: replay it (r) and go to the ask to fork it at.")
        elif self.is_current:  # else a key struck twice
            self._fork()

    @work(exclusive=True, group="fork", exit_on_error=False)
    async def _fork(self) -> None:
        """Puts a fork together, makes it and starts its runner."""
        from parlour.tui.screens.forking import Forking  # late: the first frame needs no form

        path, tournament = self.watched.path, self.watched.save.tournament
        try:
            wanted = await Forking(self.app, self.watched, self.look).wanted()
        except ParlourError as error:
            self.say(str(error), bad=True)
            return
        if wanted is None:
            return

        def play(_agreed: Tournament) -> None:
            fork = fork_match(path, wanted.match, wanted.ask, wanted.change, None)
            start_detached(fork)
            self.app.call_from_thread(self._forked, fork, wanted.person)

        self.once_agreed(lambda: tournament, play)

    def _forked(self, fork: Path, person: str | None) -> None:
        """Shows a fork beside its match, and in front of it the seat of a person that plays."""
        self.app.post_message(Show(FORK, fork))
        if person is not None:
            self.app.post_message(Show(SEAT, fork, person))

    def on_talk_pane_copied(self, message: TalkPane.Copied) -> None:
        """Copies a line of the talk."""
        self.say(copy(self.app, message.text, self.watched.path))

    def action_page(self) -> None:
        """Shows the transcript in the user's pager."""
        self._run_with_transcript(os.environ.get("PAGER") or "less")

    def action_edit(self) -> None:
        """Opens the transcript in the user's editor."""
        self._run_with_transcript(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")

    def _run_with_transcript(self, command: str) -> None:
        """Runs a program on a copy of the transcript, with the terminal to itself."""
        lines = self._transcript()
        if lines is None:
            return
        with TemporaryDirectory(prefix="parlour-") as folder:
            file = Path(folder) / "transcript.txt"
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            try:
                with self.app.suspend():
                    subprocess.run([*shlex.split(command), str(file)], check=False)
            except SuspendNotSupported:
                self.say("This terminal cannot be handed to another program.", bad=True)
            except (OSError, ValueError) as error:
                self.say(f"{command}: cannot be run ({error})", bad=True)

    def _transcript(self) -> list[str] | None:
        """The lines of the match as far as it is shown; None where none is, or it is barred."""
        focus = self.watched.focus
        if focus is None or focus.table is None:
            self.say(BARRED if focus is not None and focus.barred else "No match is shown.")
            return None
        return list(transcript_lines(focus.match, focus.table))

    def write_transcript(self, suffix: str = "") -> None:
        """Writes the match as far as it is shown, as text, into a file beside the save."""
        focus, save, lines = self.watched.focus, self.watched.path, self._transcript()
        if focus is not None and lines is not None:
            target = save.with_name(f"{save.stem}-match-{focus.match.number}{suffix}.txt")
            self.write(target, "".join(f"{line}\n" for line in lines))


class ReadingScreen(MatchScreen):
    """A screen with the talk and the board of one match, through the eyes of a viewer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "viewer", "Next view of the match", show=False, id="match.viewer"),
        Binding("w", "why", "Reasons of votes, on or off", show=False, id="match.why"),
        Binding("X", "verbatim", "Words as written, or names", show=False, id="match.verbatim"),
    ]
    gossip_filter = ""
    """The words that all shown lines of a feed of gossip have."""
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
            verbatim=self._verbatim,
            viewer=self._viewer,
            calls=self.watched.calls_of(focus.match.number),
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

    def set_title(self, name: str, title: Text) -> None:
        """Sets the title of a pane; its key stands out where the pane has the focus."""
        pane = self.query_one(f"#{name}", Pane)
        if pane.has_focus:
            title.stylize(f"bold reverse {self.look.palette.accent}", 0, 1)
        pane.set_title(title)

    # --- Lines of the panes

    def draw_cast(self, width: int, height: int) -> list[Text]:
        """The people of the match and a blank line, where the talk has room for them."""
        scene = self.scene()
        return [] if scene is None else cast_lines(scene, width, height)

    def draw_talk(self, width: int, height: int) -> Sequence[Text]:
        """The talk, or what stands in its place."""
        scene = self.scene()
        if scene is None:
            return []
        lines = talk_lines(scene, width, height, why=self.shows_reasons(width))
        return match_state(self.watched, scene, lines, width, height)

    def draw_board(self, width: int, height: int) -> Sequence[Text]:
        """The boards of the match."""
        scene = self.scene()
        if scene is None or scene.focus.table is None:
            return []
        return board_lines(scene, width, height, wanted=self.gossip_filter)

    def draw_too_small(self, width: int, height: int) -> Sequence[Text]:
        """The size that the terminal must have."""
        return too_small(self.look, self.app.size, width, height)

    # --- Keys

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
