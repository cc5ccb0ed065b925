"""A session: one process takes a save, plays what is unfinished, and leaves a leaderboard."""

import asyncio
import math
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

from parlour.games.common.errors import ParlourError
from parlour.tournament.calls.budget import Budget, Budgets, tariffs_of
from parlour.tournament.calls.cache import Cache
from parlour.tournament.calls.limits import find_endpoints
from parlour.tournament.control.server import controlled
from parlour.tournament.control.spending import spent_by_agent
from parlour.tournament.reports.leaderboards import Computer
from parlour.tournament.run.rate import Rate
from parlour.tournament.run.runner import Runner
from parlour.tournament.run.stats import RunStatistics
from parlour.tournament.save.lock import locked
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import Control, Progress
from parlour.tournament.save.writer import Writer

CONCURRENCY = 64
"""Matches played at once unless the user says otherwise."""
LOOK_SECONDS = 1.0
"""How often the time and the money that are left are brought up to date."""
CHECKPOINT_SECONDS = 60.0
"""How often a leaderboard of the matches finished so far is stored."""
PATIENCE_SECONDS = 600.0
"""How long a commit may fail before the session ends with what is stored."""


class DiskTrouble(ParlourError):
    """The save could not be written for so long that the session gave up."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a session ended: the save's progress, what went wrong, whether it was stopped."""

    progress: Progress
    stats: RunStatistics
    interrupted: bool


async def run_session(
    path: Path,
    *,
    concurrency: int | None = None,
    pace: float | None = None,
    budget: float | None = None,
    on_start: Callable[[Runner, Progress], None] = lambda _runner, _progress: None,
    on_trouble: Callable[[str | None], None] = lambda _reason: None,
    patience: float = PATIENCE_SECONDS,
    around: Callable[[Runner], AbstractContextManager[object]] = nullcontext,
    players: dict[str, object] | None = None,
) -> Ended:
    """Plays the unfinished matches of a save and stores the leaderboard.

    ``concurrency``, ``pace`` and ``budget`` (dollars) that are left out are those of the last
    time; an infinite pace or budget is no limit.
    ``on_start`` gets the runner, whose stats shows progress; ``on_trouble`` hears of a failing
    disk, and None when it is well again. Raises BadSave, or DiskTrouble after ``patience``
    seconds of it.
    ``around`` is entered while matches are played: the command line handles signals in it.
    ``players`` are the objects behind agents of kind "python", by agent name.
    """
    troubled_since: float | None = None
    runner: Runner | None = None

    def trouble(reason: str | None) -> None:
        nonlocal troubled_since
        on_trouble(reason)
        if reason is None:
            troubled_since = None
            return
        troubled_since = troubled_since or time.monotonic()
        if time.monotonic() - troubled_since >= patience:
            if runner is not None:
                runner.stop()  # else whoever waits at a closed gate would wait for ever
            raise DiskTrouble(
                f"{path}: cannot be written ({reason}); nothing stored is lost: free some space"
                f" and continue with `parlour run --save {quote(str(path))}`"
            )

    with locked(path):
        writer = await Writer.open(path, trouble)
        computer = Computer()
        try:
            # The writer closes last, and so folds the log back into the one file.
            with Save(path) as save:
                control = played_so(save.control(), concurrency, pace, budget)
                purse = await _purse(save, control)
                if control != save.control():
                    await writer.keep(control)
                at_once = control.concurrency or CONCURRENCY
                await asyncio.to_thread(find_endpoints, save.tournament.agents)
                cache = Cache(save.tournament.models, save)
                runner = Runner(save.tournament, writer, at_once, control, purse, cache, players)
                matches = save.matches("outcome IS NULL AND frozen IS NULL")
                stored, calls = save.unfinished_answers(), save.open_calls()
                before = save.progress()
                runner.stats.spent(save.spent())
                runner.outlook.reads(save)
                on_start(runner, before)
                async with controlled(runner, before, path):
                    interrupted = await _until_stopped(
                        runner.run(matches, stored, calls), path, runner, computer, around
                    )
                await _store_leaderboard(path, computer, writer)
                progress = save.progress()
        finally:
            computer.close()
            if runner is not None:
                await runner.close()
            await writer.close()
    return Ended(progress, runner.stats, interrupted and not progress.done)


def played_so(
    kept: Control, concurrency: int | None, pace: float | None, budget: float | None
) -> Control:
    """How to play: as asked for, else as it was kept."""
    if pace is None:
        pace = kept.pace
    pace = None if pace == math.inf else pace
    kept = replace(kept, concurrency=concurrency or kept.concurrency, pace=pace)
    return kept if budget is None else kept.with_budget(budget, None)


async def _purse(save: Save, control: Control) -> Budget:
    """What may be spent yet. BadInput if a model's price or the length of its answers is open."""
    caps = Budgets(control.budget, control.agent_budgets)
    tariffs = await asyncio.to_thread(tariffs_of, save.tournament.models, caps)
    return Budget(caps, tariffs, *spent_by_agent(save))


async def _until_stopped(
    running: Coroutine[None, None, None],
    path: Path,
    runner: Runner,
    computer: Computer,
    around: Callable[[Runner], AbstractContextManager[object]],
) -> bool:
    """Runs to the end or until it is stopped, storing a leaderboard now and then.

    True if it was stopped, by a signal or a command, rather than by itself.
    """
    beside = [
        asyncio.create_task(_checkpoints(path, computer, runner.writer)),
        asyncio.create_task(_look_ahead(runner)),
    ]
    try:
        with around(runner):
            await running
    finally:
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        computer.close()  # a leaderboard of less than all is wanted no more
    return runner.gate.stopping and not (runner.stats.given_up or runner.stats.at_cap)


async def _look_ahead(runner: Runner) -> None:
    """Keeps up to date what is expected: the time left, what an hour costs, and all of it."""
    answers, money = Rate(), Rate()
    while True:
        stats, left = runner.stats, runner.outlook
        now, running = time.monotonic(), runner.state == "running"
        pace = answers.look(now, stats.answers, running)
        stats.seconds_left = left.answers / pace if pace else None
        burn = money.look(now, stats.dollars, running)
        stats.dollars_per_hour = 3600 * burn if burn else None
        rest = left.dollars if stats.dollars else None
        stats.dollars_at_end = None if rest is None else stats.dollars + rest
        await asyncio.sleep(LOOK_SECONDS)


async def _store_leaderboard(path: Path, computer: Computer, writer: Writer) -> None:
    """Stores the leaderboard of the matches finished so far, unless the stored one holds."""
    with Save(path) as save:
        stored = save.stored_leaderboard()
    known = stored[0] if stored is not None else ""
    fresh = await asyncio.to_thread(computer.computed, path, known)
    if fresh is not None:
        await writer.leaderboard(*fresh)


async def _checkpoints(path: Path, computer: Computer, writer: Writer) -> None:
    """Stores a leaderboard every minute, more rarely where computing one takes long."""
    pause = CHECKPOINT_SECONDS
    while True:
        await asyncio.sleep(pause)
        begun = time.monotonic()
        await _store_leaderboard(path, computer, writer)
        pause = max(CHECKPOINT_SECONDS, 20 * (time.monotonic() - begun))
