"""Rows of ``calls``."""

import json
from dataclasses import dataclass, fields

from parlour.agents.model_calls import Completion
from parlour.games.engine.moves import Seat


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A row of ``calls``: one attempt at one model call, answered or failed.

    ``price`` is in US dollars, ``latency`` in seconds. ``cache_key`` is a fingerprint of all that
    the answer depends on, if the cache may reuse it; ``copy_of`` is the ``seq`` of the call whose
    answer the cache reused.
    """

    match: int
    ask: int
    seat: Seat
    try_: int
    number: int
    attempt: int
    agent: str
    model: str
    prompt: str
    templates: str
    parameters: str
    failure: str | None
    message: str | None
    text: str | None
    thinking: str | None
    finish: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    price: float | None
    latency: float
    provider_id: str | None
    cache_key: str | None = None
    copy_of: int | None = None
    served: str | None = None
    fingerprint: str | None = None
    host: str | None = None

    def completion(self) -> Completion:
        """Returns the answer as the agent got it the first time."""
        return Completion(
            text=self.text or "",
            thinking=self.thinking or "",
            finish=self.finish or "stop",
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            price=self.price,
            latency=self.latency,
            provider_id=self.provider_id or "",
            parameters=json.loads(self.parameters),
            served=self.served or "",
            fingerprint=self.fingerprint or "",
            host=self.host or "",
        )


CALL_COLUMNS = tuple(field.name.rstrip("_") for field in fields(StoredCall))
"""The columns of ``calls`` in the order of a StoredCall."""
