"""Frames: requests as litellm builds them, which are then filled and sent without it.

litellm builds one request with marks in place of the texts, which is caught before it is sent. The
address, the headers and all else in the body are its own, so the bytes of a filled frame equal
those of ``acompletion``, for a hundredth of the time. Requests that are signed, or that need
another request for a token first, have no frame. Answers are read here, too.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from parlour.agents.model_calls import ProviderFailure

FRAMED = frozenset(
    {"anthropic", "cerebras", "deepseek", "fireworks_ai", "gemini", "groq", "hosted_vllm"}
    | {"mistral", "nvidia_nim", "openai", "openrouter", "perplexity", "together_ai", "xai"}
)
"""Providers by litellm's names whose requests depend on nothing but keys and texts."""
_MARK = "parlour puts text {} here, caf\u00e9"
"""The text in place of message number ``{}``: its accent shows how the body is encoded."""
_NOT_OURS = frozenset({"host", "content-length", "connection", "accept-encoding"})
"""Headers of the connection."""
_TOOL = "json_tool_call"
"""The tool by which litellm asks for a form where a provider has no other way."""


@dataclass(frozen=True, slots=True)
class RequestFrame:
    """A request without its texts: ``pieces`` of the body stand around those of ``order``."""

    url: str
    headers: Mapping[str, str]
    pieces: tuple[str, ...]
    order: tuple[int, ...]
    ascii: bool

    def filled(self, texts: Iterable[str]) -> bytes:
        """The body with these texts."""
        inner = [json.dumps(text, ensure_ascii=self.ascii)[1:-1] for text in texts]
        parts = [self.pieces[0]]
        for place, piece in zip(self.order, self.pieces[1:], strict=True):
            parts += [inner[place], piece]
        return "".join(parts).encode(errors="replace")


def marks(count: int) -> list[str]:
    """The texts of a request from which a frame is made."""
    return [_MARK.format(place) for place in range(count)]


def frame_of(url: str, headers: Mapping[str, str], raw: bytes, count: int) -> RequestFrame | None:
    """The frame in a request that was made of ``marks``; None if it has none."""
    body = raw.decode()
    if reader_of(url) is None:
        return None
    is_ascii = body.isascii()
    mark = json.dumps(_MARK, ensure_ascii=is_ascii)[1:-1]
    *around, last = re.split(re.escape(mark).replace(r"\{\}", r"(\d+)"), body)
    order = tuple(map(int, around[1::2]))
    if sorted(order) != list(range(count)):
        return None  # the library has left a text out, or repeats it
    own = {name: value for name, value in headers.items() if name not in _NOT_OURS}
    return RequestFrame(url, own, (*around[::2], last), order, is_ascii)


Reader = Callable[[Any], dict[str, Any]]
"""A body as a body of the OpenAI protocol. KeyError, TypeError or the like if it is none."""


def reader_of(url: str) -> Reader | None:
    """The reader of answers from this address; None for one of an unknown protocol."""
    path = url.partition("?")[0]
    return next((reader for end, reader in _READERS.items() if path.endswith(end)), None)


_FINISHES = {
    "length": {"length", "max_tokens", "MAX_TOKENS", "compaction"},
    "tool_calls": {"tool_calls", "tool_use"},
    "function_call": {"function_call"},
    "content_filter": {"content_filter", "content_filtered", "refusal", "sensitive", "SAFETY"}
    | {"RECITATION", "LANGUAGE", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "NO_IMAGE"}
    | {"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "IMAGE_OTHER"}
    | {"ESCALATION", "ERROR_TOXIC", "guardrail_intervened"},
}


def finish_of(reason: object) -> str:
    """Why an answer ended, in the words of the OpenAI protocol, as litellm translates it."""
    return next((finish for finish, others in _FINISHES.items() if reason in others), "stop")


def answer_at(url: str, raw: bytes) -> dict[str, Any]:
    """The body of an answer as in the OpenAI protocol.

    Raises ProviderFailure if the body is not one of this address.
    """
    reader = reader_of(url)
    try:
        body = json.loads(raw, strict=False)
        answer = reader(body) if reader is not None else {}
        choice = answer["choices"][0]
        finish = finish_of(choice.get("finish_reason"))
        return {**answer, "choices": [{**choice, "finish_reason": finish}]}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ProviderFailure("server", "the response has no choices") from None


def _openai(body: Any) -> dict[str, Any]:
    choice = body["choices"][0]
    message = choice.get("message") or {}
    called = _called(
        (call["function"]["name"], call["function"]["arguments"])
        for call in message.get("tool_calls") or ()
    )
    if called is None:
        return dict(body)
    answered = {"message": {**message, "content": called, "tool_calls": None}}
    return {**body, "choices": [{**choice, **answered, "finish_reason": "stop"}]}


def _anthropic(body: Any) -> dict[str, Any]:
    parts, counts = body["content"], body["usage"]
    tools = [part for part in parts if part["type"] == "tool_use"]
    called = _called((part["name"], json.dumps(part["input"])) for part in tools)
    message = {
        "content": _joined(parts, "text") if called is None else called,
        "reasoning_content": _joined(parts, "thinking"),
        "tool_calls": [
            {"function": {"arguments": part["input"]}} for part in tools if called is None
        ],
    }
    cached, written = _number(counts, _CACHE_READ), _number(counts, _CACHE_WRITTEN)
    usage: dict[str, Any] = {
        "prompt_tokens": _number(counts, "input_tokens") + cached + written,
        "completion_tokens": _number(counts, "output_tokens"),
        _CACHE_READ: cached,
        _CACHE_WRITTEN: written,
    }
    thought = (counts.get("output_tokens_details") or {}).get("thinking_tokens")
    usage["completion_tokens_details"] = {"reasoning_tokens": thought}
    finish = body.get("stop_reason") if called is None else "stop"
    return _answer(body.get("id"), body.get("model"), message, finish, usage)


def _gemini(body: Any) -> dict[str, Any]:
    counts, blocked = body["usageMetadata"], body.get("promptFeedback") or {}
    if blocked.get("blockReason"):
        candidate: Any = {"finishReason": "SAFETY"}
    else:
        candidate = body["candidates"][0]
    parts = (candidate.get("content") or {}).get("parts") or []
    message = {
        "content": _joined([part for part in parts if not part.get("thought")], "text"),
        "reasoning_content": _joined([part for part in parts if part.get("thought")], "text"),
    }
    thought = counts.get("thoughtsTokenCount")
    usage = {
        "prompt_tokens": _number(counts, "promptTokenCount")
        + _number(counts, "toolUsePromptTokenCount"),
        "completion_tokens": _number(counts, "candidatesTokenCount"),
        "total_tokens": counts.get("totalTokenCount"),
        "prompt_tokens_details": {"cached_tokens": counts.get("cachedContentTokenCount")},
        "completion_tokens_details": {"reasoning_tokens": thought},
    }
    finish = candidate.get("finishReason")
    return _answer(body.get("responseId"), body.get("modelVersion"), message, finish, usage)


_CACHE_READ, _CACHE_WRITTEN = "cache_read_input_tokens", "cache_creation_input_tokens"
_READERS: Mapping[str, Reader] = {
    "/chat/completions": _openai,
    "/messages": _anthropic,
    ":generateContent": _gemini,
}


def _called(calls: Iterable[tuple[str, str]]) -> str | None:
    """The arguments of the one call of litellm's tool, which are the answer; else None."""
    named = [arguments for name, arguments in calls if name == _TOOL]
    return named[0] if len(named) == 1 else None


def _joined(parts: Iterable[Mapping[str, Any]], name: str) -> str:
    return "".join(part.get(name) or "" for part in parts)


def _number(counts: Mapping[str, Any], name: str) -> int:
    return int(counts.get(name) or 0)


def _answer(
    ident: object, model: object, message: object, finish: object, usage: object
) -> dict[str, Any]:
    choice = {"message": message, "finish_reason": finish}
    return {"id": ident, "model": model, "choices": [choice], "usage": usage}
