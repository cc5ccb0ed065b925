"""Moves of a game: it tells, it asks, and it ends in an outcome.

A game is a generator that reads like its rulebook::

    def rules(setting, seats, dice):
        yield Tell("word", {"word": setting.word}, to=(seats[0],))
        votes = yield from ask(ballot(seats, round=1))
        return Outcome(...)
"""

import json
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import repeat
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, NewType, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
)

from parlour.games.common.text import clean, clean_all
from parlour.games.common.validation_messages import message_of, path_of
from parlour.games.engine.dice import Dice

Seat = NewType("Seat", int)
"""A place at the table: 0-based here and in the save, "Player k+1" to players."""


def player(seat: int) -> str:
    """The name that players know a seat by."""
    return f"Player {seat + 1}"


def _seat_of(value: object, info: ValidationInfo) -> object:
    """Reads "Player 3" as seat 2; leaves everything else to the validator.

    Plain data from an agent must not use bare numbers: 2 may mean seat 2 or Player 2, which is
    seat 1.
    """
    if isinstance(value, str):
        if value in _SEATS:
            return _SEATS[value]
        return _SEATS.get(value.strip().casefold(), value)
    if isinstance(value, int) and info.context is _PLAIN:
        raise ValueError(f"{value} is no player: name players as 'Player 1', 'Player 2' and so on")
    return value


_NAMES = {player(seat): seat for seat in range(-1, 999)}
_SEATS = _NAMES | {name.casefold(): seat for name, seat in _NAMES.items()}
_PLAIN = {"plain": True}
"""The validation context of plain data from an agent, as opposed to models from code or a save."""

PLAYER_SCHEMA = {"type": "string", "pattern": "^Player [1-9][0-9]*$"}
"""The JSON schema of a seat as models see it: players know seats only by name."""

# Strict, so that "2" is not read as a seat: it probably means Player 2, which is seat 1.
NamedSeat = Annotated[
    Seat, Field(strict=True), BeforeValidator(_seat_of), WithJsonSchema(PLAYER_SCHEMA)
]
"""A seat in an answer; players write it as "Player k"."""


def _no_truth_value(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError(f"{value} is no number")
    return value


Whole = Annotated[int, BeforeValidator(_no_truth_value)]
"""A whole number in an answer; true is not taken for 1."""


class FaultKind(StrEnum):
    """Reasons why an answer cannot be used."""

    EMPTY = "empty"
    """There is no answer."""
    TRUNCATED = "truncated"
    """The server stopped at the length limit."""
    REFUSAL = "refusal"
    """The model declined to play."""
    UNPARSABLE = "unparsable"
    """The answer does not fit the form."""
    ILLEGAL = "illegal"
    """The answer fits the form, but breaks the rules at this moment."""
    TIMEOUT = "timeout"
    """A person's clock ran out."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer that cannot be used, with a message for the player."""

    kind: FaultKind
    message: str = ""


REASONS = frozenset({"reasoning", "justification"})
"""Fields for an answer's reason."""


class Answer(
    BaseModel, frozen=True, extra="forbid", revalidate_instances="always", defer_build=True
):
    """Base of every answer model: immutable, nothing extra, cleaned each time it is read.

    ``required_of_models`` are fields that people and programs may leave out and models may not.
    ``reason_first``: the reason is the first field, since a model thinks as it writes; false where
    a paper asks otherwise.
    """

    required_of_models: ClassVar[frozenset[str]] = REASONS
    reason_first: ClassVar[bool] = True


A = TypeVar("A", bound=Answer)
T = TypeVar("T")
Record = Mapping[str, Any]
"""JSON values under the field names of one kind of event."""


class Tell(NamedTuple):
    """A record told to everyone, or to the named seats only.

    (A named tuple, as ``Ask`` is, since a match makes dozens and a frozen dataclass is slower.)
    """

    kind: str
    record: Record
    to: tuple[Seat, ...] | None = None
    round: int = 0


LONGEST_REASON = 1_000
"""Characters of a text for which the rules set no limit, in the schema that models get."""
Bounds = Callable[[Seat], Mapping[str, Record]]
"""JSON schema of what a seat may answer at the moment, by field: limits of numbers and texts, which
are added to the field's own schema, or a type with its names, which stands in its place."""


def named(seats: Iterable[Seat]) -> Record:
    """The schema of a field that names one of these seats."""
    return {"type": "string", "enum": [player(seat) for seat in seats]}


def drawn(order: int, options: Iterable[T]) -> list[T]:
    """The options in the order that ``order`` draws for them, whatever their order was.

    The same options come in the same order in a schema and in the words of a question. ``~order``
    is that order reversed.
    """
    known = sorted(options, key=repr)
    in_order = list(Dice("order", max(order, ~order), *map(repr, known)).shuffled(known))
    return in_order if order >= 0 else in_order[::-1]


class Ask(NamedTuple, Generic[A]):
    """One typed question to one seat, or to several at once.

    ``check`` says what depends on the moment (None: legal). ``fallback`` is what stands in
    for an answer that stayed faulty; it need not pass ``check``. ``sample`` draws any legal
    answer, for random players and for tests. ``probe`` marks a private question about
    beliefs: its answer enters nobody's view, not even the seat's own. ``bounds`` say in JSON
    schema what is legal at the moment, for the form that models get; ``check`` still decides.
    """

    kind: str
    seats: tuple[Seat, ...]
    answer: type[A]
    fallback: Callable[[Seat, Dice], A]
    sample: Callable[[Seat, Dice], A]
    check: Callable[[Seat, A], Fault | None] = lambda _seat, _answer: None
    round: int = 0
    probe: bool = False
    bounds: Bounds = lambda _seat: {}

    def schema(self, seat: Seat, order: int | None = None) -> dict[str, Any]:
        """The JSON schema of a model's answer by this seat: as far as it can say, legal ones only.

        ``order`` draws the order of the choices, None for the usual one.
        """
        schema = schema_of(self.answer)
        required = self.answer.required_of_models.union(schema.get("required", ()))
        properties = schema.get("properties", {})
        schema["required"] = [name for name in properties if name in required]
        for name in schema["required"]:
            properties[name].pop("default", None)
        for name, bounds in self.bounds(seat).items():
            properties[name] = bounds if "type" in bounds else properties[name] | bounds
        if "$defs" in schema and "#/$defs/" not in json.dumps(properties):
            del schema["$defs"]
        return schema if order is None else _in_order(schema, order)

    def judge(self, seat: Seat, raw: object) -> "A | Fault":
        """The validated answer, or the fault that makes it unusable."""
        # model_validate without its overhead, since asks in memory take microseconds.
        validate = self.answer.__pydantic_validator__.validate_python
        try:
            if isinstance(raw, dict) or not isinstance(raw, BaseModel):
                value = _read(validate, raw)
            else:
                value = validate(raw)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field_name = path_of(first["loc"]) or "the answer"
            problem = message_of(first)
            # The message may contain a field name that the player invented.
            return Fault(FaultKind.UNPARSABLE, clean(f"{field_name}: {problem}", 300))
        except RecursionError:
            return Fault(FaultKind.UNPARSABLE, "the answer is nested too deeply")
        return self.check(seat, value) or value


def _read(validate: Callable[..., A], raw: object) -> A:
    """Plain data as an answer, cleaned first where it cannot be read otherwise."""
    try:
        return validate(raw, context=_PLAIN)
    except (ValidationError, UnicodeError):
        # Cleaning costs time and is rarely needed: an escape sequence in a name, for instance.
        return validate(clean_all(raw), context=_PLAIN)


def schema_of(answer: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a form: no titles, no docstrings, and a limit of every text."""
    schema: dict[str, Any] = json.loads(_schema_text(answer))
    return schema


@lru_cache(maxsize=256)  # pydantic takes ten times as long as reading the text
def _schema_text(answer: type[BaseModel]) -> str:
    return json.dumps(_plain(answer.model_json_schema()))


def plain_answer(answer: Answer) -> dict[str, Any]:
    """An answer as plain data in the form that players write, with "Player 3" for a seat."""
    schema = _form_of(type(answer))
    written: dict[str, Any] = _with_names(answer.model_dump(mode="json"), schema, schema)
    return written


@lru_cache(maxsize=256)
def _form_of(answer: type[BaseModel]) -> dict[str, Any]:
    return schema_of(answer)


def _with_names(value: Any, part: Record, whole: Record) -> Any:
    """A value under a part of its schema, with the names of players where that wants them."""
    for option in part.get("anyOf", (part,)):
        named_form = option.get("$ref", "").rpartition("/")[2]
        form = whole["$defs"][named_form] if named_form else option
        if isinstance(value, dict) and "properties" in form:
            fields = form["properties"]
            return {name: _with_names(its, fields[name], whole) for name, its in value.items()}
        if isinstance(value, list):
            forms = form.get("prefixItems") or repeat(form.get("items", {}))
            return [_with_names(*each, whole) for each in zip(value, forms, strict=False)]
        if isinstance(value, int) and form.get("pattern") == PLAYER_SCHEMA["pattern"]:
            return player(value)
    return value


def _plain(part: Any) -> Any:
    """A part of a schema without words for readers of the code, and with limits of its texts."""
    if isinstance(part, list):
        return [_plain(each) for each in part]
    if not isinstance(part, dict):
        return part
    plain: dict[str, Any] = {}
    for name, value in part.items():
        if name in {"properties", "$defs"}:
            plain[name] = {field: _plain(its) for field, its in value.items()}
        elif name not in {"title", "description"}:
            plain[name] = _plain(value)
    if plain.get("type") == "string" and plain.keys().isdisjoint({"enum", "const", "pattern"}):
        return {"minLength": 1, "maxLength": LONGEST_REASON, **plain}
    return plain


def _in_order(part: Any, order: int) -> Any:
    """A part of a schema with its choices in the order that is drawn."""
    if isinstance(part, list):
        return [_in_order(each, order) for each in part]
    if not isinstance(part, dict):
        return part
    ordered = part.copy()
    for name, value in part.items():
        if isinstance(value, dict | list):  # most are plain, and this is done at every ask
            ordered[name] = drawn(order, value) if name == "enum" else _in_order(value, order)
    return ordered


def illegal(message: str) -> Fault:
    """The fault of an answer that breaks a rule."""
    return Fault(FaultKind.ILLEGAL, message)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a match.

    ``payoffs``, ``roles`` and ``sides`` have one entry a seat; ``winners`` are the seats that
    won, empty when the match ended level. ``facts`` are JSON values that measures need beside the
    answers, such as the meetings of a match.
    """

    ending: str
    payoffs: tuple[float, ...]
    roles: tuple[str, ...]
    sides: tuple[str, ...]
    winners: tuple[Seat, ...] = ()
    facts: Record = field(default_factory=dict)


Rules = Generator[Tell | Ask[Any], Any, Outcome]
"""A game in play: it yields tells and asks, and returns the outcome."""


def acted(ask: Ask[A], seat: Seat, cooperates: bool, _rules: Record) -> A:
    """The answer to an ask that is to cooperate or to defect; a seat that cannot pay defects."""
    answer = ask.judge(seat, {"action": "cooperate" if cooperates else "defect"})
    return ask.answer.model_validate({"action": "defect"}) if isinstance(answer, Fault) else answer


def ask(question: Ask[A]) -> Generator[Ask[A], dict[Seat, A], dict[Seat, A]]:
    """Asks a question and returns the answers by seat, typed as the question's model."""
    return (yield question)
