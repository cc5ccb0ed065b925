"""Export of a screen's table in one of four formats, into a file beside the save."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from parlour.tui.screens.base import ParlourScreen
from parlour.tui.widgets.dialogs import Choice

T = TypeVar("T")
FORMATS = (("md", "Markdown"), ("csv", "CSV"), ("latex", "LaTeX"), ("json", "JSON"))


def export(
    screen: ParlourScreen,
    noun: str,
    save: Path,
    part: str,
    writers: Mapping[str, Callable[[T], str]],
    content: Callable[[], T | None],
) -> None:
    """Asks for a format and writes the content of that moment, if there is any.

    ``part`` names the content in the file name. It is made of ids, never of an agent's name, which
    may hold any character.
    """

    def write(format: str | None) -> None:
        table = content()
        if format is None or table is None:
            return
        ending = "tex" if format == "latex" else format
        screen.write(save.with_name(f"{save.stem}-{part}.{ending}"), writers[format](table))

    screen.app.push_screen(Choice(f"Export this {noun} as", FORMATS), write)
