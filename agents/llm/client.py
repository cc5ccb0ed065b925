"""Parts that the clients share: errors of HTTP libraries, messages, tokens and prices."""

import json
import math
import re
import ssl
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from parlour.agents.llm.keys import scrubbed
from parlour.agents.model_calls import FailureKind, ProviderFailure
from parlour.games.common.text import clean

_TOO_LONG = re.compile(
    "exceed_context_size|context_length_exceeded|ContextWindowExceeded|maximum context length"
)
"""Marks of a response that refuses a prompt because it is too long."""


def failure_of_status(status: int, message: str, retry_after: float | None) -> ProviderFailure:
    """The failure for an HTTP status other than 200. Only errors, from 400 on, cost nothing."""
    kind: FailureKind
    if status == 429:
        kind = "rate_limit"
    elif status == 408:
        kind = "timeout"
    elif status in {401, 403}:
        kind = "auth"
    elif status in {409, 425} or status >= 500 or status < 300:  # 2xx: not a usable answer
        kind = "server"
    else:
        kind = "window" if _TOO_LONG.search(message) else "refused"
    if 300 <= status < 400:
        message = f"the address redirects elsewhere: {message}"
    return ProviderFailure(kind, f"HTTP {status}: {message}", retry_after, free=status >= 400)


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yields an error and its causes, the innermost last."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def never_connected(error: BaseException) -> bool:
    """True if there was no connection, so that nothing was sent."""
    # litellm raises a ConnectError also for a connection that was reset while it waited.
    names = {type(cause).__name__ for cause in causes(error)}
    failed = names & {"ClientConnectorError", "ClientConnectorDNSError", "ConnectError"}
    return bool(failed) and "ClientOSError" not in names


def never_connects(error: BaseException) -> bool:
    """True if a connection can never succeed: a wrong certificate, or a server without TLS."""
    return any(
        isinstance(cause, ssl.SSLCertVerificationError)
        or getattr(cause, "reason", None) == "WRONG_VERSION_NUMBER"
        for cause in causes(error)
    )


def seconds_to_wait(value: str | None) -> float | None:
    """The seconds of a Retry-After header (a number or a date); None if it is neither."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def tokens_out(prompt_tokens: int | None, completion_tokens: int | None, total: Any) -> int | None:
    """All tokens of an answer: some servers count a model's thinking in the total alone."""
    if prompt_tokens is None or completion_tokens is None:
        return completion_tokens
    sane = isinstance(total, int) and total < 2**31
    return max(completion_tokens, int(total) - prompt_tokens) if sane else completion_tokens


def priced(
    prompt_tokens: int | None, completion_tokens: int | None, prices: tuple[float, float] | None
) -> float | None:
    """Dollars for the tokens at prices per million, in and out; None if anything is unknown."""
    if prices is None or prompt_tokens is None or completion_tokens is None:
        return None
    return (prompt_tokens * prices[0] + completion_tokens * prices[1]) / 1_000_000


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
