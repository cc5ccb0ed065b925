"""The dialog that asks for consent to what a stranger's tournament does."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.events import Key

from parlour.games.common.text import one_line
from parlour.tui.look.look import wrapped
from parlour.tui.text import BOLD, DIM, WARN
from parlour.tui.widgets.dialogs import TextDialog
from parlour.tui.widgets.drawn import DrawnPane

AGREED = "agreed"
MEANING = (
    "Code can do whatever you can. A key belongs to whoever gets it. Agree only if you know where"
    " this comes from, and why it needs that."
)


class ConsentDialog(TextDialog):
    """Shows what a tournament does; ``y`` agrees, once all of it was in sight."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "agree", "Agree", show=False, id="consent.agree")
    ]

    def __init__(self, place: str, listed: Sequence[str], note: str = "") -> None:
        """``place`` is the file or save, ``listed`` says what it does, a line for each thing.

        ``note`` is why earlier consents count for nothing, if they do.
        """
        super().__init__("Needs your consent", self._paragraphs)
        self._place, self._listed, self._note = place, listed, note

    def _paragraphs(self, width: int) -> list[Text]:
        lines = [*wrapped(Text(one_line(self._place), BOLD), width), Text()]
        for each in self._listed:
            first, *more = wrapped(Text(one_line(each)), width - 2)
            lines.append(Text("• ", no_wrap=True).append_text(first))
            lines += [Text("  ", no_wrap=True).append_text(line) for line in more]
        lines += [Text(), *wrapped(Text(MEANING, DIM), width)]
        if self._note:
            lines += wrapped(Text(one_line(self._note), WARN), width)
        return lines

    def hint(self, hidden: str) -> str:
        """The keys."""
        if self.below():
            return f"{hidden}   y reads on   any other key: no"
        return f"{hidden}   y agrees and plays   any other key: no".strip()

    def action_agree(self) -> None:
        """Agrees; where lines are below those in sight, goes on to them instead."""
        if self.below():
            self.query_one(DrawnPane).action_page_down()
        else:
            self.dismiss(AGREED)

    def on_key(self, event: Key) -> None:
        """Closes the dialog at any key that has no meaning in it: nothing is agreed to."""
        if event.key not in self.active_bindings:
            event.stop()
            self.action_cancel()
