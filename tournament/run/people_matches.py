"""Matches with people: played beside all others, one at a time for each person."""

import asyncio
from collections.abc import Awaitable, Callable

from parlour.tournament.run.parking import Parked
from parlour.tournament.run.people import People
from parlour.tournament.save.rows import StoredMatch

Play = Callable[[StoredMatch, Parked | None], Awaitable[None]]


class PeopleMatches:
    """Begins matches with people as soon as one of their people is free.

    Each is played by ``play`` in a task of its own, which is added to ``tasks``. A person sits at
    one table at a time; the next match begins only while that table waits for other people.
    ``queue`` holds the matches that are not begun, ``tables`` those in play.
    """

    def __init__(self, people: People, play: Play, tasks: list[asyncio.Task[None]]) -> None:
        self.people, self._play, self._tasks = people, play, tasks
        self.queue: dict[int, StoredMatch] = {}
        self.tables: dict[int, StoredMatch] = {}
        people.on_wait.append(self.begin_more)

    def take(self, match: StoredMatch, before: Parked | None = None) -> bool:
        """Queues a match with people, or goes on with a parked one; False for other matches."""
        if not self.people.among(match.agents):
            return False
        if before is None:
            self.queue[match.number] = match
            self.begin_more()
        else:
            self.begin(match, before)
        return True

    def begin_more(self) -> None:
        """Begins as many queued matches as there are free people for."""
        if self.people.gate.stopping:
            return
        for match in list(self.queue.values()):
            busy = self._busy()
            if self.people.configs.keys() <= busy:
                return
            if not self.people.among(match.agents) & busy:
                self.begin(self.queue.pop(match.number))

    def begin(self, match: StoredMatch, before: Parked | None = None) -> None:
        """Begins a match, even if its people are busy."""
        self.tables[match.number] = match
        self._tasks.append(asyncio.create_task(self._play_at_table(match, before)))

    async def _play_at_table(self, match: StoredMatch, before: Parked | None) -> None:
        try:
            await self._play(match, before)
        finally:
            del self.tables[match.number]
            self.begin_more()
            self.people.gate.wake()  # workers may wait for the last match

    def _busy(self) -> set[str]:
        """The people whom a table waits for, or whose table waits for another player's move."""
        busy: set[str] = set()
        for number, match in self.tables.items():
            busy |= self.people.awaited(number) or self.people.among(match.agents)
        return busy
