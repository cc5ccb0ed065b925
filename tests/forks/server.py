"""The process that commands are forked from.

    python -m tests.forks.server SOCKET

It prints a line once it listens, and ends when its input does.
"""

import atexit
import importlib
import json
import os
import runpy
import selectors
import shutil
import signal
import socket
import sys
import threading
import types
from collections.abc import Callable
from contextlib import suppress
from fcntl import F_DUPFD, fcntl
from pathlib import Path
from typing import TextIO

from parlour.games.common.collection import imported
from parlour.games.families.clues.clue_bank import shipped_bank
from tests import outsiders
from tests.forks.client import CODE, LENGTH, received

PRELOADED = (
    *(f"parlour.cli.{path.stem}" for path in Path("parlour/cli").glob("[a-z]*.py")),
    *(f"parlour.games.{path.parent.name}" for path in Path("parlour/games").glob("*/rules.py")),
    "parlour.tournament.session",
    "parlour.tournament.reports.leaderboards",
    "parlour.tournament.run.worker",
    "parlour.tui.app",
    "tests.provider",
    "aiohttp",
    "scipy.special",
    "scipy.stats",
)
"""Modules imported once for all commands. Not litellm, which takes seconds and much memory."""

_CHECKOUT = str(Path.cwd())
_BASE_PATH = [entry for entry in sys.path if os.path.abspath(entry) != _CHECKOUT] + [_CHECKOUT]
"""The search path of a command before its own entries: the checkout last, as it is installed."""


class Server:
    """Forks a process for each request, and tells its client the exit code."""

    def __init__(self, address: str) -> None:
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(address)
        self.listener.listen(64)
        self.clients: dict[int, socket.socket] = {}
        self.woken, self.waker = socket.socketpair()
        self.woken.setblocking(False)
        self.waker.setblocking(False)
        signal.set_wakeup_fd(self.waker.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests
        self.selector = selectors.DefaultSelector()
        for source in (self.listener, self.woken, sys.stdin):
            self.selector.register(source, selectors.EVENT_READ)

    def serve(self) -> Callable[[], None]:
        """Serves until the input ends. Returns in each forked process, with what it is to run."""
        while True:
            ready = {key.fileobj for key, _ in self.selector.select()}
            if sys.stdin in ready:  # whoever started us has gone
                shutil.rmtree(Path(self.listener.getsockname()).parent)
                os._exit(0)
            if self.woken in ready:
                self.woken.recv(4096)
                self.tell_exit_codes()
            if self.listener in ready:
                run = self.fork()
                if run is not None:
                    return run

    def fork(self) -> Callable[[], None] | None:
        """Takes one request; returns what to run, in the new process alone."""
        client, _ = self.listener.accept()
        head, files, _, _ = socket.recv_fds(client, LENGTH.size, 8)
        body = json.loads(received(client, LENGTH.unpack(head)[0]))
        pid = os.fork()
        if pid == 0:
            self.leave(client)
            return _prepared(files, *body)
        for file in files:
            os.close(file)
        self.clients[pid] = client
        client.sendall(CODE.pack(pid))
        return None

    def leave(self, client: socket.socket) -> None:
        """Gives up in a forked process what belongs to the server."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.selector.close()
        for ours in (self.listener, self.woken, self.waker, client, *self.clients.values()):
            ours.close()

    def tell_exit_codes(self) -> None:
        """Reaps what has ended."""
        while self.clients:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            # Whoever asked for it may have gone.
            with self.clients.pop(pid) as client, suppress(OSError):
                client.sendall(CODE.pack(os.waitstatus_to_exitcode(status)))


def _prepared(
    files: list[int],
    numbers: list[int],
    words: list[str],
    cwd: str,
    env: dict[str, str],
    leads: str,
    ignored: list[int],
) -> Callable[[], None]:
    """Makes this process what a started one would be; returns the program that it runs."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for each in ignored:
        signal.signal(each, signal.SIG_IGN)
    if leads == "session":
        os.setsid()
    elif leads == "group":
        os.setpgid(0, 0)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    copies = [fcntl(file, F_DUPFD, 1000) for file in files]  # out of the way of their numbers
    for file in files:
        os.close(file)
    for file, number in zip(copies, numbers, strict=True):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = sys.__stdin__ = _stream(0, "r", sys.stdin.errors)  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = _stream(1, "w", sys.stdout.errors)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _stream(2, "w", "backslashreplace", 1)  # type: ignore[misc]
    extra = [entry for entry in env.get("PYTHONPATH", "").split(os.pathsep) if entry]
    sys.path_importer_cache.clear()
    importlib.invalidate_caches()
    kind, what, *arguments = words
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    if kind == "-m":
        sys.path[:] = [cwd, *extra, *_BASE_PATH]
        sys.argv = [what, *arguments]
        return lambda: runpy.run_module(what, run_name="__main__", alter_sys=True) and None
    sys.path[:] = ["", *extra, *_BASE_PATH]
    sys.argv = ["-c", *arguments]
    code = compile(what, "<string>", "exec")
    return lambda: exec(code, main.__dict__)


def _exit(code: object) -> None:
    """Ends a command after its threads and exit handlers, without tearing down what is shared."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if isinstance(code, str):
        print(code, file=sys.stderr)
    sys.stderr.flush()
    try:
        sys.stdout.flush()
    except OSError:
        os._exit(120)  # as the interpreter does
    if code is None:
        os._exit(0)
    os._exit(code if isinstance(code, int) else 1)


def _stream(number: int, mode: str, errors: str | None, buffering: int = -1) -> TextIO:
    """The stream that an interpreter opens at its start on a descriptor."""
    encoding = sys.stdout.encoding
    return open(number, mode, buffering, encoding=encoding, errors=errors, closefd=False)  # type: ignore[return-value]


def main() -> Callable[[], None]:
    """Serves; in a forked process it returns what that is to run."""
    with imported():  # all share it, so the collector need not walk (and copy) it
        for module in PRELOADED:
            importlib.import_module(module)
        shipped_bank().evidence("a clue")  # the meanings of all words
        outsiders.hide()
        from tests.forks import popen

    popen.install(sys.argv[1])  # a command that starts another has it forked as well
    server = Server(sys.argv[1])
    print("ready", flush=True)
    return server.serve()


if __name__ == "__main__":
    command = main()
    # Called here, at the bottom of the stack, so that a traceback or Ctrl-C ends a command as it
    # would by itself.
    try:
        command()
    except SystemExit as ending:
        _exit(ending.code)
    else:
        _exit(0)
