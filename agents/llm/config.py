"""The agent block of kind "llm"."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from parlour.games.common.suggestions import suggestion

REFUSED_KEYS = frozenset(
    {"apikey", "xapikey", "key", "token", "secret", "password", "authorization", "cookie"}
    | {"bearer", "accesstoken", "authtoken", "azureadtoken", "credentials", "vertexcredentials"}
)
"""Names under which a key might be written into a tournament file, which is no place for it.
Compared in small letters, without "-" and "_"."""
OUR_PARAMETERS = frozenset(
    {"model", "messages", "stream", "n", "best_of", "timeout", "max_retries", "num_retries"}
    | {"response_format", "api_base", "base_url"}
)
"""Parameters that are set by us, or by keys of their own."""
OTHER_ANSWERS = frozenset(
    {"fallbacks", "context_window_fallback_dict", "candidate_count", "candidateCount"}
)
"""Parameters of libraries and providers, at whatever depth, by which another model would answer
or several answers would be paid for."""
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]
CacheUse = Literal["off", "between_matches", "within_matches"]


class Window(BaseModel):
    """A memory of the ``last`` so many rounds."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    last: int = Field(ge=1)


class LLMConfig(BaseModel):
    """A language model as an agent.

    ``client``: "litellm" for any provider that it knows, "openai" for a server that speaks the
    OpenAI protocol at ``api_base``; left out, the second where ``api_base`` is given. "http" is for
    an endpoint of the user's own, ``api_base``, which gets the question as plain data.
    ``api_key_env`` names the variable of the environment, or the line of the keys file, that holds
    the key. ``structured``: what the server can do for the answer's form. ``parameters`` go to the
    model with every ask, ``for_ask`` sets others for one kind of ask. ``prices`` are dollars per
    million tokens, in and out. ``budget`` is how many dollars it may spend in one save; it is no
    part of what is played, so a save keeps it elsewhere. ``prompts`` is a folder of templates
    that go before ours. ``deliberation``: whether the model first thinks in words of its own
    (``scratchpad``), or writes an analysis of the table, and how its beliefs come of it: from
    verdicts, or as a matrix that it is asked for.
    ``memory``: of how many rounds its prompts tell, in games of encounters or of rounds.
    ``cache``: whether a question that was answered in another match of the save, or also by
    another seat of the same match, gets that answer again.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=60)
    kind: Literal["llm"]
    model: str = Field(min_length=1)
    client: Literal["litellm", "openai", "http"] | None = None
    api_base: str | None = None
    api_key_env: str | None = None
    structured: Literal["schema", "object", "text"] = "schema"
    parameters: dict[str, Any] = Field(default_factory=dict)
    for_ask: dict[str, dict[str, Any]] = Field(default_factory=dict)
    timeout: float = Field(default=120.0, gt=0)
    retries: int = Field(default=5, ge=0, le=100)
    retry_wait: float = Field(default=1.0, gt=0)
    prices: tuple[Price, Price] | None = Field(default=None, strict=False)
    prompts: str | None = None
    deliberation: Literal["none", "scratchpad", "pgm_text", "pgm_matrix"] = "none"
    memory: Literal["full"] | Window = "full"
    cache: CacheUse = "off"
    budget: float | None = Field(default=None, ge=0, allow_inf_nan=False, exclude=True)

    @model_validator(mode="before")
    @classmethod
    def _no_key_in_the_file(cls, raw: Any) -> Any:
        if isinstance(raw, dict):
            for name in _names(raw):
                if name.lower().replace("-", "").replace("_", "") in REFUSED_KEYS:
                    raise ValueError(
                        f"{name} does not belong in this file: name the variable of"
                        " the environment that holds it, as api_key_env"
                    )
            for name in raw.keys() - cls.model_fields.keys():  # its value may be a key: not shown
                fix = suggestion(str(name), cls.model_fields)
                raise ValueError(f"there is no {name!r} for a model: {fix}")
            variable, base = raw.get("api_key_env"), raw.get("api_base")
            # Neither value is shown: it may be the key itself.
            if isinstance(variable, str) and not re.fullmatch(r"[A-Z_][A-Z0-9_]*", variable):
                raise ValueError(
                    "api_key_env is not the name of a variable: capitals, digits and _, such as"
                    " OPENAI_API_KEY"
                )
            if isinstance(base, str) and re.search(r"[?#@]", base):
                raise ValueError(
                    "api_base holds a user, a password or a query, where a key might stand: give"
                    " the address alone, and name the key's variable as api_key_env"
                )
            if isinstance(base, str) and not re.match(r"https?://[^/]", base):
                raise ValueError(
                    "api_base is no address of a server: write it as http://localhost:8000/v1 or"
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
            raise ValueError(f'{shown} is no memory: "full", or {{ last = 10 }} for 10 rounds')
        return raw

    @model_validator(mode="after")
    def _only_parameters_of_the_model(self) -> "LLMConfig":
        for place in (self.parameters, *self.for_ask.values()):
            more = place.get("extra_body")
            for name in (*place, *(more if isinstance(more, dict) else ())):
                if name in OUR_PARAMETERS:
                    raise ValueError(f"{name} is not for parameters: Parlour sets it itself")
            for name in OTHER_ANSWERS.intersection(_names(place)):
                raise ValueError(
                    f"{name} is not for parameters: a call is for one answer of one model"
                )
        return self

    @model_validator(mode="after")
    def _reachable(self) -> "LLMConfig":
        if self.client in {"openai", "http"} and self.api_base is None:
            example = "http://localhost:8000/" + ("v1" if self.client == "openai" else "answer")
            raise ValueError(f"client = {self.client!r} needs api_base, such as {example!r}")
        if self.client == "http" and self.deliberation != "none":
            raise ValueError(
                f"deliberation = {self.deliberation!r} is for models, and client = 'http' is none:"
                " leave one of them out"
            )
        if self.client == "http" and self.memory != "full":
            raise ValueError(
                "memory is for models, and client = 'http' is sent all that its player knows:"
                " leave one of them out"
            )
        return self

    @property
    def carrier(self) -> Literal["litellm", "openai", "http"]:
        """The client that is used."""
        return self.client or ("openai" if self.api_base else "litellm")

    @property
    def rounds_kept(self) -> int | None:
        """Of how many rounds a prompt tells; None for all."""
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
