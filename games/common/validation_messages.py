"""What pydantic finds wrong with plain data, in words for people who never heard of it."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

OURS = "Value error, "
"""What stands before a message of ours."""
IN_WORDS = (
    (r"^assertion failed, ", ""),
    (r"^extra inputs are not permitted$", "is no key of this place"),
    (r"^field required$", "is missing"),
    (r", unable to (parse|interpret) .*$", ""),
    (r"^(input|string|value|list|tuple|dictionary) should ", "must "),
    (r"\bbe a valid integer\b", "be a whole number"),
    (r"\bbe a finite number\b|\bbe a valid number\b", "be a number"),
    (r"\bbe a valid boolean\b", "be true or false"),
    (r"\bbe a valid string\b", "be a text"),
    (r"\bbe a valid (list|array|tuple)\b", "be a list"),
    (r"\bbe a valid dictionary( or instance of \w+)?", "be a table"),
    (r"\bgreater than or equal to\b", "at least"),
    (r"\bless than or equal to\b", "at most"),
)
"""What stands in a message of the library, and what is said for it."""


def said(message: str) -> str:
    """A message of the library in our words."""
    if message.startswith(OURS):
        return message.removeprefix(OURS)
    for found, ours in IN_WORDS:
        message = re.sub(found, ours, message, flags=re.IGNORECASE)
    return message[:1].lower() + message[1:]


def first_problem(error: ValidationError) -> tuple[str, str]:
    """Where (" field x") and what is the first problem that pydantic found, with its value."""
    return in_words(error.errors(include_url=False)[0])


def path_of(loc: Iterable[int | str]) -> str:
    """A place in nested data as one writes it: ``games[0].limit``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return "".join(parts).removeprefix(".")


def in_words(first: Mapping[str, Any]) -> tuple[str, str]:
    """Where and what is one of the problems that pydantic found, with its value."""
    path = path_of(first["loc"])
    problem = said(first["msg"])
    if first["type"] not in {"missing", "value_error"}:
        problem += f" (got {_as_written(first['input'])[:60]})"
    return (f", field {path}" if path else ""), problem


def _as_written(value: object) -> str:
    """A value as it may stand in the file, where that is not Python's way."""
    return json.dumps(value) if isinstance(value, bool) or value is None else repr(value)
