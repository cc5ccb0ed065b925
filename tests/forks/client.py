"""The requests that the fork server takes; as a script, a command run by it.

    python -I -S client.py SOCKET -m parlour --help

Imports little, since a shell starts it for each command.
"""

import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Sequence

LENGTH = struct.Struct("!I")
CODE = struct.Struct("!i")


def request(
    address: str,
    words: Sequence[str],
    streams: Sequence[int],
    cwd: str,
    env: dict[str, str],
    leads: str = "",
    passed: Sequence[int] = (),
) -> tuple[socket.socket, int]:
    """Has ``python *words`` forked; returns the socket that gives its exit code, and its pid.

    It ``leads`` a "session" or a "group" of its own. The ``passed`` files keep their numbers.
    """
    ignored = [int(s) for s in signal.valid_signals() if signal.getsignal(s) is signal.SIG_IGN]
    body = json.dumps([[0, 1, 2, *passed], list(words), cwd, env, leads, ignored]).encode()
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(address)
    socket.send_fds(connection, [LENGTH.pack(len(body))], [*streams, *passed])
    connection.sendall(body)
    return connection, CODE.unpack(received(connection, CODE.size))[0]


def received(connection: socket.socket, size: int) -> bytes:
    """Exactly so many bytes. Raises EOFError if the other side has gone."""
    body = b""
    while len(body) < size:
        piece = connection.recv(size - len(body))
        if not piece:
            raise EOFError
        body += piece
    return body


def main() -> None:
    """Runs the command of this process's arguments; exits as it does."""
    address, *words = sys.argv[1:]
    connection, _pid = request(address, words, (0, 1, 2), os.getcwd(), dict(os.environ))
    (code,) = CODE.unpack(received(connection, CODE.size))
    sys.exit(code if code >= 0 else 128 - code)  # a signal, as a shell counts it


if __name__ == "__main__":
    main()
