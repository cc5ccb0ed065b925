"""Requests to language models, their completions and failures, whichever library carries them."""

import json
import time
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, Protocol

from parlour.games.common.text import clean

FailureKind = Literal[
    "timeout",
    "stalled",
    "rate_limit",
    "server",
    "connection",
    "auth",
    "refused",
    "settings",
    "worker",
    "window",
]
"""Why a provider gave no answer. ``stalled``: its answer stopped midway; ``auth``: it rejects the
key; ``refused``: it rejects the request; ``settings``: it cannot be reached at all, since the
address or the certificate is wrong; ``worker``: the worker of a cluster that had sent the request
ended; ``window``: prompt and answer are longer than the model can hold."""


class Failing(NamedTuple):
    """A kind of failure, declared once.

    ``permanent``: a retry cannot fix it. ``down``: words for a provider that is down, where the
    failure counts for that; "" where it says that the provider is up, or nothing of it. ``fix``:
    the user's way out, with ``{key}`` for the name of the key.
    """

    permanent: bool
    down: str
    fix: str


_LATER = "try again later"
FAILURES: Mapping[FailureKind, Failing] = {
    "timeout": Failing(
        False,
        "no answer in time",
        "is it slow, or has it a queue? raise timeout, or set in_flight in [[limits]]",
    ),
    "stalled": Failing(False, "answers that stop midway", "is the server still running?"),
    "rate_limit": Failing(False, "", _LATER),
    "server": Failing(False, "server errors", _LATER),
    "connection": Failing(False, "no connection", "is the server running, and is api_base right?"),
    "auth": Failing(True, "", "check the key {key}, and that it may use this model"),
    "refused": Failing(
        True,
        "",
        "check model, api_base and key, and that the provider accepts such requests; other"
        " requests need a new save",
    ),
    "settings": Failing(True, "", "check its address and its certificate"),
    "worker": Failing(False, "", _LATER),
    "window": Failing(
        True,
        "",
        "shorten the prompts (parlour run SAVE --memory last:3), lower max_tokens, or serve the"
        " model with a larger window",
    ),
}
"""Everything that the program knows of a kind of failure."""
PERMANENT = frozenset(kind for kind, its in FAILURES.items() if its.permanent)
"""The failures that a retry cannot fix."""


Mode = Literal["schema", "object", "object_schema", "text"]
"""Ways to request the form of an answer: as a JSON schema, as any JSON object, as a JSON object
with the schema inside (llama.cpp), or in the prompt alone."""


@dataclass(frozen=True, slots=True)
class Enforcement:
    """The way in which an endpoint is asked for the form of an answer, and what it enforces.

    ``strict``: with OpenAI's flag, and the schema in the subset that it allows. ``enforced``: the
    server lets no other answer through, so the prompt need not repeat the schema.
    """

    mode: Mode = "schema"
    strict: bool = False
    enforced: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model.

    ``messages`` are (role, text). ``parameters`` are sent unchanged. ``schema`` is the JSON schema
    of the answer, ``form`` and ``strict`` how it is requested (``Enforcement``). ``templates`` are
    (name, text) of the prompt templates. ``question`` is the ask as plain data, for a user's HTTP
    endpoint. ``room`` is how many tokens the model's window must have left. ``fingerprint`` is the
    digest of what an agent in this process is asked, which no text is sent.
    """

    messages: tuple[tuple[str, str], ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] = field(default_factory=dict)
    form: Mode = "schema"
    strict: bool = False
    templates: tuple[tuple[str, str], ...] = ()
    question: Mapping[str, Any] = field(default_factory=dict)
    room: int = 0
    fingerprint: str = ""

    def sent(self) -> list[object]:
        """Everything that the model is sent."""
        sent: list[object] = [self.messages, self.parameters, self.schema, self.form]
        sent += [self.strict] if self.strict else []
        return [*sent, self.question] if self.question else sent

    def digest(self) -> str:
        """A fingerprint of everything that the model is sent."""
        if self.fingerprint:
            return self.fingerprint
        whole = json.dumps(self.sent(), sort_keys=True)
        return blake2b(whole.encode(), digest_size=8).hexdigest()

    def response_format(self) -> dict[str, Any] | None:
        """The ``response_format`` parameter of the request, None for a form in words."""
        if self.form == "text":
            return None
        if self.form == "object":
            return {"type": "json_object"}
        if self.form == "object_schema":
            return {"type": "json_object", "schema": dict(self.schema)}
        schema = _strict(self.schema) if self.strict else dict(self.schema)
        named = {"name": "answer", "schema": schema, "strict": self.strict}
        return {"type": "json_schema", "json_schema": named}


_NOT_STRICT = frozenset({"minLength", "maxLength", "default"})
"""Keywords of our schemas outside the subset of OpenAI's strict mode."""


def _strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema in the subset of OpenAI's strict mode: it requires every field."""
    allowed = {key: value for key, value in schema.items() if key not in _NOT_STRICT}
    if "anyOf" in allowed:
        allowed["anyOf"] = [_strict(each) for each in allowed["anyOf"]]
    if "items" in allowed:
        allowed["items"] = _strict(allowed["items"])
    if "properties" in allowed:
        properties = {name: _strict(part) for name, part in allowed["properties"].items()}
        allowed |= {"properties": properties, "required": list(properties)}
    return allowed


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer. ``price`` is in US dollars, None if unknown; ``latency`` in seconds.

    ``finish`` is the server's reason for stopping ("length": at the limit, "refusal": the model
    declined). ``cached_tokens`` and ``written_tokens`` are those of the prompt that the provider
    read from its cache and wrote to it, ``reasoning_tokens`` some of the answer's; None if it does
    not say. ``parameters`` are those that the provider was sent in the end. ``served`` is the
    name of the model in the answer, ``fingerprint`` that of the system behind it, ``host`` the
    host and port that the request was sent to; each is empty where nothing says it.
    """

    text: str
    thinking: str = ""
    finish: str = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    written_tokens: int | None = None
    reasoning_tokens: int | None = None
    price: float | None = None
    latency: float = 0.0
    provider_id: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    served: str = ""
    fingerprint: str = ""
    host: str = ""

    @property
    def tells_cost(self) -> bool:
        """True if it says anything of tokens or dollars."""
        return (self.prompt_tokens, self.completion_tokens, self.price) != (None, None, None)


class ProviderFailure(Exception):
    """The provider gave no answer. This is not a fault of the agent: the call is retried.

    ``retry_after`` is the number of seconds that the provider asks to wait, None if it does not
    say; ``latency`` is how many it took to fail. ``free``: the call certainly cost nothing.
    """

    def __init__(
        self, kind: FailureKind, message: str, retry_after: float | None = None, free: bool = False
    ) -> None:
        self.kind, self.retry_after, self.free = kind, retry_after, free
        self.latency = 0.0
        self.message = clean(" ".join(message.split()), 300)
        super().__init__(self.message)

    @property
    def temporary(self) -> bool:
        """True if the same request may succeed later."""
        return self.kind not in PERMANENT

    @property
    def hint(self) -> str:
        """Words on what helps while the call is tried again; "" where only waiting does."""
        its = FAILURES[self.kind]
        return "" if its.permanent or its.fix == _LATER else its.fix

    def fix(self, key: str | None) -> str:
        """The user's way out; ``key`` is the name of the key, None for that of the provider."""
        named = key or "of its provider (api_key_env names none)"
        return FAILURES[self.kind].fix.format(key=named)


@dataclass(slots=True)
class Hearing:
    """The part of a streamed answer that has arrived; times are of the monotonic clock."""

    text: str = ""
    pieces: int = 0
    first: float = 0.0
    last: float = 0.0

    def hear(self, piece: str) -> None:
        """Takes the next piece, which is about one token."""
        self.last = time.monotonic()
        self.first = self.first or self.last
        self.pieces += 1
        if len(self.text) < LONGEST_HEARD:
            self.text += piece

    @property
    def speed(self) -> float | None:
        """Tokens a second since the first one; None before the second."""
        return (self.pieces - 1) / (self.last - self.first) if self.last > self.first else None


LONGEST_HEARD = 200
"""Characters of a streamed answer that are shown while it comes."""
HEARING: ContextVar[Hearing | None] = ContextVar("hearing", default=None)
"""The record in which a client notes what arrives of the answer that its caller awaits."""


class Client(Protocol):
    """A way to reach a model."""

    async def complete(self, request: Request) -> Completion:
        """Sends one request once. Raises ProviderFailure, whose message holds no key."""
        ...

    async def close(self) -> None:
        """Closes the connections."""
        ...
