"""Parts of rows that several pictures share: the head of a seat's row, numbers, and widths."""

from collections.abc import Sequence

from rich.text import Text

from parlour.tui.look.look import fit
from parlour.tui.views.scene import Scene

NARROW = 38
"""Columns below which a seat is its chip alone."""
NARROW_TILE = 34
"""The same in a tile, whose rows hold less."""


def in_tile(width: int) -> int:
    """The width by which a tile's rows choose their heads: names from a few columns less on."""
    return max(width, NARROW) if width >= NARROW_TILE else width


def head_width(scene: Scene, width: int) -> int:
    """The columns of the head of a seat's row in a pane of a width."""
    chips = scene.chip_width + 1
    return chips if width < NARROW else chips + _name_width(scene, width) + 1


def head(scene: Scene, seat: int, width: int) -> Text:
    """A seat's chip, and its name where the pane is wide enough."""
    line = Text(no_wrap=True).append_text(scene.chip(seat)).append(" ")
    if width < NARROW:
        return line
    return line.append_text(scene.name(seat, width=_name_width(scene, width))).append(" ")


def _name_width(scene: Scene, width: int) -> int:
    return min(scene.name_width, max(6, width // 5))


def short(number: float) -> str:
    """A number in at most about six columns: one decimal below 1,000, none above."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e5, "k")):
        if abs(number) >= size:
            scale = 1e3 if unit == "k" else size
            return f"{number / scale:.3g}{unit}"
    return f"{number:.0f}" if abs(number) >= 1000 else f"{round(number, 1):g}"


def right(texts: Sequence[str]) -> list[str]:
    """Texts padded to the longest of them, at the right."""
    longest = max(map(len, texts), default=0)
    return [text.rjust(longest) for text in texts]


def centred(scene: Scene, words: str, width: int) -> Text:
    """A sentence in the middle of a line, for a picture that is still empty."""
    return fit(Text(words, f"italic {scene.look.palette.faint}"), width, align="center")
