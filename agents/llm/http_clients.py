"""Clients over HTTP with aiohttp: servers that speak the OpenAI protocol, and users' endpoints.

Every failure becomes a ProviderFailure.
"""

import asyncio
import json
import math
import ssl
import time
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from parlour.agents.llm import client
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoints import USUAL_PORTS, host_of
from parlour.agents.llm.keys import from_outside, key_named
from parlour.agents.model_calls import (
    HEARING,
    Completion,
    FailureKind,
    Hearing,
    ProviderFailure,
    Request,
)

if TYPE_CHECKING:
    import aiohttp  # slow: imported when the first request is made

LARGEST_BODY = 8_000_000
"""Longest answer that is read, in bytes; a longer one is a server failure."""
OK, NOT_FOUND = 200, 404
_JSON = {"Content-Type": "application/json"}
_EVENT = json.JSONDecoder(strict=False)
_OF_ALL = ("id", "model", "system_fingerprint", "usage")
_PIECES = (*client.THINKING, "content", "refusal")
"""The fields of an event that are of the whole answer, and those that are pieces of it."""
EXCERPT = 20_000
"""Bytes of an error page that are read for the message."""


class Response(NamedTuple):
    """The content of a response with status 200, that of a stream as data, and its headers."""

    content: bytes | dict[str, Any]
    headers: Mapping[str, str]

    @property
    def body(self) -> bytes:
        """The content as it was received, or a stream as one JSON text."""
        if isinstance(self.content, dict):
            return json.dumps(self.content).encode()
        return self.content


class JsonHttpClient:
    """The connections of one agent to its server, shared by all its calls."""

    def __init__(self, config: LLMConfig) -> None:
        self._config = config
        self._session: aiohttp.ClientSession | None = None

    async def post(
        self,
        url: str,
        body: Mapping[str, Any] | bytes | None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """The response to one POST (a GET without a body); a stream of events becomes one body.

        Raises ProviderFailure unless the status is 200, and once nothing more is heard.
        """
        hearing = HEARING.get() or Hearing()
        if body is not None and not isinstance(body, bytes):
            body, headers = json.dumps(body).encode(), _JSON
        call = asyncio.ensure_future(self._post(url, body, headers, hearing))
        try:
            while not (await asyncio.wait({call}, timeout=self._config.silence))[0]:
                await self._refuse_silence(url, hearing)
        finally:
            call.cancel()
        return call.result()

    async def _refuse_silence(self, url: str, hearing: Hearing) -> None:
        """ProviderFailure if an answer has stopped, or if its server is gone.

        A server that is stopped may keep its connections open, and say nothing on them.
        """
        silent = time.monotonic() - hearing.last
        if hearing.pieces and silent > self._config.silence:
            reason = f"no new token for {silent:.0f} s after {hearing.pieces} of them"
            raise ProviderFailure("stalled", reason)
        address = urlsplit(url)
        port = address.port or USUAL_PORTS.get(address.scheme, 80)
        try:
            async with asyncio.timeout(self._config.silence):
                _reader, writer = await asyncio.open_connection(address.hostname, port)
        except OSError as error:
            reason = f"{address.netloc} takes no connections any more ({error.strerror})"
            raise ProviderFailure("connection", reason) from None
        writer.close()

    async def _post(
        self, url: str, body: bytes | None, given: Mapping[str, str] | None, hearing: Hearing
    ) -> Response:
        import aiohttp

        try:
            method = "GET" if body is None else "POST"
            sent = self._open().request(
                method, url, data=body, headers=given, allow_redirects=False
            )
            async with sent as response:
                if response.status == OK and response.content_type == "text/event-stream":
                    protocol = response.connection and response.connection.protocol
                    server = response.headers.get("Server")
                    if server == "llama.cpp" and protocol is not None:
                        protocol.force_close()  # the server closes it too, but does not say so
                    return Response(await _streamed(response, hearing), response.headers)
                raw = await _limited(response)
                headers, status = response.headers, response.status
                if 300 <= status < 400:  # not followed: a POST could become a GET
                    raw = headers.get("Location", "").encode(errors="replace") or raw
        except TimeoutError:
            reason = f"no answer in {self._config.timeout:g} s"
            raise ProviderFailure("timeout", reason) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:  # ValueError: a strange header
            lasting = isinstance(error, aiohttp.InvalidURL) or client.never_connects(error)
            kind: FailureKind = "settings" if lasting else "connection"
            free = lasting or client.never_connected(error)
            raise ProviderFailure(kind, from_outside(_message(error)), free=free) from None
        if status != OK:
            asked = f" (asked: {url})" if status == NOT_FOUND else ""
            excerpt = from_outside(raw[:EXCERPT] + asked.encode())
            raise client.failure_of_status(status, excerpt, client.pause_asked(headers))
        return Response(raw, headers)

    async def close(self) -> None:
        """Closes the connections."""
        if self._session is not None:
            await self._session.close()

    def _open(self) -> "aiohttp.ClientSession":
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                headers=self._headers(),
                timeout=aiohttp.ClientTimeout(total=self._config.timeout),
                # The runner limits what is in flight. Servers close idle connections after 5 s.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=4.0, ssl=self._tls()),
            )
        return self._session

    def _headers(self) -> dict[str, str]:
        """The headers of every request."""
        key = key_named(self._config.api_key_env)
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _tls(self) -> ssl.SSLContext | bool:
        """The certificates that are trusted, True for those of the system."""
        return True


def _message(error: Exception) -> str:
    """The message of a connection error, with the server."""
    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorError):
        reason = error.os_error.strerror or str(error.os_error)
        return f"cannot connect to {error.host} port {error.port} ({reason})"
    return str(error) or repr(error)


async def _limited(response: "aiohttp.ClientResponse") -> bytes:
    """The body. ProviderFailure if it is too long."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise ProviderFailure("server", f"the answer is longer than {LARGEST_BODY} bytes")
    return bytes(body)


async def _streamed(response: "aiohttp.ClientResponse", hearing: Hearing) -> dict[str, Any]:
    """A stream of events as the one body that would have come in its place.

    ProviderFailure if it is too long, reports an error, or ends before the answer does.
    """
    size, line = 0, b""
    whole = StreamedAnswer(hearing)
    async for chunk in response.content.iter_any():
        size += len(chunk)
        if size > LARGEST_BODY:
            raise ProviderFailure("server", f"the answer is longer than {LARGEST_BODY} bytes")
        *lines, line = (line + chunk).split(b"\n")
        for each in filter(None, lines):
            whole.take(each)
    whole.take(line)
    return whole.body()


class StreamedAnswer:
    """The pieces of one answer, put together."""

    def __init__(self, hearing: Hearing) -> None:
        self._hearing = hearing
        self._body: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = defaultdict(list)
        self._finish: object = None
        self._done = False

    def take(self, line: bytes) -> None:
        """Takes one line of the stream. ProviderFailure for an error, or for what is no JSON."""
        field, _colon, data = line.strip().partition(b":")
        if field == b"error":  # as llama.cpp begins the line of an error
            field, data = b"data", b'{"error": %s}' % data
        if field != b"data":
            return
        if data.strip() == b"[DONE]":
            self._done = True
            return
        try:
            event = _EVENT.decode(data.decode())
            if event.get("error"):
                self._refuse(event["error"])
            for name in _OF_ALL:
                if value := event.get(name):
                    self._body[name] = value
            for choice in (event.get("choices") or ())[:1]:
                self._finish = choice.get("finish_reason") or self._finish
                self._add(choice.get("delta") or {})
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise ProviderFailure("server", "the stream does not follow the protocol") from None

    def body(self) -> dict[str, Any]:
        """The whole response. ProviderFailure if the stream ended before the answer."""
        if not self._done and self._finish is None:
            reason = f"the stream ended within the answer, after {self._hearing.pieces} tokens"
            raise ProviderFailure("stalled", reason)
        message: dict[str, Any] = {name: "".join(parts) for name, parts in self._texts.items()}
        arguments = message.pop("arguments", None)
        if arguments is not None:
            message["tool_calls"] = [{"function": {"arguments": arguments}}]
        return {**self._body, "choices": [{"message": message, "finish_reason": self._finish}]}

    def _add(self, delta: Mapping[str, Any]) -> None:
        pieces = {name: delta.get(name) for name in _PIECES}
        for call in delta.get("tool_calls") or ():
            pieces["arguments"] = (call.get("function") or {}).get("arguments")
        heard = None
        for name, text in pieces.items():
            if isinstance(text, str) and text:
                self._texts[name].append(text)
                heard = text
        if heard:
            self._hearing.hear(heard)

    def _refuse(self, error: Any) -> None:
        code = error.get("code") if isinstance(error, dict) else None
        said = error.get("message") if isinstance(error, dict) else error
        status = code if type(code) is int and 400 <= code < 600 else 500
        failure = client.failure_of_status(status, from_outside(str(said)), None)
        failure.free = False  # it had begun to answer
        raise failure


class HTTPClient(JsonHttpClient):
    """Client for one endpoint; the response body is the answer itself."""

    async def complete(self, request: Request) -> Completion:
        """One POST to ``api_base``. Raises ProviderFailure."""
        body = {
            **request.question,
            "model": self._config.model,
            "parameters": dict(request.parameters),
        }
        begun = time.monotonic()
        url = self._config.api_base or ""
        return Completion(
            text=from_outside((await self.post(url, body)).body),
            latency=time.monotonic() - begun,
            parameters=dict(request.parameters),
            host=host_of(url),
        )


class OpenAIClient(JsonHttpClient):
    """Client for one model of one server."""

    def __init__(self, config: LLMConfig) -> None:
        super().__init__(config)
        self._streams = config.stream

    async def complete(self, request: Request) -> Completion:
        """One POST to ``chat/completions``. Raises ProviderFailure."""
        config = self._config
        body: dict[str, Any] = {
            "model": config.model,
            "messages": [{"role": role, "content": text} for role, text in request.messages],
            **request.parameters,
        }
        response_format = request.response_format()
        if response_format is not None:
            body["response_format"] = response_format
        begun = time.monotonic()
        url = self.address("chat/completions")
        content, headers = await self._answer(url, body)
        completion = fields_of(content) if isinstance(content, dict) else read_completion(content)
        usage = client.Usage(**{name: completion[name] for name in client.Usage._fields})
        cost = _dollars(headers.get("x-litellm-response-cost")) or completion["price"]
        # The headers of LiteLLM's proxy came before the cost was known.
        hides_cost = cost is None and "x-litellm-model-id" in headers
        if self._streams and (usage.prompt_tokens is None or hides_cost):
            self._streams = False  # what a call costs is told with whole answers only
        known = usage.price(config.prices)
        served, route = headers.get("x-litellm-model-name"), headers.get("x-litellm-model-id")
        # A proxy's own names say more than the alias that it was asked for.
        completion["served"] = client.label(served) or completion["served"]
        completion["fingerprint"] = completion["fingerprint"] or client.label(route)
        completion["price"] = cost if known is None else known
        return Completion(
            **completion,
            latency=time.monotonic() - begun,
            parameters=dict(request.parameters),
            host=host_of(url),
        )

    def address(self, path: str) -> str:
        """An address of the protocol."""
        return f"{(self._config.api_base or '').rstrip('/')}/{path}"

    def root(self, path: str) -> str:
        """An address of the server's own, outside of the protocol."""
        return f"{(self._config.api_base or '').rstrip('/').removesuffix('/v1')}/{path}"

    async def _answer(self, url: str, body: dict[str, Any]) -> Response:
        """The response; from a server that refuses to stream, a whole one."""
        if self._streams:
            streamed = {**body, "stream": True, "stream_options": {"include_usage": True}}
            try:
                return await self.post(url, streamed)
            except ProviderFailure as failure:
                if failure.kind != "refused" or "stream" not in failure.message:
                    raise
            self._streams = False
        return await self.post(url, body)

    async def count_tokens(self, text: str) -> int | None:
        """The tokens of a text by the server's own tokenizer; None if it has none."""
        asked = {"content": text, "prompt": text, "model": self._config.model}
        try:
            tokens = json.loads((await self.post(self.root("tokenize"), asked)).body)["tokens"]
        except (ProviderFailure, ValueError, KeyError, TypeError):
            return None
        return len(tokens) if isinstance(tokens, list) else None


def _dollars(value: object) -> float | None:
    """A cost that a server tells; None for anything else, and for zero: it may not know."""
    try:
        dollars = float(value) if isinstance(value, str | float | int) else math.nan
    except ValueError:
        return None
    return dollars if 0 < dollars < math.inf else None


def read_completion(raw: bytes) -> dict[str, Any]:
    """The fields of a Completion in the body of a response; a missing text is an empty one.

    Raises ProviderFailure if the body does not follow the protocol.
    """
    try:
        body = json.loads(raw, strict=False)
    except (ValueError, RecursionError):
        body = None
    return fields_of(body)


def fields_of(body: Any) -> dict[str, Any]:
    """The same for a body that is parsed."""
    try:
        choice = body["choices"][0]
        message = choice.get("message") or {}
        usage = body.get("usage") or {}
        refusal = message.get("refusal")
        text, thinking = client.text_of(message), client.thinking_of(message)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise ProviderFailure(
            "server", "the response does not follow the OpenAI protocol"
        ) from None
    if not text and isinstance(refusal, str):
        text = refusal
    return {
        "text": text,
        "thinking": thinking,
        "finish": "refusal" if refusal else str(choice.get("finish_reason") or "stop"),
        **client.usage_of(usage)._asdict(),
        "price": _dollars(usage.get("cost")) if isinstance(usage, dict) else None,
        "provider_id": str(body.get("id") or "")[:200],
        "served": client.label(body.get("model")),
        "fingerprint": client.label(body.get("system_fingerprint")),
    }
