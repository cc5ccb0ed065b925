"""Row types of a save, and their conversion from and to columns.

Last come the cells of ``stored_matches`` and ``stored_answers``, the statements that add them, and
fingerprints, which are stored in eight bytes instead of sixteen hex digits.

Scripted players repeat their answers, and a tournament its experiments, line-ups and outcomes.
Each text that rows repeat is stored once, in ``texts``, under a number: a cell has the number of
its text, or the text itself.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from parlour.agents.model_calls import Completion
from parlour.games.common.errors import BadInput
from parlour.games.common.text import LONGEST_TEXT, clean, clean_all
from parlour.games.common.validation_messages import first_problem
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Outcome, Seat
from parlour.games.engine.wordings import parted
from parlour.tournament.plan.schedule import PlannedMatch
from parlour.tournament.plan.schema import Limit
from parlour.tournament.save.bounds import LEAST_BUDGET, LEAST_PACE, MOST_AT_ONCE
from parlour.tournament.save.database import damaged


@dataclass(frozen=True, slots=True)
class StoredMatch(PlannedMatch):
    """A row of ``matches``: a planned match, and its outcome once it has one.

    A match has three more shapes, each for a reason: ``PlannedMatch`` is a match before there is
    a save, ``MatchLine`` the few fields that a list of a million matches can keep in memory, and
    ``MatchRecord`` (of the games) what ratings read without knowing of saves.
    ``frozen`` is the reason why the match can no longer be replayed. ``place`` is the number that
    the match would have if all matches had been planned at once, None for its number.
    """

    outcome: Outcome | None = None
    frozen: str | None = None
    place: int | None = None

    @property
    def planned(self) -> PlannedMatch:
        """The match as it was planned."""
        return PlannedMatch(*[getattr(self, name) for name in PlannedMatch.__dataclass_fields__])

    @property
    def order(self) -> int:
        """Its place among all matches."""
        return self.number if self.place is None else self.place

    def dice(self, ask: int, seat: Seat, attempt: int) -> Dice:
        """The dice of a seat's agent for one try at an ask.

        They belong to this match alone: to its seed, its condition and its agents by seat, which
        no other match of the tournament has, and which stay when it grows, is split or merged. Its
        counterparts in other wordings have the same dice.
        Matches that share a seed share the draws of the game, and none of an agent.
        """
        own = _own_seed(self.seed, self.condition, self.agents)
        return Dice(own, "agent", ask, seat, self.agents[seat], attempt)

    def choice_order(self, ask: int, seat: Seat) -> int:
        """The draw that orders the choices of an ask for a seat, the same at every try."""
        return self.dice(ask, seat, 0).below(2**32)


@lru_cache(maxsize=1024)  # a match asks often
def _own_seed(seed: int, condition: str, agents: tuple[str, ...]) -> int:
    identity = seed, parted(condition)[1], agents
    digest = blake2b(repr(identity).encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest)


class StoredAnswer(NamedTuple):
    """A row of ``answers``.

    ``value`` is the answer as JSON, since only the table of its match knows its model. ``notes``
    are a mapping until the writer, and the stored JSON in a row that was read. ``begun`` is when
    the agent was asked, in seconds since 1970, and ``latency`` the seconds until its answer stood;
    None for one that answers at once.
    (A named tuple, since one is made for every answer and a frozen dataclass costs more.)
    """

    match: int
    ask: int
    seat: Seat
    kind: str
    round: int
    value: str
    fault: str | None
    tries: int
    notes: Mapping[str, Any] | str | None
    digest: str
    seq: int = 0
    begun: float | None = None
    latency: float | None = None


@dataclass(frozen=True, slots=True)
class Reservation:
    """A row of ``reservations``: the most that a call in flight can cost, in US dollars."""

    id: int
    agent: str
    dollars: float


RETIRED = "retired: "
"""The beginning of why a match is frozen that was closed, since this agent has retired."""
LIMITS = TypeAdapter(tuple[Limit, ...])
"""JSON of the limits column."""
BUDGETS = TypeAdapter(dict[str, float])
"""JSON of the budgets column: US dollars by agent."""
CONTROL = (
    "UPDATE control SET (concurrency, pace, limits, budget, agent_budgets, until) = (?,?,?,?,?,?)"
)
"""Statement that stores ``RunOptions.row``."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The row of ``control``: how the save is played.

    ``concurrency`` is the number of matches at once (None: the default), ``pace`` the asks per
    second (None: no limit). Budgets are in US dollars: ``budget`` for all models together (None:
    no limit), ``agent_budgets`` for single agents. ``until`` is when an adaptive tournament ends
    (None: when all ranks are decided).

    Some options hold for one run and are not stored: ``workers``, the number of processes that may
    play matches which wait for nobody (None: as many as there are cores), ``ray``, the address
    of a Ray cluster whose workers do that and send the calls of models, ``deadline``, when the run
    ends at the latest, ``give_up_after``, the seconds without progress after which it does, and
    ``metrics``, the file that has its counts.
    """

    concurrency: int | None = None
    pace: float | None = None
    limits: tuple[Limit, ...] = ()
    budget: float | None = None
    agent_budgets: dict[str, float] = field(default_factory=dict)
    until: str | None = None
    workers: int | None = None
    ray: str | None = None
    deadline: datetime | None = None
    give_up_after: float | None = None
    metrics: str | None = None

    def updated(self, wanted: "RunOptions") -> "RunOptions":
        """Returns a copy with the options that ``wanted`` has; inf lifts a pace or budget."""
        pace = self.pace if wanted.pace is None else wanted.pace
        options = replace(
            wanted,  # which has all that holds for one run
            concurrency=wanted.concurrency or self.concurrency,
            pace=None if pace == math.inf else pace,
            limits=self.limits,
            budget=self.budget,
            agent_budgets=self.agent_budgets,
            until=wanted.until or self.until,
        )
        return options if wanted.budget is None else options.with_budget(wanted.budget, None)

    def with_budget(self, dollars: float | None, agent: str | None) -> "RunOptions":
        """Returns a copy with another budget, of one agent or of all; None or inf lifts it."""
        if dollars == math.inf:
            dollars = None
        if agent is None:
            return replace(self, budget=dollars)
        budgets = {name: its for name, its in self.agent_budgets.items() if name != agent}
        if dollars is not None:
            budgets[agent] = dollars
        return replace(self, agent_budgets=budgets)

    def is_bounded(self, agent: str) -> bool:
        """True if a budget limits this agent."""
        return self.budget is not None or agent in self.agent_budgets

    def row(self) -> tuple[object, ...]:
        """Returns the columns of ``control``."""
        limits = LIMITS.dump_json(self.limits).decode()
        budgets = json.dumps(self.agent_budgets, sort_keys=True)
        return (self.concurrency, self.pace, limits, self.budget, budgets, self.until)

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> "RunOptions":
        """Reads back a ``row``. ValueError if a number is out of range, or until is no rule."""
        concurrency, pace, limits, budget, agent_budgets, until = row
        by_agent = BUDGETS.validate_json(agent_budgets)
        budgets = [*by_agent.values(), *([] if budget is None else [budget])]
        if not (concurrency is None or 1 <= concurrency <= MOST_AT_ONCE):
            raise ValueError(f": invalid concurrency {concurrency}")
        if pace is not None and pace < LEAST_PACE:
            raise ValueError(f": invalid pace {pace}")
        if not all(LEAST_BUDGET <= dollars < math.inf for dollars in budgets):
            raise ValueError(f": invalid budgets {budgets}")
        if until is not None:
            from parlour.ratings.adaptive.until import until_of  # most saves have none

            try:
                until_of(until)
            except BadInput as refusal:
                raise ValueError(f"until: {refusal.problem}") from None
        limited = LIMITS.validate_json(limits)
        return cls(concurrency, pace, limited, budget, by_agent, until)


@dataclass(frozen=True, slots=True)
class Spent:
    """Totals of model calls: attempts, failures, tokens, and US dollars where known.

    ``cached`` counts answers from the cache, for which no call was sent.
    """

    calls: int
    failed_calls: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float
    cached: int = 0


@dataclass(frozen=True, slots=True)
class MatchCount:
    """Number of matches of a tournament, and of those that are over."""

    matches: int
    finished: int
    frozen: int
    grows: bool = field(default=False, kw_only=True)
    """True while an adaptive tournament goes on to plan matches."""

    @property
    def done(self) -> bool:
        """True if every match is finished or frozen, and no more are planned."""
        return self.finished + self.frozen == self.matches and not self.grows


@dataclass(frozen=True, slots=True)
class Progress(MatchCount):
    """Counts of matches, answers and faults."""

    answers: int
    faults: int


_NAMES = TypeAdapter(tuple[str, ...])
_SEATS = TypeAdapter(tuple[int, ...])
_OUTCOME = TypeAdapter(Outcome)
USUAL_OUTCOME = 1000
"""Characters up to which the text of an outcome is worth keeping: longer ones hardly recur."""


tidy = lru_cache(maxsize=4096)(clean)
"""``clean``, cached for texts that many rows repeat: names, kinds, conditions, experiments."""


def problem_of(error: Exception) -> str:
    """Field and problem of a value that could not be read, to be appended to its place."""
    return ": ".join(
        first_problem(error) if isinstance(error, ValidationError) else ("", str(error))
    )


def match_of(row: tuple[Any, ...], text_of: Callable[[int | str], str]) -> StoredMatch:
    """Returns a row of ``stored_matches`` with its texts cleaned and its JSON parsed."""
    return StoredMatch(
        number=row[0],
        entry=row[1],
        setting=row[2],
        setting_key=tidy(text_of(row[3])),
        game=tidy(text_of(row[4])),
        condition=tidy(text_of(row[5])),
        experiment=tidy(text_of(row[6])),
        agents=names_of(text_of(row[7])),
        counted=_seats(text_of(row[8])),
        seed=row[9],
        outcome=_outcome(text_of(row[10])) if row[10] is not None else None,
        frozen=clean(row[11]) if row[11] is not None else None,
        place=row[12],
    )


@lru_cache(maxsize=4096)  # a tournament repeats its seatings
def names_of(text: str) -> tuple[str, ...]:
    """The agents of a match by seat, from their column. ValueError if it is not a list of names."""
    return tuple(tidy(name) for name in _NAMES.validate_json(text))


@lru_cache(maxsize=1024)
def _seats(text: str) -> tuple[Seat, ...]:
    return tuple(Seat(seat) for seat in _SEATS.validate_json(text))


def _outcome(text: str) -> Outcome:
    return _usual_outcome(text) if len(text) <= USUAL_OUTCOME else outcome_from_json(text)


def outcome_to_json(outcome: Outcome) -> str:
    """Returns the JSON of an outcome."""
    # Whole payoffs become floats, as they are when read back: the texts are compared.
    named = {field.name: getattr(outcome, field.name) for field in fields(outcome)}
    named["payoffs"] = [float(payoff) for payoff in outcome.payoffs]
    return json.dumps(named, sort_keys=True)


def outcome_from_json(text: str) -> Outcome:
    """Reads back ``outcome_to_json``. ValueError if the text is not an outcome."""
    plain = text.isascii() and text.isprintable() and "\\" not in text
    if plain and len(text) <= LONGEST_TEXT:  # fast path: nothing to clean
        return _OUTCOME.validate_json(text)
    return _OUTCOME.validate_python(clean_all(json.loads(text)))


_usual_outcome = lru_cache(maxsize=1024)(outcome_from_json)


def notes_to_json(notes: Mapping[str, Any] | str | None) -> str | None:
    """Returns the column of an answer's notes; empty notes are stored as null."""
    if notes is None or isinstance(notes, str):
        return notes
    return json.dumps(dict(notes), sort_keys=True) if notes else None


def notes_from_json(text: str) -> dict[str, Any]:
    """Reads back ``notes_to_json``. ValueError if the text is not a JSON object."""
    try:
        notes = clean_all(json.loads(text))
    except RecursionError:
        raise ValueError("the notes are nested too deeply") from None
    if not isinstance(notes, dict):
        raise ValueError("the notes are not a JSON object")
    return notes


def notes_of(answer: StoredAnswer) -> dict[str, Any]:
    """The notes of an answer, {} if it has none. ValueError if stored notes are damaged."""
    if not answer.notes:
        return {}
    if isinstance(answer.notes, str):
        return notes_from_json(answer.notes)
    return dict(answer.notes)


@lru_cache(maxsize=1024)  # most are templates, which every call names
def fingerprint(text: str) -> str:
    """The fingerprint of a text in sixteen hex digits."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


def packed_digest(digest: str) -> bytes | str:
    """Returns the bytes of a fingerprint, or other text as it is."""
    try:
        packed = bytes.fromhex(digest)
    except ValueError:
        return digest
    return packed if packed.hex() == digest else digest


def digest_text(stored: bytes | str) -> str:
    """Reads back ``packed_digest``."""
    return stored if isinstance(stored, str) else stored.hex()


MOST_SHARED = 16_384
"""Texts that a save shares at most: the writer and each reader keep them in memory."""
LONGEST_SHARED = 500
"""Characters of the longest text that is shared."""


class TextNumbers:
    """Gives numbers to texts, for the one process that writes a save.

    A text gets one at its second occurrence, since most texts of language models have no second.
    ``stored`` are the numbers and texts that the save has. ``new`` are those that it gets next:
    the caller stores them in the same commit as the rows, and clears the list.
    """

    def __init__(self, stored: Iterable[tuple[int, str]] = (), most: int = MOST_SHARED) -> None:
        self._numbers = {text: number for number, text in stored}
        self._last = max(self._numbers.values(), default=0)
        self._most = most
        self._seen: set[str] = set()
        self.new: list[tuple[int, str]] = []

    def cell(self, text: str) -> int | str:
        """Returns the number of a text, or the text if it has none."""
        number = self._numbers.get(text)
        if number is not None:
            return number
        if len(text) > LONGEST_SHARED or len(self._numbers) >= self._most:
            return text
        if text not in self._seen:
            if len(self._seen) >= self._most:  # forgets texts that have not recurred for long
                self._seen.clear()
            self._seen.add(text)
            return text
        self._seen.discard(text)
        self._last += 1
        self._numbers[text] = self._last
        self.new.append((self._last, text))
        return self._last


class SharedTexts(dict[int, str]):
    """The shared texts of an open save by number, read when one is met that is not here yet.

    ``select`` returns the rows of a query. A number without a text raises BadSave.
    """

    def __init__(self, path: Path, select: Callable[..., list[tuple[int, str]]]) -> None:
        super().__init__()
        self._path = path
        self._select = select

    def __missing__(self, number: int) -> str:
        known = max(self, default=0)
        self.update(self._select("SELECT id, text FROM texts WHERE id > ?", known))
        if self.get(number) is None:
            raise damaged(self._path, f"text {number} is missing")
        return self[number]

    def text(self, cell: int | str) -> str:
        """The text of a cell."""
        return cell if isinstance(cell, str) else self[cell]


ADD_TEXT = "INSERT INTO texts (id, text) VALUES (?, ?)"
ADD_MATCH = (
    "INSERT INTO stored_matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?, NULL, NULL)"
)
ADD_TEMPLATE = "INSERT OR IGNORE INTO templates (digest, name, text) VALUES (?, ?, ?)"
ADD_DECISION = "INSERT INTO decisions VALUES (?, ?, ?, ?)"
ADD_ANSWER = "INSERT INTO stored_answers VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
ANSWER_CELLS = (
    "match, ask, seat, kind, round, value, fault, tries, notes, digest, seq, begun, latency"
)
"""The columns of ``answer_of``."""


def match_cells(match: PlannedMatch, place: int, texts: TextNumbers) -> tuple[object, ...]:
    """The values of ``ADD_MATCH``."""
    return (
        match.number,
        match.entry,
        texts.cell(match.game),
        texts.cell(match.condition),
        match.setting,
        texts.cell(match.setting_key),
        texts.cell(match.experiment),
        texts.cell(json.dumps(match.agents)),
        texts.cell(json.dumps(match.counted)),
        match.seed,
        None if place == match.number else place,
    )


def answer_cells(answer: StoredAnswer, texts: TextNumbers) -> tuple[object, ...]:
    """The values of ``ADD_ANSWER``."""
    match, ask, seat, kind, round, value, fault, tries, notes, digest, _seq, *times = answer
    cells = texts.cell(kind), texts.cell(value), packed_digest(digest)
    column = notes_to_json(notes) if notes else None
    return match, ask, seat, cells[0], round, cells[1], fault, tries, column, cells[2], *times


def answer_of(cells: tuple[Any, ...], text_of: Callable[[int | str], str]) -> StoredAnswer:
    """Returns an answer from its ``ANSWER_CELLS``, its short texts cleaned."""
    match, ask, seat, kind, round, value, fault, tries, notes, digest, *rest = cells
    kind, value, digest = tidy(text_of(kind)), text_of(value), digest_text(digest)
    fault = tidy(fault) if fault is not None else None
    return StoredAnswer(match, ask, seat, kind, round, value, fault, tries, notes, digest, *rest)


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A row of ``calls``: one attempt at one model call, answered or failed.

    ``price`` is in US dollars, ``latency`` in seconds, ``begun`` in
    seconds since 1970. ``cache_key`` is a fingerprint of all that
    the answer depends on, if the cache may reuse it; ``copy_of`` is the ``seq`` of the call whose
    answer the cache reused.
    """

    match: int
    ask: int
    seat: Seat
    try_: int
    number: int
    attempt: int
    agent: str
    model: str
    prompt: str
    templates: str
    parameters: str
    failure: str | None
    message: str | None
    text: str | None
    thinking: str | None
    finish: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    price: float | None
    latency: float
    begun: float | None
    cached_tokens: int | None
    written_tokens: int | None
    reasoning_tokens: int | None
    provider_id: str | None
    cache_key: str | None = None
    copy_of: int | None = None
    served: str | None = None
    fingerprint: str | None = None
    host: str | None = None

    def completion(self) -> Completion:
        """Returns the answer as the agent got it the first time."""
        columns = {name: getattr(self, name) for name in ANSWER_COLUMNS}
        known: dict[str, Any] = {
            name: its for name, its in columns.items() if its not in {None, ""}
        }
        parameters = json.loads(self.parameters)
        return Completion(**{"text": "", **known}, latency=self.latency, parameters=parameters)


ANSWER_COLUMNS = (
    *("text", "thinking", "finish", "provider_id"),
    *("prompt_tokens", "completion_tokens", "cached_tokens", "written_tokens"),
    *("reasoning_tokens", "price", "served", "fingerprint", "host"),
)
"""The columns of a call that an answer has under the same name, and a failure has not."""
CALL_COLUMNS = tuple(field.name.rstrip("_") for field in fields(StoredCall))
"""The columns of ``calls`` in the order of a StoredCall."""
