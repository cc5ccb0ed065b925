"""What goes to a model and what comes back, whichever library carries it."""

import json
import math
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from typing import Any, Literal, Protocol

from parlour.games.common.text import clean

FailureKind = Literal[
    "timeout", "rate_limit", "server", "connection", "auth", "refused", "settings"
]
"""Why a provider gave no answer. ``auth``: it does not take the key; ``refused``: nor such a
request at all; ``settings``: it cannot even be asked, the address or certificate being wrong."""
LASTING: frozenset[FailureKind] = frozenset({"auth", "refused", "settings"})
"""Those that waiting does not fix."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    ``messages`` are (role, text). ``parameters`` go to the model as they are. ``schema`` is the
    JSON schema of the answer; ``form`` says how it is asked for: as a schema that the server
    enforces, as any JSON object, or in words alone. ``templates`` are the texts it was made from.
    ``asked`` is the ask as plain data, for an endpoint that is no model.
    """

    messages: tuple[tuple[str, str], ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] = field(default_factory=dict)
    form: Literal["schema", "object", "text"] = "schema"
    templates: tuple[tuple[str, str], ...] = ()
    asked: Mapping[str, Any] = field(default_factory=dict)

    def sent(self) -> list[object]:
        """Everything that the model is sent."""
        sent: list[object] = [self.messages, self.parameters, self.schema, self.form]
        return [*sent, self.asked] if self.asked else sent

    def digest(self) -> str:
        """A fingerprint of everything that the model is sent."""
        whole = json.dumps(self.sent(), sort_keys=True)
        return blake2b(whole.encode(), digest_size=8).hexdigest()

    def response_format(self) -> dict[str, Any] | None:
        """How the answer's form is asked for in the request itself."""
        if self.form == "text":
            return None
        if self.form == "object":
            return {"type": "json_object"}
        named = {"name": "answer", "schema": dict(self.schema), "strict": False}
        return {"type": "json_schema", "json_schema": named}


@dataclass(frozen=True, slots=True)
class Completion:
    """What came back. ``price`` is in US dollars, None if unknown; ``latency`` in seconds.

    ``finish`` is the server's word for why it stopped ("length": at the limit, "refusal": the
    model declined). ``parameters`` are those that the provider was really sent.
    """

    text: str
    thinking: str = ""
    finish: str = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    price: float | None = None
    latency: float = 0.0
    provider_id: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


class ProviderFailure(Exception):
    """The provider gave no answer. Not a move of the agent: it is tried again later.

    ``retry_after`` is how many seconds the provider asks to wait, None if it does not say;
    ``latency`` how many it took to fail. ``free``: it is certain that it cost nothing.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        retry_after: float | None = None,
        free: bool = False,
    ) -> None:
        self.kind, self.retry_after, self.free = kind, retry_after, free
        self.latency = 0.0
        self.message = clean(" ".join(message.split()), 300)
        super().__init__(self.message)

    @property
    def passing(self) -> bool:
        """Whether the same request may well succeed in a moment."""
        return self.kind not in LASTING


class Client(Protocol):
    """A way to reach a model."""

    async def complete(self, request: Request) -> Completion:
        """One request, one try. Raises ProviderFailure; its message holds no key."""
        ...

    async def close(self) -> None:
        """Lets go of connections."""
        ...


def failure_of_status(status: int, message: str, retry_after: float | None) -> ProviderFailure:
    """What an HTTP status other than 200 means. Only errors, from 400 on, surely cost nothing."""
    kind: FailureKind
    if status == 429:
        kind = "rate_limit"
    elif status == 408:
        kind = "timeout"
    elif status in {401, 403}:
        kind = "auth"
    elif status in {409, 425} or status >= 500 or status < 300:  # 2xx: an answer that is none
        kind = "server"
    else:
        kind = "refused"
    if 300 <= status < 400:
        message = f"the address redirects elsewhere: {message}"
    return ProviderFailure(kind, f"HTTP {status}: {message}", retry_after, free=status >= 400)


def causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what it came of, the innermost last."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def never_connected(error: BaseException) -> bool:
    """Whether nothing was sent, since there was no connection to send it over.

    litellm calls a connection that was reset while it waited a ``ConnectError`` too.
    """
    names = {type(cause).__name__ for cause in causes(error)}
    failed = names & {"ClientConnectorError", "ClientConnectorDNSError", "ConnectError"}
    return bool(failed) and "ClientOSError" not in names


def never_connects(error: BaseException) -> bool:
    """Whether a connection failed for good: a wrong certificate, or a server without TLS."""
    return any(
        isinstance(cause, ssl.SSLCertVerificationError)
        or getattr(cause, "reason", None) == "WRONG_VERSION_NUMBER"
        for cause in causes(error)
    )


def seconds_to_wait(value: str | None) -> float | None:
    """What a Retry-After header asks for: a number of seconds, or a date."""
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
    """All tokens that came back: some servers count a model's thinking in the total alone."""
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
