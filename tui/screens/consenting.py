"""The question for consent before a screen has something played."""

from asyncio import to_thread
from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.binding import Binding, BindingType
from textual.events import Key

from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.tournament.plan.model import Tournament
from parlour.tournament.trust.consent import agree, stored_consents, unagreed
from parlour.tui.look.look import wrapped
from parlour.tui.screens.base import ParlourScreen
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


Play = Callable[[Tournament], None]


class ConsentingScreen(ParlourScreen):
    """A screen that has tournaments played, after its user has agreed to what they do."""

    @work(group="start", exit_on_error=False)
    async def once_agreed(self, read: Callable[[], Tournament], play: Play) -> None:
        """Reads a tournament and has it played, both in a thread.

        Where consent is missing, the user is asked in between; without it nothing is played.
        """
        try:
            tournament = await to_thread(read)
            left = await to_thread(unagreed, tournament)
            if left and isinstance(self.app.screen, ConsentDialog):  # a key struck twice
                return
            if left:
                assert tournament.source is not None
                listed, note = [need.line for need in left], stored_consents().problem
                dialog = ConsentDialog(str(tournament.source.path), listed, note)
                if await self.app.push_screen_wait(dialog) != AGREED:
                    self.say("You have agreed to nothing, and nothing was started.")
                    return
                if note := await to_thread(agree, left):
                    self.say(note, bad=True)
            await to_thread(play, tournament)
        except ParlourError as error:
            self.say(str(error), bad=True)
