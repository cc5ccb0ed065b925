"""The base of the screens that show a match: its thoughts, prompts, forks and transcript."""

import os
import shlex
import subprocess
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, ClassVar

from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType

from parlour.tournament.control.launch import start_detached
from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.growing.fork import fork_match
from parlour.tournament.save.replay import transcript_lines
from parlour.tui.clipboard import copy
from parlour.tui.look.cast import Cast
from parlour.tui.models.focus import BARRED
from parlour.tui.models.save_view import SaveView
from parlour.tui.screens.consenting import ConsentingScreen
from parlour.tui.screens.messages import ShowFork, ShowPrompts, ShowThoughts, TakeSeat
from parlour.tui.widgets.talk_pane import TalkPane

if TYPE_CHECKING:
    from parlour.tui.screens.forking import Wanted


class MatchScreen(ConsentingScreen):
    """A screen that shows a match of a save."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "thoughts", "Thoughts of the players", show=False, id="match.thoughts"),
        Binding("x", "prompts", "Exact prompts and answers", show=False, id="match.prompts"),
        Binding("P", "page", "Transcript in $PAGER", show=False, id="match.pager"),
        Binding("F", "fork", "Fork at this ask", show=False, id="match.fork"),
        Binding("E", "edit", "Transcript in $EDITOR", show=False, id="match.editor"),
    ]
    watched: SaveView

    def cast(self) -> Cast:
        """The agents of the tournament, in the colours of the current theme."""
        return self.watched.cast(self.look.palette)

    def action_thoughts(self) -> None:
        """Opens the beliefs and thoughts of the players of the match."""
        focus = self.watched.focus
        if focus is not None and focus.barred:
            self.say(BARRED)
        elif focus is not None:
            self.app.post_message(ShowThoughts(self.watched.path, focus.match.number))

    def action_prompts(self) -> None:
        """Opens the exact prompts and raw answers of the match."""
        focus = self.watched.focus
        if focus is not None and focus.barred:
            self.say(BARRED)
        elif focus is not None:
            ask = focus.table.ask_number if focus.table is not None else None
            self.app.post_message(ShowPrompts(self.watched.path, focus.match.number, ask))

    def action_fork(self) -> None:
        """Asks what changes, and plays the match on from this ask beside the tournament."""
        focus = self.watched.focus
        if focus is not None and focus.barred:
            self.say(BARRED)
        elif self.watched.save.tournament.fork is not None:
            self.say("This is a fork itself: fork the match that it comes from.")
        elif focus is None or focus.table is None or focus.table.pending is None:
            self.say("The match is over: replay it (r) and go to the ask to fork it at.")
        else:
            from parlour.tui.screens.forking import Forking  # late: the first frame needs no form

            failed = partial(self.say, bad=True)
            Forking(self.app, self.watched, self.look, self._fork, failed).start()

    def _fork(self, wanted: "Wanted") -> None:
        """Makes a fork and starts its runner."""
        path, tournament = self.watched.path, self.watched.save.tournament

        def play(_agreed: Tournament) -> None:
            fork = fork_match(path, wanted.match, wanted.ask, wanted.change, None)
            start_detached(fork)
            self.app.call_from_thread(self._forked, fork, wanted.person)

        self.once_agreed(lambda: tournament, play)

    def _forked(self, fork: Path, person: str | None) -> None:
        """Shows a fork beside its match, and in front of it the seat of a person that plays."""
        self.app.post_message(ShowFork(fork))
        if person is not None:
            self.app.post_message(TakeSeat(fork, person))

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
