"""The decider of an adaptive plan: once all its matches are over, the next ones are planned."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from parlour.tournament.plan.model import Tournament
from parlour.tournament.save.reader import Save
from parlour.tournament.save.writer import Writer

if TYPE_CHECKING:
    from parlour.tournament.save.growing.decisions import Adaptive


class Decider:
    """Decides the next matches of an adaptive tournament, and stores them before they are played.

    ``until`` gives the rule for the end. ``matches`` counts those that were planned meanwhile.
    """

    def __init__(
        self, tournament: Tournament, writer: Writer, until: Callable[[], str | None]
    ) -> None:
        self._tournament, self._writer, self._until = tournament, writer, until
        self._adaptive: Adaptive | None = None
        self.matches = 0

    async def decide(self, save: Save) -> bool:
        """Plans matches. False if the plan is fixed or complete, or has matches that failed."""
        if self._tournament.schedule != "adaptive" or not save.match_count().grows:
            return False
        if self._adaptive is None:
            from parlour.tournament.save.growing.decisions import course_of  # imports numpy

            self._adaptive = course_of(save)
        self._adaptive.follow(save)
        if self._adaptive.is_waiting:
            return False
        decision, matches = self._adaptive.decide(self._until())
        await self._writer.decide(decision.row(), matches)
        self.matches += len(matches)
        return bool(matches)
