"""Cost estimate: the calls, tokens and US dollars that each model of a tournament will take.

Based on the averages of a save's calls if it has any, otherwise on the length of the real
prompts, which are rendered for one random match of each game entry.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from typing import Any

from parlour.agents.base import Call, at_once
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.prices import (
    CHARACTERS_OF_A_TOKEN,
    USUAL_ANSWER,
    Tariff,
    known_tariff,
    likely_prompt_tokens,
)
from parlour.agents.llm.window import likely_tokens_of
from parlour.agents.model_calls import Client, Completion, Request
from parlour.agents.registry import model_behind
from parlour.games.common.progress import tracked
from parlour.games.engine.dice import Dice
from parlour.games.engine.table import Table
from parlour.tournament.plan.model import GameEntry, Tournament
from parlour.tournament.plan.schedule import PlannedMeeting, meetings
from parlour.tournament.plan.validation import CONNECTION_KEYS
from parlour.tournament.save.queries import call_averages
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import RunOptions

ANALYSIS = json.dumps({"analysis": "-" * int(CHARACTERS_OF_A_TOKEN * USUAL_ANSWER)})
"""Placeholder for a model's analysis, of the usual length of an answer."""
NOT_IN_PROMPTS = {"name", "meta", "model", "prices", "budget", "cache", *CONNECTION_KEYS}
"""Keys of a model that no prompt depends on."""


@dataclass(frozen=True, slots=True)
class Usual:
    """Average cost of one answer: the number of calls, and tokens and US dollars per call.

    ``seen`` is the number of calls behind the averages; 0 for a guess.
    """

    calls: float
    prompt_tokens: float
    completion_tokens: float
    dollars: float | None
    seen: int = 0


@dataclass(slots=True)
class Expense:
    """Expected cost of one model. ``dollars`` is None if its price is not known.

    ``seen`` is the share of its answers whose estimate comes from calls of the save.
    ``longest_prompt`` and ``needs`` are tokens: of the longest prompt of a rehearsed match, and of
    it with room for its answer. ``context`` is the model's window, None if it is not known.
    """

    agent: str
    answers: float = 0.0
    calls: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    dollars: float | None = 0.0
    seen: float = 0.0
    longest_prompt: int = 0
    needs: int = 0
    context: int | None = None

    def add(self, times: float, usual: Usual) -> None:
        """Adds a number of answers of one kind."""
        calls = times * usual.calls
        answers_seen = self.answers * self.seen + times * (usual.seen > 0)
        self.answers += times
        self.seen = answers_seen / self.answers
        self.calls += calls
        self.prompt_tokens += calls * usual.prompt_tokens
        self.completion_tokens += calls * usual.completion_tokens
        if usual.dollars is None or self.dollars is None:
            self.dollars = None
        else:
            self.dollars += calls * usual.dollars


Averages = Mapping[tuple[str, str], Usual]
"""Average cost by agent and kind of ask."""


def averages(save: Save) -> Averages:
    """Returns the average cost of each agent's answers so far, by kind of ask."""
    usual: dict[tuple[str, str], Usual] = {}
    for agent, kind, calls, sent, received, dollars, seen in call_averages(save):
        # If the cache gave every answer, no call has a price, and none was needed.
        price = dollars if calls else 0.0
        usual[agent, kind] = Usual(calls, sent or 0.0, received or 0.0, price, seen)
    return usual


AnswersGiven = Mapping[tuple[int, int, str, str], int]
"""Number of stored answers by game entry, seat, agent and kind of ask."""


def expenses(
    tournament: Tournament,
    matches: Mapping[PlannedMeeting, int],
    known: Averages,
    answered: AnswersGiven | None = None,
) -> list[Expense]:
    """Returns the expected cost of each model for the given matches, retries not included.

    ``matches`` are numbers of matches by their meeting.
    ``answered`` are answers of these matches that are stored already and cost nothing more.
    It may take seconds to render all prompts.
    """
    stored = Counter(answered or {})
    models = tournament.models
    seats: dict[tuple[int, int, str], int] = defaultdict(int)
    for meeting, count in matches.items():
        for seat, agent in enumerate(meeting.agents):
            if agent in models:
                seats[meeting.entry, seat, agent] += count
    tariffs = {name: known_tariff(model) for name, model in models.items()}
    by_agent = {name: Expense(name, context=model.context) for name, model in models.items()}
    rehearsals = _Rehearsals(tournament)
    every = tracked(sorted(seats.items()), "Estimating the cost", len(seats))
    for (entry, seat, agent), times in every:
        for act in rehearsals.acts(entry, agent):
            if act.seat == seat:
                cost = by_agent[agent]
                cost.longest_prompt = max(cost.longest_prompt, act.meter.longest_prompt)
                cost.needs = max(cost.needs, act.meter.needs)
                key = (entry, seat, agent, act.kind)
                given = min(times, stored[key])
                stored[key] -= given
                if times > given:
                    usual = known.get((agent, act.kind)) or act.usual(tariffs[agent])
                    cost.add(times - given, usual)
    return list(by_agent.values())


def dearest_match(tournament: Tournament, known: Averages) -> float | None:
    """Returns the expected US dollars of the dearest match of two agents; None without a price."""
    tariffs = {name: known_tariff(model) for name, model in tournament.models.items()}
    rehearsals = _Rehearsals(tournament)

    @cache
    def of_seats(entry: int, agent: str) -> dict[int, float]:
        """US dollars by seat; infinite without a price."""
        dollars: dict[int, float] = defaultdict(float)
        for act in rehearsals.acts(entry, agent) if agent in tariffs else ():
            usual = known.get((agent, act.kind)) or act.usual(tariffs[agent])
            price = inf if usual.dollars is None else usual.dollars
            dollars[act.seat] += price * usual.calls
        return dollars

    def of_match(meeting: PlannedMeeting) -> float:
        seats = enumerate(meeting.agents)
        return sum(of_seats(meeting.entry, agent).get(seat, 0.0) for seat, agent in seats)

    all_pairs = replace(tournament, schedule="round_robin", most_matches=None)
    most = max(map(of_match, meetings(all_pairs)))
    return most if most < inf else None


@dataclass(frozen=True, slots=True)
class BudgetCheck:
    """A budget beside the estimate, in US dollars; ``agent`` is None for all models together.

    ``expected`` is what is still to be spent, None if a price is not known.
    """

    agent: str | None
    budget: float
    spent: float
    expected: float | None

    @property
    def exceeded(self) -> bool | None:
        """True if the estimate exceeds what is left of the budget; None without an estimate."""
        return None if self.expected is None else self.spent + self.expected > self.budget


def budget_checks(
    options: RunOptions, spent: Mapping[str, float], costs: Sequence[Expense]
) -> list[BudgetCheck]:
    """Returns each budget with what is spent and expected: first of all models, then of agents."""
    expected = {cost.agent: cost.dollars for cost in costs}
    checks = []
    if options.budget is not None:
        known = [dollars for dollars in expected.values() if dollars is not None]
        total = sum(known) if len(known) == len(expected) else None
        checks.append(BudgetCheck(None, options.budget, sum(spent.values()), total))
    for agent, budget in options.agent_budgets.items():
        checks.append(BudgetCheck(agent, budget, spent.get(agent, 0.0), expected.get(agent)))
    return checks


@dataclass(frozen=True, slots=True)
class _Act:
    """One answer of a rehearsed match, and what was counted of its calls."""

    seat: int
    kind: str
    meter: "_CallMeter"

    def usual(self, tariff: Tariff | None) -> Usual:
        """Its cost per call, priced by a tariff."""
        calls = self.meter.calls
        sent, received = self.meter.prompt_tokens / calls, self.meter.completion_tokens / calls
        dollars = None if tariff is None else tariff.of(round(sent), round(received))
        return Usual(calls, sent, received, dollars)


class _Rehearsals:
    """Random matches in which every prompt is rendered and measured, and no model is called.

    A match is rehearsed once for all agents with the same prompts, and once for all entries that
    differ only in their line-up.
    """

    def __init__(self, tournament: Tournament) -> None:
        self._entries = tournament.games
        self._models = tournament.models
        self._acts: dict[tuple[str, str], list[_Act]] = {}

    def acts(self, entry: int, agent: str) -> list[_Act]:
        """Every answer of one match of a game entry, as if the agent had all seats."""
        block = self._entries[entry]
        model = self._models[agent]
        setting = f"{block.game.name} {block.setting(0).model_dump_json()}"
        key = (setting, model.model_dump_json(exclude=NOT_IN_PROMPTS))
        if key not in self._acts:
            self._acts[key] = _rehearsed(block, model)
        return self._acts[key]


def _rehearsed(entry: GameEntry, model: LLMConfig) -> list[_Act]:
    """Plays a match at random and measures the calls of each answer."""
    from parlour.agents.llm.http_clients import OpenAIClient

    setting = entry.setting(0)
    table = Table(entry.game, setting, entry.game.seats(setting), seed=0)
    agent = model_behind(model, OpenAIClient(model))  # the client is never used
    notes: defaultdict[int, tuple[Mapping[str, Any], ...]] = defaultdict(tuple)
    acts: list[_Act] = []
    while (ask := table.pending) is not None:
        answers = {seat: ask.sample(seat, Dice("plan", table.ask_number)) for seat in ask.seats}
        for seat in ask.seats:
            meter = _CallMeter(ask.schema(seat), answers[seat].model_dump_json())
            call = Call(Dice("plan"), (), meter.complete, notes[seat])
            reply = at_once(agent.act(ask, table.view(seat), call))
            notes[seat] += (reply.notes,) if reply.notes else ()
            acts.append(_Act(seat, ask.kind, meter))
        table.answer(answers)
    return acts


class _CallMeter:
    """Counts the calls and tokens of one answer; every call gets an answer of usual length."""

    def __init__(self, form: Mapping[str, Any], answer: str) -> None:
        self._form, self._answer = form, answer
        self.calls, self.prompt_tokens, self.completion_tokens = 0, 0.0, 0.0
        self.longest_prompt = self.needs = 0

    async def complete(self, client: Client, request: Request) -> Completion:
        """Returns the answer itself, or an analysis if another form is asked for."""
        fields = request.schema.get("properties", {}).keys()
        text = self._answer if fields == self._form["properties"].keys() else ANALYSIS
        prompt = likely_tokens_of(request)
        self.longest_prompt = max(self.longest_prompt, prompt)
        self.needs = max(self.needs, prompt + request.room)
        self.calls += 1
        self.prompt_tokens += likely_prompt_tokens(request)
        self.completion_tokens += len(text.encode()) / CHARACTERS_OF_A_TOKEN
        return Completion(text)
