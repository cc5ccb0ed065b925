"""The states of panes that have nothing to draw: barred, silent, cut off, or too small."""

from collections.abc import Sequence

from rich.text import Text
from textual.geometry import Size

from parlour.tui.look.look import Look, fit, wrapped
from parlour.tui.models.save_view import BARRED, SaveView
from parlour.tui.views.live_places import LEAST_HEIGHT, LEAST_WIDTH
from parlour.tui.views.scene import Scene

SILENT = ("Nothing said yet.", "space plays, n lets one turn through")


def match_state(
    watched: SaveView, scene: Scene, lines: Sequence[Text], width: int, height: int
) -> Sequence[Text]:
    """The lines of a talk, or the sentence in their place where there are none."""
    if scene.focus.barred:
        return centred(scene.look, [BARRED], width, height)
    if lines:
        return lines
    return centred(scene.look, SILENT[: 1 if watched.progress.done else 2], width, height)


def centred(look: Look, sentences: Sequence[str], width: int, height: int) -> list[Text]:
    """Sentences in the middle of a pane: what an empty pane says."""
    style = look.palette.soft
    lines: list[Text] = []
    for sentence in sentences:
        lines += wrapped(Text(sentence, style, justify="center"), width)
    above = max(0, (height - len(lines)) // 2)
    shown = [fit(line, width, align="center") for line in lines]
    return ([fit(Text(), width)] * above + shown)[:height]


def too_small(look: Look, terminal: Size, width: int, height: int) -> list[Text]:
    """The size that is needed, and the one that is there."""
    needed = f"{LEAST_WIDTH} × {LEAST_HEIGHT} at least"
    there = f"this terminal has {terminal.width} × {terminal.height}"
    return centred(look, [needed, there], width, height)
