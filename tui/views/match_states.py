"""The states of a talk pane that have no talk: barred, silent, or cut off."""

from collections.abc import Sequence

from rich.text import Text

from parlour.tui.look.look import fit, wrapped
from parlour.tui.models.save_view import SaveView
from parlour.tui.text import one_line
from parlour.tui.views.scene import Scene
from parlour.tui.views.standings import centred

SILENT = ("Nothing said yet.", "space plays, n lets one turn through")
BARRED = ("People play here: it opens when it is over.", "s takes a seat, o looks on")


def match_state(
    watched: SaveView, scene: Scene, lines: Sequence[Text], width: int, height: int
) -> list[Text]:
    """The lines of a talk, or the sentence in their place; and why it cannot go on."""
    focus, look = scene.focus, scene.look
    if focus.barred:
        return centred(look, BARRED, width, height)
    shown = list(lines)
    if not shown and focus.match.outcome is None:
        shown = centred(look, SILENT if not watched.progress.done else SILENT[:1], width, height)
    reason = ""
    if focus.match.frozen:
        reason = f"frozen, cannot continue: {one_line(focus.match.frozen)}"
    elif focus.trouble:
        reason = one_line(focus.trouble)
    if reason:
        words = Text(f"{look.signs.failed} {reason}", f"bold {look.palette.bad}")
        shown += [fit(Text(), width), *(fit(line, width) for line in wrapped(words, width))]
    return shown
