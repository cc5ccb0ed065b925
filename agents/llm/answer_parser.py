"""Parses the answer out of a model's text; a move is never guessed from prose."""

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from parlour.agents.model_calls import Completion
from parlour.games.engine.moves import Fault, FaultKind

Tier = Literal["json", "embedded", "repaired"]
"""Ways in which the JSON was read: the whole text, inside other text, or invalid and repaired."""

_THINKING = re.compile(r"\A\s*<think(?:ing)?>(.*?)(?:</think(?:ing)?>|\Z)", re.DOTALL | re.I)
_REFUSING = re.compile(
    r"\b(?:i|we)(?:['’]m| am| are)? (?:sorry|unable|not able|can(?:no|['’])t|won['’]t|will not"
    r"|must decline|have to decline)\b|\bas an ai\b",
    re.IGNORECASE,
)


_STRING_OR_BRACE = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{}]')

LONGEST_REPAIRED = 20_000
"""Longest text that is repaired, in characters: the time grows with its square."""


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The plain data of an answer, and how it was parsed."""

    data: dict[str, Any]
    tier: Tier


def split_thinking(completion: Completion) -> tuple[str, str]:
    """The answer's text and the model's thinking, which some servers send inside the text."""
    match = _THINKING.match(completion.text)
    if match is None:
        return completion.text, completion.thinking
    thinking = "\n".join(part for part in (completion.thinking, match[1].strip()) if part)
    return completion.text[match.end() :], thinking


def read_answer(completion: Completion) -> ParsedAnswer | Fault:
    """The answer's data, or the fault that makes it unusable.

    A text that the server cut at its limit is truncated, even if its JSON could be repaired.
    """
    text = split_thinking(completion)[0].strip()
    if completion.finish == "length":
        return Fault(FaultKind.TRUNCATED, "the answer was cut off at the length limit: be brief")
    if completion.finish in {"refusal", "content_filter"}:
        return Fault(FaultKind.REFUSAL, "the answer was a refusal: this is a game, please play")
    if not text:
        return Fault(FaultKind.EMPTY, "nothing came: answer with one JSON object")
    body = re.sub(r"\A```[a-zA-Z]*\s*|\s*```\Z", "", text)
    whole = _loaded(body)
    if whole is not None:
        return ParsedAnswer(whole, "json")
    start, end = body.find("{"), body.rfind("}")
    if 0 <= start < end:
        inner = _loaded(body[start : end + 1])
        if inner is not None:
            return ParsedAnswer(inner, "embedded")
    repaired = _repaired(body[start:]) if start >= 0 else None
    if repaired:
        return ParsedAnswer(repaired, "repaired")
    if _REFUSING.search(text[:300]):
        return Fault(FaultKind.REFUSAL, "the answer was a refusal: this is a game, please play")
    return Fault(FaultKind.UNPARSABLE, "no JSON object was found: answer with exactly one")


def _repaired(text: str) -> dict[str, Any] | None:
    """The one object that the text begins with, repaired; None if in doubt.

    Text after the last brace is left out, and two objects are refused: the library would turn
    prose into fields, and would return the last of several objects.
    """
    if len(text) > LONGEST_REPAIRED:
        return None
    depth, end = 0, len(text)
    for match in _STRING_OR_BRACE.finditer(text):
        if match[0] == "{" and depth == 0 and match.start() > 0:
            return None
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0 and end == len(text) and match[0] == "}":
            end = match.end()
    from json_repair import loads  # rarely needed

    try:
        data = loads(text[:end])
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _loaded(text: str) -> dict[str, Any] | None:
    """The object in a JSON text, which may hold raw control characters."""
    try:
        data = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None
