"""The pool: worker processes that play the matches of quick agents on more cores than one.

Only the runner writes. A match that is in the pool has come to the runner as far as its answers
have been reported; from there the runner can play it on at any time, since quick agents give lost
answers again, the same.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from parlour.tournament.calls.gate import Gate
from parlour.tournament.plan.model import Tournament
from parlour.tournament.run.match import MatchRunner, PlayedAnswers
from parlour.tournament.run.turn import TurnRunner
from parlour.tournament.run.worker import Lot, LotProgress
from parlour.tournament.run.workers import LotWorker, WorkerEnded, Workers
from parlour.tournament.save.rows import StoredAnswer, StoredMatch
from parlour.tournament.save.writer import Writer

START_SECONDS = 1.0
"""Seconds that a run plays alone: many a run ends before processes have started."""
FEW = 200
"""Matches for which the pool is not used."""
LOT = 50
"""The most matches that a worker process gets at once."""
AHEAD = 2
"""Lots that a worker process has, so that it need not wait for the next."""
ENDED = (
    "worker processes ended by themselves (the last: {}); nothing is lost, the run goes on in one"
    " process"
)


@dataclass(frozen=True, slots=True)
class _Given:
    """The matches of a lot that have not come back, and the process that plays them."""

    worker: LotWorker
    matches: dict[int, StoredMatch]


class Pool:
    """Takes matches from those that are not begun while the gate is free, and has them played.

    While it is not free, and for each match that is watched, they are played in the runner.
    """

    def __init__(
        self,
        workers: Workers,
        concurrency: int,
        tournament: Tournament,
        todo: dict[int, StoredMatch],
        matches: MatchRunner,
        turns: TurnRunner,
        gate: Gate,
        writer: Writer,
        on_warning: Callable[[str], None],
    ) -> None:
        self._size, self._source = min(workers.count, concurrency), workers
        self._tournament, self._todo = tournament, todo
        self._matches, self._turns = matches, turns
        self._gate, self._writer, self._on_warning = gate, writer, on_warning
        self.workers: list[LotWorker] = []
        """The processes that are ready."""
        self._refused: set[int] = set()
        """The matches that could not be played in a worker process: the runner plays them."""
        self.failure: Exception | None = None
        """An error of its own, which ends the run, however soon that is over."""
        self._queue: deque[StoredMatch] = deque()
        self._lots: dict[int, _Given] = {}
        self._last_lot = 0
        self._able: frozenset[str] = frozenset()
        """The agents whose matches it takes; none before it begins to and after a recall."""
        self._seen = False
        """True from a look at the matches to come until the next recall."""
        self._played_by: dict[tuple[tuple[str, ...], frozenset[str]], bool] = {}
        gate.on_change.append(self._gate_changed)

    def __bool__(self) -> bool:
        """True while it has matches."""
        return bool(self._lots or self._queue)

    @property
    def numbers(self) -> set[int]:
        """The numbers of its matches."""
        numbers = {match.number for match in self._queue}
        return numbers.union(*(lot.matches for lot in self._lots.values()))

    @property
    def in_play(self) -> list[int]:
        """The numbers of the matches that are played now: the next to come of each process."""
        first: dict[LotWorker, int] = {}
        for lot in self._lots.values():
            first.setdefault(lot.worker, next(iter(lot.matches)))
        return list(first.values())

    # --- Matches

    def _gate_changed(self) -> None:
        if self._gate.is_free:
            self._take()
        else:
            self.recall()

    def _take(self) -> None:
        """Begins to take all matches that worker processes can play, unless they are few."""
        if self._seen or not self.workers:
            return
        self._seen = True
        able = frozenset.intersection(*(worker.agents for worker in self.workers))
        if len(list(islice(self._new(able), FEW))) < FEW:
            return
        self._able = able
        for worker in self.workers:
            self._refill(worker)

    def _new(self, able: frozenset[str]) -> Iterator[StoredMatch]:
        """Yields the matches to come that are not begun and that these agents play."""
        for match in self._todo.values():
            if self._plays(match, able):
                yield match

    def _plays(self, match: StoredMatch, able: frozenset[str]) -> bool:
        if match.number in self._refused:
            return False
        known = self._played_by.get((match.agents, able))
        if known is None:
            known = self._turns.are_played_by(match.agents, able)
            self._played_by[match.agents, able] = known
        return known and not self._matches.is_begun(match.number)

    def leaves(self, match: StoredMatch) -> bool:
        """True if the runner is to play a match to come, since the pool does not take it."""
        return not self._able or not self._plays(match, self._able)

    def _fill(self) -> None:
        """Takes as many matches as worker processes may need at once."""
        missing = self._size * AHEAD * LOT - len(self._queue)
        if not self._able or missing <= 0:
            return
        new = list(islice(self._new(self._able), missing))
        for match in new:
            del self._todo[match.number]
        self._queue.extend(new)

    def recall(self) -> None:
        """Gives all matches back to the runner, which plays them on from their stored answers."""
        self._seen, self._able = False, frozenset()
        if not self:
            return
        for lot in self._lots.values():
            self._todo.update(lot.matches)
        self._todo.update((match.number, match) for match in self._queue)
        self._lots.clear()
        self._queue.clear()
        for worker in self.workers:
            worker.recall(self._last_lot)

    def take_back(self, number: int) -> StoredMatch | None:
        """Gives one match of a lot back to the runner; None if it is in no lot."""
        key = next((key for key, lot in self._lots.items() if number in lot.matches), None)
        if key is None:
            return None
        match = self._removed(key, number)
        if not self:
            self._gate.wake()  # the runner waits for the last match before it ends
        return match

    def _removed(self, lot: int, number: int) -> StoredMatch:
        matches = self._lots[lot].matches
        match = matches.pop(number)
        if not matches:
            del self._lots[lot]
        return match

    def _refill(self, worker: LotWorker) -> None:
        """Gives a process lots; smaller ones at the end, so that all end at about the same time."""
        self._fill()
        lots = sum(lot.worker is worker for lot in self._lots.values())
        for _ in range(lots, AHEAD):
            size = min(LOT, 1 + len(self._queue) // (AHEAD * self._size))
            matches = [self._queue.popleft() for _ in range(min(size, len(self._queue)))]
            if not matches:
                return
            self._last_lot += 1
            self._lots[self._last_lot] = _Given(worker, {match.number: match for match in matches})
            worker.play(Lot.of(self._last_lot, matches))

    # --- Worker processes

    async def run(self) -> None:
        """Has matches played until it is cancelled, or until worker processes have failed."""
        if self._size < 2:
            return
        await asyncio.sleep(START_SECONDS)
        while self._gate.pace is not None:
            await self._gate.changes_within(None)
        while len(list(islice(self._new(frozenset(self._turns.quick_agents())), FEW))) < FEW:
            if self._tournament.schedule != "adaptive":
                return
            await self._gate.changes_within(START_SECONDS)  # decisions may plan more
        ended: list[WorkerEnded] = []
        tasks = [asyncio.create_task(self._employ(ended)) for _ in range(self._size)]
        try:
            with suppress(WorkerEnded):
                await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.recall()
            self._gate.wake()

    async def _employ(self, ended: list[WorkerEnded]) -> None:
        """Keeps one worker process at work; another one after it has ended."""
        while True:
            names = self._turns.quick_agents()
            worker: LotWorker | None = None
            try:
                worker = await self._source.started(self._tournament.to_json(), names)
                await self._serve(worker)
            except WorkerEnded as error:
                ended.append(error)
                if len(ended) == self._source.most_ended:
                    self._on_warning(ENDED.format(error))
                if len(ended) >= self._source.most_ended:
                    raise
            except Exception as error:
                self.failure = error
                raise
            finally:
                if worker is not None:
                    self.workers.remove(worker)
                    self.recall()
                    self._gate.wake()  # the other processes take the matches again
                    await worker.close()

    async def _serve(self, worker: LotWorker) -> None:
        """Gives a process matches, and stores what it reports."""
        self.workers.append(worker)
        if self._gate.is_free:
            self._take()
        self._refill(worker)
        while True:
            lot, reported = await worker.received()
            await self._writer.room()
            progress = [LotProgress(*each) for each in reported]
            worker.activity.hear(
                sum(each.outcome is not None for each in progress),
                sum(len(each.answers or ()) for each in progress),
            )
            self._store(lot, progress)
            self._refill(worker)

    def _store(self, lot: int, reported: Iterable[LotProgress]) -> None:
        """Stores new answers and outcomes of matches that have not come back meanwhile."""
        given = self._lots.get(lot)
        if given is None:
            return
        played: list[PlayedAnswers] = []
        is_back = False
        for match, answers, outcome in reported:
            if match not in given.matches:
                continue
            if answers is None:
                is_back = True
                self._refused.add(match)
                self._todo[match] = self._removed(lot, match)
                continue
            rows = [StoredAnswer._make(row) for row in answers]
            played.append(PlayedAnswers(given.matches[match], rows, outcome))
            if outcome is not None:
                self._removed(lot, match)
        self._matches.store(played)
        if is_back or not self:
            self._gate.wake()  # the runner plays it, or need wait no longer
