"""The rows of a save: what each holds, and how a stored match is read back."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from parlour.games.common.text import LONGEST_TEXT, clean, clean_all
from parlour.games.common.validation_messages import first_problem
from parlour.games.engine.moves import Outcome, Seat
from parlour.tournament.plan.schema import Limit


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A row of ``matches``: what is planned, and the outcome once there is one."""

    number: int
    entry: int
    setting: int
    setting_key: str
    game: str
    condition: str
    experiment: str
    agents: tuple[str, ...]
    counted: tuple[Seat, ...]
    seed: int
    outcome: Outcome | None
    frozen: str | None


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A row of ``answers``. ``value`` is the JSON text of the answer."""

    match: int
    ask: int
    seat: Seat
    kind: str
    round: int
    value: str
    fault: str | None
    tries: int
    notes: str | None
    digest: str
    seq: int = 0


LIMITS = TypeAdapter(tuple[Limit, ...])
"""Limits as JSON."""
MOST_AT_ONCE, LEAST_PACE = 10_000, 0.01
"""The most matches at once and the fewest asks a second that may be asked for."""


BUDGETS = TypeAdapter(dict[str, float])
"""Dollars of each agent as JSON."""
CONTROL = "UPDATE control SET concurrency = ?, pace = ?, limits = ?, budget = ?, agent_budgets = ?"
"""Stores a Control's row."""


@dataclass(frozen=True, slots=True)
class Control:
    """How a save is played: matches at once, asks a second at most, limits of endpoints.

    None is the program's own choice, and no limit to the pace. Budgets are in dollars: of all
    models together, None for no limit, and of single agents.
    """

    concurrency: int | None = None
    pace: float | None = None
    limits: tuple[Limit, ...] = ()
    budget: float | None = None
    agent_budgets: dict[str, float] = field(default_factory=dict)

    def with_budget(self, dollars: float | None, agent: str | None) -> "Control":
        """The same with another budget, of one agent or of all; None or an infinite one is none."""
        if dollars == math.inf:
            dollars = None
        if agent is None:
            return replace(self, budget=dollars)
        others = {name: its for name, its in self.agent_budgets.items() if name != agent}
        mine = {} if dollars is None else {agent: dollars}
        return replace(self, agent_budgets={**others, **mine})

    def row(self) -> tuple[object, ...]:
        """As the save keeps it."""
        limits = LIMITS.dump_json(self.limits).decode()
        budgets = json.dumps(self.agent_budgets, sort_keys=True)
        return (self.concurrency, self.pace, limits, self.budget, budgets)

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> "Control":
        """Reads back a ``row``. ValueError if nobody can have given such numbers."""
        concurrency, pace, limits, budget, agent_budgets = row
        read = BUDGETS.validate_json(agent_budgets)
        budgets = [*read.values(), *([] if budget is None else [budget])]
        if not (concurrency is None or 1 <= concurrency <= MOST_AT_ONCE):
            raise ValueError(f": {concurrency} at once")
        if pace is not None and pace < LEAST_PACE:
            raise ValueError(f": {pace} a second")
        if not all(0 <= dollars < math.inf for dollars in budgets):
            raise ValueError(f": budgets {budgets}")
        return cls(concurrency, pace, LIMITS.validate_json(limits), budget, read)


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls of models came to: how many, how many failed, tokens, US dollars where known.

    ``cached``: how many answers came from the cache, for which no call was sent.
    """

    calls: int
    failed_calls: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float
    cached: int = 0


@dataclass(slots=True)
class MatchLine:
    """A match as a list shows it; the one part of a save that a watcher keeps up to date.

    ``answers`` is how many it has, 0 once it has its outcome.
    """

    number: int
    entry: int
    experiment: str
    answers: int
    ending: str | None
    frozen: str | None

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.ending is not None or self.frozen is not None


@dataclass(frozen=True, slots=True)
class MatchCount:
    """How many matches a tournament has, and how many are over."""

    matches: int
    finished: int
    frozen: int

    @property
    def done(self) -> bool:
        """Whether every match is over or can no longer be played."""
        return self.finished + self.frozen == self.matches


@dataclass(frozen=True, slots=True)
class Progress(MatchCount):
    """How far a tournament is: counts of matches, answers and faults."""

    answers: int
    faults: int


_NAMES = TypeAdapter(tuple[str, ...])
_SEATS = TypeAdapter(tuple[int, ...])
_OUTCOME = TypeAdapter(Outcome)


tidy = lru_cache(maxsize=4096)(clean)
"""``clean`` for texts that stand in many rows: names, kinds, conditions, experiments."""


def problem_of(error: Exception) -> str:
    """Field and problem of a value that could not be read, ready to follow its place."""
    return ": ".join(
        first_problem(error) if isinstance(error, ValidationError) else ("", str(error))
    )


def match_of(row: tuple[Any, ...]) -> StoredMatch:
    """A row of ``matches`` with its texts cleaned and its JSON read."""
    return StoredMatch(
        number=row[0],
        entry=row[1],
        setting=row[2],
        setting_key=row[3],
        game=tidy(row[4]),
        condition=tidy(row[5]),
        experiment=tidy(row[6]),
        agents=tuple(tidy(name) for name in _NAMES.validate_json(row[7])),
        counted=tuple(Seat(seat) for seat in _SEATS.validate_json(row[8])),
        seed=row[9],
        outcome=outcome_from_json(row[10]) if row[10] is not None else None,
        frozen=clean(row[11]) if row[11] is not None else None,
    )


def outcome_to_json(outcome: Outcome) -> str:
    """An outcome as the save keeps it."""
    # Whole payoffs are written as floats, as they are read back.
    named = {field.name: getattr(outcome, field.name) for field in fields(outcome)}
    named["payoffs"] = [float(payoff) for payoff in outcome.payoffs]
    return json.dumps(named, sort_keys=True)


def outcome_from_json(text: str) -> Outcome:
    """Reads back ``outcome_to_json``. ValueError if it is not one."""
    plain = text.isascii() and text.isprintable() and "\\" not in text
    if plain and len(text) <= LONGEST_TEXT:  # so that there is nothing to clean in it
        return _OUTCOME.validate_json(text)
    return _OUTCOME.validate_python(clean_all(json.loads(text)))


def notes_from_json(text: str) -> dict[str, Any]:
    """What an agent noted with an answer. ValueError if it is no object of JSON."""
    try:
        notes = clean_all(json.loads(text))
    except RecursionError:
        raise ValueError("the notes are nested too deeply") from None
    if not isinstance(notes, dict):
        raise ValueError("the notes are no object")
    return notes
