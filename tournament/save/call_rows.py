"""Rows of ``calls``, in every version of a save."""

import json
from dataclasses import dataclass, fields

from parlour.agents.model_calls import Completion
from parlour.games.engine.moves import Seat
from parlour.tournament.save.database import GROWS


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
            served=served_by(self) or "",
            fingerprint=self.fingerprint or "",
            host=self.host or "",
        )


CALL_COLUMNS = tuple(field.name.rstrip("_") for field in fields(StoredCall))
"""The columns of ``calls`` in the order of a StoredCall."""
_LATER_COLUMNS = {6: ("cache_key", "copy_of"), GROWS: ("served", "fingerprint", "host")}
"""The last columns, by the version that added them."""
OTHER_MODEL = "model"
"""Key of the parameters in which versions before 9 stored the model's name in the answer, if that
was not the asked one. No tournament file can set it."""


def call_columns(version: int) -> tuple[str, ...]:
    """The columns of ``calls`` in a version of the save: the first ones of ``CALL_COLUMNS``."""
    missing = [len(columns) for since, columns in _LATER_COLUMNS.items() if version < since]
    return CALL_COLUMNS[: len(CALL_COLUMNS) - sum(missing)]


def served_sql(version: int) -> str:
    """SQL for the model's name in the answer of a call, as ``served_by``."""
    older = (
        f"CASE WHEN calls.parameters LIKE '%\"{OTHER_MODEL}\"%' AND json_valid(calls.parameters)"
        f" THEN json_extract(calls.parameters, '$.{OTHER_MODEL}') END"
    )
    return older if version < GROWS else f"coalesce(calls.served, {older})"


def served_by(call: StoredCall) -> str | None:
    """The model's name in the answer of a call; of an older save only if it is not the asked one.

    None where nothing says it.
    """
    if call.served is not None or f'"{OTHER_MODEL}"' not in call.parameters:
        return call.served
    name = json.loads(call.parameters).get(OTHER_MODEL)
    return name if isinstance(name, str) else None
