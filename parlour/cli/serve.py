"""The command `serve`."""

import asyncio
import secrets
from pathlib import Path
from typing import Annotated, Optional

import typer

from parlour.cli.output import find_save, safe_print
from parlour.games.common.errors import BadInput

PORT = 8747
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    saves: Annotated[
        # typer reads Optional[...] on every Python, and X | None not on all.
        Optional[list[Path]],  # noqa: UP045
        typer.Argument(metavar="SAVE...", help="The saves. Default: the newest in saves/."),
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="NAME", help="The address to listen on; others need a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65535, help="The port; 0: any free one.")
    ] = PORT,
) -> int:
    """Serve the pages of `site` to browsers of this machine, live while a run goes on."""
    paths = [find_save(save) for save in saves] if saves else [find_save(None)]
    from parlour.site.serve import Server
    from parlour.site.serve import serve as served

    token = "" if host in LOOPBACK else secrets.token_urlsafe(16)
    place = f"[{host}]" if ":" in host else host

    def ready(own: int) -> None:
        safe_print(f"Serving http://{place}:{own}/" + (f"?token={token}" if token else ""))
        safe_print("Read-only. Ctrl-C ends it.")

    try:
        asyncio.run(served(Server(paths, host, token), host, port, ready))
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"{place}:{port}", f"cannot be served ({reason})", "try --port 0") from None
    return 0
