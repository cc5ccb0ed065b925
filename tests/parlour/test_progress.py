"""The plain lines of progress."""

import asyncio
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from parlour.cli import progress
from parlour.cli.progress import _ProgressPrinter, held_up
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.save.rows import Progress, RunOptions


@pytest.mark.parametrize(
    ("limits", "parked", "said"),
    [
        ([], {}, ""),
        (["ada: paused for 3 s"], {}, "; ada: paused for 3 s"),
        ([], {1: "server: HTTP 201", 2: "budget"}, "; 2 parked: server: HTTP 201"),
        (["a"], dict.fromkeys(range(1, 6), "auth"), "; a; 5+ parked: auth"),
    ],
)
def test_what_holds_matches_up_is_said_in_few_words(
    limits: list[str], parked: dict[int, str], said: str
) -> None:
    assert held_up(RunnerStatus(state="running", limits=limits, parked=parked)) == said


def test_a_run_that_waits_prints_a_line_when_something_changes_and_each_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = 0.0
    waits = {"limits": [["server: paused for 100 s"], ["server: HTTP 500, waiting 7 s"]]}

    def status(*_: object) -> RunnerStatus:
        nonlocal clock
        clock += 1
        limit = waits["limits"][clock > 150][0].replace("100", f"{200 - clock:.0f}")
        return RunnerStatus(
            state="running", answers=5 if clock < 3 else 6, per_second=500 / clock, limits=[limit]
        )

    async def sleep(_seconds: float) -> None:
        if clock >= 180:
            raise asyncio.CancelledError

    monkeypatch.setattr(progress, "status_of", status)
    monkeypatch.setattr(progress.asyncio, "sleep", sleep)
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock)
    silent = SimpleNamespace(agent="Ada", failure="connection", message="refused")
    runner: Any = SimpleNamespace(
        agents=("Ada",),
        gate=SimpleNamespace(pace=None),
        run_options=RunOptions(),
        stats=SimpleNamespace(unanswered=silent),
    )
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(_ProgressPrinter(Path("a.db")).follow(runner, Progress(0, 0, 0, 0, 0)))
    out, err = capsys.readouterr()
    lines = out.splitlines()[1:]
    # The first, a new answer, a minute later, another one, and the other reason.
    assert [line.partition(" answers")[0].rpartition(" ")[2] for line in lines] == list("56666")
    assert ["HTTP 500" in line for line in lines] == [False] * 4 + [True]
    # A model that has never answered is said once, with a way out.
    assert re.findall("Ada: connection: refused; is the server running.*--give-up-after", err)
    assert err.count("\n") == 1
