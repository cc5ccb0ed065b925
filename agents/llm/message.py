"""Text and thinking of a message of the OpenAI protocol, in the fields that servers use."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from parlour.agents.llm.keys import scrubbed
from parlour.games.common.text import clean

_THINKING = ("reasoning_content", "reasoning", "thinking")
"""Fields of a message that hold thinking; servers that have several repeat it."""


LONGEST_LABEL = 200
"""Characters of a label."""


def label(value: object) -> str:
    """A label in a response, such as the name of its model; empty if it has none."""
    return clean(scrubbed(value), LONGEST_LABEL) if isinstance(value, str) else ""


def text_of(message: Mapping[str, Any]) -> str:
    """The content, and after it the arguments of tool calls: some models answer by calling."""
    parts = [*_texts(message.get("content"), thinking=False), *_arguments(message)]
    return "\n".join(part for part in parts if part)


def thinking_of(message: Mapping[str, Any]) -> str:
    """The thinking that is apart from the content."""
    fields = [message.get(name) for name in _THINKING]
    texts = [value for value in fields if isinstance(value, str) and value]
    return texts[0] if texts else "\n".join(_texts(message.get("content"), thinking=True))


def _texts(content: object, thinking: bool) -> Iterator[str]:
    """Yields the texts of a content, which may be a list of parts."""
    if isinstance(content, str):
        if not thinking:
            yield content
        return
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict):
            continue
        thought = part.get("type") in {"thinking", "reasoning"}
        value = part.get("thinking", part.get("text")) if thought else part.get("text")
        if thought == thinking and value is not None:
            yield from _texts(value, thinking=False)


def _arguments(message: Mapping[str, Any]) -> Iterator[str]:
    """Yields the arguments of each tool call, as JSON."""
    calls = message.get("tool_calls")
    functions = [
        call.get("function")
        for call in (calls if isinstance(calls, list) else ())
        if isinstance(call, dict)
    ]
    for function in (message.get("function_call"), *functions):
        arguments = function.get("arguments") if isinstance(function, dict) else None
        if isinstance(arguments, str):
            yield arguments
        elif isinstance(arguments, dict):
            yield json.dumps(arguments)
