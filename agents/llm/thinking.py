"""Splits what a model wrote into its thinking and its answer, by the tags that models use."""

import json
import re
from collections.abc import Iterator
from itertools import chain

from parlour.agents.model_calls import Completion

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
DECODER = json.JSONDecoder(strict=False)
"""Decoder of JSON whose texts may hold raw control characters."""

MOST_OBJECTS = 10_000
"""Objects of a text that are looked at; no answer has so many, and a search takes time."""
MOST_BROKEN = 50
"""Beginnings of objects that turn out to be none, before a search ends."""


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
    while broken < MOST_BROKEN and seen < MOST_OBJECTS and (match := _OBJECT.search(text, place)):
        try:
            _data, place = DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            place, broken = match.start() + 1, broken + 1
        else:
            yield begin, match.start()
            begin, seen = place, seen + 1
    yield begin, len(text)
