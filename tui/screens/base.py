"""The base of all screens: key help, short messages and files."""

import os
import shlex
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar, Protocol, runtime_checkable

from textual.app import SuspendNotSupported
from textual.binding import ActiveBinding, Binding, BindingType
from textual.events import Key
from textual.notifications import SeverityLevel
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

from parlour.tournament.save.replay import transcript_lines
from parlour.tui.clipboard import copy
from parlour.tui.look.cast import Cast
from parlour.tui.look.look import Look
from parlour.tui.models.cadence import ByteBudget
from parlour.tui.models.save_view import BARRED, SaveView
from parlour.tui.screens.forking import Forking, Made
from parlour.tui.screens.messages import ShowFork, ShowPrompts, ShowThoughts, TakeSeat
from parlour.tui.text import one_line
from parlour.tui.views.key_help import HelpLine, help_lines
from parlour.tui.widgets.dialogs import Help
from parlour.tui.widgets.talk_pane import TalkPane


@runtime_checkable
class Explains(Protocol):
    """A screen or pane that switches actions off, and says why."""

    def why_not(self, action: str) -> str:
        """The reason why an action is switched off, "" for one that is not."""


class ParlourScreen(Screen[None]):
    """The base of the screens."""

    # Textual draws the whole screen again when the focus moves, besides the two panes.
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "app.focus_next", "Next pane", show=False, id="app.next"),
        Binding("shift+tab", "app.focus_previous", "Previous pane", show=False, id="app.previous"),
    ]

    @property
    def look(self) -> Look:
        """The look of the app's theme."""
        look = getattr(self.app, "look", None)
        return look if isinstance(look, Look) else Look()

    @property
    def byte_budget(self) -> ByteBudget:
        """The bytes that the app writes."""
        budget = getattr(self.app, "byte_budget", None)
        return budget if isinstance(budget, ByteBudget) else ByteBudget()

    def all_keys(self) -> Iterator[tuple[ActiveBinding, str]]:
        """Yields each action that has a key here, once, with its keys as displayed.

        The actions of the screen come first, then those of the focused pane, then the global ones.
        """
        keys: dict[str, list[ActiveBinding]] = {}
        for active in self.active_bindings.values():
            # A binding without an id is one of Textual's.
            if active.enabled and active.binding.id is not None:
                keys.setdefault(active.binding.id, []).append(active)

        def rank(group: list[ActiveBinding]) -> int:
            id = str(group[0].binding.id)
            if id.startswith("app."):
                return 2
            return 0 if group[0].node is self else 1

        for group in sorted(keys.values(), key=rank):
            shown = [self.app.get_key_display(active.binding) for active in group]
            yield group[0], " ".join(dict.fromkeys(shown))

    def on_key(self, event: Key) -> None:
        """Says why a key does nothing now whose action is switched off."""
        if event.key in self.active_bindings:
            return
        for node, bindings in self._modal_binding_chain:
            for binding in bindings.key_to_bindings.get(event.key, ()):
                why = node.why_not(binding.action) if isinstance(node, Explains) else ""
                if why:
                    self.say(why)
                    return

    def action_help(self) -> None:
        """Opens the list of the keys of this screen."""
        lines = [
            HelpLine(str(active.binding.id), keys, active.binding.description)
            for active, keys in self.all_keys()
        ]
        self.app.push_screen(Help(str(self.TITLE), partial(help_lines, self.look, lines)))

    def action_back(self) -> None:
        """Goes back to the screen before."""
        self.app.pop_screen()

    def say(self, text: str, *, bad: bool = False) -> None:
        """Shows a short message in the corner, in place of the one before."""
        self.app.clear_notifications()
        severity: SeverityLevel = "error" if bad else "information"
        self.notify(one_line(text), severity=severity, timeout=6, markup=False)

    def write(self, target: Path, text: str) -> None:
        """Writes a file and shows its path, or the error."""
        try:
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            self.say(f"{target} cannot be written ({error.strerror})", bad=True)
        else:
            self.say(f"Written: {target}")


class MatchScreen(ParlourScreen):
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
        agents = [agent.name for agent in self.watched.save.tournament.agents]
        return Cast(agents, self.look.palette)

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
            failed = partial(self.say, bad=True)
            Forking(self.app, self.watched, self.look, self._forked, failed).start()

    def _forked(self, made: Made) -> None:
        """Shows the fork beside its match, and in front of it the seat of a person that plays."""
        self.app.post_message(ShowFork(made.path))
        if made.person is not None:
            self.app.post_message(TakeSeat(made.path, made.person))

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
