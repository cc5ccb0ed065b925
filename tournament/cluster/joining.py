"""Joining a Ray cluster, and the look whether it is still there.

Ray itself tries for minutes to reach an address where no cluster is, and ends the process a minute
after its cluster has ended. So both are looked at first.
"""

import asyncio
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from parlour.agents.llm.keys import from_outside, keyless_environment
from parlour.games.common.errors import BadInput
from parlour.games.common.text import one_line

LOCAL = "local"
"""The address of a new cluster on this machine."""
REPLY_SECONDS = 5.0
"""Seconds in which the head node of a cluster has to reply."""
LOOK_SECONDS = 2.0
"""Seconds between two looks whether the cluster is still there."""
GONE_SECONDS = 20.0
"""Seconds without the cluster after which it has ended. Ray itself gives up after 60."""
MOST_WORDS = 200
"""Characters of a message of Ray."""
HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""The connection preface of HTTP/2 (RFC 9113, 3.4), which Ray speaks: a magic and our settings."""
SETTINGS = 4
"""The type of the frame with which an HTTP/2 server begins; the fourth byte of a frame."""


@contextmanager
def _private(*, keyless: bool) -> Iterator[None]:
    """Context in which new files are their owner's alone, as is Ray's token.

    Processes that begin in it get no keys if they need none.
    """
    environment = dict(os.environ)
    hidden = environment.keys() - keyless_environment().keys() if keyless else ()
    for name in hidden:
        del os.environ[name]
    mask = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(mask)
        os.environ.update({name: environment[name] for name in hidden})


def join(address: str, *, keyless: bool) -> int:
    """Joins a cluster. Returns its number of cores. BadInput if that is not possible.

    ``keyless``: the processes of a new one need no keys.
    """
    # Ray reports usage to its makers unless told not to.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        fix = "install it: pip install 'parlour[ray]'"
        raise BadInput("--ray", "Ray is not installed", fix) from None
    if address.startswith("ray://"):
        fix = "run on the cluster's head and write --ray auto, or give its HOST:PORT"
        raise BadInput(f"--ray {address}", "Ray Client is not supported", fix)
    enter = partial(ray.init, log_to_driver=False, logging_level="ERROR")
    try:
        if address == LOCAL:
            with _private(keyless=keyless):
                enter(include_dashboard=False)
        else:
            refuse_silent(_found(address))
            enter(address=address)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        problem = f"the cluster cannot be joined ({one_line(str(error))[:MOST_WORDS]})"
        fix = f"name a cluster that runs (see `ray status`), or --ray {LOCAL}"
        raise BadInput(f"--ray {address}", problem, fix) from None
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _found(address: str) -> str:
    """The host and port of the head node; "" if they cannot be known before joining."""
    if address != "auto":
        return address
    try:
        from ray._private.services import canonicalize_bootstrap_address_or_die
    except ImportError:  # another release of Ray
        return ""
    return str(canonicalize_bootstrap_address_or_die(address))


def refuse_silent(address: str) -> None:
    """OSError if nothing at a host and port replies as a cluster does."""
    host, _, port = address.rpartition(":")
    if not (host and port.isdecimal()):
        return  # Ray names what is wrong with it
    with socket.create_connection((host.strip("[]"), int(port)), REPLY_SECONDS) as connection:
        if os.environ.get("RAY_USE_TLS", "0") == "1":
            return
        connection.settimeout(REPLY_SECONDS)
        connection.sendall(HELLO)
        reply = connection.recv(len(HELLO))
    if len(reply) < SETTINGS or reply[SETTINGS - 1] != SETTINGS:
        raise ConnectionError("what listens there is no Ray cluster")


async def ended() -> None:
    """Returns once the cluster that this process has joined, or its own node there, has ended."""
    ports, last = await asyncio.to_thread(_ports), time.monotonic()
    while time.monotonic() < last + GONE_SECONDS:
        # Not asked through Ray, whose calls wait for a cluster that has ended.
        with suppress(OSError):
            for host, port in ports:
                async with asyncio.timeout(REPLY_SECONDS):
                    _, writer = await asyncio.open_connection(host, port)
                writer.close()
            last = time.monotonic()
        await asyncio.sleep(LOOK_SECONDS)


def _ports() -> list[tuple[str, int]]:
    """The hosts and ports of the head node, and of the node of this process."""
    import ray

    context = ray.get_runtime_context()
    host, _, port = context.gcs_address.rpartition(":")
    nodes: list[dict[str, Any]] = ray.nodes()
    own = next(each for each in nodes if each["NodeID"] == context.get_node_id())
    return [(host.strip("[]"), int(port)), (own["NodeManagerAddress"], own["NodeManagerPort"])]


def last_words(error: Exception) -> str:
    """The last line of an error of Ray, whose first ones are tracebacks, without keys."""
    lines = from_outside(str(error)).strip().splitlines() or [type(error).__name__]
    return one_line(lines[-1])[:MOST_WORDS]
