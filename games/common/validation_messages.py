"""Pydantic's validation errors in plain words, by error type and not by its English text."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

_NUMBER, _INTEGER, _TEXT = "must be a number", "must be a whole number", "must be a text"
_TRUTH, _LIST, _OBJECT = "must be true or false", "must be a list", "must be an object"
_MESSAGES = {
    "missing": "is missing",
    "extra_forbidden": "is not a valid key here",
    "int_type": _INTEGER,
    "int_parsing": _INTEGER,
    "int_from_float": _INTEGER,
    "int_parsing_size": "must be a smaller whole number",
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": _NUMBER,
    "bool_type": _TRUTH,
    "bool_parsing": _TRUTH,
    "string_type": _TEXT,
    "string_unicode": "must be a text of valid Unicode",
    "list_type": _LIST,
    "tuple_type": _LIST,
    "set_type": _LIST,
    "frozen_set_type": _LIST,
    "iterable_type": _LIST,
    "dict_type": _OBJECT,
    "mapping_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "multiple_of": "must be a multiple of {multiple_of}",
    "value_error": "{error}",
    "assertion_error": "{error}",
}
"""Message by error type; fields in braces come from the error's context."""
_COUNTED = {
    "string_too_short": ("min_length", "at least", "character"),
    "string_too_long": ("max_length", "at most", "character"),
    "too_short": ("min_length", "at least", "item"),
    "too_long": ("max_length", "at most", "item"),
}
"""Error types about a length: the limit in the context, its direction and its unit."""


def message_of(error: Mapping[str, Any]) -> str:
    """One error of ``ValidationError.errors()`` in plain words, without place and value."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in _COUNTED:
        key, direction, unit = _COUNTED[kind]
        number = context[key]
        return f"must have {direction} {number} {unit}{'' if number == 1 else 's'}"
    template = _MESSAGES.get(kind)
    if template is not None:
        limits = {key: value for key, value in context.items() if isinstance(value, float)}
        shown = {key: in_toml(value) for key, value in limits.items()}  # without a needless .0
        return template.format_map({**context, **shown})
    message = str(error["msg"])  # a type that no model here raises
    return message[:1].lower() + message[1:]


def first_problem(error: ValidationError) -> tuple[str, str]:
    """Place (" field x") and message of the first error, with its value."""
    return in_words(error.errors(include_url=False)[0])


def in_words(error: Mapping[str, Any]) -> tuple[str, str]:
    """Place and message of one error, with its value."""
    path = path_of(error["loc"])
    problem = message_of(error)
    if error["type"] not in {"missing", "value_error", "extra_forbidden"}:
        given = error["input"]  # a float as it is: 1.0 is no whole number
        shown = repr(given) if isinstance(given, float) else in_toml(given)
        problem += f" (got {shown[:60]})"
    return (f", field {path}" if path else ""), problem


def place_in(place: str, path: str) -> str:
    """A path below a place of a tournament file: ``games[0].limit``, or ``FILE: seed``."""
    if not path:
        return place
    return f"{place}.{path}" if place.endswith("]") else f"{place}: {path}"


def path_of(loc: Iterable[int | str]) -> str:
    """A path into nested data: ``games[0].limit``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return "".join(parts).removeprefix(".")


def in_toml(value: object) -> str:
    """A value in the words of a file, where they differ from Python's: true, and 3 for 3.0."""
    if isinstance(value, float):
        return f"{value:.15g}"
    return json.dumps(value) if isinstance(value, bool) or value is None else repr(value)
