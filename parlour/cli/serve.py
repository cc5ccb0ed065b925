"""The command `serve`."""

import asyncio
import secrets
from pathlib import Path

from parlour.api.store import read_store
from parlour.cli.output import find_save, safe_print
from parlour.games.common.errors import BadInput

PORT = 8747
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    saves: list[Path] | None = None,
    host: str = "127.0.0.1",
    port: int = PORT,
    store: Path | None = None,
) -> int:
    """Serve the pages of `site` to browsers of this machine, live while a run goes on."""
    paths = [*map(find_save, saves or (None,))]
    if store is not None:
        read_store(store)  # refused before anything is served
    from parlour.site.serve import Server
    from parlour.site.serve import serve as served

    token = "" if host in LOOPBACK else secrets.token_urlsafe(16)
    place = f"[{host}]" if ":" in host else host

    def ready(own: int) -> None:
        safe_print(f"Serving http://{place}:{own}/" + (f"?token={token}" if token else ""))
        safe_print("Read-only. Ctrl-C ends it.")

    try:
        asyncio.run(served(Server(paths, host, token, store), host, port, ready))
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"{place}:{port}", f"cannot be served ({reason})", "try --port 0") from None
    return 0
