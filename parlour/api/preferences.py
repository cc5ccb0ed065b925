"""Preferences: an ask of a model answered several times, and which answer its seat earned most by.

The match is forked in memory at the ask: the model answers again, the agents play on to the end,
and nothing is stored. Calls pass the limits, budgets and retries of a run.
"""

import asyncio
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from statistics import fmean
from typing import Any, NamedTuple

from parlour.agents.registry import make_agent
from parlour.api.tables import Cells, message, prompt_of
from parlour.api.unstored import AT_ONCE, unstored_calls
from parlour.games.common.errors import BadInput, BadSave
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Seat
from parlour.games.engine.table import Table
from parlour.tournament.calls.dispatch import ModelDispatcher
from parlour.tournament.calls.errors import BudgetExceeded, Unanswered
from parlour.tournament.calls.limits import find_endpoints
from parlour.tournament.plan.model import OTHER_RELEASE
from parlour.tournament.reports.prompts import Exchange, reading
from parlour.tournament.run.people import People
from parlour.tournament.run.quick_turn import REPAIRS
from parlour.tournament.run.stats import RunStatistics
from parlour.tournament.run.turn import AgentFailed, TurnRunner
from parlour.tournament.save.queries import matches_with_calls, spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tournament.save.replay import rebuild
from parlour.tournament.save.rows import StoredAnswer, StoredCall, StoredMatch
from parlour.tournament.trust.consent import refuse_untrusted


@dataclass(frozen=True, slots=True)
class Branching:
    """The number of asks that models get again, and of the forks that answer each.

    ``budget`` in dollars is for all of it; None leaves it to the budgets of the save. ``warn`` is
    told why a fork could not be played to its end.
    """

    asks: int = 20
    forks: int = 4
    budget: float | None = None
    warn: Callable[[str], None] = lambda _line: None


class _Asked(NamedTuple):
    """A call that answered an ask alone and at once, its match, and the answers of that."""

    match: StoredMatch
    exchange: Exchange
    answers: Sequence[StoredAnswer]


@dataclass(frozen=True, slots=True)
class _PlayedFork(StoredMatch):
    """A match played on from an ask. Its agents draw again, while choices keep their order."""

    branch: int = 0

    def dice(self, ask: int, seat: Seat, attempt: int) -> Dice:
        """Other dice for each branch, but for the order of choices, which is attempt 0."""
        more = self.branch * (1 + REPAIRS) if attempt else 0
        return StoredMatch.dice(self, ask, seat, attempt + more)


def preference_batches(save: Save, branching: Branching) -> Iterator[dict[str, list[Cells]]]:
    """Yields a pair of answers for each ask that was worth more by one than by another.

    BadInput if no fork could be played.
    """
    if versions := save.tournament.other_versions():
        raise BadSave(str(save.path), versions, OTHER_RELEASE)
    refuse_untrusted(save.tournament)
    find_endpoints(save.tournament.agents)
    yield {"preferences": asyncio.run(_pairs(save, branching))}


def _asks(save: Save, most: int) -> Iterator[_Asked]:
    """Yields asks that a model answered by one call, at most so many, of matches evenly spread."""
    people = save.tournament.people.keys()
    numbers = matches_with_calls(save)
    step, each = -(-len(numbers) // most) or 1, -(-most // max(1, len(numbers)))
    with reading(save) as prompts:
        for number in numbers[::step]:
            match = save.match(number)
            if match.outcome is None or match.frozen or people & {*match.agents}:
                continue
            of_ask = defaultdict(list)
            for exchange in prompts.of_match(number):
                of_ask[exchange.call.ask, exchange.call.seat].append(exchange)
            alone = [
                calls[0]
                for calls in of_ask.values()
                if len(calls) == 1 and calls[0].problem is None
                if calls[0].call.failure is None and calls[0].fault is None
            ]
            answers = save.answers_of(number)
            for exchange in Dice("branch", number).shuffled(alone)[:each]:
                yield _Asked(match, exchange, answers)


async def _pairs(save: Save, branching: Branching) -> list[Cells]:
    tournament, options = save.tournament, save.control()
    spent = spent_by_agent(save)
    if branching.budget is not None:
        options, spent = replace(options, budget=branching.budget, agent_budgets={}), ({}, 0)
    dispatcher = await unstored_calls(tournament.models, options, spent)
    gate, writer = dispatcher.gate, dispatcher.writer
    agents = {each.name: make_agent(each, None) for each in tournament.agents}
    people = People({}, gate)
    forks = _Forks(
        save,
        branching,
        dispatcher,
        TurnRunner(agents, gate, dispatcher, people, writer, RunStatistics()),
    )
    try:
        return await forks.pairs([*_asks(save, branching.asks)][: branching.asks])
    finally:
        for agent in agents.values():
            if (client := getattr(agent, "client", None)) is not None:
                await client.close()


class _Forks:
    """The forks of a save while they are played."""

    def __init__(
        self, save: Save, branching: Branching, dispatcher: ModelDispatcher, turns: TurnRunner
    ) -> None:
        self._save, self._branching, self._turns = save, branching, turns
        self._room = asyncio.Semaphore(AT_ONCE)
        self._calls: dict[int, list[StoredCall]] = defaultdict(list)
        self._last, self._played = 0, 0
        self._problem = ""
        dispatcher.on_call_stored.append(lambda call: self._calls[call.match].append(call))

    async def pairs(self, asks: Sequence[_Asked]) -> list[Cells]:
        """The best and the worst answer to each ask, where they differ in what they earned."""
        pairs = await asyncio.gather(*map(self._pair, asks))
        if self._problem and not self._played:
            fix = "see that its models can be called"
            raise BadInput(str(self._save.path), f"no fork could be played: {self._problem}", fix)
        if self._problem:
            self._branching.warn(f"some forks were left out: {self._problem}")
        return [row for row in pairs if row is not None]

    async def _pair(self, asked: _Asked) -> Cells | None:
        match, exchange, answers = asked
        call, seat = exchange.call, exchange.call.seat
        assert match.outcome is not None
        earned = defaultdict(list, {call.text or "": [match.outcome.payoffs[seat]]})
        forks = [self._answer(asked, branch + 1) for branch in range(self._branching.forks)]
        for text, payoff in filter(None, await asyncio.gather(*forks)):
            earned[text].append(payoff)

        by_reward = sorted((fmean(payoffs), text) for text, payoffs in earned.items())
        (least, worst), (most, best) = by_reward[0], by_reward[-1]
        if math.isclose(least, most):
            return None
        kind = next(each.kind for each in answers if (each.ask, each.seat) == (call.ask, seat))
        return {
            **{"match": call.match, "ask": call.ask, "seat": seat, "agent": call.agent},
            **{"model": call.model, "game": match.game, "kind": kind},
            **{"prompt": prompt_of(exchange), "chosen": [message("assistant", best)]},
            **{"rejected": [message("assistant", worst)], "chosen_reward": most},
            **{"rejected_reward": least, "answers": len(earned), "seq": exchange.seq},
        }

    async def _answer(self, asked: _Asked, branch: int) -> tuple[str, float] | None:
        """Another answer to the ask and what the seat earned in the end.

        None if the answer could not be used, or if the fork could not be played to its end.
        """
        self._last += 1
        fork = _of_branch(asked.match, self._last, branch)
        first = asked.exchange.call
        async with self._room:
            try:
                table = self._table(asked, fork)
                while table.pending is not None:
                    digest = table.digest()
                    turns = [
                        self._turns.play_turn(fork, table, seat, digest) for seat in table.waiting
                    ]
                    await asyncio.gather(*turns)
            except (AgentFailed, BudgetExceeded, Unanswered) as problem:
                self._problem = str(problem)
                return None
            finally:
                calls = self._calls.pop(fork.number, [])
        self._played += 1
        assert table.outcome is not None
        own = [
            call
            for call in calls
            if (call.ask, call.seat, call.failure) == (first.ask, first.seat, None)
        ]

        if len(own) != 1 or own[0].prompt != first.prompt:
            return None
        return own[0].text or "", table.outcome.payoffs[first.seat]

    def _table(self, asked: _Asked, fork: _PlayedFork) -> Table:
        """The match up to the ask, with the answers of other seats to it."""
        ask, seat = asked.exchange.call.ask, asked.exchange.call.seat
        before = [
            each._replace(match=fork.number)
            for each in asked.answers
            if each.ask < ask or (each.ask == ask and each.seat != seat)
        ]
        table = rebuild(self._save.tournament, fork, before)
        for each in before:
            self._turns.load(each)
        return table


def _of_branch(match: StoredMatch, number: int, branch: int) -> _PlayedFork:
    own: dict[str, Any] = {each.name: getattr(match, each.name) for each in fields(match)}
    return _PlayedFork(**own | {"number": number, "branch": branch})


STORED_BUDGET = Branching()
"""The usual number of asks and forks, within the budgets of the save."""
