"""Parses thinking and answer out of a model's text; no move is guessed from prose or thinking."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, NamedTuple

from parlour.agents.base import Reply
from parlour.agents.llm.keys import from_outside_all
from parlour.agents.model_calls import Completion
from parlour.games.common.text import clean
from parlour.games.engine.moves import Fault, FaultKind

_NAMES = (
    r"(?:[a-z]{1,20}[:_])?"
    r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|reflection|scratchpad)"
)
_CLOSING = re.compile(
    rf"</\s*{_NAMES}\s*>"
    r"|\[/think\]|◁/think▷|<channel\|>"
    r"|<\|(?:end_of_thought|end_thinking|inner_suffix)\|>"
    # gpt-oss: the answer's channel begins, or a tool's; the marks may be stripped of it.
    r"|(?:<\|channel\|>\s*(?:final|commentary\s+to=)|to=[\w.]{1,60}\s?<\|channel\|>\s*commentary)"
    r"[^<]{0,200}(?:<\|constrain\|>[^<]{0,50})?<\|message\|>"
    r"|assistantfinal",
    re.IGNORECASE,
)
_OPENING = re.compile(
    rf"<\s*{_NAMES}(?:\s[^<>]{{0,100}})?>"
    r"|\[think\]|◁think▷|<\|channel>\s*thought"
    r"|<\|(?:begin_of_thought|start_thinking|inner_prefix)\|>"
    r"|<\|channel\|>\s*(?:analysis|commentary)\b[^<]{0,200}<\|message\|>|\Aanalysis(?=[A-Z])",
    re.IGNORECASE,
)
_OBJECT = re.compile(r'\{\s*+"')
_DECODER = json.JSONDecoder(strict=False)
"""Decoder of JSON whose texts may hold raw control characters."""

_MOST_OBJECTS = 10_000
"""Objects of a text that are looked at; no answer has so many, and a search takes time."""
_MOST_BROKEN = 50
"""Beginnings of objects that turn out to be none, before a search ends."""

Tier = Literal["json", "embedded", "repaired"]
"""Ways in which the JSON was read: the whole text, inside other text, or invalid and repaired."""

_REFUSING = re.compile(
    r"\b(?:i|we)(?:['’]m| am| are)? (?:sorry|unable|not able|can(?:no|['’])t|won['’]t|will not"
    r"|must decline|have to decline)\b|\bas an ai\b",
    re.IGNORECASE,
)
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff]")
_FENCE = re.compile(r"\A```[a-zA-Z0-9]*\s*|\s*```\Z")
# A brace of prose or of LaTeX has no name of a field behind it.
_BEGINNING = re.compile(r"""\{\s*+(?:["'\u2018-\u201f}]|//|/\*|#|[A-Za-z_]\w*+\s*+:)""")
_STRING_OR_BRACE = re.compile(r'"(?:[^"\\\n]|\\.)*"|[{}]')
_PLACEHOLDER = re.compile(r"\.\.\.|…")
_ENDS_WHOLE = re.compile(r'["\]}]\s*\Z')

LONGEST_REPAIRED = 20_000
"""Most characters of a text that are repaired: the time grows with their square."""
WRAPPERS = frozenset(
    {"answer", "final", "final_answer", "response", "result", "output", "data", "input"}
    | {"arguments", "args", "parameters", "tool_input", "function", "function_call", "tool_calls"}
)
"""Fields in which models put the object that was asked for."""
DEEPEST_WRAPPED = 5
"""Wrappers around one another that are opened."""

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """The plain data of an answer, and how it was parsed."""

    data: dict[str, Any]
    tier: Tier


class _Object(NamedTuple):
    """An object in a text; ``data`` is None if it is never closed."""

    start: int
    end: int
    data: dict[str, Any] | None
    repaired: bool = False


def read_reply(completion: Completion, schema: Schema) -> Reply:
    """The reply that a text is, with the thinking in it as notes."""
    parsed = read_answer(completion, schema)
    thinking = split_thinking(completion)[1]
    notes = {"thinking": thinking} if thinking else {}
    if isinstance(parsed, Fault):
        return Reply(parsed, notes, completion.text)
    if parsed.tier != "json":
        notes["read_as"] = parsed.tier
    # Once more: JSON escapes can hide a key from the search in the text.
    return Reply(without_keys(parsed), notes, completion.text)


def without_keys(parsed: ParsedAnswer) -> dict[str, Any] | Fault:
    """The data of an answer without any key."""
    try:
        return dict(from_outside_all(parsed.data))
    except RecursionError:
        return Fault(FaultKind.UNPARSABLE, "the answer is nested too deeply")


def split_thinking(completion: Completion) -> tuple[str, str]:
    """The answer's text and the model's thinking, which some servers send inside the text.

    The answer begins after the last closing tag; whether its thinking was opened does not matter,
    since some servers put the opening tag into the prompt. Thinking that was opened and not closed
    runs to the end. A tag inside a JSON object is a player's word, and splits nothing.
    """
    text = completion.text
    begin, end = 0, len(text)
    if _CLOSING.search(text) or _OPENING.search(text):
        outside = list(_outside_objects(text))
        closings = list(chain.from_iterable(_CLOSING.finditer(text, *span) for span in outside))
        begin = closings[-1].end() if closings else 0
        openings = chain.from_iterable(_OPENING.finditer(text, *span) for span in outside)
        end = next((m.start() for m in openings if m.start() >= begin), end)
    parts = (completion.thinking, _untagged(text[:begin]), _untagged(text[end:]))
    return text[begin:end], "\n".join(part for part in parts if part)


def _untagged(thinking: str) -> str:
    """Thinking without the tags around it."""
    return _OPENING.sub("", _CLOSING.sub("", thinking)).strip()


def _outside_objects(text: str) -> Iterator[tuple[int, int]]:
    """The parts of a text around its complete JSON objects."""
    begin, place, broken, seen = 0, 0, 0, 0
    while broken < _MOST_BROKEN and seen < _MOST_OBJECTS and (match := _OBJECT.search(text, place)):
        try:
            _data, place = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            place, broken = match.start() + 1, broken + 1
        else:
            yield begin, match.start()
            begin, seen = place, seen + 1
    yield begin, len(text)


def read_answer(completion: Completion, schema: Schema | None = None) -> ParsedAnswer | Fault:
    """The answer's data, or the fault that makes it unusable.

    Of several objects the last that fits the schema is the answer; where none fits it is the last,
    so that the game can say what it lacks. A text that the server cut at its limit is truncated,
    even if its JSON could be repaired.
    """
    text = _INVISIBLE.sub("", split_thinking(completion)[0]).strip()
    if completion.finish == "length":
        return Fault(FaultKind.TRUNCATED, "the answer was cut off at the length limit: be brief")
    if completion.finish in {"refusal", "content_filter"}:
        return Fault(FaultKind.REFUSAL, "the answer was a refusal: this is a game, please play")
    if not text:
        return Fault(FaultKind.EMPTY, "nothing came: answer with one JSON object")
    parsed = _parsed(_FENCE.sub("", text), schema or {})
    if parsed is not None:
        return parsed
    if _REFUSING.search(text[:300]):
        return Fault(FaultKind.REFUSAL, "the answer was a refusal: this is a game, please play")
    return Fault(FaultKind.UNPARSABLE, "no JSON object was found: answer with exactly one")


def _parsed(text: str, schema: Schema) -> ParsedAnswer | None:
    """The last object of a text that fits, or else the last; None if there is none."""
    quoted = _loaded(text) if text.startswith('"') else None
    text = quoted if isinstance(quoted, str) else text
    objects = list(_objects(text))
    if objects and objects[-1].data is None:  # cut off, so no earlier one is meant
        objects = [_closed(text, objects[-1])] if len(objects) == 1 else []
    for source in reversed(objects):
        data = _unwrapped(source.data, schema)
        if data is not None:
            return _answer(data, source, text)
    last = objects[-1] if objects else None
    return _answer(last.data, last, text) if last and last.data is not None else None


def _answer(data: dict[str, Any], source: _Object, text: str) -> ParsedAnswer:
    if source.repaired:
        return ParsedAnswer(data, "repaired")
    whole = source.data is data and source.end - source.start == len(text)
    return ParsedAnswer(data, "json" if whole else "embedded")


def _unwrapped(value: object, schema: Schema, depth: int = 0) -> dict[str, Any] | None:
    """The object that fits: the value itself, or the last one in a wrapper, also as a text."""
    if isinstance(value, str) and depth and "{" in value:
        value = _loaded(value)
    # The game judges the rest, and names the problem.
    if isinstance(value, dict) and all(name in value for name in schema.get("required", ())):
        return value
    inner: list[object] = []
    if isinstance(value, dict):
        inner = [entry for name, entry in value.items() if name in WRAPPERS]
    elif isinstance(value, list):
        inner = value[-1:]
    if depth == DEEPEST_WRAPPED:
        return None
    opened = (_unwrapped(entry, schema, depth + 1) for entry in reversed(inner))
    return next((data for data in opened if data is not None), None)


def _objects(text: str) -> Iterator[_Object]:
    """Yields the outermost objects of a text in their order, with small errors repaired.

    A search that is given up ends in an unfinished object: there may be more.
    """
    place, broken, seen, repairs = 0, 0, 0, LONGEST_REPAIRED
    while match := _BEGINNING.search(text, place):
        start, seen = match.start(), seen + 1
        if broken == _MOST_BROKEN or seen > _MOST_OBJECTS:
            yield _Object(start, len(text), None)
            return
        try:
            data, place = _DECODER.raw_decode(text, start)
            yield _Object(start, place, data)
            continue
        except (ValueError, RecursionError):
            place, broken = start + 1, broken + 1
        end = _end(text, start)
        if end is None:
            yield _Object(start, len(text), None)
        elif end - start <= repairs:
            repairs -= end - start
            repaired = _repaired(text[start:end])
            if repaired is not None:
                yield _Object(start, end, repaired, repaired=True)
                place = end


def _end(text: str, start: int) -> int | None:
    """The place after the brace that closes the one at ``start``; None if none is near."""
    depth = 0
    for match in _STRING_OR_BRACE.finditer(text, start, start + LONGEST_REPAIRED):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return None


def _closed(text: str, cut: _Object) -> _Object:
    """An object without its last braces; unfinished if its last value may be cut off, too."""
    rest = text[cut.start :]
    bare = _STRING_OR_BRACE.sub("", rest)
    whole = len(rest) <= LONGEST_REPAIRED and '"' not in bare and _ENDS_WHOLE.search(rest)
    return cut._replace(data=_repaired(rest) if whole else None, repaired=True)


def _repaired(text: str) -> dict[str, Any] | None:
    """An object with small errors; None if it cannot be read, or stands for one ("...")."""
    if _PLACEHOLDER.search(_STRING_OR_BRACE.sub("", text)):
        return None
    from json_repair import loads  # rarely needed

    try:
        data = loads(clean(text, LONGEST_REPAIRED))
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _loaded(text: str) -> object:
    """The value of a JSON text, which may hold raw control characters; None for any other."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
