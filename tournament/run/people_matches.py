"""Matches with people: begun beside all others, as long as somebody is free for one."""

import asyncio
from collections.abc import Awaitable, Callable

from parlour.tournament.run.parking import Parked
from parlour.tournament.run.people import People
from parlour.tournament.save.rows import StoredMatch

Play = Callable[[StoredMatch, Parked | None], Awaitable[None]]


class PeopleMatches:
    """Has matches with people played by ``play``, each as a task of its own for ``begun``.

    A person sits at one table at a time. Only while that waits for other people does the next
    one begin. ``queue`` are matches not begun, ``tables`` those that are played.
    """

    def __init__(
        self, people: People, play: Play, begun: Callable[[asyncio.Task[None]], None]
    ) -> None:
        self.people, self._play, self._begun = people, play, begun
        self.queue: dict[int, StoredMatch] = {}
        self.tables: dict[int, StoredMatch] = {}
        people.on_wait = self.more

    def takes(self, match: StoredMatch, before: Parked | None = None) -> bool:
        """Whether people play in the match; if so it has its turn here, at once if it was begun."""
        if not self.people.among(match.agents):
            return False
        if before is None:
            self.queue[match.number] = match
            self.more()
        else:
            self.host(match, before)
        return True

    def more(self) -> None:
        """Begins as many matches of the queue as there are people free for."""
        everybody = self.people.configs.keys()
        for match in [] if self.people.gate.stopping else list(self.queue.values()):
            busy = self._busy()
            if everybody <= busy:
                return
            if not self.people.among(match.agents) & busy:
                self.host(self.queue.pop(match.number))

    def host(self, match: StoredMatch, before: Parked | None = None) -> None:
        """Begins a match, whoever is busy."""
        self.tables[match.number] = match

        async def host() -> None:
            try:
                await self._play(match, before)
            finally:
                del self.tables[match.number]
                self.more()
                self.people.gate.wake()  # for workers that wait for the last one

        self._begun(asyncio.create_task(host()))

    def _busy(self) -> set[str]:
        """The people whom a table waits for, or at whose table others have their turn."""
        found: set[str] = set()
        for number, match in self.tables.items():
            found |= self.people.awaited(number) or self.people.among(match.agents)
        return found
