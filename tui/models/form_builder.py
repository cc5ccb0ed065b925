"""The form of an ask, made from the JSON schema that a model is shown.

So games of other packages have forms too. What a schema leaves open, such as how many beliefs there
are and of which players, is taken from legal answers that the ask draws. A game's own words for
people take the place of the names of fields.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from parlour.games.common.validation_messages import path_of
from parlour.games.engine.dice import Dice
from parlour.games.engine.events import View
from parlour.games.engine.metadata import AskTexts, FieldTexts
from parlour.games.engine.moves import PLAYER_SCHEMA, REASONS, Answer, Ask, Fault, Seat, player
from parlour.tui.models.form import (
    Field,
    FieldPath,
    Form,
    Sum,
    player_number,
    value_at,
    with_value,
)

Schema = Mapping[str, Any]
REASON_LABEL = "Why"
DRAWS = 16
"""Legal answers drawn to find out which options are legal."""


class _Builder:
    """Walks through the schema of an ask's answer and collects fields and fixed parts."""

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
            if changed is not None and not isinstance(self._judged(changed), Fault):
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

    def _judged(self, answer: object) -> Answer | Fault:
        return self._ask.judge(self._view.seat, answer)


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
