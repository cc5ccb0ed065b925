"""A form as data: the fields for an answer, and the answer made of their contents.

It is made from the JSON schema that a model is shown, so games of other packages have forms too.
What a schema leaves open, such as how many beliefs there are and of which players, is taken from a
legal answer drawn by the ask.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.moves import PLAYER_SCHEMA, REASONS, Answer, Ask, Fault, Seat, player

Key = str | int
Path = tuple[Key, ...]
Content = str | int | None
"""Content of a field: a text, or the index of the chosen option."""
Schema = Mapping[str, Any]
_PLAYER = re.compile(r"Player ([1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of a form; ``path`` is its place in the answer.

    ``options`` of a choice are pairs of a shown text and its value. ``default`` is the first
    content. An ``optional`` field may stay empty. In a ``nullable`` one, empty stands for null.
    """

    path: Path
    label: str
    kind: Literal["choice", "text", "number", "json"]
    options: tuple[tuple[str, object], ...] = ()
    default: Content = None
    optional: bool = False
    nullable: bool = False

    def digits(self) -> list[int]:
        """The number that chooses each option: a player's own number, else its position.

        With players left out, options that are no player come after the last player.
        """
        numbers = [_player_number(value) for _, value in self.options]
        highest = max((number for number in numbers if number is not None), default=0)
        digits = []
        for number in numbers:
            if number is None:
                highest += 1
            digits.append(highest if number is None else number)
        return digits


@dataclass(frozen=True, slots=True)
class Form:
    """The fields to fill in, and ``fixed`` parts of the answer that are given."""

    fields: tuple[FormField, ...]
    fixed: tuple[tuple[Path, object], ...] = ()

    def value(self, contents: Sequence[Content]) -> "dict[str, Any] | Missing":
        """The answer as plain data, from one content a field."""
        parts: list[tuple[Path, object]] = list(self.fixed)
        for field, content in zip(self.fields, contents, strict=True):
            if field.kind == "choice":
                if not isinstance(content, int):
                    return Missing(field, f"{field.label}: choose an option")
                parts.append((field.path, field.options[content][1]))
            elif str(content or "").strip() or (field.kind == "text" and not field.nullable):
                parts.append((field.path, _parsed(field, str(content or ""))))
            elif field.nullable:
                parts.append((field.path, None))
            elif not field.optional:
                return Missing(field, f"{field.label}: enter a value")
        answer = _assembled(parts)
        return answer if isinstance(answer, dict) else {}


@dataclass(frozen=True, slots=True)
class Missing:
    """A field that must be filled in first, and the message that says so."""

    field: FormField
    message: str


class _Builder:
    """Walks through the schema of an ask's answer and collects fields and fixed parts."""

    def __init__(self, ask: Ask[Any], view: View) -> None:
        self.schema = ask.answer.model_json_schema()
        self._definitions: Schema = self.schema.get("$defs", {})
        self._ask, self._view = ask, view
        self._legal: Answer = ask.sample(view.seat, Dice("form"))
        self.drawn = self._legal.model_dump(mode="json")
        self.fixed: list[tuple[Path, object]] = []

    def fields(
        self, schema: Schema, drawn: Any, path: Path, label: str, optional: bool
    ) -> Iterator[FormField]:
        """Yields the fields for one part of the answer, of which ``drawn`` is a legal value."""
        default = schema.get("default")
        schema, nullable = self._resolved(schema)
        options = self._options(schema, path)
        if options:
            if nullable and not self._refuses(path, None):
                options = (*options, ("nobody" if _is_player(schema) else "nothing", None))
            values = [value for _, value in options]
            chosen = values.index(default) if optional and default in values else None
            yield FormField(path, label, "choice", options, chosen, optional, nullable)
        elif schema.get("type") == "object" and "properties" in schema:
            required = schema.get("required", ())
            # Models write their reason first; a person chooses first, and may leave it out.
            for name in sorted(schema["properties"], key=REASONS.__contains__):
                part = schema["properties"][name]
                part_drawn = drawn.get(name) if isinstance(drawn, dict) else None
                part_name = name.replace("_", " ")
                part_label = f"{label}, {part_name}" if label else part_name
                is_optional = name not in required
                yield from self.fields(part, part_drawn, (*path, name), part_label, is_optional)
        elif schema.get("type") == "array" and isinstance(drawn, list) and drawn:
            yield from self._rows(schema, drawn, path, label)
        elif schema.get("type") in {"string", "number", "integer"}:
            kind: Literal["text", "number"] = "text" if schema["type"] == "string" else "number"
            text = "" if default is None else str(default)
            yield FormField(path, label, kind, (), text, optional, nullable)
        else:
            text = "" if default is None else json.dumps(default)
            yield FormField(path, label, "json", (), text, optional, nullable)

    def _rows(
        self, schema: Schema, drawn: list[Any], path: Path, label: str
    ) -> Iterator[FormField]:
        """Yields the fields of a list that is as long as the drawn one.

        The first property that differs in every row, such as the player a row is about, is fixed
        and names the row.
        """
        parts = schema.get("prefixItems") or [schema.get("items", {})] * len(drawn)
        key = self._naming_property(parts[0], drawn)
        for number, (part, row) in enumerate(zip(parts, drawn, strict=False)):
            row_path = (*path, number)
            if key is None:
                yield from self.fields(part, row, row_path, f"{label} {number + 1}", False)
                continue
            whole, _ = self._resolved(part)
            name = self._as_written(whole["properties"][key], row[key])
            self.fixed.append(((*row_path, key), name))
            rest = {other: its for other, its in whole["properties"].items() if other != key}
            row_label = f"{name} (you)" if name == player(self._view.seat) else str(name)
            yield from self.fields({**whole, "properties": rest}, row, row_path, row_label, False)

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

    def _options(self, schema: Schema, path: Path) -> tuple[tuple[str, object], ...]:
        """The options of a choice, empty if it is none."""
        own = player(self._view.seat)
        names = schema.get("enum", ())
        if _is_player(schema):
            names = names or [player(seat) for seat in self._view.seats]
            if own in names and self._refuses(path, self._view.seat):
                names = [name for name in names if name != own]
        if names:
            return tuple((f"{name} (you)" if name == own else str(name), name) for name in names)
        return (("no", False), ("yes", True)) if schema.get("type") == "boolean" else ()

    def _refuses(self, path: Path, value: Seat | None) -> bool:
        """True if a legal answer becomes illegal with that player, or nobody, at the path."""
        seat = self._view.seat
        data = deepcopy(self.drawn)
        part = data
        try:
            for key in path[:-1]:
                part = part[key]
            # An answer has a player as a seat, or as a name where it declares names.
            drawn_value = part[path[-1]]
            part[path[-1]] = value
            if value is not None and isinstance(drawn_value, str):
                part[path[-1]] = player(value)
            candidate = self._ask.answer.model_validate(data)
        except (LookupError, TypeError, ValidationError):
            return False
        legal = not isinstance(self._ask.judge(seat, self._legal), Fault)
        return legal and isinstance(self._ask.judge(seat, candidate), Fault)


def form_of(ask: Ask[Any], view: View) -> Form:
    """The form of an ask for the seat of the view."""
    builder = _Builder(ask, view)
    fields = tuple(builder.fields(builder.schema, builder.drawn, (), "", False))
    return Form(fields, tuple(builder.fixed))


def _is_player(schema: Schema) -> bool:
    """True for the schema of a player's name: its pattern, or a list of such names."""
    names = schema.get("enum", ())
    listed = bool(names) and all(_player_number(name) is not None for name in names)
    return listed or schema.get("pattern") == PLAYER_SCHEMA["pattern"]


def _player_number(value: object) -> int | None:
    match = _PLAYER.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) if match else None


def _parsed(field: FormField, text: str) -> object:
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


def _assembled(parts: Sequence[tuple[Path, object]]) -> object:
    """Puts parts together by their paths: names make a mapping, numbers a list."""
    if len(parts) == 1 and parts[0][0] == ():
        return parts[0][1]
    groups: dict[Key, list[tuple[Path, object]]] = {}
    for path, value in parts:
        groups.setdefault(path[0], []).append((path[1:], value))
    assembled = {key: _assembled(group) for key, group in groups.items()}
    if assembled and all(isinstance(key, int) for key in assembled):
        return [assembled[key] for key in sorted(assembled, key=int)]
    return assembled
