"""A form as data: the fields for an answer, and the answer made of their contents."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Literal, NamedTuple, cast

from rich.cells import cell_len
from rich.text import Text

from parlour.games.common.validation_messages import path_of
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.game import AskTexts, FieldTexts
from parlour.games.engine.moves import PLAYER_SCHEMA, REASONS, Answer, Ask, Fault, Seat, player

PathKey = str | int
FieldPath = tuple[PathKey, ...]
Content = str | int | bool | None
"""Content of a field: a text, the index of the chosen option, or the state of a tick."""
Kind = Literal["tick", "choice", "number", "text", "json", "button"]
TYPED = frozenset({"number", "text", "json"})
"""The kinds of fields in which keys are typed."""
_PLAYER = re.compile(r"Player ([1-9][0-9]*)")
MOST_DIGIT = 9
BUTTON: FieldPath = ("",)
"""The path of the button, which is that of no field of an answer."""


class Cursor(NamedTuple):
    """The place of the keys: a field, and the caret in its text; None is its end."""

    path: FieldPath
    caret: int | None = None


class FormRow(NamedTuple):
    """A line of a form and the field that it belongs to; headings and blank lines have none.

    A line of typed text has its first sign's index and its first column.
    """

    line: Text
    path: FieldPath | None = None
    start: int | None = None
    column: int = 0


FormRows = list[FormRow]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form; ``path`` names it, and is its place in an answer.

    ``options`` of a choice are pairs of a shown text and its value. ``content`` is the one at
    first, or the one now. ``hint`` stands behind the field, ``unset`` in an empty one. An
    ``optional`` field may stay empty. In a ``nullable`` one, empty stands for null.
    """

    path: FieldPath
    label: str
    kind: Kind
    options: tuple[tuple[str, object], ...] = ()
    content: Content = None
    optional: bool = False
    nullable: bool = False
    hint: str = ""
    unset: str = ""

    @property
    def is_typed(self) -> bool:
        """True for a field in which keys are typed."""
        return self.kind in TYPED

    @property
    def value(self) -> object:
        """The value of the chosen option; of other fields the content."""
        if self.kind == "choice" and self.content is not None:
            return self.options[int(self.content)][1]
        return self.content

    def turned(self, by: int) -> Content:
        """The content after a step on or back: the next option, or a number one larger.

        After the last option comes the first. What is no whole number stays as it is.
        """
        if self.kind == "tick":
            return not self.content
        if self.kind == "choice":
            last = len(self.options) - 1
            outside = -1 if by > 0 else last + 1
            here = self.content if isinstance(self.content, int) else outside
            return (here + by) % (last + 1)
        text = str(self.content or "0").strip().removeprefix("$").replace(",", "")
        whole = text.removeprefix("-").isdecimal()
        return str(max(0, int(text) + by)) if whole else self.content

    def digits(self) -> list[int | None]:
        """The digit that chooses each option, None beyond 9.

        A player has the own number, a digit stands for itself, and any other option has its
        position. With players left out, options that are no player come after the last player.
        """
        shown = [name for name, _ in self.options]
        if all(len(name) == 1 and name.isdecimal() for name in shown):
            return [int(name) for name in shown]
        numbers = [player_number(value) for _, value in self.options]
        highest = max((number for number in numbers if number is not None), default=0)
        digits: list[int | None] = []
        for number in numbers:
            if number is None:
                highest += 1
            digit = highest if number is None else number
            digits.append(digit if digit <= MOST_DIGIT else None)
        return digits


@dataclass(frozen=True, slots=True)
class Sum:
    """Numbers of a form that must make a total together: those below a path."""

    path: FieldPath
    total: int

    def includes(self, field: Field) -> bool:
        """True for a field that is part of the sum."""
        return field.kind == "number" and field.path[: len(self.path)] == self.path


@dataclass(frozen=True, slots=True)
class Form:
    """The fields to fill in, ``fixed`` parts of the answer that are given, and ``sums``."""

    fields: tuple[Field, ...]
    fixed: tuple[tuple[FieldPath, object], ...] = ()
    sums: tuple[Sum, ...] = ()

    def last_of(self, one: Sum) -> Field | None:
        """The last field of a sum."""
        return next(filter(one.includes, reversed(self.fields)), None)

    def value(self, contents: Sequence[Content]) -> "dict[str, Any] | Missing":
        """The answer as plain data, from one content a field."""
        parts: list[tuple[FieldPath, object]] = list(self.fixed)
        for field, content in zip(self.fields, contents, strict=True):
            if field.kind == "choice":
                if not isinstance(content, int):
                    return Missing(field, "choose an option")
                parts.append((field.path, field.options[content][1]))
            elif str(content or "").strip() or (field.kind == "text" and not field.nullable):
                parts.append((field.path, _parsed(field, str(content or ""))))
            elif field.nullable:
                parts.append((field.path, None))
            elif not field.optional:
                return Missing(field, "enter a value")
        for one in self.sums:
            given, last = self.sum_of(one, contents), self.last_of(one)
            if given not in {None, one.total} and last is not None:
                return Missing(last, f"together {given:.15g}: they must sum to {one.total}")
        answer = _assembled(parts)
        return answer if isinstance(answer, dict) else {}

    def contents(self, answer: Mapping[str, Any]) -> list[Content]:
        """The contents with which the form gives a stored answer again.

        A field of which the answer has no part, or one that is no option here, is as at first.
        """
        rows = self._rows_of(answer)
        return [_content(field, answer, _path_in(rows, field.path)) for field in self.fields]

    def _rows_of(self, answer: Mapping[str, Any]) -> dict[FieldPath, FieldPath]:
        """The places of the rows of the form in an answer, which may list them in any order."""
        places: dict[FieldPath, FieldPath] = {}
        for path, name in self.fixed:
            with suppress(LookupError, TypeError):
                for number, row in enumerate(cast("list[Any]", value_at(answer, path[:-2]))):
                    if _is_option(row[path[-1]], name):
                        places[path[:-1]] = (*path[:-2], number)
        return places

    def sum_of(self, one: Sum, contents: Sequence[Content]) -> float | None:
        """The sum of the numbers entered so far, None while one of them is no number."""
        numbers: list[float] = []
        for field, content in zip(self.fields, contents, strict=True):
            text = str(content or "").strip()
            if one.includes(field) and text:
                number = _parsed(field, text)
                if not isinstance(number, int | float) or not isfinite(number):
                    return None
                numbers.append(number)
        return sum(numbers)


@dataclass(frozen=True, slots=True)
class Missing:
    """A field that must be filled in first, and the message that says so."""

    field: Field
    message: str


class Filling:
    """A form that is filled in: the content of each field, its button, and what is refused.

    ``refusal`` is the field to blame, None for no single one, and why it is refused, "" if
    nothing is.
    """

    def __init__(
        self, form: Form | None = None, contents: Sequence[Content] | None = None, button: str = ""
    ) -> None:
        """Without contents it has those at first, without words for a button it has none."""
        self.form = form or Form(())
        at_first = [field.content for field in self.form.fields]
        self.contents = at_first if contents is None else list(contents)
        self._button = [Field(BUTTON, button, "button")] if button else []
        self.refusal: tuple[FieldPath | None, str] = (None, "")

    def fields(self) -> list[Field]:
        """The fields with their contents, and the button."""
        pairs = zip(self.form.fields, self.contents, strict=True)
        return [*(replace(field, content=content) for field, content in pairs), *self._button]

    def fill(self, changed: Field) -> None:
        """Gives a field its new content. What was refused is so no longer."""
        paths = [field.path for field in self.form.fields]
        self.contents[paths.index(changed.path)] = changed.content
        self.refusal = None, ""

    def refuse(self, field: Field | None, words: str) -> None:
        """Says what is wrong with the answer, at the field to blame if there is one."""
        self.refusal = None if field is None else field.path, words

    def value(self) -> dict[str, Any] | Missing:
        """The answer as plain data."""
        return self.form.value(self.contents)

    def total(self, one: Sum) -> float | None:
        """The sum of the numbers entered so far."""
        return self.form.sum_of(one, self.contents)


def player_number(value: object) -> int | None:
    """The number of a player's name, None for anything else."""
    match = _PLAYER.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) if match else None


def _parsed(field: Field, text: str) -> object:
    """The value of a text; one that is no number stays a text, which the rules then refuse."""
    if field.kind == "text":
        return text
    try:
        if field.kind == "json":
            return json.loads(text)
        number = float(text)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    except (ValueError, RecursionError, OverflowError):
        return text


def _path_in(rows: Mapping[FieldPath, FieldPath], path: FieldPath) -> FieldPath:
    """The path of a field in an answer whose rows lie at other places."""
    for row, place in rows.items():
        if path[: len(row)] == row:
            return (*place, *path[len(row) :])
    return path


def _content(field: Field, answer: Mapping[str, Any], path: FieldPath) -> Content:
    """The content of a field that gives a part of an answer."""
    try:
        value = value_at(answer, path)
    except (LookupError, TypeError):
        return field.content
    if field.kind == "choice":
        options = enumerate(field.options)
        return next((n for n, (_, each) in options if _is_option(value, each)), field.content)
    if field.kind == "json":
        return json.dumps(value)
    if value is None:
        return ""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _is_option(value: object, option: object) -> bool:
    """True if a stored value is an option, which names a player where an answer has a seat."""
    number = player_number(option)
    if number is not None and type(value) is int:
        return value + 1 == number
    return type(value) is type(option) and value == option


def _assembled(parts: Sequence[tuple[FieldPath, object]]) -> object:
    """Puts parts together by their paths: names make a mapping, numbers a list."""
    if len(parts) == 1 and parts[0][0] == ():
        return parts[0][1]
    groups: dict[PathKey, list[tuple[FieldPath, object]]] = {}
    for path, value in parts:
        groups.setdefault(path[0], []).append((path[1:], value))
    assembled = {key: _assembled(group) for key, group in groups.items()}
    if assembled and all(isinstance(key, int) for key in assembled):
        return [assembled[key] for key in sorted(assembled, key=int)]
    return assembled


def value_at(data: Any, path: FieldPath) -> object:
    """The part of an answer at a path. Raises LookupError or TypeError if there is none."""
    for key in path:
        data = data[key]
    return data


def with_value(data: Any, path: FieldPath, value: object) -> Any:
    """A copy of an answer with another value at a path."""
    if not path:
        return value
    key, rest = path[0], path[1:]
    if isinstance(data, Mapping):
        return {**data, key: with_value(data.get(key, {}), rest, value)}
    changed = list(data)
    changed[int(key)] = with_value(changed[int(key)], rest, value)
    return changed


# --- The form of an ask

Schema = Mapping[str, Any]
REASON_LABEL = "Why"
DRAWS = 16
"""Legal answers drawn to find out which options are legal."""


class _Builder:
    """Walks through the schema of an ask's answer and collects fields and fixed parts.

    So games of other packages have forms too. What a schema leaves open, such as how many beliefs
    there are and of which players, is taken from legal answers that the ask draws. A game's own
    words for people take the place of the names of fields.
    """

    def __init__(self, ask: Ask[Any], view: View, texts: AskTexts | None) -> None:
        self.schema = ask.answer.model_json_schema()
        self._definitions: Schema = self.schema.get("$defs", {})
        self._ask, self._view = ask, view
        self._texts = {} if texts is None else texts.fields
        self.legal = _legal_answers(ask, view.seat)
        self.fixed: list[tuple[FieldPath, object]] = []
        self.sums: list[Sum] = []

    def fields(
        self, schema: Schema, drawn: Any, path: FieldPath, label: str, optional: bool
    ) -> Iterator[Field]:
        """Yields the fields for one part of the answer, of which ``drawn`` is a legal value."""
        default = schema.get("default")
        schema, nullable = self._resolved(schema)
        options = self._options(schema, path, nullable)
        if options:
            values = [value for _, value in options]
            chosen = values.index(default) if optional and default in values else None
            yield Field(path, label, "choice", options, chosen, optional, nullable)
        elif schema.get("type") == "object" and "properties" in schema:
            required = schema.get("required", ())
            # Models write their reason first; a person chooses first, and may leave it out.
            for name in sorted(schema["properties"], key=REASONS.__contains__):
                part = schema["properties"][name]
                part_drawn = drawn.get(name) if isinstance(drawn, dict) else None
                part_path = (*path, name)
                part_label = self._label(part_path, label)
                yield from self.fields(
                    part, part_drawn, part_path, part_label, optional or name not in required
                )
        elif schema.get("type") == "array" and isinstance(drawn, list) and drawn:
            yield from self._rows(schema, drawn, path, label)
        elif schema.get("type") in {"string", "number", "integer"}:
            kind: Literal["text", "number"] = "text" if schema["type"] == "string" else "number"
            text = "" if default is None else str(default)
            yield Field(path, label, kind, (), text, optional, nullable)
        else:
            text = "" if default is None else json.dumps(default)
            yield Field(path, label, "json", (), text, optional, nullable)

    def _rows(
        self, schema: Schema, drawn: list[Any], path: FieldPath, label: str
    ) -> Iterator[Field]:
        """Yields the fields of a list that is as long as the drawn one.

        The first property that differs in every row, such as the player a row is about, is fixed
        and names the row.
        """
        parts = schema.get("prefixItems") or [schema.get("items", {})] * len(drawn)
        key = self._naming_property(parts[0], drawn)
        texts = self._texts.get(_name(path))
        if texts is not None and texts.total is not None:
            self.sums.append(Sum(path, texts.total))
        for number, (part, row) in enumerate(zip(parts, drawn, strict=False)):
            row_path = (*path, number)
            if key is None:
                row_label = f"{label} {number + 1}"
                if texts is not None:
                    row_label = self._of_player(texts, player(number))
                yield from self.fields(part, row, row_path, row_label, False)
                continue
            whole, _ = self._resolved(part)
            name = self._as_written(whole["properties"][key], row[key])
            self.fixed.append(((*row_path, key), name))
            rest = {other: its for other, its in whole["properties"].items() if other != key}
            yield from self.fields({**whole, "properties": rest}, row, row_path, str(name), False)

    def _label(self, path: FieldPath, label: str) -> str:
        """The label of a field: the game's own, else made of its name and what it is part of."""
        texts = self._texts.get(_name(path))
        name = str(path[-1])
        if texts is not None:
            return self._of_player(texts, label)
        if name in REASONS and not label:
            return REASON_LABEL
        if label == player(self._view.seat):
            label = f"{label} (you)"
        words = name.replace("_", " ")
        return f"{label}, {words}" if label else words

    def _of_player(self, texts: FieldTexts, name: str) -> str:
        if texts.own and name == player(self._view.seat):
            return texts.own
        return texts.label.replace("{player}", name)

    def _naming_property(self, part: Schema, drawn: list[Any]) -> str | None:
        whole, _ = self._resolved(part)
        for name in whole.get("properties", {}):
            values = [row.get(name) for row in drawn if isinstance(row, dict)]
            if all(isinstance(v, str | int) for v in values) and len(set(values)) == len(drawn):
                return str(name)
        return None

    def _as_written(self, schema: Schema, value: Any) -> object:
        """A drawn value as an agent writes it: a seat by its player's name."""
        is_seat = isinstance(value, int) and _is_player(self._resolved(schema)[0])
        return player(value) if is_seat else value

    def _resolved(self, schema: Schema) -> tuple[Schema, bool]:
        """A schema without references, and whether it allows null."""
        nullable = False
        while True:
            if "$ref" in schema:
                schema = self._definitions[schema["$ref"].rsplit("/", 1)[-1]]
            elif "anyOf" in schema and {"type": "null"} in schema["anyOf"]:
                others = [part for part in schema["anyOf"] if part != {"type": "null"}]
                schema = others[0] if len(others) == 1 else {"anyOf": others}
                nullable = True
            else:
                return schema, nullable

    def _options(
        self, schema: Schema, path: FieldPath, nullable: bool
    ) -> tuple[tuple[str, object], ...]:
        """The legal options of a choice, empty if it is none."""
        values: list[object] = list(schema.get("enum", ()))
        if _is_player(schema):
            values = values or [player(seat) for seat in self._view.seats]
        elif schema.get("type") == "boolean":
            values = [False, True]
        if not values:
            return ()
        legal = [value for value in values if self._is_legal(path, value)] or values
        if nullable and self._is_legal(path, None):
            legal.append(None)
        words = _WORDS | {None: "nobody" if _is_player(schema) else "nothing"}
        texts = self._texts.get(_name(path))
        if texts is not None:
            words |= texts.options
        return tuple((self._option(value, words), value) for value in legal)

    def _option(self, value: object, words: Mapping[Any, str]) -> str:
        """The shown text of an option."""
        if value == player(self._view.seat):
            return f"{value} (you)"
        # 1 and 0 are equal to True and False, whose words are not theirs.
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return str(value) if is_number else words.get(value, str(value))

    def _is_legal(self, path: FieldPath, value: object) -> bool:
        """True unless every legal answer becomes illegal with that value at the path."""
        tried = False
        for answer in self.legal:
            changed = self._changed(answer, path, value)
            if changed is not None and not isinstance(
                self._ask.judge(self._view.seat, changed), Fault
            ):
                return True
            tried = tried or changed is not None
        return not tried

    def _changed(self, answer: Any, path: FieldPath, value: object) -> Answer | None:
        """A legal answer with another value at a path, None if it has no such place.

        An answer has a player as a seat, or as a name where it declares names.
        """
        number = player_number(value)
        try:
            if number is not None and not isinstance(value_at(answer, path), str):
                value = Seat(number - 1)
            changed: Answer = self._ask.answer.model_validate(with_value(answer, path, value))
        except (LookupError, TypeError, ValueError):
            return None
        return changed


_WORDS: dict[Any, str] = {False: "no", True: "yes"}


def form_of(ask: Ask[Any], view: View, texts: AskTexts | None = None) -> Form:
    """The form of an ask for the seat of the view, in the game's own words if it has any.

    What must be filled in comes first.
    """
    builder = _Builder(ask, view, texts)
    fields = builder.fields(builder.schema, builder.legal[0], (), "", False)
    ordered = sorted(fields, key=lambda field: field.optional)
    return Form(tuple(ordered), tuple(builder.fixed), tuple(builder.sums))


def field_to_blame(ask: Ask[Any], seat: Seat, form: Form, value: object) -> Field | None:
    """The field of a refused answer that must change: with another content it would be legal.

    Where several must change it is the one that the refusal names, or the last of a sum.
    """
    drawn = _legal_answers(ask, seat)
    for field in form.fields:
        others = [option for _, option in field.options] or _values_at(drawn, field.path)
        if any(_is_cured(ask, seat, value, field.path, other) for other in others):
            return field
    refusal = ask.judge(seat, value)
    named = refusal.message.partition(":")[0] if isinstance(refusal, Fault) else ""
    for field in form.fields:
        if named == path_of(field.path):
            return field
    return form.last_of(form.sums[0]) if form.sums else None


def _is_cured(ask: Ask[Any], seat: Seat, value: object, path: FieldPath, other: object) -> bool:
    """True if a refused answer is legal with another value at a path."""
    try:
        changed = with_value(value, path, other)
    except (LookupError, TypeError):
        return False
    return not isinstance(ask.judge(seat, changed), Fault)


def _legal_answers(ask: Ask[Any], seat: Seat) -> list[Any]:
    """A few legal answers as plain data."""
    drawn = (ask.sample(seat, Dice("form", number)) for number in range(DRAWS))
    return [answer.model_dump(mode="json") for answer in drawn]


def _values_at(answers: Sequence[Any], path: FieldPath) -> list[object]:
    """The values that answers have at a path."""
    values = []
    for answer in answers:
        with suppress(LookupError, TypeError):
            values.append(value_at(answer, path))
    return values


def _name(path: FieldPath) -> str:
    """The name of a field in a game's words: its path without the numbers of rows."""
    return ".".join(key for key in path if isinstance(key, str))


def _is_player(schema: Schema) -> bool:
    """True for the schema of a player's name: its pattern, or a list of such names."""
    names = schema.get("enum", ())
    listed = bool(names) and all(player_number(name) is not None for name in names)
    return listed or schema.get("pattern") == PLAYER_SCHEMA["pattern"]


# --- Editing of a text by keys


class Edited(NamedTuple):
    """A text and its caret: the index of the sign before which is inserted."""

    text: str
    caret: int

    def inserting(self, more: str) -> "Edited":
        """With more at the caret."""
        return Edited(
            self.text[: self.caret] + more + self.text[self.caret :], self.caret + len(more)
        )

    def to(self, caret: int) -> "Edited":
        """With the caret elsewhere."""
        return Edited(self.text, max(0, min(len(self.text), caret)))

    def without(self, start: int, end: int) -> "Edited":
        """Without a part, at whose place the caret is then."""
        return Edited(self.text[: max(0, start)] + self.text[end:], max(0, start))

    @property
    def word_before(self) -> int:
        """The start of the word before the caret."""
        before = self.text[: self.caret].rstrip()
        return before.rfind(" ") + 1

    @property
    def word_after(self) -> int:
        """The end of the word behind the caret."""
        rest = self.text[self.caret :]
        blanks = len(rest) - len(rest.lstrip())
        end = rest.find(" ", blanks)
        return len(self.text) if end < 0 else self.caret + end


EDITS: Mapping[str, Callable[[Edited], Edited]] = {
    "left": lambda old: old.to(old.caret - 1),
    "right": lambda old: old.to(old.caret + 1),
    "home": lambda old: old.to(0),
    "end": lambda old: old.to(len(old.text)),
    "ctrl+left": lambda old: old.to(old.word_before),
    "ctrl+right": lambda old: old.to(old.word_after),
    "backspace": lambda old: old.without(old.caret - 1, old.caret),
    "delete": lambda old: old.without(old.caret, old.caret + 1),
    "ctrl+w": lambda old: old.without(old.word_before, old.caret),
    "ctrl+u": lambda old: old.without(0, old.caret),
    "ctrl+k": lambda old: old.without(old.caret, len(old.text)),
}
"""The keys that edit, as in Textual's input. Left, home and the like move the caret alone."""


def line_starts(text: str, width: int) -> list[int]:
    """The index of the first sign of each line of a text, wrapped at blanks where it has some.

    There is room for the caret behind the last sign.
    """
    starts, start, used = [0], 0, 0
    for index, sign in enumerate(f"{text} "):
        used += cell_len(sign)
        if used <= width or index == start:
            continue
        blank = text.rfind(" ", start, index)
        start = blank + 1 if blank >= 0 else index
        starts.append(start)
        used = cell_len(text[start : index + 1]) + (index == len(text))
    return starts
