"""Plain data against its model: the first problem with its place, its value and the mend."""

import json
from difflib import get_close_matches
from typing import Any

from pydantic import TypeAdapter, ValidationError

from games.errors import BadInput
from games.game import in_words
from games.near import suggestion
from games.text import clean


def checked(model: type[Any], data: object, place: str, *also: str) -> Any:
    """The model made from plain data; BadInput with a problem's field and value.

    An unknown key goes before others: a misspelt one is missed as well. ``also`` are keys that
    may stand there though they are not the model's.
    """
    try:
        # As JSON, where strict mode still lets an array stand for a tuple.
        return TypeAdapter(model).validate_json(json.dumps(data, default=str))
    except ValidationError as error:
        raise _refusal(error, place, {*model.model_fields, *also}, data) from None


def _refusal(error: ValidationError, place: str, keys: set[str], data: object) -> BadInput:
    """The refusal of plain data, with the mend where the first problem is a slip of the pen."""
    problems = error.errors(include_url=False)
    first = next((p for p in problems if p["type"] == "extra_forbidden"), problems[0])
    where, problem = in_words(first)
    key, mend = str(first["loc"][-1]) if first["loc"] else "", ""
    if first["type"] == "extra_forbidden":
        mend = suggestion(key, keys)
    elif first["type"] == "list_type" and isinstance(first["input"], dict):
        problem, mend = "is one table and not a list of them", f"write [[{key}]], not [{key}]"
    elif first["type"] == "missing" and isinstance(first["input"], dict):
        written = get_close_matches(key, set(map(str, first["input"])) - keys, n=1)
        mend = f"is it what {written[0]!r} should be?" if written else ""
    return BadInput(place + where, problem, mend)


def refuse_strange(name: str, place: str) -> None:
    """BadInput for a name that would not look on a screen as it is compared."""
    if clean(name).strip() != name or "\n" in name:
        problem = f"{clean(name)!r} has spaces at its ends, controls, or letters not in NFC"
        raise BadInput(place, problem, "write it without")
