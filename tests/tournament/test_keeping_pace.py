"""A save keeps how quickly it was last played, and whoever goes on with it goes on so."""

import asyncio
import math
from pathlib import Path

import pytest

from parlour.cli.run import run as run_command
from parlour.games.common.errors import BadInput, BadSave
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.save.reader import Save
from tests.runners import QUICK, rested, runner_process, session
from tests.tournaments import new_save, parlour, printed, tamper


def played_so(save: Path, **options: object) -> tuple[int, float | None]:
    """Matches at once and asks a second of a session that is opened and closed again."""

    async def story() -> tuple[int, float | None]:
        async with session(save, **{"concurrency": None, **options}) as run:
            return run.runner.concurrency, run.runner.gate.pace

    return asyncio.run(story())


def test_left_out_is_as_the_last_time_and_what_is_given_goes_before_it_and_is_kept(
    tmp_path: Path,
) -> None:
    save = new_save(tmp_path, QUICK)
    assert played_so(save) == (64, None)
    assert played_so(save, concurrency=3, pace=50.0) == (3, 50.0)
    assert played_so(save) == (3, 50.0)
    assert played_so(save, concurrency=2) == (2, 50.0)
    assert played_so(save, pace=7.5) == (2, 7.5)
    assert played_so(save, pace=math.inf) == (2, None)
    assert played_so(save) == (2, None)


def test_the_pace_that_a_command_set_is_kept(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)

    async def story() -> None:
        async with session(save, concurrency=3, pace=50.0):
            for pace in (4.0, 8.0):
                await asyncio.to_thread(RunnerClient(save).set_pace, pace)

    asyncio.run(story())
    assert played_so(save) == (3, 8.0)


def test_the_printed_command_goes_on_at_the_same_pace_and_so_does_resume(tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)
    done = parlour("run", "--save", save, "--pace", 0.01, "--detach", cwd=tmp_path)
    assert done.returncode == 0
    assert printed("stop", save, cwd=tmp_path).endswith(f"Continue with: parlour run {save}\n")
    printed("run", save, "--detach", cwd=tmp_path)
    assert RunnerClient(save).status().pace == 0.01
    printed("stop", save, cwd=tmp_path)
    with runner_process(save) as process:  # `parlour run --save FILE`
        assert process.stdout is not None
        assert process.stdout.readline().endswith(", at most 0.01 questions per second\n")
        assert rested(save).pace == 0.01
        printed("run", save, "--pace", "inf", cwd=tmp_path)
    assert Save(save).control().pace is None


async def test_a_runner_that_is_there_takes_a_pace_but_no_other_number_of_matches_at_once(
    tmp_path: Path,
) -> None:
    save = new_save(tmp_path, QUICK)

    async with session(save) as run:
        line = r"^--concurrency: cannot be changed while a runner plays; leave it out"
        with pytest.raises(BadInput, match=line):
            await asyncio.to_thread(run_command, save, concurrency=8, pace=5.0)
        assert (run.runner.gate.is_open, run.runner.gate.pace) == (False, None)
        await asyncio.to_thread(run_command, save, pace=500.0)
        assert run.runner.gate.pace == 500.0
        await run.ended


@pytest.mark.parametrize(
    "change",
    [
        "concurrency = 0",
        "concurrency = 10001",
        "pace = 0.0",
        "budget = -0.01",
        "budget = 1e999",
        "agent_budgets = '{\"Ada\": -1}'",
        "agent_budgets = '[]'",
        'limits = \'[{"endpoint": "x", "in_flight": 0}]\'',
        "limits = 'x'",
    ],
)
def test_a_kept_number_that_nobody_can_have_given_is_damage(change: str, tmp_path: Path) -> None:
    save = new_save(tmp_path, QUICK)
    tamper(save, f"UPDATE control SET {change}")
    with (
        Save(save) as damaged,
        pytest.raises(BadSave, match=r"is damaged \(control(:|, field \[0\])"),
    ):
        damaged.control()
