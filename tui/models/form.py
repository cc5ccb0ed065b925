"""A form as data: what there is to fill in for an answer, and the answer that comes of it.

It is made from the JSON schema that a model is shown, so that games from elsewhere have forms,
too. What a schema leaves open, how many beliefs there are and whose, is taken from an answer drawn
at random, which is a legal one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import PLAYER_SCHEMA, Ask, player
from parlour.games.engine.table import View

Key = str | int
Path = tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to fill in; ``path`` is where it goes in the answer.

    ``options`` are what is shown and what it stands for, of a choice; ``usual`` is what stands
    there at first: a text, or the place of an option. Where ``blank`` is true nothing need be
    entered; ``null`` says that nothing stands for null.
    """

    path: Path
    label: str
    kind: Literal["choice", "text", "number", "json"]
    options: tuple[tuple[str, object], ...] = ()
    usual: str | int | None = None
    blank: bool = False
    null: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """What there is to fill in, and ``given`` parts of the answer that are settled already."""

    entries: tuple[Entry, ...]
    given: tuple[tuple[Path, object], ...] = ()

    def value(self, filled: Sequence[str | int | None]) -> "dict[str, Any] | Missing":
        """The answer as plain data: of each entry a text, or the place of the chosen option."""
        parts: list[tuple[Path, object]] = list(self.given)
        for entry, content in zip(self.entries, filled, strict=True):
            if entry.kind == "choice":
                if not isinstance(content, int):
                    return Missing(entry, f"{entry.label}: nothing is chosen yet")
                parts.append((entry.path, entry.options[content][1]))
            elif str(content or "").strip() or (entry.kind == "text" and not entry.null):
                parts.append((entry.path, _read(entry, str(content or ""))))
            elif entry.null:
                parts.append((entry.path, None))
            elif not entry.blank:
                return Missing(entry, f"{entry.label}: nothing is entered yet")
        whole = _assembled(parts)
        return whole if isinstance(whole, dict) else {}


@dataclass(frozen=True, slots=True)
class Missing:
    """What has to be filled in before there is an answer to judge, in words."""

    entry: Entry
    message: str


@dataclass(slots=True)
class _Maker:
    """Goes through a schema; ``names`` are its definitions."""

    view: View
    names: Mapping[str, Any]
    given: list[tuple[Path, object]] = field(default_factory=list)

    def entries(
        self, schema: Mapping[str, Any], drawn: Any, path: Path, label: str, blank: bool
    ) -> Iterator[Entry]:
        """What there is to fill in for one part of the answer."""
        usual = schema.get("default")
        schema, null = self._plain(schema)
        options = self._options(schema)
        if options:
            if null:
                options = (*options, ("nobody" if _is_player(schema) else "nothing", None))
            values = [value for _, value in options]
            chosen = values.index(usual) if blank and usual in values else None
            yield Entry(path, label, "choice", options, chosen, blank, null)
        elif schema.get("type") == "object" and "properties" in schema:
            required = schema.get("required", ())
            for name, part in schema["properties"].items():
                its = drawn.get(name) if isinstance(drawn, dict) else None
                words = name.replace("_", " ")
                named = f"{label}, {words}" if label else words
                yield from self.entries(part, its, (*path, name), named, name not in required)
        elif schema.get("type") == "array" and isinstance(drawn, list) and drawn:
            yield from self._rows(schema, drawn, path, label)
        elif schema.get("type") in {"string", "number", "integer"}:
            kind: Literal["text", "number"] = "text" if schema["type"] == "string" else "number"
            shown = "" if usual is None else str(usual)
            yield Entry(path, label, kind, (), shown, blank, null)
        else:
            shown = "" if usual is None else json.dumps(usual)
            yield Entry(path, label, "json", (), shown, blank, null)

    def _rows(
        self, schema: Mapping[str, Any], drawn: list[Any], path: Path, label: str
    ) -> Iterator[Entry]:
        """The entries of a list that is as long as a legal one.

        What tells its rows apart, the first field that differs in each, is given.
        """
        each = schema.get("prefixItems") or [schema.get("items", {})] * len(drawn)
        key = self._naming(each[0], drawn)
        for number, (part, row) in enumerate(zip(each, drawn, strict=False)):
            place = (*path, number)
            if key is None:
                yield from self.entries(part, row, place, f"{label} {number + 1}", False)
                continue
            whole, _ = self._plain(part)
            whose = self._name(whole["properties"][key], row[key])
            self.given.append(((*place, key), whose))
            rest = {name: its for name, its in whole["properties"].items() if name != key}
            named = f"{whose}{' (you)' if whose == player(self.view.seat) else ''}"
            yield from self.entries({**whole, "properties": rest}, row, place, named, False)

    def _naming(self, part: Mapping[str, Any], drawn: list[Any]) -> str | None:
        whole, _ = self._plain(part)
        for name in whole.get("properties", {}):
            values = [row.get(name) for row in drawn if isinstance(row, dict)]
            if all(isinstance(v, str | int) for v in values) and len(set(values)) == len(drawn):
                return str(name)
        return None

    def _name(self, schema: Mapping[str, Any], value: Any) -> object:
        """A drawn value as an agent writes it: a seat by its player's name."""
        return player(value) if _is_player(self._plain(schema)[0]) else value

    def _plain(self, schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
        """A schema without references, and whether null will do as well."""
        null = False
        while True:
            if "$ref" in schema:
                schema = self.names[schema["$ref"].rsplit("/", 1)[-1]]
            elif "anyOf" in schema and {"type": "null"} in schema["anyOf"]:
                others = [part for part in schema["anyOf"] if part != {"type": "null"}]
                schema, null = (others[0] if len(others) == 1 else {"anyOf": others}), True
            else:
                return schema, null

    def _options(self, schema: Mapping[str, Any]) -> tuple[tuple[str, object], ...]:
        """What can be chosen from, if it is a choice."""
        if _is_player(schema):
            own = self.view.seat
            names = [(player(seat), seat == own) for seat in self.view.seats]
            return tuple((f"{name} (you)" if me else name, name) for name, me in names)
        if "enum" in schema:
            return tuple((str(value), value) for value in schema["enum"])
        return (("no", False), ("yes", True)) if schema.get("type") == "boolean" else ()


def form_of(ask: Ask[Any], view: View) -> Form:
    """The form of an ask for the seat of the view."""
    schema = ask.answer.model_json_schema()
    drawn = ask.sample(view.seat, Dice("form")).model_dump(mode="json")
    maker = _Maker(view, schema.get("$defs", {}))
    entries = tuple(maker.entries(schema, drawn, (), "", False))
    return Form(entries, tuple(maker.given))


def _is_player(schema: Mapping[str, Any]) -> bool:
    return schema.get("pattern") == PLAYER_SCHEMA["pattern"]


def _read(entry: Entry, text: str) -> object:
    """What was typed; where it is no number the text itself, which the rules then refuse."""
    if entry.kind == "text":
        return text
    try:
        if entry.kind == "json":
            return json.loads(text)
        number = float(text)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    except (ValueError, RecursionError, OverflowError):
        return text


def _assembled(parts: Sequence[tuple[Path, object]]) -> object:
    """Parts put together: names make a mapping, numbers a list."""
    if len(parts) == 1 and parts[0][0] == ():
        return parts[0][1]
    below: dict[Key, list[tuple[Path, object]]] = {}
    for path, value in parts:
        below.setdefault(path[0], []).append((path[1:], value))
    made = {key: _assembled(group) for key, group in below.items()}
    if made and all(isinstance(key, int) for key in made):
        return [made[key] for key in sorted(made, key=int)]
    return made
