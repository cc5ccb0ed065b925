"""Addresses of clusters: what listens there is looked at before Ray tries for minutes."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest

from parlour.tournament.cluster import joining
from parlour.tournament.cluster.joining import join
from tests.tournaments import new_save, refused


@contextmanager
def listening(reply: bytes) -> Iterator[str]:
    """The address of a server that sends one reply, and nothing more."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                if reply:
                    connection.sendall(reply)
                while connection.recv(100):
                    pass

        thread = Thread(target=answer)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        thread.join()


def closed() -> str:
    """An address at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


def test_only_a_server_of_http_2_is_taken_for_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(bytes([0, 0, 6, 4, 0, 0, 0, 0, 0])) as address:
        joining.refuse_silent(address)
    web = listening(b"HTTP/1.0 400 Bad Request\r\n\r\n")
    with web as address, pytest.raises(ConnectionError, match="no Ray cluster"):
        joining.refuse_silent(address)
    monkeypatch.setattr(joining, "REPLY_SECONDS", 0.2)
    with listening(b"") as address, pytest.raises(TimeoutError):
        joining.refuse_silent(address)
    with pytest.raises(ConnectionRefusedError):
        joining.refuse_silent(closed())


@pytest.mark.slow
def test_an_address_at_which_nothing_listens_is_refused_at_once(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    address, save = closed(), new_save(tmp_path)
    line = refused("run", "--save", save, "--plain", "--ray", address, cwd=tmp_path, timeout=30)
    assert line == (
        f"parlour: --ray {address}: the cluster cannot be joined ([Errno 111] Connection refused);"
        " name a cluster that runs (see `ray status`), or --ray local"
    )


@pytest.mark.parametrize("keyless", [True, False])
def test_a_cluster_of_its_own_gets_keys_for_models_alone_and_keeps_its_files_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keyless: bool
) -> None:
    token, seen = tmp_path / "auth_token", list[str]()

    def init(**_: object) -> None:
        token.write_text("token")
        seen.extend(os.environ)

    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789abcdef")
    ray = SimpleNamespace(init=init, cluster_resources=lambda: {"CPU": 3.0})
    monkeypatch.setitem(sys.modules, "ray", ray)
    assert join("local", keyless=keyless) == 3
    assert ("SOME_API_KEY" in seen) != keyless
    assert os.environ["SOME_API_KEY"] == "sk-0123456789abcdef"
    assert token.stat().st_mode & 0o777 == 0o600
