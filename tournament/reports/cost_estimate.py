"""What a tournament is expected to cost: calls, tokens and dollars of every model in it.

Where a save has calls, by their averages; else by the prompts themselves, which are made for one
match of each game at random.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from parlour.agents.base import Call, Reply
from parlour.agents.llm.client import Client, Completion, Request
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.openai_client import OpenAIClient
from parlour.agents.llm.prices import Tariff, known_tariff
from parlour.agents.llm.tokens import BYTES_OF_A_TOKEN, USUAL_ANSWER, likely_prompt_tokens
from parlour.agents.registry import model_behind
from parlour.games.engine.dice import Dice
from parlour.games.engine.table import Table
from parlour.tournament.plan.loader import GameEntry, Tournament
from parlour.tournament.plan.schedule import PlannedMatch
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import StoredMatch

_AVERAGES = """
SELECT calls.agent, answers.kind, sum({copy_of} IS NULL) * 1.0 / count(DISTINCT calls.match || ' '
       || calls.ask || ' ' || calls.seat), avg(prompt_tokens) FILTER (WHERE {copy_of} IS NULL),
       avg(completion_tokens) FILTER (WHERE {copy_of} IS NULL),
       avg(price) FILTER (WHERE {copy_of} IS NULL), count(*)
FROM calls JOIN answers USING (match, ask, seat)
WHERE failure IS NULL GROUP BY calls.agent, answers.kind
"""

_GIVEN = """
SELECT entry, seat, json_extract(matches.agents, '$[' || answers.seat || ']'), kind, count(*)
FROM answers JOIN matches ON matches.number = answers.match
WHERE outcome IS NULL AND frozen IS NULL GROUP BY 1, 2, 3, 4
"""

ANALYSIS = json.dumps({"analysis": "-" * (BYTES_OF_A_TOKEN * USUAL_ANSWER)})
"""What stands for an analysis of which nothing is known: about as long as answers are taken for."""


@dataclass(frozen=True, slots=True)
class Usual:
    """What an answer of one kind takes of a model: calls, and tokens and dollars of each call."""

    calls: float
    prompt_tokens: float
    completion_tokens: float
    dollars: float | None
    seen: int = 0
    """Calls that were counted; 0 for a guess."""


@dataclass(slots=True)
class Expense:
    """What is expected of one model. ``dollars`` is None where its price is not known.

    ``seen`` is the share of its answers that stands on calls of the save rather than a guess.
    """

    agent: str
    answers: float = 0.0
    calls: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    dollars: float | None = 0.0
    seen: float = 0.0

    def add(self, times: float, usual: Usual) -> None:
        """Counts so many answers of a kind."""
        calls = times * usual.calls
        known = self.answers * self.seen + times * (usual.seen > 0)
        self.answers += times
        self.seen = known / self.answers
        self.calls += calls
        self.prompt_tokens += calls * usual.prompt_tokens
        self.completion_tokens += calls * usual.completion_tokens
        if usual.dollars is None or self.dollars is None:
            self.dollars = None
        else:
            self.dollars += calls * usual.dollars


Averages = Mapping[tuple[str, str], Usual]
"""By agent and kind of ask."""


def averages(save: Save) -> Averages:
    """What answers of each agent took so far, by kind of ask."""
    if not save.has_calls:
        return {}
    return {
        (agent, kind): Usual(calls, sent or 0.0, came or 0.0, dollars if calls else 0.0, seen)
        for agent, kind, calls, sent, came, dollars, seen in save.select(
            _AVERAGES.format(copy_of=save.copy_of)
        )
    }


Given = Mapping[tuple[int, int, str, str], int]
"""Answers that there are: by game entry, seat, agent and kind of ask."""


def given(save: Save) -> Given:
    """The stored answers of the matches that are not over."""
    return {
        (entry, seat, agent, kind): count for entry, seat, agent, kind, count in save.select(_GIVEN)
    }


def expenses(
    tournament: Tournament,
    matches: Iterable[PlannedMatch | StoredMatch],
    known: Averages,
    answered: Given | None = None,
) -> list[Expense]:
    """What the matches will yet take of each model, retries left out.

    ``answered`` is what need not be asked for any more.
    """
    spared = Counter(answered or {})
    models = tournament.models
    seats: dict[tuple[int, int, str], int] = defaultdict(int)
    for match in matches:
        for seat, agent in enumerate(match.agents):
            if agent in models:
                seats[match.entry, seat, agent] += 1
    tariffs = {name: known_tariff(model) for name, model in models.items()}
    found = {name: Expense(name) for name in models}
    asked: dict[tuple[int, str], list[tuple[int, str, Usual]]] = {}
    for (entry, seat, agent), times in sorted(seats.items()):
        if (entry, agent) not in asked:
            block = tournament.games[entry]
            asked[entry, agent] = _asked(block, models[agent], tariffs[agent])
        for place, kind, guess in asked[entry, agent]:
            if place == seat:
                what = (entry, seat, agent, kind)
                there = min(times, spared[what])
                spared[what] -= there
                if times > there:
                    found[agent].add(times - there, known.get((agent, kind), guess))
    return list(found.values())


def _asked(
    entry: GameEntry, model: LLMConfig, tariff: Tariff | None
) -> list[tuple[int, str, Usual]]:
    """Every ask of one match at random: seat, kind, and what its answer takes by its length."""
    setting = entry.setting(0)
    table = Table(entry.game, setting, entry.game.seats(setting), seed=0)
    agent = model_behind(model, OpenAIClient(model))  # which is asked nothing
    noted: defaultdict[int, tuple[Mapping[str, Any], ...]] = defaultdict(tuple)
    found: list[tuple[int, str, Usual]] = []
    while (ask := table.pending) is not None:
        given = {seat: ask.sample(seat, Dice("plan", table.ask_number)) for seat in ask.seats}
        for seat in ask.seats:
            calls = _Calls(ask.schema(seat), given[seat].model_dump_json())
            call = Call(Dice("plan"), (), calls.complete, noted[seat])
            reply = _at_once(agent.act(ask, table.view(seat), call))
            noted[seat] += (reply.notes,) if reply.notes else ()
            found.append((seat, ask.kind, calls.usual(tariff)))
        table.answer(given)
    return found


def _at_once(act: Coroutine[Any, Any, Reply]) -> Reply:
    """The reply of an act that has nothing to wait for; so it needs no loop, and may run in one."""
    try:
        act.send(None)
    except StopIteration as done:
        reply: Reply = done.value
        return reply
    raise RuntimeError("it waits, though no model is asked")


class _Calls:
    """The calls of one answer, which reach no model: each comes back with what one might write."""

    def __init__(self, form: Mapping[str, Any], answer: str) -> None:
        self._form, self._answer = form, answer
        self._tokens: list[tuple[int, float]] = []

    async def complete(self, client: Client, request: Request) -> Completion:
        """The answer itself, or where another form is asked for, an analysis."""
        text = self._answer if request.schema == self._form else ANALYSIS
        came = len(text.encode()) / BYTES_OF_A_TOKEN
        self._tokens.append((likely_prompt_tokens(request), came))
        return Completion(text)

    def usual(self, tariff: Tariff | None) -> Usual:
        """What they take, each on the average."""
        count = len(self._tokens)
        sent, came = (sum(column) / count for column in zip(*self._tokens, strict=True))
        dollars = None if tariff is None else tariff.of(round(sent), round(came))
        return Usual(count, sent, came, dollars)
