"""A game as an environment: reset, observe, step, with rewards, faults, copies, saves, agents."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any, Literal, NamedTuple, Self

from parlour.agents.base import Agent, Call, Reply
from parlour.agents.code_blocks import PythonConfig
from parlour.agents.llm.answer_parser import read_answer
from parlour.agents.model_calls import Client, Completion, Request
from parlour.agents.question import wanted_form
from parlour.agents.registry import AgentConfig, make_agent, refuse_unable
from parlour.api.by_hand import HandTable, by_hand, checked_number, entry_of
from parlour.api.matches import MatchOutcome, Player, seat_among
from parlour.api.results import Results
from parlour.env.written import Written
from parlour.games.common.errors import BadInput
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import Answer, Ask, Fault, FaultKind, Seat, plain_answer, player
from parlour.games.engine.prompts import Prompt
from parlour.games.engine.table import Table
from parlour.tournament.plan.loader import agents_of
from parlour.tournament.plan.model import GameEntry
from parlour.tournament.run.quick_turn import REPAIRS
from parlour.tournament.save.rows import StoredMatch

Notes = dict[Seat, tuple[Mapping[str, Any], ...]]
"""The notes that each seat has made in a match."""


class Others:
    """The agents of some seats, by seat."""

    def __init__(self, entry: GameEntry, given: Mapping[Seat, object]) -> None:
        """``given`` has strategies by name, agent blocks, or objects as ``parlour.run`` takes them.

        BadInput for an agent that cannot be made, or cannot play the game.
        """
        self._made_of = entry, given
        self.configs: dict[Seat, AgentConfig] = {}
        self._agents: dict[Seat, Agent] = {}
        settings = entry.settings()
        made: dict[str, tuple[AgentConfig, Agent]] = {}
        for seat, agent in given.items():
            place = f"others, {player(seat)}"
            block = {"name": agent, "strategy": agent} if isinstance(agent, str) else agent
            if isinstance(block, Mapping):
                (config,) = agents_of([{"name": place, **block}], Path(), place)
            else:
                config = PythonConfig(name=player(seat), kind="python")
            refuse_unable(config, entry.game, settings, place)
            if config.name not in made:
                made[config.name] = config, make_agent(config, {config.name: agent})
            self.configs[seat], self._agents[seat] = made[config.name]
            if self.configs[seat] != config:
                raise BadInput(place, f"{config.name!r} is another agent, too", "rename it")

    def __reduce__(self) -> tuple[Any, ...]:
        return Others, self._made_of

    def play(self, table: Table, match: StoredMatch, notes: Notes) -> None:
        """Answers for the waiting seats of these agents, one by one, until none is left."""
        while waiting := [seat for seat in table.waiting if seat in self._agents]:
            for seat in waiting:
                table.take({seat: self._answer(table, seat, match, notes)})

    def _answer(self, table: Table, seat: Seat, match: StoredMatch, notes: Notes) -> Answer | Fault:
        """The answer of a seat's agent, which is asked again after a faulty one."""
        ask, view, agent = table.pending, table.view(seat), self._agents[seat]
        assert ask is not None
        faulty: tuple[tuple[str, Fault], ...] = ()
        for attempt in range(1, 2 + REPAIRS):
            dice = match.dice(table.ask_number, seat, attempt)
            call = Call(dice, faulty, _complete, notes.get(seat, ()))
            if decide := getattr(agent, "decide", None):
                reply = Reply(decide(ask, view, call))
            else:
                call = call._replace(order=match.choice_order(table.ask_number, seat))
                acting = agent.act(ask, view, call)
                reply = asyncio.run_coroutine_threadsafe(acting, _loop()).result()
            if reply.notes:
                notes[seat] = (*notes.get(seat, ()), reply.notes)
            value = reply.value
            judged = value if isinstance(value, Fault) else ask.judge(seat, value)
            if not isinstance(judged, Fault):
                break
            faulty += ((reply.text, judged),)
        return judged


async def _complete(client: Client, request: Request) -> Completion:
    """Calls a model at once: no budget, cache or journal stands before it."""
    return await client.complete(request)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of agents that wait: one for the process, since clients keep to theirs."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, daemon=True, name="parlour.env").start()
    return loop


class Step(NamedTuple):
    """The result of answers: rewards by player, faults by player, and whether the match is over."""

    rewards: dict[str, float]
    faults: dict[str, Fault]
    over: bool


class Environment:
    """A game to play from outside, step by step.

    ``players`` are those who are played from outside; ``asked`` are those of them who are asked
    now, often several at once. An answer is plain data, a text with a JSON object in it, or None.
    One that breaks the form or the rules is a fault, as in every match of Parlour: the game's
    fallback takes its place.

    ``rewards``: "end" gives the payoffs when the match is over, "round" as much of them as each
    event brings, where the game says so, and the rest at the end. Both add up to the payoffs.

    Copies (``copy``, ``deepcopy``, ``pickle``) are environments of their own in the same place.
    """

    def __init__(
        self,
        game: str,
        setting: int | Mapping[str, Any] | None = 0,
        seed: int = 0,
        *,
        others: Mapping[Player, object] | None = None,
        rewards: Literal["end", "round"] = "end",
        wording: Literal["full", "short"] = "full",
        **variant: object,
    ) -> None:
        """``setting`` is the number of a shipped one or its fields; None: the seed draws it.

        ``others`` are the agents of Parlour at other seats: strategies by name, agent blocks, or
        objects as ``parlour.run`` takes them. ``variant`` are the keys that a tournament file may
        set for the game. Raises BadInput.
        """
        self._entry = entry_of(game, variant, setting if isinstance(setting, Mapping) else None)
        self._number = 0 if isinstance(setting, Mapping) else setting
        checked_number(self._entry, self._number or 0)
        self._settings = self._entry.settings()
        self.game, self.settings = game, len(self._settings)
        self.all_players = tuple(map(player, range(self._entry.game.seats(self._settings[0]))))
        by_seat = {self._seat(who): agent for who, agent in (others or {}).items()}
        self._others = Others(self._entry, by_seat)
        seats = self.all_players[: self._entry.agent_seats]
        self._agents = [self._others.configs.get(self._seat(who)) or by_hand(who) for who in seats]
        self.players = tuple(who for who in seats if self._seat(who) not in by_seat)
        names = [agent.name for agent in self._agents]
        self._names = (*names, *[BUILT_IN] * (len(self.all_players) - len(names)))
        self._condition = self._entry.condition
        self._by_round, self._wording = rewards == "round", wording
        self.seed = seed
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Begins a match. The same seed gives the same one; None takes the next seed."""
        self.seed = self.seed + 1 if seed is None else seed
        entry, number = self._entry, self._number
        if number is None:
            number = Dice(self.seed, "setting").below(self.settings)
        self._hand = HandTable(entry, number, self._settings[number], self.seed)
        place = 1, 0, number, "", entry.game.name, self._condition, ""
        self._match = StoredMatch(*place, self._names, (), self.seed)
        self._notes: Notes = {}
        self._paid = dict.fromkeys(self.table.seats, 0.0)
        self.faults: dict[str, int] = dict.fromkeys(self.all_players, 0)
        self._observe()
        self._go_on()

    def _observe(self) -> None:
        """Makes what reads the match from its beginning."""
        self._written = Written(self.table, self._wording)
        make = self._entry.game.hints.rewards if self._by_round else None
        self._rewards_of = make(self.table.setting) if make else None
        self._rewarded = 0

    @property
    def table(self) -> Table:
        """The table of the match, with everything that is known to nobody."""
        return self._hand.table

    @property
    def asked(self) -> tuple[str, ...]:
        """The players from outside who are asked now and have not answered."""
        return tuple(map(player, self.table.waiting))

    @property
    def over(self) -> bool:
        """True once the match has an outcome."""
        return self.table.pending is None

    @property
    def outcome(self) -> MatchOutcome | None:
        """The outcome with payoffs, roles and winners by player; None before the end."""
        return self._hand.outcome

    @property
    def match(self) -> HandTable:
        """The match: its events, views and transcript."""
        return self._hand

    def prompt(self, who: Player) -> Prompt:
        """The prompt that every agent gets for this ask, as ``system`` and ``question``."""
        return self._written.prompt(self._asked(who)[0])

    def text(self, who: Player) -> str:
        """The same as one text."""
        prompt = self.prompt(who)
        return f"{prompt.system}\n\n{prompt.question}"

    def delta(self, who: Player) -> str:
        """The part of the prompt that is new since the last ask at which the player took it.

        For conversations, which have the earlier messages: the first is the whole prompt, each
        later one has the new lines of the history and the question.
        """
        return self._written.delta(self._asked(who)[0])

    def data(self, who: Player) -> dict[str, Any]:
        """Everything that the player was told and answered, as plain data; at any time."""
        return self._written.data(self._seat(who))

    def schema(self, who: Player) -> dict[str, Any]:
        """The JSON schema of the answer: as far as it can say, legal ones only."""
        seat, ask = self._asked(who)
        return ask.schema(seat)

    def form(self, who: Player) -> str:
        """The words that ask a model for this form, as models of a tournament are asked."""
        seat, ask = self._asked(who)
        return wanted_form(ask.schema(seat), language=self.table.view(seat).language)

    def sample(self, who: Player, seed: int | None = None) -> dict[str, Any]:
        """A legal answer; without a seed the same one each time it is drawn for an ask."""
        seat, ask = self._asked(who)
        key = ("sample", self.seed, self.table.ask_number, seat) if seed is None else (seed,)
        return plain_answer(ask.sample(seat, Dice(*key)))

    def check(self, who: Player, answer: object) -> Fault | None:
        """The fault that this answer would be; None if it is legal."""
        seat, ask = self._asked(who)
        judged = self._judged(ask, seat, answer)
        return judged if isinstance(judged, Fault) else None

    def step(self, answers: Mapping[Player, object]) -> Step:
        """Takes answers of some or all who are asked; the match goes on once all have answered.

        BadInput for a player who is not asked; nothing changes then.
        """
        judged: dict[Seat, Any] = {}
        faults: dict[str, Fault] = {}
        for who, answer in answers.items():
            seat, ask = self._asked(who)
            judged[seat] = self._judged(ask, seat, answer)
            if isinstance(judged[seat], Fault):
                name = player(seat)
                faults[name] = judged[seat]
                self.faults[name] += 1
        self.table.take(judged)
        self._go_on()
        return Step(self._new_rewards(), faults, self.over)

    def branch(self, seed: int) -> Self:
        """A copy whose other agents draw new random numbers from here on."""
        made = copy(self)
        made._match = replace(self._match, seed=seed)
        return made

    def save(self, path: str | Path) -> Results:
        """Stores the match as a save, which ``parlour.run`` can play on; returns its results."""
        return self._hand.save(path, self._agents)

    def _go_on(self) -> None:
        """Lets the other agents answer until a player from outside is asked."""
        self._others.play(self.table, self._match, self._notes)

    def _new_rewards(self) -> dict[str, float]:
        """The rewards of all players since the last step."""
        earned = self._earned()
        for seat, reward in earned.items():
            self._paid[seat] += reward
        if self.table.outcome is not None:
            for seat, payoff in zip(self.table.seats, self.table.outcome.payoffs, strict=True):
                earned[seat] += payoff - self._paid[seat]
                self._paid[seat] = payoff
        return dict(zip(self.all_players, earned.values(), strict=True))

    def _earned(self) -> dict[Seat, float]:
        """The part of the payoffs that the events since the last time have brought."""
        earned = dict.fromkeys(self.table.seats, 0.0)
        if self._rewards_of is not None:
            for event in self.table.events[self._rewarded :]:
                for seat, reward in self._rewards_of(event).items():
                    earned[seat] += reward
            self._rewarded = len(self.table.events)
        return earned

    def _judged(self, ask: Ask[Answer], seat: Seat, answer: object) -> Answer | Fault:
        """The answer as the game takes it, or its fault; a text may hold it in many ways."""
        if answer is None:
            return Fault(FaultKind.EMPTY, "nothing came")
        if not isinstance(answer, str):
            return answer if isinstance(answer, Fault) else ask.judge(seat, answer)
        with suppress(ValueError, RecursionError):
            judged: Answer | Fault = ask.judge(seat, json.loads(answer))
            if not isinstance(judged, Fault):
                return judged
        parsed = read_answer(Completion(answer), ask.schema(seat))
        return parsed if isinstance(parsed, Fault) else ask.judge(seat, parsed.data)

    def _seat(self, who: Player) -> Seat:
        """The seat of a player. BadInput if there is none."""
        return seat_among(self.all_players, who)

    def _asked(self, who: Player) -> tuple[Seat, Ask[Any]]:
        """A seat that is asked now, and the question. BadInput if it is not."""
        seat, ask = self._seat(who), self.table.pending
        if ask is None or seat not in ask.seats or seat in self.table.answered:
            waiting = f"the match waits for {' and '.join(self.asked)}" if ask else "it is over"
            raise BadInput(player(seat), "is not asked now", waiting)
        return seat, ask

    def __getstate__(self) -> dict[str, Any]:
        own = {name: copy(self.__dict__[name]) for name in ("_hand", "_notes", "_paid", "faults")}
        state = self.__dict__ | own | {"_heard": copy(self._written.heard)}
        del state["_written"], state["_rewards_of"]  # made again, of the match so far
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        heard = state.pop("_heard")
        self.__dict__ |= state
        self._observe()
        self._written.heard = heard
        self._earned()  # which are paid already

    def __copy__(self) -> Self:
        made = object.__new__(type(self))
        made.__setstate__(self.__getstate__())
        return made

    def __deepcopy__(self, _memo: object) -> Self:
        return copy(self)
