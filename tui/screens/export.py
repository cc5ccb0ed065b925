"""Exporting what a screen shows: the four forms, and a file beside the save."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from parlour.tui.screens.base import ParlourScreen
from parlour.tui.widgets.dialogs import Choice

T = TypeVar("T")
FORMS = (("md", "Markdown"), ("csv", "CSV"), ("latex", "LaTeX"), ("json", "JSON"))


def export(
    screen: ParlourScreen,
    what: str,
    save: Path,
    part: str,
    forms: Mapping[str, Callable[[T], str]],
    shown: Callable[[], T | None],
) -> None:
    """Asks for the form and writes what is shown then, if anything is.

    ``part`` names it in the name of the file, which comes from ids and never from an agent's name.
    """

    def write(form: str | None) -> None:
        found = shown()
        if form is None or found is None:
            return
        ending = "tex" if form == "latex" else form
        screen.write(save.with_name(f"{save.stem}-{part}.{ending}"), forms[form](found))

    screen.app.push_screen(Choice(f"Export this {what} as", FORMS), write)
