"""The user's own agents on a form, read beside it."""

from textual import work

from parlour.games.common.errors import ParlourError
from parlour.tui.models.offered import OfferedAgent, own_agents
from parlour.tui.screens.base import ParlourScreen


class OfferingScreen(ParlourScreen):
    """A screen that offers agents of the user's file."""

    def offer(self, own: tuple[OfferedAgent, ...]) -> None:
        """Offers agents of the user's file too."""
        raise NotImplementedError

    @work(thread=True, exclusive=True, group="agents", exit_on_error=False)
    def read_agents(self) -> None:
        """Reads the user's agents, and looks for their keys, which may take seconds."""
        try:
            own = tuple(own_agents())
        except ParlourError as error:
            self.app.call_from_thread(self.say, str(error), bad=True)
            return
        if own:
            self.app.call_from_thread(self.offer, own)
