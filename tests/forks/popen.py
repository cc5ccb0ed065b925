"""``subprocess.Popen`` with the commands of this checkout forked instead of started."""

import atexit
import inspect
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from tests.forks.client import CODE, received, request

ROOT = Path(__file__).parents[2]
_STARTED = subprocess.Popen
_PYTHON = sys.executable
_SIGNATURE = inspect.signature(_STARTED._execute_child)  # type: ignore[attr-defined]
_PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
_INTERPRETER = ("PYTHON", "LC_", "LANG", "LD_")
"""Prefixes of the variables that an interpreter reads once, when it starts."""
_address: str | None = None
_starting = Lock()
_forking = True


class Popen(subprocess.Popen[Any]):
    """A process forked by the server where that is as good as a started one."""

    def _execute_child(self, args: Any, *rest: Any) -> None:
        given = _SIGNATURE.bind(self, args, *rest).arguments
        words = [os.fsdecode(word) for word in args] if isinstance(args, list | tuple) else []
        cwd = os.path.abspath(given["cwd"] or os.curdir)
        env = dict(os.environ) if given["env"] is None else dict(given["env"])
        self._ending = None
        if not _forkable(words, cwd, env, given):
            super()._execute_child(args, *rest)  # type: ignore[misc]
            return
        own = (given["p2cread"], given["c2pwrite"], given["errwrite"])
        streams = [n if fd == -1 else fd for n, fd in enumerate(own)]
        leads = "group" if given["process_group"] == 0 else ""
        leads = "session" if given["start_new_session"] else leads
        self._ending, self.pid = request(
            _server(), words[1:], streams, cwd, env, leads, given["pass_fds"]
        )
        self._child_created = True
        pipes = [given[name] for name in _PIPES]
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _internal_poll(self, *args: Any, **options: Any) -> int | None:
        if getattr(self, "_ending", None) is None:
            return super()._internal_poll(*args, **options)  # type: ignore[misc,no-any-return]
        with self._waitpid_lock:  # type: ignore[attr-defined]
            if self.returncode is None and self._ended(0):
                self._read_code()
        return self.returncode

    def _wait(self, timeout: float | None) -> int:
        if self._ending is None:
            return super()._wait(timeout)  # type: ignore[misc,no-any-return]
        if self.returncode is None and not self._ended(timeout):
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.args, timeout)
        with self._waitpid_lock:  # type: ignore[attr-defined]
            if self.returncode is None:
                self._read_code()
        return self.returncode

    def _ended(self, timeout: float | None) -> bool:
        """Waits for the end of the process; False if it has not come in so many seconds."""
        assert self._ending is not None
        if self._ending.fileno() < 0:  # nobody has waited for it, and it was collected as garbage
            return True
        poll = select.poll()
        poll.register(self._ending, select.POLLIN)
        return bool(poll.poll(None if timeout is None else 1000 * timeout))

    def _read_code(self) -> None:
        """Reads the exit code. The socket stays open: another thread may be waiting on it."""
        assert self._ending is not None
        try:
            (self.returncode,) = CODE.unpack(received(self._ending, CODE.size))
        except (EOFError, OSError):  # the server has ended, and all of its children with it
            self.returncode = -signal.SIGKILL


def _forkable(words: list[str], cwd: str, env: dict[str, str], given: dict[str, Any]) -> bool:
    """True if a fork does the same as a start: a command of ours, and nothing unusual."""
    if words[:1] != [_PYTHON] or len(words) < 3:
        return False
    ours = words[1] == "-m" and words[2].startswith(("parlour", "tests."))
    ours = ours or (words[1] == "-c" and "parlour" in words[2])
    plain = not any(
        (
            given["preexec_fn"],
            given["executable"],
            given["shell"],
            given["umask"] != -1,
            given["process_group"] > 0,
        )
    )
    return ours and plain and Path(cwd).is_dir() and is_forkable(env)


def is_forkable(env: dict[str, str]) -> bool:
    """True if no interpreter has to be started for a command with this environment."""
    return _forking and _at_start(env) == _at_start(dict(os.environ))


def _at_start(env: dict[str, str]) -> dict[str, str]:
    """The variables that a fork comes too late for."""
    return {
        name: value
        for name, value in env.items()
        if name.startswith(_INTERPRETER) and name != "PYTHONPATH"
    }


def _server() -> str:
    """The address of the fork server, which is started when it is first needed."""
    global _address  # noqa: PLW0603
    with _starting:
        if _address is None:
            _address = _start_server()
    return _address


def _start_server() -> str:
    address = f"{tempfile.mkdtemp(prefix='parlour-forks-')}/socket"
    server = _STARTED(
        [sys.executable, "-m", "tests.forks.server", address],
        cwd=ROOT,
        stdin=subprocess.PIPE,  # ends with us, and the server then
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
    )
    assert server.stdout.readline() == b"ready\n"
    atexit.register(_end, server)
    return address


def _end(server: subprocess.Popen[bytes]) -> None:
    """Ends a server: by its input, so that it cleans up."""
    server.stdin.close()
    server.wait()


def shell_command() -> str:
    """Words that a shell writes instead of ``python`` to have ``python -m parlour`` forked."""
    return f'"{sys.executable}" -I -S "{Path(__file__).with_name("client.py")}" "{_server()}"'


def install(address: str | None = None) -> None:
    """From now on this process has commands of this checkout forked."""
    global _address  # noqa: PLW0603
    _address = address
    subprocess.Popen = Popen  # type: ignore[misc]


@contextmanager
def really_started() -> Iterator[None]:
    """Within it, every command is an interpreter that starts from nothing."""
    global _forking  # noqa: PLW0603
    _forking = False
    try:
        yield
    finally:
        _forking = True
