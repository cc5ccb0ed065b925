"""The base of the screens that show standings, and keep up to date with them."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from rich.text import Text
from textual.binding import Binding, BindingType

from parlour.tui.clipboard import copy
from parlour.tui.models.standings import Standings
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.views.header import header_line
from parlour.tui.widgets.drawn import DrawnLines

if TYPE_CHECKING:
    from parlour.ratings.reports.leaderboard import Leaderboard
    from parlour.ratings.reports.report import Report

FORMATS = (("md", "Markdown"), ("csv", "CSV"), ("latex", "LaTeX"), ("json", "JSON"))


class Exported(NamedTuple):
    """The export of a view: its noun, and the content (None: not yet) with its report.

    ``part`` names it in the file name. It is made of ids, never of an agent's name, which may hold
    any character.
    """

    noun: str
    part: str
    content: Callable[[], Any]
    report: "Callable[[Any], Report]"


class StandingsScreen(ParlourScreen):
    """Takes the standings again when they change; ``FIRST`` is the pane with the focus."""

    FIRST: ClassVar[str]
    CHECK_SECONDS: ClassVar[float] = 1.0
    """Seconds between two checks for newer standings."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy as Markdown", show=False, id="board.copy")
    ]

    def __init__(self, path: Path, standings: Standings) -> None:
        super().__init__()
        self._path, self._standings = path, standings
        self._board: Leaderboard | None = None

    def on_mount(self) -> None:
        """Shows the current standings and starts checking for newer ones."""
        self.query_one(self.FIRST).focus()
        self._fill()
        self._check()
        self.set_interval(self.CHECK_SECONDS, self._check)

    def _fill(self) -> None:
        """Takes the current leaderboard and shows it."""
        raise NotImplementedError

    def _check(self) -> None:
        """Shows newer standings if there are any."""
        if self._board is None or self._board is not self._standings.board:
            self._fill()

    def _paint_header(self, subject: Text, note: Text, below: Sequence[Text] = ()) -> None:
        """Shows the word of the screen, its subject and a note, and the lines below them."""
        line = header_line(self.look, str(self.TITLE), subject, note, self.size.width, whole=True)
        self.query_one("#header", DrawnLines).show([line, *below])

    def exported(self) -> Exported:
        """The export of the view in sight."""
        raise NotImplementedError

    def _text(self, exported: Exported, format: str) -> str:
        """The content of this moment in a format; "" if there is none, which is then said."""
        content = exported.content()
        if content is None:
            self.say("There is nothing to export yet.")
            return ""
        from parlour.ratings.reports.writers import WRITERS

        return WRITERS[format](exported.report(content))

    def action_export(self) -> None:
        """Asks for a format and writes the view in sight."""
        exported = self.exported()

        def write(format: str) -> None:
            ending = "tex" if format == "latex" else format
            file = self._path.with_name(f"{self._path.stem}-{exported.part}.{ending}")
            if text := self._text(exported, format):
                self.write(file, text)

        answers = {words: partial(write, format) for format, words in FORMATS}
        self.ask(f"Export this {exported.noun} as", answers)

    def action_copy(self) -> None:
        """Copies the view in sight, as Markdown."""
        if text := self._text(self.exported(), "md"):
            self.say(copy(self.app, text, self._path))
