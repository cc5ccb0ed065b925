"""The question for consent before a screen has something played."""

from collections.abc import Callable, Sequence
from functools import partial

from textual import work

from parlour.games.common.errors import ParlourError
from parlour.tournament.plan.model import Tournament
from parlour.tournament.trust.consent import agree, stored_consents, unagreed
from parlour.tournament.trust.needs import Need
from parlour.tui.screens.base import ParlourScreen
from parlour.tui.widgets.consent_dialog import AGREED, ConsentDialog

Play = Callable[[Tournament], None]


class ConsentingScreen(ParlourScreen):
    """A screen that has tournaments played, after its user has agreed to what they do."""

    @work(thread=True, exclusive=True, group="start", exit_on_error=False)
    def once_agreed(self, read: Callable[[], Tournament], play: Play) -> None:
        """Reads a tournament and has it played, both in a thread.

        Where consent is missing, the user is asked in between; without it nothing is played.
        """
        try:
            tournament = read()
            left = unagreed(tournament)
            if not left:
                play(tournament)
                return
        except ParlourError as error:
            self.app.call_from_thread(self.say, str(error), bad=True)
            return
        self.app.call_from_thread(self._ask_for_consent, tournament, left, play)

    def _ask_for_consent(self, tournament: Tournament, left: Sequence[Need], play: Play) -> None:
        if isinstance(self.app.screen, ConsentDialog):  # a key struck twice
            return
        assert tournament.source is not None
        listed, note = [need.line for need in left], stored_consents().problem
        dialog = ConsentDialog(str(tournament.source.path), listed, note)
        self.app.push_screen(dialog, partial(self._answered, tournament, left, play))

    def _answered(
        self, tournament: Tournament, left: Sequence[Need], play: Play, choice: str | None
    ) -> None:
        if choice == AGREED:
            self._agree_and_play(tournament, left, play)
        else:
            self.say("You have agreed to nothing, and nothing was started.")

    @work(thread=True, exclusive=True, group="start", exit_on_error=False)
    def _agree_and_play(self, tournament: Tournament, left: Sequence[Need], play: Play) -> None:
        try:
            if note := agree(left):
                self.app.call_from_thread(self.say, note, bad=True)
            play(tournament)
        except ParlourError as error:
            self.app.call_from_thread(self.say, str(error), bad=True)
