"""One match: rebuilt from its stored answers, then played to its outcome."""

import asyncio
from functools import partial
from itertools import chain
from typing import NamedTuple

from parlour.games.engine.table import Table
from parlour.tournament.calls.errors import BudgetExceeded, Stopped, Unanswered
from parlour.tournament.calls.gate import Gate
from parlour.tournament.plan.model import Tournament
from parlour.tournament.run.fast_lane import FastLane
from parlour.tournament.run.forecast import Forecast
from parlour.tournament.run.parking import Parked, Parking
from parlour.tournament.run.stats import RunStatistics
from parlour.tournament.run.turn import AgentFailed, TurnRunner
from parlour.tournament.save.replay import Diverged, rebuild
from parlour.tournament.save.rows import StoredAnswer, StoredMatch, outcome_to_json
from parlour.tournament.save.writer import Writer


class PlayedAnswers(NamedTuple):
    """New answers of a match that a worker process plays, and its outcome if it is over."""

    match: StoredMatch
    answers: list[StoredAnswer]
    outcome: str | None


class MatchRunner:
    """Plays matches turn by turn; ``playing`` holds the tables in play by match number."""

    def __init__(
        self,
        tournament: Tournament,
        turns: TurnRunner,
        parking: Parking,
        gate: Gate,
        writer: Writer,
        stats: RunStatistics,
        forecast: Forecast,
    ) -> None:
        self._tournament, self._turns, self._parking = tournament, turns, parking
        self._gate, self._writer, self._stats, self._forecast = gate, writer, stats, forecast
        self._fast_lane = FastLane(turns, gate, writer)
        self.playing: dict[int, Table] = {}
        self._stored: dict[int, list[StoredAnswer]] = {}

    def load(self, stored: dict[int, list[StoredAnswer]]) -> None:
        """Loads the stored answers of unfinished matches, by match number."""
        self._stored = stored

    def is_begun(self, number: int) -> bool:
        """True if the match has stored answers and is not in play."""
        return number in self._stored

    def store(self, played: list[PlayedAnswers]) -> None:
        """Stores what worker processes have played, in order.

        A match that is not over can be played on here.
        """

        def stored() -> None:
            for match, answers, _outcome in played:
                self._turns.stored(match, answers)

        def ended() -> None:
            for match, answers in over:
                self._stats.finished += 1
                self._forecast.match_finished(match, (answer.seat for answer in answers))

        self._writer.answers(list(chain.from_iterable(each.answers for each in played)), stored)
        outcomes: list[tuple[str, int]] = []
        over: list[tuple[StoredMatch, list[StoredAnswer]]] = []
        for match, answers, outcome in played:
            if outcome is None:
                self._stored.setdefault(match.number, []).extend(answers)
            else:
                outcomes.append((outcome, match.number))
                over.append((match, [*self._stored.pop(match.number, ()), *answers]))
        if outcomes:
            self._writer.outcomes(outcomes, ended)

    async def play(self, match: StoredMatch, before: Parked | None = None) -> None:
        """Plays a match; a stop, a divergence or an agent's own error leaves it unfinished.

        After a provider's failure it is parked; the failure is not a fault of any seat.
        """
        try:
            table = before.table if before else self._rebuilt(match)
            self.playing[match.number] = table
            await self._play_turns(match, table)
            durable = self._finish(match, table)
            if not self._turns.is_quick(match, table.seats):
                await durable  # before a person is asked in the next match: screens show the save
        except (Stopped, AgentFailed):
            pass
        except (Unanswered, BudgetExceeded) as why:
            self._parking.park(match, table, why, before.times if before else 0)
        except Diverged as difference:
            self._stats.frozen.append(str(difference))
            await self._writer.freeze(match.number, str(difference))
        finally:
            self.playing.pop(match.number, None)
            self._gate.match_over(match.number)
            if self._parking and not self.playing:
                self._gate.wake()  # workers wait for the last match in play before they give up

    def _rebuilt(self, match: StoredMatch) -> Table:
        stored = self._stored.pop(match.number, [])
        try:
            table = rebuild(self._tournament, match, stored)
            for answer in stored:
                self._turns.load(answer)
        except Diverged:
            self._forecast.match_frozen(match, (answer.seat for answer in stored))
            raise
        return table

    async def _play_turns(self, match: StoredMatch, table: Table) -> None:
        durable: asyncio.Future[None] | None = None
        while table.pending is not None:
            if self._fast_lane.admits(match, table):
                durable = await self._fast_lane.play(match, table) or durable
                continue
            if durable is not None:  # the screen of a person who is asked shows the save
                await durable
            digest = table.digest()
            turns = [self._turns.play_turn(match, table, seat, digest) for seat in table.waiting]
            if len(turns) == 1:
                await turns[0]
                continue
            # If one seat of a simultaneous ask fails, the answers of the others are still stored.
            results = await asyncio.gather(*turns, return_exceptions=True)
            errors = [error for error in results if error is not None]
            if errors:  # permanent errors take precedence over temporary ones
                raise min(errors, key=lambda e: isinstance(e, Unanswered) and not e.permanent)

    def _finish(self, match: StoredMatch, table: Table) -> asyncio.Future[None]:
        assert table.outcome is not None
        over = partial(self._over, match, table)
        return self._writer.outcome(match.number, outcome_to_json(table.outcome), over)

    def _over(self, match: StoredMatch, table: Table) -> None:
        """Counts a match whose outcome is durable."""
        self._turns.forget(match.number, table)
        self._stats.finished += 1
        seats = (event.by for event in table.events if event.by is not None)
        self._forecast.match_finished(match, seats)
