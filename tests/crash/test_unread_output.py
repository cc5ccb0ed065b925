"""A run whose output nobody reads goes on, and ends once it is read."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from parlour.tournament.save.reader import Save
from tests.crash.running import until
from tests.tournaments import COMMAND, ROOT, environment, new_save


def filled_pipe() -> tuple[int, int]:
    """The ends of a pipe that takes nothing more until it is read."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    with suppress(BlockingIOError):
        while True:
            os.write(write, b"\n" * 4096)
    with suppress(BlockingIOError):
        while True:
            os.write(write, b"\n")
    os.set_blocking(write, True)
    return read, write


def is_done(save: Path) -> bool:
    with Save(save) as opened:
        return opened.match_count().done


@pytest.mark.slow
def test_a_run_whose_output_nobody_reads_goes_on(tmp_path: Path) -> None:
    save, (read, write) = new_save(tmp_path), filled_pipe()
    command = [*COMMAND, "run", "--save", str(save), "--plain", "--concurrency", "1"]
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=write) as process:
        os.close(write)
        assert until(lambda: is_done(save), process)
        assert process.poll() is None, "it waits for its reader"
        with os.fdopen(read, "rb") as lines:
            printed = lines.read().decode()
        assert process.wait() == 0
    assert f"Finished: {save}" in printed
