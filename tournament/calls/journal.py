"""The journal: rows of calls as the save stores them, made from requests and their results."""

import json
from dataclasses import replace
from typing import NamedTuple

from parlour.agents.llm.keys import scrubbed
from parlour.agents.model_calls import Completion, ProviderFailure, Request
from parlour.games.engine.moves import Seat
from parlour.tournament.save.rows import StoredCall, fingerprint


class CallRef(NamedTuple):
    """A call of a save: its ask and seat, the try of the answer, and its number in that try."""

    match: int
    ask: int
    seat: Seat
    try_: int
    number: int


def storable(completion: Completion) -> Completion:
    """A completion that the save can store: without API keys and lone surrogates.

    The agent gets this one too, so that it reads the same again after a restart.
    """

    def safe(text: str) -> str:
        return scrubbed(text).encode("utf-8", "replace").decode("utf-8")

    return replace(
        completion,
        text=safe(completion.text),
        thinking=safe(completion.thinking),
        finish=safe(completion.finish),
        provider_id=safe(completion.provider_id),
        served=safe(completion.served),
        fingerprint=safe(completion.fingerprint),
        host=safe(completion.host),
    )


def call_row(
    ref: CallRef,
    attempt: int,
    agent: str,
    model: str,
    request: Request,
    result: Completion | ProviderFailure,
) -> StoredCall:
    """The row of one attempt at a call, answered or failed."""
    answer = result if isinstance(result, Completion) else None
    failure = result if isinstance(result, ProviderFailure) else None
    parameters = dict(answer.parameters if answer else request.parameters)
    return StoredCall(
        match=ref.match,
        ask=ref.ask,
        seat=ref.seat,
        try_=ref.try_,
        number=ref.number,
        attempt=attempt,
        agent=agent,
        model=model,
        prompt=request.digest(),
        templates=json.dumps([fingerprint(text) for _name, text in request.templates]),
        parameters=json.dumps(parameters, sort_keys=True),
        failure=failure.kind if failure else None,
        message=failure.message if failure else None,
        text=answer.text if answer else None,
        thinking=answer.thinking if answer else None,
        finish=answer.finish if answer else None,
        prompt_tokens=answer.prompt_tokens if answer else None,
        completion_tokens=answer.completion_tokens if answer else None,
        price=answer.price if answer else None,
        latency=result.latency,
        provider_id=answer.provider_id if answer else None,
        served=(answer.served or None) if answer else None,
        fingerprint=(answer.fingerprint or None) if answer else None,
        host=(answer.host or None) if answer else None,
    )
