"""Parts that the clients share: errors of HTTP libraries, messages, tokens and prices."""

import json
import math
import re
import ssl
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from parlour.agents.llm.keys import from_outside
from parlour.agents.model_calls import FailureKind, ProviderFailure

_TOO_LONG = re.compile(
    "exceed_context_size|context_length_exceeded|ContextWindowExceeded|maximum context length"
    "|prompt is too long|exceeds the maximum number of tokens|longer than the model's context"
    "|exceed context limit|maximum context limit|exceed the configured limit"
    "|exceeds the available context size|[Cc]urrent length is .* while limit is"
)
"""Marks of a response that refuses a prompt because it is too long."""
_WRONG_KEY = re.compile("API_KEY_INVALID|API key not valid")
"""Marks of a refused key under another status (Google)."""


def failure_of_status(status: int, message: str, retry_after: float | None) -> ProviderFailure:
    """The failure for an HTTP status other than 200. Only errors, from 400 on, cost nothing."""
    kind: FailureKind
    if status == 429:
        kind = "rate_limit"
    elif status == 408:
        kind = "timeout"
    elif status in {401, 403} or (status == 400 and _WRONG_KEY.search(message)):
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


_RESETS = ("retry-after", "x-ratelimit-reset-requests", "x-ratelimit-reset-tokens")
_SPAN = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:([\d.]+)ms)?")


def pause_asked(headers: Mapping[str, str]) -> float | None:
    """The seconds that the headers of a refusal ask to wait; None if they do not say."""
    for name in _RESETS:
        value = headers.get(name)
        seconds = seconds_to_wait(value)
        if seconds is None and value and (span := _SPAN.fullmatch(value)):  # as "6m0s"
            try:
                amounts = [float(amount or 0) for amount in span.groups()]
            except ValueError:
                continue
            units = (3600, 60, 1, 0.001)
            seconds = sum(amount * unit for amount, unit in zip(amounts, units, strict=True))
        if seconds is not None:
            return seconds
    return None


class Usage(NamedTuple):
    """Tokens of a call, None where the provider does not say.

    ``cached_tokens`` and ``written_tokens`` are part of the prompt's, ``reasoning_tokens`` of the
    answer's.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    written_tokens: int | None = None
    reasoning_tokens: int | None = None

    def price(self, prices: tuple[float, ...] | None) -> float | None:
        """Dollars at prices per million tokens: in, out, read from a cache, written to it.

        None if anything is unknown. Without a price of their own, tokens of the cache cost as all.
        """
        if prices is None or self.prompt_tokens is None or self.completion_tokens is None:
            return None
        sent, answered, cached, written = (*prices, *[prices[0]] * (4 - len(prices)))
        more = (self.cached_tokens or 0) * (cached - sent)
        more += (self.written_tokens or 0) * (written - sent)
        return (self.prompt_tokens * sent + self.completion_tokens * answered + more) / 1_000_000


def usage_of(body: object) -> Usage:
    """The tokens in the ``usage`` of a response, under the names of all providers."""
    prompt, answer = _count(body, "prompt_tokens"), _count(body, "completion_tokens")
    total = _count(body, "total_tokens")
    if prompt is not None and answer is not None and total is not None:
        answer = max(answer, total - prompt)  # some servers count thinking in the total alone
    cached = _count(body, "prompt_tokens_details", "cached_tokens")
    for name in ("cache_read_input_tokens", "prompt_cache_hit_tokens"):
        cached = _count(body, name) if cached is None else cached
    written = _count(body, "prompt_tokens_details", "cache_creation_tokens")
    if written is None:
        written = _count(body, "cache_creation_input_tokens")
    reasoning = _count(body, "completion_tokens_details", "reasoning_tokens")
    # A part is never more than the whole, whatever the server says.
    cached, written = _part(cached, prompt), _part(written, prompt)
    if cached is not None and written is not None:
        written = _part(written, None if prompt is None else prompt - cached)
    return Usage(prompt, answer, cached, written, _part(reasoning, answer))


def _part(count: int | None, whole: int | None) -> int | None:
    return count if count is None or whole is None else min(count, whole)


def _count(body: object, *path: str) -> int | None:
    value = body
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if type(value) is int and 0 <= value < 2**31 else None


THINKING = ("reasoning_content", "reasoning", "thinking")
"""Fields of a message that hold thinking; servers that have several repeat it."""
LONGEST_LABEL = 200
"""Characters of a label."""


def label(value: object) -> str:
    """A label in a response, such as the name of its model; empty if it has none."""
    return from_outside(value, LONGEST_LABEL) if isinstance(value, str) else ""


def text_of(message: Mapping[str, Any]) -> str:
    """The content, and after it the arguments of tool calls: some models answer by calling."""
    parts = [*_texts(message.get("content"), thinking=False), *_arguments(message)]
    return "\n".join(part for part in parts if part)


def thinking_of(message: Mapping[str, Any]) -> str:
    """The thinking that is apart from the content."""
    fields = [message.get(name) for name in THINKING]
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
