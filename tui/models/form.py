"""A form as data: the fields for an answer, and the answer made of their contents."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, cast

Key = str | int
Path = tuple[Key, ...]
Content = str | int | None
"""Content of a field: a text, or the index of the chosen option."""
_PLAYER = re.compile(r"Player ([1-9][0-9]*)")
MOST_DIGIT = 9


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

    path: Path
    total: int

    def includes(self, field: FormField) -> bool:
        """True for a field that is part of the sum."""
        return field.kind == "number" and field.path[: len(self.path)] == self.path


@dataclass(frozen=True, slots=True)
class Form:
    """The fields to fill in, ``fixed`` parts of the answer that are given, and ``sums``."""

    fields: tuple[FormField, ...]
    fixed: tuple[tuple[Path, object], ...] = ()
    sums: tuple[Sum, ...] = ()

    def last_of(self, one: Sum) -> FormField | None:
        """The last field of a sum."""
        return next(filter(one.includes, reversed(self.fields)), None)

    def value(self, contents: Sequence[Content]) -> "dict[str, Any] | Missing":
        """The answer as plain data, from one content a field."""
        parts: list[tuple[Path, object]] = list(self.fixed)
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
        answer = _assembled(parts)
        return answer if isinstance(answer, dict) else {}

    def contents(self, answer: Mapping[str, Any]) -> list[Content]:
        """The contents with which the form gives a stored answer again.

        A field of which the answer has no part, or one that is no option here, is as at first.
        """
        rows = self._rows_of(answer)
        return [_content(field, answer, _path_in(rows, field.path)) for field in self.fields]

    def _rows_of(self, answer: Mapping[str, Any]) -> dict[Path, Path]:
        """The places of the rows of the form in an answer, which may list them in any order."""
        places: dict[Path, Path] = {}
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

    field: FormField
    message: str


def player_number(value: object) -> int | None:
    """The number of a player's name, None for anything else."""
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


def _path_in(rows: Mapping[Path, Path], path: Path) -> Path:
    """The path of a field in an answer whose rows lie at other places."""
    for row, place in rows.items():
        if path[: len(row)] == row:
            return (*place, *path[len(row) :])
    return path


def _content(field: FormField, answer: Mapping[str, Any], path: Path) -> Content:
    """The content of a field that gives a part of an answer."""
    try:
        value = value_at(answer, path)
    except (LookupError, TypeError):
        return field.default
    if field.kind == "choice":
        options = enumerate(field.options)
        return next((n for n, (_, each) in options if _is_option(value, each)), field.default)
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


def value_at(data: Any, path: Path) -> object:
    """The part of an answer at a path. Raises LookupError or TypeError if there is none."""
    for key in path:
        data = data[key]
    return data


def with_value(data: Any, path: Path, value: object) -> Any:
    """A copy of an answer with another value at a path."""
    if not path:
        return value
    key, rest = path[0], path[1:]
    if isinstance(data, Mapping):
        return {**data, key: with_value(data.get(key), rest, value)}
    changed = list(data)
    changed[int(key)] = with_value(changed[int(key)], rest, value)
    return changed
