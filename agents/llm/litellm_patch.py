"""litellm and its patches: it must not send a request a second time, nor to another host.

``AsyncHTTPHandler.post`` sends a request again over a new connection when the first one broke,
whatever it is told about retries. The first request may have been answered and billed, and
Parlour does its own retries, journal and accounting. The second request goes through
``single_connection_post_request``, which is replaced; the test of this module holds the source
of both methods, so that an upgrade of litellm is reviewed.

Its clients follow redirects, and httpx then takes every header but ``Authorization`` along: the
keys of Anthropic, Azure and Google would go to any host that a server names. No request that is
sent ``without_redirects`` follows one; those of the user's own code in this process do. The same
place knows the host of each request, which litellm chooses by itself for most providers.
"""

import gc
import importlib
import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partialmethod
from typing import Any

HANDLER = "litellm.llms.custom_httpx.http_handler"
_hosts: ContextVar[list[str] | None] = ContextVar("hosts", default=None)
"""The hosts of the requests in a context ``without_redirects``; None outside of one."""
_catches: ContextVar[bool] = ContextVar("catches", default=False)
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")
"""Loggers that are silenced: they would print what servers send."""


@contextmanager
def without_redirects() -> Iterator[list[str]]:
    """Context in which no request follows a redirect, in its tasks and threads too.

    It gives the list to which each request adds its host, with the port unless it is the usual.
    """
    hosts: list[str] = []
    before = _hosts.set(hosts)
    try:
        yield hosts
    finally:
        _hosts.reset(before)


class Caught(BaseException):
    """A request that was built and is not sent. No handler of litellm takes it for an error."""

    def __init__(self, request: Any) -> None:
        super().__init__()
        self.request = request


@contextmanager
def catching() -> Iterator[None]:
    """Context in which a request raises Caught in place of being sent."""
    before = _catches.set(True)
    try:
        yield
    finally:
        _catches.reset(before)


def apply() -> None:
    """Makes litellm raise the error of the first request, and take a redirect for an error."""
    handler: Any = importlib.import_module(HANDLER).AsyncHTTPHandler
    handler.single_connection_post_request = _raise_first_error
    httpx: Any = importlib.import_module("httpx")
    for client in (httpx.Client, httpx.AsyncClient):
        client.send = partialmethod(_sent, client.send)


def _sent(client: Any, send: Any, request: Any, **options: Any) -> Any:
    """Sends a request by the method that is patched."""
    if _catches.get():
        raise Caught(request)
    hosts = _hosts.get()
    if hosts is not None:
        hosts.append(request.url.netloc.decode("ascii", "replace"))
        options["follow_redirects"] = False
    return send(client, request, **options)


async def _raise_first_error(*_args: object, **_kwargs: object) -> None:
    # litellm calls this inside the except block of the first request.
    raise  # noqa: PLE0704


@cache
def library() -> Any:
    """The library, configured to fetch, print and retry nothing. Loading it takes seconds."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS", "True")
    os.environ.setdefault("LITELLM_LOG", "CRITICAL")
    litellm: Any = importlib.import_module("litellm")
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", module="pydantic|litellm|openai|httpx")
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = True
    litellm.num_retries = 0
    apply()
    gc.collect()
    gc.freeze()  # the library leaves 400,000 objects, which each collection would look through
    return litellm
