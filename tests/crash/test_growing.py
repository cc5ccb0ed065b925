"""A save that grows: its process is killed meanwhile, or plays it meanwhile."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.tournament.control.changes import grow_save
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.plan.additions import addition_of_file
from parlour.tournament.save.growing.check import first_difference
from parlour.tournament.save.growing.stages import stages_of
from parlour.tournament.save.reader import Save
from tests.crash.running import TOURNAMENT
from tests.runners import QUICK, answers, rested, runner_process, until
from tests.tournaments import contents, environment, finished, new_save, play, written

ZOE = '[[agents]]\nname = "Zoe"\nstrategy = "random"\n'
KILLED = """
import os, signal, sys
from parlour.tournament.save.growing import grow

def killed(*_values, **_named):
    os.kill(os.getpid(), signal.SIGKILL)

setattr(grow, sys.argv.pop(1), killed)
from parlour.cli.app import main
main()
"""
"""The command line, killed where a function is called."""


@pytest.mark.parametrize("where", ["match_cells", "stage_json"])
def test_a_kill_leaves_the_old_save_whole(where: str, tmp_path: Path) -> None:
    save, zoe = finished(tmp_path, TOURNAMENT), written(tmp_path, ZOE, "zoe.toml")
    before = contents(save)
    code = [sys.executable, "-c", KILLED, where]
    struck = subprocess.run(
        [*code, "add", str(save), str(zoe)], cwd=tmp_path, env=environment(), check=False
    )
    assert struck.returncode == -signal.SIGKILL
    assert contents(save) == before
    with Save(save) as opened:
        assert (len(stages_of(opened)), first_difference(opened)) == (1, None)
    assert not grow_save(save, addition_of_file(zoe)).is_same
    assert play(save).progress.done
    with Save(save) as opened:
        assert (opened.match_count().matches, first_difference(opened)) == (60, None)


def test_a_tournament_grows_while_it_is_played(tmp_path: Path) -> None:
    save, zoe = new_save(tmp_path, QUICK), written(tmp_path, ZOE, "zoe.toml")
    with runner_process(save, "--pace", 2) as process:
        RunnerClient(save).pause()
        assert rested(save).matches == 4
        growth = grow_save(save, addition_of_file(zoe))
        assert len(growth.matches) == 8
        until(lambda: answers(save) is not None)
        now = rested(save)
        assert (now.pid, now.state, now.matches) == (process.pid, "paused", 12)
        RunnerClient(save).set_pace(None)
        RunnerClient(save).resume()
        output, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, ""), output
    with Save(save) as opened:
        assert opened.match_count().done
        assert first_difference(opened) is None
        stored = opened.stored_leaderboard()
    (tmp_path / "at-once").mkdir()
    at_once = finished(tmp_path / "at-once", f"{QUICK}\n{ZOE}")
    with Save(at_once) as opened:
        at_once_stored = opened.stored_leaderboard()
    assert stored
    assert at_once_stored
    assert stored[1] == at_once_stored[1]  # beside it stands the seal, which has times
