"""The cache: gives the stored answer to a request that was answered before in the same save.

It has no storage but the journal of the save, so it is as durable as the answers. An answer from
it is journaled as a call that cost nothing and names the call it is a copy of.
"""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b

from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoints import endpoint_of
from parlour.agents.model_calls import Completion, Request
from parlour.games.engine.moves import Seat
from parlour.tournament.save.queries import cached_calls, copied_calls
from parlour.tournament.save.reader import Save


class Cache:
    """Looks up answers for the agents that have a cache."""

    def __init__(self, models: Mapping[str, LLMConfig], save: Save) -> None:
        self._save = save
        self._caching = {name: model for name, model in models.items() if model.cache != "off"}
        self._used: defaultdict[int, set[int]] = defaultdict(set)
        """The calls whose answers each match was given, in caches between matches."""

    def key(self, agent: str, request: Request) -> str | None:
        """A hash of all that an answer depends on; None for an agent without a cache.

        That is the endpoint with the name of its key, the client, the model, and everything that
        it is sent: messages, parameters, and the form of the answer.
        """
        model = self._caching.get(agent)
        if model is None:
            return None
        parts = [*endpoint_of(model), model.carrier, model.model, *request.sent()]
        return blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=16).hexdigest()

    def find(
        self, agent: str, key: str, match: int, ask: int, seat: Seat
    ) -> tuple[int, Completion] | None:
        """The first call whose answer may be given to this ask and seat, and that at no cost.

        Between matches, each answer is given at most once per match and never to its own match,
        so that no two seats of a match get the same one. Within matches, it is given to every ask
        and seat but its own.
        """
        between = self._caching[agent].cache == "between_matches"
        calls = cached_calls(self._save, key, (match, ask, seat), between_matches=between)
        if not calls:
            return None
        if between and match not in self._used:
            self._used[match] = copied_calls(self._save, match)
        for number, call in calls:
            if between and number in self._used[match]:
                continue
            if between:
                self._used[match].add(number)
            free = replace(
                call.completion(),
                prompt_tokens=0,
                completion_tokens=0,
                cached_tokens=None,
                written_tokens=None,
                reasoning_tokens=None,
                price=0.0,
                latency=0.0,
                provider_id="",
            )
            return number, free
        return None

    def forget(self, match: int) -> None:
        """Drops the data of a match that is over."""
        self._used.pop(match, None)
