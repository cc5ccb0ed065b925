"""Asked to stop, a runner stores what is in flight and says how to go on."""

import os
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.crash.running import (
    ANSWERS,
    MATCHES,
    SLOW_LEADERBOARD,
    TOURNAMENT,
    count,
    finish,
    running,
    until,
)
from tests.tournaments import COMMAND, contents, environment, new_save, printed


def shell_with_parlour(folder: Path) -> dict[str, str]:
    """An environment in whose shell the command is there, as it is where it is installed."""
    folder.mkdir()
    command = folder / "parlour"
    command.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n')
    command.chmod(0o755)
    return environment(PATH=f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_in_good_order(
    tmp_path: Path, undisturbed: dict[str, Any], which: signal.Signals
) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    with running(save, "--pace", 400, "--concurrency", 8) as process:
        assert until(lambda: count(save) > 30, process)
        process.send_signal(which)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "")
    assert out.splitlines()[-1] == (
        f"Interrupted; every answer is saved. Continue with: parlour run {save}"
    )
    assert 30 < count(save) < ANSWERS
    finish(save)
    assert contents(save) == undisturbed


def test_the_command_that_is_printed_on_an_interrupt_ends_the_tournament(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    # A name that a shell would take apart, were it not quoted.
    save = new_save(tmp_path, TOURNAMENT, "it's a save.db")
    with running(save, "--pace", 400, "--concurrency", 8) as process:
        assert until(lambda: count(save) > 30, process)
        process.send_signal(signal.SIGINT)
        out, _err = process.communicate(timeout=30)
    assert process.returncode == 130
    command = out.splitlines()[-1].partition(" Continue with: ")[2]
    assert shlex.split(command) == ["parlour", "run", str(save)]
    done = subprocess.run(
        command,
        shell=True,
        cwd=tmp_path,
        env=shell_with_parlour(tmp_path / "bin"),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{MATCHES} finished matches" in done.stdout
    assert contents(save) == undisturbed


def test_a_signal_is_heard_at_once_however_slow_the_pace(tmp_path: Path) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    with running(save, "--pace", 0.02) as process:
        assert until(lambda: count(save) > 0, process)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 130
    assert time.monotonic() - begun < 25, "it waited for asks that were far away"


def test_a_signal_in_the_final_leaderboard_still_says_how_to_go_on(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    save = new_save(tmp_path, TOURNAMENT)
    with running(save, code=SLOW_LEADERBOARD) as process:
        assert until(save.with_name(save.name + ".slow").exists, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == ""
    assert out.endswith(f"Continue with: parlour run {save}\n")
    printed("run", "--save", save, cwd=tmp_path)
    assert contents(save) == undisturbed
