"""The agent block of kind "llm"."""

import re
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from parlour.agents.base import CallingBlock
from parlour.games.common.suggestions import suggestion

REFUSED_KEYS = frozenset(
    {"apikey", "xapikey", "key", "token", "secret", "password", "authorization", "cookie"}
    | {"bearer", "accesstoken", "authtoken", "azureadtoken", "credentials", "vertexcredentials"}
)
"""Names under which a key might be written into a tournament file, where it is refused.
Compared in lower case, without "-" and "_"."""
OUR_PARAMETERS = frozenset(
    {"model", "messages", "stream", "n", "best_of", "timeout", "max_retries", "num_retries"}
    | {"response_format", "api_base", "base_url"}
)
"""Parameters that Parlour sets, or that have a key of their own."""
OTHER_ANSWERS = frozenset(
    {"fallbacks", "context_window_fallback_dict", "candidate_count", "candidateCount"}
)
"""Parameters of libraries and providers, at any depth, that let another model answer or request
several answers."""
_ADDRESS = re.compile(r"https?://[A-Za-z0-9_.:\[\]-]+(?:/[!-\[\]-~]*)?")
"""An address that every library reads alike: plain letters, and no backslash."""
_INDIRECT = re.compile(r"os\.environ/|^oidc/")
"""Values that litellm replaces by a variable of the environment or by a file."""
ROOTS = {"openai": "v1", "http": "answer", "a2a": ""}
"""The clients that need an address, with an example of its path."""
SHIPPED_MODEL = "smollm2"
"""The local model that comes with the extra ``local``."""
CacheUse = Literal["off", "between_matches", "within_matches"]


class Window(BaseModel, frozen=True, extra="forbid", strict=True):
    """A memory of the ``last`` rounds, as many as it says."""

    last: int = Field(ge=1)


class LLMConfig(CallingBlock):
    """A language model as an agent.

    ``client``: "litellm" for any provider that litellm supports, "openai" for a server at
    ``api_base`` that speaks the OpenAI protocol, "http" for an endpoint of the user's own at
    ``api_base``, which gets the question as plain data, "a2a" for an agent at ``api_base`` that
    speaks A2A and gets both, "local" for a model that Parlour starts on
    this machine. The default is "openai" with an ``api_base``, else "litellm".
    ``api_key_env``: the environment variable, or the line of the keys file, that holds the key.
    ``structured``: how the form of an answer is requested, "auto" for what its endpoint is known
    to enforce. ``enforced``: whether the endpoint lets no other answer through, so that the prompt
    does not repeat the schema (None: as known). ``context``: tokens of prompt and answer together
    that the model can hold (None: not known).
    ``parameters``: sent with every ask; ``for_ask`` overrides them for one kind of ask.
    ``stream``: whether the answer is asked for piece by piece (client "openai"). ``silence``: the
    seconds without a new piece after which a call is given up.
    ``prompts``: a folder of templates that override the shipped ones.
    ``wording``: the shipped templates in full, or in short for small models.
    ``deliberation``: whether the model first thinks in free text (``scratchpad``) or analyses the
    table, and whether its beliefs are computed from verdicts or asked for as a matrix.
    ``memory``: the number of rounds that its prompts contain.
    ``cache``: whether a question that was answered in another match of the save, or also by
    another seat of the same match, gets that answer again.
    """

    kind: Literal["llm"]
    model: str = Field(min_length=1)
    client: Literal["litellm", "openai", "http", "a2a", "local"] | None = None
    api_base: str | None = None
    api_key_env: str | None = None
    structured: Literal["auto", "strict", "schema", "object_schema", "object", "text"] = "auto"
    enforced: bool | None = None
    context: int | None = Field(default=None, ge=256)
    parameters: dict[str, Any] = Field(default_factory=dict)
    for_ask: dict[str, dict[str, Any]] = Field(default_factory=dict)
    silence: float = Field(default=30.0, gt=0)
    stream: bool = True
    prompts: str | None = None
    wording: Literal["full", "short"] = "full"
    deliberation: Literal["none", "scratchpad", "pgm_text", "pgm_matrix"] = "none"
    memory: Literal["full"] | Window = "full"
    cache: CacheUse = "off"

    @model_validator(mode="before")
    @classmethod
    def _no_key_in_the_file(cls, raw: Any) -> Any:
        if isinstance(raw, dict):
            for name in _names(raw):
                if name.lower().replace("-", "").replace("_", "") in REFUSED_KEYS:
                    raise ValueError(
                        f"{name} must not be in this file: set api_key_env to the name of the"
                        " environment variable that holds it"
                    )
            for name in raw.keys() - cls.model_fields.keys():  # its value may be a key: not shown
                fix = suggestion(str(name), cls.model_fields)
                raise ValueError(f"{name!r} is not a valid value for a model: {fix}")
            variable, base = raw.get("api_key_env"), raw.get("api_base")
            # Neither value is shown: it may be the key itself.
            if isinstance(variable, str) and not re.fullmatch(r"[A-Z_][A-Z0-9_]*", variable):
                raise ValueError(
                    "api_key_env is not a variable name: use capitals, digits and _, such as"
                    " OPENAI_API_KEY"
                )
            if isinstance(base, str) and re.search(r"[?#@]", base):
                raise ValueError(
                    "api_base contains a user, a password or a query, which may hold a key: give"
                    " the address alone, and the key's variable as api_key_env"
                )
            if isinstance(base, str) and not _ADDRESS.fullmatch(base):
                raise ValueError(
                    "api_base is not a server address: write it as http://localhost:8000/v1 or"
                    " https://example.org/v1"
                )
        return raw

    @field_validator("memory", mode="before")
    @classmethod
    def _whole_or_windowed(cls, raw: Any) -> Any:
        last = raw.get("last") if isinstance(raw, dict) and raw.keys() == {"last"} else raw
        known = last == "full" if last is raw else type(last) is int and last >= 1
        if not known and not isinstance(raw, Window):
            shown = repr(raw)[:60]
            raise ValueError(
                f'{shown} is not a valid memory: give "full", or {{ last = 10 }} for 10 rounds'
            )
        return raw

    @model_validator(mode="after")
    def _only_parameters_of_the_model(self) -> "LLMConfig":
        for place in (self.parameters, *self.for_ask.values()):
            more = place.get("extra_body")
            for name in (*place, *(more if isinstance(more, dict) else ())):
                if name in OUR_PARAMETERS:
                    raise ValueError(f"{name} is not allowed in parameters: Parlour sets it")
            if any(_INDIRECT.search(text) for text in _texts(place)):
                raise ValueError(
                    "parameters must not refer to the environment (os.environ/) or to oidc/: what"
                    " is read there could go anywhere"
                )
            for name in OTHER_ANSWERS.intersection(_names(place)):
                raise ValueError(
                    f"{name} is not allowed in parameters: a call gets one answer from one model"
                )
        return self

    @model_validator(mode="after")
    def _reachable(self) -> "LLMConfig":
        if self.client == "local":
            if self.api_base is not None or self.api_key_env is not None:
                raise ValueError("client = 'local' needs neither api_base nor api_key_env")
            if self.model != SHIPPED_MODEL and not re.fullmatch(r"[\w .+@()-]+\.gguf", self.model):
                raise ValueError(
                    f"{self.model[:60]!r} is not the name of a GGUF file: link it with"
                    " --model local:FILE.gguf, and give its name without a folder"
                )
        if self.client in ROOTS and self.api_base is None:
            example = f"http://localhost:8000/{ROOTS[self.client]}"
            raise ValueError(f"client = {self.client!r} needs api_base, such as {example!r}")
        if self.is_agent and self.deliberation != "none":
            raise ValueError(
                f"deliberation = {self.deliberation!r} does not work with client ="
                f" {self.client!r}: leave one of them out"
            )
        if self.is_agent and self.memory != "full":
            raise ValueError(
                f"memory does not work with client = {self.client!r}, which gets all that its"
                " player knows: leave one of them out"
            )
        return self

    @property
    def is_agent(self) -> bool:
        """True for an agent behind an address, which gets the question as plain data."""
        return self.client in {"http", "a2a"}

    @property
    def carrier(self) -> Literal["litellm", "openai", "http", "a2a", "local"]:
        """The client that is used."""
        return self.client or ("openai" if self.api_base else "litellm")

    @property
    def rounds_kept(self) -> int | None:
        """Number of rounds that a prompt contains; None for all."""
        return self.memory.last if isinstance(self.memory, Window) else None

    def parameters_for(self, kind: str) -> dict[str, Any]:
        """The parameters of one kind of ask."""
        return {**self.parameters, **self.for_ask.get(kind, {})}


def _names(value: object) -> Iterator[str]:
    """Every name in plain data, at any depth."""
    if isinstance(value, dict):
        for name, entry in value.items():
            yield str(name)
            yield from _names(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _names(entry)


def _texts(value: object) -> Iterator[str]:
    """Every text in plain data that is not a name, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _texts(entry)
