"""A game as an environment: reset, observe, step, with rewards, faults, copies and saves."""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from parlour.agents.llm.answer_parser import read_answer
from parlour.agents.model_calls import Completion
from parlour.agents.user_code import PythonConfig
from parlour.api.by_hand import HandTable, checked_number, entry_of
from parlour.api.matches import MatchOutcome, Player
from parlour.api.results import Results
from parlour.env.others import Notes, Others
from parlour.env.written import Written
from parlour.games.common.errors import BadInput
from parlour.games.engine.dice import Dice
from parlour.games.engine.game import BUILT_IN
from parlour.games.engine.moves import Ask, Fault, Seat, as_written, player
from parlour.games.engine.prompts import Prompt
from parlour.games.engine.registry import find_game
from parlour.tournament.save.rows import StoredMatch


class Step(NamedTuple):
    """What came of answers: rewards by player, faults by player, and whether the match is over."""

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
        first = self._entry.setting(checked_number(self._entry, self._number or 0))
        self.game, self.settings = game, self._entry.setting_count
        self.all_players = tuple(map(player, range(self._entry.game.seats(first))))
        by_seat = {self._seat(who): agent for who, agent in (others or {}).items()}
        self._others = Others(self._entry, by_seat)
        agents = range(self._entry.agent_seats)
        self.players = tuple(player(seat) for seat in agents if seat not in by_seat)
        self._by_round = rewards == "round"
        self._wording = wording
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Begins a match. The same seed gives the same one; None takes the next seed."""
        self.seed = self.seed + 1 if seed is None else seed
        entry, number = self._entry, self._number
        if number is None:
            number = Dice(self.seed, "setting").below(entry.setting_count)
        self._hand = HandTable(entry, number, entry.setting(number), self.seed)
        self.table = self._hand.table
        self._written = Written(self.table, self._wording)
        names = [self._name(Seat(seat)) for seat in range(entry.agent_seats)]
        names += [BUILT_IN] * (len(self.table.seats) - len(names))
        place = 1, 0, number, "", entry.game.name, entry.condition, ""
        self._match = StoredMatch(*place, tuple(names), (), self.seed)
        self._notes: Notes = {}
        self._paid = dict.fromkeys(self.table.seats, 0.0)
        self._rewarded = 0
        make = entry.game.hints.rewards if self._by_round else None
        self._rewards_of = make(self.table.setting) if make else None
        self.faults: dict[str, int] = dict.fromkeys(self.all_players, 0)
        self._go_on()

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

    def sample(self, who: Player, seed: int | None = None) -> dict[str, Any]:
        """A legal answer; without a seed the same one each time it is drawn for an ask."""
        seat, ask = self._asked(who)
        key = ("sample", self.seed, self.table.ask_number, seat) if seed is None else (seed,)
        return as_written(ask.sample(seat, Dice(*key)))

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
        cast = [
            self._others.configs.get(Seat(seat)) or PythonConfig(name=player(seat), kind="python")
            for seat in range(self._entry.agent_seats)
        ]
        return self._hand.save(path, cast)

    def __copy__(self) -> Self:
        made = object.__new__(type(self))
        made.__dict__ |= self.__getstate__()
        made._others = self._others
        made._restore()
        return made

    def __deepcopy__(self, _memo: object) -> Self:
        return copy(self)
