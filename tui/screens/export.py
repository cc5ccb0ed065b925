"""Export of a screen's table in one of four formats, into a file beside the save."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from parlour.tui.screens.base import ParlourScreen
from parlour.tui.widgets.dialogs import Choice

if TYPE_CHECKING:
    from parlour.ratings.reports.report import Report

T = TypeVar("T")
FORMATS = (("md", "Markdown"), ("csv", "CSV"), ("latex", "LaTeX"), ("json", "JSON"))


def export(
    screen: ParlourScreen,
    noun: str,
    save: Path,
    part: str,
    content: Callable[[], T | None],
    report: Callable[[T], "Report"],
) -> None:
    """Asks for a format and writes the content of that moment, if there is any.

    ``part`` names the content in the file name. It is made of ids, never of an agent's name, which
    may hold any character.
    """

    def write(format: str | None) -> None:
        """Writes the content; without a format the dialog was closed."""
        shown = content()
        if format is None:
            return
        if shown is None:
            screen.say("There is nothing to export yet.")
            return
        from parlour.ratings.reports.writers import WRITERS

        ending = "tex" if format == "latex" else format
        text = WRITERS[format](report(shown))
        screen.write(save.with_name(f"{save.stem}-{part}.{ending}"), text)

    screen.app.push_screen(Choice(f"Export this {noun} as", FORMATS), write)
