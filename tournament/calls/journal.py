"""The journal: a model is asked through here, and never twice for what came back once."""

import json
from dataclasses import dataclass, replace
from typing import Protocol

from parlour.agents.llm.client import Client, Completion, ProviderFailure, Request
from parlour.agents.llm.keys import scrubbed
from parlour.games.engine.dice import Dice
from parlour.games.engine.moves import Seat
from parlour.tournament.save.rows import Reservation, StoredCall, fingerprint

LONGEST_WAIT = 60.0
"""Seconds before a failed call is tried again, at the most, unless the provider asks for more."""


def storable(completion: Completion) -> Completion:
    """What came, as the save can keep it and may: no key, no lone surrogate.

    The agent gets this too, so that it reads the same again after a restart.
    """

    def safe(text: str) -> str:
        return scrubbed(text).encode("utf-8", "replace").decode("utf-8")

    return replace(
        completion,
        text=safe(completion.text),
        thinking=safe(completion.thinking),
        finish=safe(completion.finish),
        provider_id=safe(completion.provider_id),
    )


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of an attempt, and what was set aside for it, if a budget holds.

    ``cache_key`` and ``copy_of`` are those of its row. Nothing was sent for a copy.
    """

    came: Completion | ProviderFailure
    reservation: Reservation | None = None
    cache_key: str | None = None
    copy_of: int | None = None


class Way(Protocol):
    """How the calls of one act reach a model, and what becomes of them."""

    async def send(self, client: Client, request: Request) -> Sent:
        """Sends one attempt, as soon as it may be sent."""
        ...

    async def store(self, call: StoredCall, request: Request, sent: Sent) -> None:
        """Returns once the attempt, and the templates it was made from, are durable."""
        ...

    async def pause(self, seconds: float) -> None:
        """Waits outside the gate, and comes back through it."""
        ...


class Calls:
    """The calls of one try of one agent at one ask.

    ``agent`` is its name, model, retries and first wait (seconds, doubled at each retry).
    ``before`` are the journaled calls of this ask and seat.
    """

    def __init__(
        self,
        place: tuple[int, int, Seat, int],
        agent: tuple[str, str, int, float],
        before: list[StoredCall],
        way: Way,
    ) -> None:
        self._match, self._ask, self._seat, self._try = place
        self._agent, self._model, self._retries, self._first_wait = agent
        self._before, self._way = before, way
        self._number = 0

    async def complete(self, client: Client, request: Request) -> Completion:
        """The journaled answer to this very request, or a new one, journaled before it is used.

        Raises ProviderFailure once the retries are used up, or at once where none can help.
        """
        self._number += 1
        digest = request.digest()
        mine = [c for c in self._before if (c.try_, c.number) == (self._try, self._number)]
        for call in mine:
            if call.failure is None and call.prompt == digest:
                return call.completion()
        attempt = len(mine)
        for repeat in range(self._retries + 1):
            attempt += 1
            sent = await self._way.send(client, request)
            came = sent.came
            if isinstance(came, Completion):
                came = storable(came)
            row = replace(
                self._row(request, digest, attempt, came),
                cache_key=sent.cache_key if isinstance(came, Completion) else None,
                copy_of=sent.copy_of,
            )
            await self._way.store(row, request, sent)
            if isinstance(came, Completion):
                return came
            if not came.passing or repeat == self._retries:
                raise came
            await self._way.pause(self._wait(repeat, attempt, came.retry_after))
        raise AssertionError("unreachable")

    def _wait(self, repeat: int, attempt: int, asked: float | None) -> float:
        """Seconds to wait: as the provider asks, else doubling; spread, so not all come at once."""
        spread = Dice("retry", self._match, self._ask, self._seat, attempt).below(1000) / 1000
        doubled = min(LONGEST_WAIT, self._first_wait * 2.0**repeat) * (0.5 + spread / 2)
        if asked is None:
            return doubled
        return min(asked, 10 * LONGEST_WAIT) + spread * min(1.0, max(asked, self._first_wait))

    def _row(
        self,
        request: Request,
        digest: str,
        attempt: int,
        came: Completion | ProviderFailure,
    ) -> StoredCall:
        answer = came if isinstance(came, Completion) else None
        failure = came if isinstance(came, ProviderFailure) else None
        parameters = answer.parameters if answer else request.parameters
        return StoredCall(
            match=self._match,
            ask=self._ask,
            seat=self._seat,
            try_=self._try,
            number=self._number,
            attempt=attempt,
            agent=self._agent,
            model=self._model,
            prompt=digest,
            templates=json.dumps([fingerprint(text) for _name, text in request.templates]),
            parameters=json.dumps(dict(parameters), sort_keys=True),
            failure=failure.kind if failure else None,
            message=failure.message if failure else None,
            text=answer.text if answer else None,
            thinking=answer.thinking if answer else None,
            finish=answer.finish if answer else None,
            prompt_tokens=answer.prompt_tokens if answer else None,
            completion_tokens=answer.completion_tokens if answer else None,
            price=answer.price if answer else None,
            latency=came.latency,
            provider_id=answer.provider_id if answer else None,
        )
