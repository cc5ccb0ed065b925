"""The cache: an answer that the save holds, for the same question put to the same model again.

It lives in the journal of the save and nowhere else, so that it is as durable as the answers, and
is gone with them. What is taken from it is journaled as a call of its own that cost nothing and
names the one it is a copy of.
"""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b

from parlour.agents.llm.client import Completion, Request
from parlour.agents.llm.config import LLMConfig
from parlour.agents.llm.endpoints import endpoint_of
from parlour.games.engine.moves import Seat
from parlour.tournament.save.queries import cached_calls, copied_calls
from parlour.tournament.save.reader import Save


class Cache:
    """Finds answers for the agents that have a cache; the others never get any."""

    def __init__(self, models: Mapping[str, LLMConfig], save: Save) -> None:
        self._save = save
        self._caching = {name: model for name, model in models.items() if model.cache != "off"}
        self._lent: defaultdict[int, set[int]] = defaultdict(set)

    def key(self, agent: str, request: Request) -> str | None:
        """What stands for all that an answer depends on; None for an agent without a cache.

        That is the endpoint with its key's name, the way it is reached, the model, and everything
        that it is sent: messages, parameters, and the form of the answer.
        """
        model = self._caching.get(agent)
        if model is None:
            return None
        whole = [*endpoint_of(model), model.carrier, model.model, *request.sent()]
        return blake2b(json.dumps(whole, sort_keys=True).encode(), digest_size=16).hexdigest()

    def find(
        self, agent: str, key: str, place: tuple[int, int, Seat]
    ) -> tuple[int, Completion] | None:
        """The number of an earlier call and its answer, for the ask of a match and seat.

        Between matches, an answer is given once to each match at the most, and never to the one
        that it comes from: no two seats of a match get the same. Within matches it is given to
        anybody but the ask and seat that it comes from.
        """
        match = place[0]
        between = self._caching[agent].cache == "between_matches"
        calls = cached_calls(self._save, key, place, between_matches=between)
        if not calls:
            return None
        if between and match not in self._lent:
            self._lent[match] = copied_calls(self._save, match)
        for source, call in calls:
            if between and source in self._lent[match]:
                continue
            if between:
                self._lent[match].add(source)
            found = call.completion()
            free = replace(
                found, prompt_tokens=0, completion_tokens=0, price=0.0, latency=0.0, provider_id=""
            )
            return source, free
        return None

    def forget(self, match: int) -> None:
        """Lets go of what it knows of a match that is over."""
        self._lent.pop(match, None)
