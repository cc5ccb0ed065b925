"""Client for a user's HTTP endpoint: the question is posted as JSON, the answer is JSON."""

import time

from parlour.agents.llm.endpoints import host_of
from parlour.agents.llm.json_http_client import JsonHttpClient
from parlour.agents.model_calls import Completion, Request


class HTTPClient(JsonHttpClient):
    """Client for one endpoint; the response body is the answer itself."""

    async def complete(self, request: Request) -> Completion:
        """One POST to ``api_base``. Raises ProviderFailure."""
        body = {
            **request.question,
            "model": self._config.model,
            "parameters": dict(request.parameters),
        }
        begun = time.monotonic()
        url = self._config.api_base or ""
        raw = await self.post(url, body)
        return Completion(
            text=raw.decode("utf-8", "replace"),
            latency=time.monotonic() - begun,
            parameters=dict(request.parameters),
            host=host_of(url),
        )
