"""Files at places that a stranger may have filled: nothing else is read, written, locked or asked.

Each would go through ``games/common/plain_files.py``; ``tests/test_architecture.py`` sees to that.
"""

import asyncio
import errno
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from parlour.games.common.errors import BadSave, ParlourError
from parlour.games.common.plain_files import read_below, read_plain
from parlour.tournament.control.client import ControlFailed, RunnerClient, ask_runner_soon
from parlour.tournament.control.launch import last_words, log_file, start_detached
from parlour.tournament.control.requests import GetStatus, Resume
from parlour.tournament.control.run_log import run_log_file
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.save.lock import holder, locked, runner_file, socket_path
from parlour.tournament.save.reader import Save
from tests.runners import QUICK, session
from tests.tournaments import new_save, play

SECRET = "a line of a file elsewhere"
Trap = Callable[[Path, Path], object]
TRAPS: dict[str, Trap] = {
    "link": lambda place, victim: place.symlink_to(victim),
    "hard link": lambda place, victim: place.hardlink_to(victim),
    "FIFO": lambda place, victim: os.mkfifo(place),
}
pytestmark = pytest.mark.timeout(60)


@pytest.fixture(params=TRAPS)
def trap(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[Path], None]]:
    """Puts something else at the place of a file; what it leads to must stay as it is."""
    victim = tmp_path / "victim"
    victim.write_text(SECRET)
    yield lambda place: TRAPS[request.param](place, victim) and None
    assert victim.read_text() == SECRET


def test_what_lies_at_the_place_of_the_lock_is_refused(
    tmp_path: Path, trap: Callable[[Path], None]
) -> None:
    save = new_save(tmp_path, QUICK)
    trap(runner_file(save))
    assert holder(save) is None
    with pytest.raises(BadSave, match=r"runner: cannot be written .*, or remove it$"):
        play(save)


def test_what_lies_at_the_places_of_logs_is_neither_read_nor_written(
    tmp_path: Path, trap: Callable[[Path], None]
) -> None:
    save = new_save(tmp_path, QUICK)
    trap(run_log_file(save))
    trap(log_file(save))
    assert last_words(save) == []
    start_detached(save)
    while holder(save) is not None:
        pass
    assert not log_file(save).is_symlink()


@pytest.mark.parametrize("kind", ["wal", "journal", "shm"])
def test_a_save_whose_log_is_something_else_is_refused(tmp_path: Path, kind: str) -> None:
    save = new_save(tmp_path, QUICK)
    beside = save.with_name(f"{save.name}-{kind}")
    beside.unlink(missing_ok=True)
    os.mkfifo(beside)
    with pytest.raises(BadSave, match=f"-{kind}: is no regular file; remove it"):
        Save(save)


def test_a_second_name_of_a_save_is_not_played(tmp_path: Path) -> None:
    save, twin = new_save(tmp_path, QUICK), tmp_path / "twin.db"
    with locked(save):
        twin.hardlink_to(save)
        with pytest.raises(BadSave, match="second name"), locked(twin):
            pass
    with pytest.raises(BadSave, match=r"second name .*; play a copy: parlour backup"):
        play(twin)
    twin.unlink()
    tmp_path.joinpath(f".{save.name}.abc.new").hardlink_to(save)  # as a kill leaves it
    assert play(save).progress.done


@pytest.mark.parametrize("gone", [False, True])
def test_a_lock_holds_without_the_file_beside_the_save(tmp_path: Path, gone: bool) -> None:
    save = new_save(tmp_path, QUICK)
    with locked(save):
        if gone:
            runner_file(save).unlink()
        held = holder(save)
        assert held is not None
        assert held["pid"] == os.getpid()
        with pytest.raises(BadSave, match=f"is in use by process {os.getpid()}"), locked(save):
            pass
    assert holder(save) is None


def test_a_file_system_without_locks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    save = new_save(tmp_path, QUICK)
    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(BadSave, match=r"cannot be locked \(No locks available\); put the save on"):
        play(save)


@contextmanager
def forged(save: Path, target: Path, kind: str) -> Iterator[None]:
    """A lock beside a save that looks as if the runner of another save had it."""
    body = {"pid": os.getpid(), "socket": str(socket_path(target))}
    runner_file(save).write_text(json.dumps(body if kind == "named" else {"pid": 1}))
    if kind == "link":
        socket_path(save).symlink_to(socket_path(target))
    elif kind == "hard link":
        socket_path(save).hardlink_to(socket_path(target))
    with runner_file(save).open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.mark.parametrize("kind", ["named", "link", "hard link"])
async def test_no_forged_lock_leads_to_the_runner_of_another_save(
    tmp_path: Path, kind: str
) -> None:
    (tmp_path / "other").mkdir()
    async with session(new_save(tmp_path, QUICK)) as running:
        stranger = new_save(tmp_path / "other", QUICK)
        with forged(stranger, running.save, kind):
            with pytest.raises(ControlFailed, match="runs another save"):
                await ask_runner_soon(stranger, Resume())
            with pytest.raises(ParlourError, match="runs another save"):
                await asyncio.to_thread(RunnerClient(stranger).resume)
        with pytest.raises(ControlFailed, match="is not running"):
            await ask_runner_soon(stranger, Resume())
        assert (await ask_runner_soon(running.save, GetStatus())).state == "paused"


@pytest.mark.parametrize(("size", "said"), [(100_000, None), (2**24, "sent more than a status")])
async def test_long_replies_are_read_and_endless_ones_refused(
    tmp_path: Path, size: int, said: str | None
) -> None:
    long = RunnerStatus(state="running", failed=["x" * size]).model_dump_json().encode()

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(long + b"\n")
        writer.close()

    save = new_save(tmp_path, QUICK)
    with locked(save):
        async with await asyncio.start_unix_server(reply, socket_path(save)):
            for ask in (
                lambda: ask_runner_soon(save, GetStatus(), 20),
                lambda: asyncio.to_thread(RunnerClient(save, 20).status),
            ):
                if said is None:
                    assert (await ask()).failed == ["x" * size]
                else:
                    with pytest.raises(ControlFailed, match=said):
                        await ask()


def test_a_file_below_a_folder_is_read_and_no_link_on_the_way(tmp_path: Path) -> None:
    folder, outside = tmp_path / "pr", tmp_path / "outside"
    (folder / "game").mkdir(parents=True)
    outside.mkdir()
    for place in (folder / "game" / "clue.j2", outside / "clue.j2"):
        place.write_text(SECRET)
    (folder / "other").symlink_to(outside)
    (folder / "game" / "vote.j2").symlink_to(outside / "clue.j2")
    os.mkfifo(folder / "game" / "guess.j2")
    assert read_below(folder, "game/clue.j2") == SECRET.encode()
    for name in ("other/clue.j2", "game/vote.j2", "game/guess.j2", "../outside/clue.j2", "game"):
        with pytest.raises(OSError, match=r"is a link|is no regular file|Is a directory"):
            read_below(folder, name)
    with pytest.raises(OSError, match="is no regular file"):
        read_plain(Path("/dev/zero"))
