"""Exporting what a screen shows: the four forms, and a file beside the save."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from parlour.tui.screens.base import ParlourScreen
from parlour.tui.widgets.dialogs import Choice

T = TypeVar("T")
if TYPE_CHECKING:
    from parlour.ratings.reports.report import Report

FORMS = (("md", "Markdown"), ("csv", "CSV"), ("latex", "LaTeX"), ("json", "JSON"))


def export(
    screen: ParlourScreen,
    what: str,
    save: Path,
    part: str,
    shown: Callable[[], T | None],
    report: Callable[[T], "Report"],
) -> None:
    """Asks for the form and writes what is shown then, if anything is.

    ``part`` names it in the name of the file, which comes from ids and never from an agent's name.
    """

    def write(form: str | None) -> None:
        found = shown()
        if form is None or found is None:
            return
        from parlour.ratings.reports.writers import WRITERS

        ending = "tex" if form == "latex" else form
        screen.write(save.with_name(f"{save.stem}-{part}.{ending}"), WRITERS[form](report(found)))

    screen.app.push_screen(Choice(f"Export this {what} as", FORMS), write)
