"""The only patch of litellm: it must not send a failed request a second time.

``AsyncHTTPHandler.post`` sends a request again over a new connection when the first one broke,
whatever it is told about retries. The first request may have been answered and billed, and
Parlour does its own retries, journal and accounting. The second request goes through
``single_connection_post_request``, which is replaced; the test of this module holds the source
of both methods, so that an upgrade of litellm is reviewed.
"""

import importlib
from typing import Any

HANDLER = "litellm.llms.custom_httpx.http_handler"


def apply() -> None:
    """Makes litellm raise the error of the first request instead of sending a second one."""
    handler: Any = importlib.import_module(HANDLER).AsyncHTTPHandler
    handler.single_connection_post_request = _raise_first_error


async def _raise_first_error(*_args: object, **_kwargs: object) -> None:
    # litellm calls this inside the except block of the first request.
    raise  # noqa: PLE0704
