"""A headless run that is interrupted or hung up on: stored, and it says how to go on."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parlour.tournament.save.lock import holder, socket_path
from tests.runners import TARDY, Plugin, ended_by_force, rested, runner_process, until, until_heard
from tests.tournaments import COMMAND, contents, finished, new_save, play


def stored(save: Path) -> int:
    """Number of answers in a save."""
    return len(contents(save)["answers"])


@pytest.mark.slow
@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stores_what_is_in_flight_and_prints_how_to_go_on(
    which: signal.Signals, tmp_path: Path, tardy: Plugin
) -> None:
    save = new_save(tmp_path, TARDY)
    with runner_process(save, env=tardy.environment(0.3)) as process:
        until(lambda: len(tardy.acts) >= 3)
        process.send_signal(which)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, "")
    again = f"Interrupted; every answer is saved. Continue with: parlour run {save}\n"
    assert out.endswith(again)
    assert stored(save) == len(tardy.acts) < 24  # every act that had begun is stored
    assert holder(save) is None
    assert not socket_path(save).exists()
    assert play(save).progress.done
    assert contents(save) == contents(finished(tmp_path / "plugin", TARDY))


@pytest.mark.slow
def test_a_signal_ends_a_paused_run_too(tmp_path: Path, tardy: Plugin) -> None:
    save = new_save(tmp_path, TARDY)
    with runner_process(save, "--pace", 0.01, env=tardy.environment()) as process:
        rested(save)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
    assert stored(save) == 1


# An agent that thinks for an hour without holding up the process, as a model's does. It is put
# in front of the scripted ones, which have no such thing.
_PATIENT = """
import asyncio, os
from parlour.tournament.run import workers
make_agent = workers.make_agent

class Patient:
    def __init__(self, agent):
        self.name, self.agent = agent.name, agent
    async def act(self, ask, view, call):
        reply = await self.agent.act(ask, view, call)
        if view.seat == 2:
            open(os.environ["TARDY_LOG"] + ".waits", "w").close()
            await asyncio.sleep(3600)
        return reply

workers.make_agent = lambda *given: Patient(make_agent(*given))
from parlour.cli.app import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("patient", [False, True], ids=["busy", "waiting"])
def test_a_second_interrupt_ends_at_once_and_keeps_what_is_stored(
    patient: bool, tmp_path: Path, tardy: Plugin
) -> None:
    save = new_save(tmp_path, TARDY)
    command = [sys.executable, *(["-c", _PATIENT] if patient else ["-m", "parlour"])]
    command += ["run", "--save", str(save), "--plain", "--concurrency", "1", "--pace", "1000"]
    # The busy agent holds up the whole process from its first act on.
    with subprocess.Popen(
        command, env=tardy.environment(0.0 if patient else 3600), stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            until(lambda: len(tardy.acts) >= 1)
            if patient:  # seats speak in turn: what was said before is stored
                until((tardy.folder / "acts.log.waits").exists)
            before = contents(save)
            process.send_signal(signal.SIGINT)
            with pytest.raises(subprocess.TimeoutExpired):  # it waits for what is in flight
                process.wait(timeout=0.5)
            until_heard(process)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 130
        finally:
            process.kill()
    assert contents(save) == before
    assert holder(save) is None
    assert len(tardy.acts) < 24
    assert play(save).progress.done


@pytest.mark.slow
def test_an_impatient_user_with_many_interrupts_ends_it_as_well(
    tmp_path: Path, tardy: Plugin
) -> None:
    save = new_save(tmp_path, TARDY)
    with runner_process(save, env=tardy.environment(0.3)) as process:
        until(lambda: len(tardy.acts) >= 3)
        for _ in range(20):
            process.send_signal(signal.SIGINT)
            time.sleep(0.005)
        assert process.wait(timeout=30) in {130, -signal.SIGINT}
    assert play(save).progress.done
    assert contents(save) == contents(finished(tmp_path / "plugin", TARDY))


def in_a_terminal(command: list[str], env: dict[str, str], cwd: Path) -> tuple[int, int]:
    """Starts a command as the leader of a terminal of its own; its pid, and the terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execvpe(command[0], command, env)
    return pid, terminal


def read_until(terminal: int, words: bytes) -> bytes:
    """Output of a terminal until these words, or until its program has ended."""
    shown = b""
    while words not in shown:
        try:
            got = os.read(terminal, 65536)
        except OSError:  # Linux says so when the last program has gone
            break
        if not got:
            break
        shown += got
    return shown


@pytest.mark.slow
def test_a_detached_run_outlives_the_terminal_that_it_was_started_from(
    tmp_path: Path, tardy: Plugin
) -> None:
    save = new_save(tmp_path, TARDY)
    env = {**tardy.environment(0.01), "TERM": "xterm-256color"}
    shell = f"{' '.join(COMMAND)} run --save {save} --detach --pace 8; sleep 3600"
    with ended_by_force(save):
        pid, terminal = in_a_terminal(["/bin/sh", "-c", shell], env, tmp_path)
        try:
            assert b"Watch it with" in read_until(terminal, b"Watch it with")
            runner = holder(save)
            assert runner is not None
            before = len(tardy.acts)
        finally:
            os.close(terminal)  # the kernel now hangs up on everything in this session
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGHUP
        assert holder(save) == runner
        until(lambda: len(tardy.acts) > before + 3)
        until(lambda: holder(save) is None)
    assert len(tardy.acts) == 24
    assert contents(save) == contents(finished(tmp_path / "plugin", TARDY))


@pytest.mark.slow
@pytest.mark.parametrize("nohup", [False, True])
def test_a_run_in_the_foreground_is_stored_when_its_terminal_goes_and_goes_on_under_nohup(
    nohup: bool, tmp_path: Path, tardy: Plugin
) -> None:
    save = new_save(tmp_path, TARDY)
    command = [*COMMAND, "run", "--save", str(save), "--plain", "--pace", "8"]
    if nohup:
        command = ["nohup", *command]
    with ended_by_force(save):
        pid, terminal = in_a_terminal(command, tardy.environment(0.01), tmp_path)
        try:
            until(lambda: len(tardy.acts) >= 3)
        finally:
            os.close(terminal)
        until(lambda: holder(save) is None)
        os.waitpid(pid, 0)
    assert stored(save) == len(tardy.acts)
    assert (len(tardy.acts) == 24) == nohup
    assert play(save).progress.done
    assert contents(save) == contents(finished(tmp_path / "plugin", TARDY))
