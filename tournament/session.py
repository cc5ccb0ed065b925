"""A session: one process plays the unfinished matches of a save and stores the leaderboard."""

import asyncio
import time
from base64 import b64decode
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from shlex import quote

from parlour.games.common.errors import BadSave
from parlour.tournament.calls.budget import Budget, tariffs_of
from parlour.tournament.calls.cache import Cache
from parlour.tournament.calls.limits import find_endpoints
from parlour.tournament.control.server import ControlServer, serving
from parlour.tournament.control.watch import Watch, watching
from parlour.tournament.plan.model import OTHER_RELEASE, Tournament
from parlour.tournament.reports.leaderboards import Computer
from parlour.tournament.run.forecast import ThroughputEstimate
from parlour.tournament.run.runner import Runner
from parlour.tournament.run.state import StopReason
from parlour.tournament.run.stats import RunStatistics
from parlour.tournament.run.workers import Workers, unless_lost
from parlour.tournament.save.dealt import refuse_dealt
from parlour.tournament.save.growing.grow import grow_own
from parlour.tournament.save.new_file import DiskTrouble, FilePresence, fix_of
from parlour.tournament.save.provenance.alarms import counts_to_go_on
from parlour.tournament.save.provenance.remarks import newest_program
from parlour.tournament.save.queries import open_calls, spent_by_agent
from parlour.tournament.save.reader import Save
from parlour.tournament.save.rows import Progress, RunOptions
from parlour.tournament.save.writer import Writer
from parlour.tournament.trust.consent import refuse_untrusted

CONCURRENCY = 64
"""Matches played at once by default."""
FORECAST_SECONDS = 1.0
"""Seconds between updates of the forecast of time and money."""
CHECKPOINT_SECONDS = 60.0
"""Seconds between stored leaderboards of the finished matches."""
PATIENCE_SECONDS = 600.0
"""Seconds of failed commits after which the session gives up."""
TIME_SECONDS = 0.5
"""Seconds between looks whether the run is out of time."""
PRESENCE_SECONDS = 1.0
"""Seconds between looks whether the file of the save is still there."""


@dataclass(frozen=True, slots=True)
class SessionResult:
    """End of a session: the progress of the save, the statistics of the run, and the reason."""

    progress: Progress
    stats: RunStatistics
    stopped_because: StopReason

    @property
    def interrupted(self) -> bool:
        """True if a signal or a command stopped it before its end."""
        return self.stopped_because == "stopped"


@dataclass(frozen=True, slots=True)
class SessionHooks:
    """Calls of a session to its caller.

    ``on_start`` gets the runner, whose stats show progress, and the progress before; another runner
    once agents or games were added to what is played. ``on_trouble`` gets the reason of each failed
    commit, and None when commits succeed again. ``on_warning`` gets a line if the run goes on
    without workers. ``around`` is entered while matches are played: the command line handles
    signals in it.
    """

    on_start: Callable[[Runner, Progress], None] = lambda _runner, _progress: None
    on_trouble: Callable[[str | None], None] = lambda _reason: None
    on_warning: Callable[[str], None] = lambda _line: None
    around: Callable[[Runner], AbstractContextManager[object]] = nullcontext


NO_HOOKS = SessionHooks()
STORED_OPTIONS = RunOptions()
"""All options as they are stored in the save."""


async def run_session(
    path: Path,
    options: RunOptions = STORED_OPTIONS,
    hooks: SessionHooks = NO_HOOKS,
    *,
    players: Mapping[str, object] | None = None,
    patience: float = PATIENCE_SECONDS,
) -> SessionResult:
    """Plays the unfinished matches of a save and stores the leaderboard.

    ``options`` that are None stay as the save has them; an infinite pace or budget is no limit.
    ``players`` are the objects behind agents of kind "python", by agent name.
    Raises BadSave, BadInput for a save whose matches were dealt to shards, or DiskTrouble after
    ``patience`` seconds of failed commits or if the file was deleted or moved; then what was stored
    is copied beside its place.
    """
    refuse_dealt(path)
    async with watching(path) as watch:
        session = _Session(path, hooks, players, patience, watch)
        try:
            return await session.play(options)
        finally:
            await session.close()


class _Session:
    """One process that plays a save: with one runner, or one after the other where it grows."""

    def __init__(
        self,
        path: Path,
        hooks: SessionHooks,
        players: Mapping[str, object] | None,
        patience: float,
        watch: Watch,
    ) -> None:
        self._path, self._hooks, self._players = path, hooks, players
        self._patience, self._watch = patience, watch
        self._troubled_since: float | None = None
        self._runner: Runner | None = None
        self._workers: Workers | None = None

    async def play(self, options: RunOptions) -> SessionResult:
        """Plays until the end, through all that is added meanwhile."""
        is_paused = False
        in_time = RunOptions(deadline=options.deadline, give_up_after=options.give_up_after)
        while True:
            result, control = await self._play_planned(options, is_paused=is_paused)
            if control.addition is None:
                return result
            await asyncio.to_thread(grow_own, self._path, control.addition, control.growth)
            if result.stats.stopped_by:
                return result
            # The save has the options by now.
            options, is_paused = in_time, control.is_paused

    async def close(self) -> None:
        """Ends the workers."""
        if self._workers is not None:
            await self._workers.close()

    async def _play_planned(
        self, wanted: RunOptions, *, is_paused: bool
    ) -> tuple[SessionResult, ControlServer]:
        """Plays until the end, or until something is to be added."""
        path = self._path
        presence = FilePresence(path)  # before it is opened, so that nothing after that is missed
        writer = await Writer.open(path, self._trouble)
        computer = Computer()
        try:
            # The writer closes last, so that it folds the write-ahead log into the save.
            async with _rescuing(path, presence, writer):
                with Save(path) as save:
                    options = save.control().updated(wanted)
                    runner = self._runner = await self._made(save, writer, options)
                    stored, calls = save.unfinished_answers(), open_calls(save)
                    before = save.progress()
                    await _resume(runner, save)
                    self._watch.began(runner, before)
                    self._hooks.on_start(runner, before)
                    if is_paused:
                        runner.gate.close()
                    async with serving(runner, before, path) as control:
                        running = runner.run(save, stored, calls)
                        around = self._hooks.around(runner)
                        await _until_stopped(running, path, presence, runner, computer, around)
                    if control.addition is None:
                        await _store_leaderboard(path, computer, writer)
                    progress = save.progress()
                    # Without any other reason, what is left failed because of errors in agents.
                    left: StopReason = runner.stopped_because or "failures"
                    reason = "finished" if progress.done else left
                    self._watch.ended(reason)
        finally:
            computer.close()
            if self._runner is not None:
                await self._runner.close()
            await writer.close()
        return SessionResult(progress, runner.stats, reason), control

    async def _made(self, save: Save, writer: Writer, options: RunOptions) -> Runner:
        """The runner of the save, with the workers of the session.

        Options that have changed are stored first. BadInput if a budget cannot be enforced, or for
        a version of a game that cannot be played.
        """
        on_warning = self._hooks.on_warning
        if self._workers is None:
            self._workers = await _workers(save.tournament, options, on_warning)
        await asyncio.to_thread(refuse_untrusted, save.tournament)  # before another machine gets it
        await self._workers.begin(save.tournament)
        tournament = save.tournament
        if (versions := tournament.other_versions()) and not save.match_count().done:
            raise BadSave(str(save.path), versions, OTHER_RELEASE)
        tariffs = await asyncio.to_thread(tariffs_of, tournament.callers, options)
        budget = Budget(options, tariffs, *spent_by_agent(save))
        if options.row() != save.control().row():
            await writer.keep(options)
        await asyncio.to_thread(find_endpoints, tournament.agents)
        concurrency, cache = options.concurrency or CONCURRENCY, Cache(tournament.models, save)
        played = tournament, writer, concurrency, options, budget, cache, self._players
        runner = Runner(*played, self._workers, on_warning)
        await runner.limits.learn_slots(tournament.models)
        return runner

    def _trouble(self, reason: str | None) -> None:
        """Passes the reason on; DiskTrouble once commits have failed for too long."""
        self._hooks.on_trouble(reason)
        self._watch.trouble(reason)
        if reason is None:
            self._troubled_since = None
            return
        self._troubled_since = self._troubled_since or time.monotonic()
        if time.monotonic() - self._troubled_since < self._patience:
            return
        self._watch.record["stopped_because"] = "disk"
        if self._runner is not None:
            self._runner.stop()  # else acts that wait at a closed gate would wait forever
        raise DiskTrouble(
            f"{self._path}: cannot be written ({reason}); nothing stored is lost: {fix_of(reason)}"
            f" and continue with `parlour run {quote(str(self._path))}`"
        )


async def _workers(
    tournament: Tournament, options: RunOptions, on_warning: Callable[[str], None]
) -> Workers:
    """The workers of this machine, or of a Ray cluster. BadInput if it cannot be joined."""
    if options.ray is None:
        return Workers(options.workers)
    from parlour.tournament.cluster.ray_cluster import RayCluster  # which needs Ray

    keyless = not tournament.models
    return await RayCluster.joined(options.ray, options.workers, on_warning, keyless=keyless)


async def _resume(runner: Runner, save: Save) -> None:
    """Takes over what earlier runs of the save have spent, seen and stored."""
    runner.stats.add_spent(save.spent())
    runner.forecast.load(save)
    runner.stats.conduct = counts_to_go_on(save)
    if newest_program(save) != version("parlour"):
        await runner.writer.program(version("parlour"))


async def _until_stopped(
    running: Coroutine[None, None, None],
    path: Path,
    presence: FilePresence,
    runner: Runner,
    computer: Computer,
    around: AbstractContextManager[object],
) -> None:
    """Runs to the end or until it is stopped, with forecasts and checkpoints meanwhile.

    Raises FileNotFoundError if the save is gone.
    """
    background = [
        asyncio.create_task(_checkpoints(path, computer, runner.writer)),
        asyncio.create_task(_update_forecast(runner)),
        asyncio.create_task(_stop_if_gone(presence, runner)),
        asyncio.create_task(_stop_in_time(runner)),
    ]
    try:
        with around:
            await unless_lost(runner.workers, running)
    finally:
        for task in background:
            task.cancel()
        await asyncio.gather(*background, return_exceptions=True)
        computer.close()  # stops computing a checkpoint: the final leaderboard follows
    if presence.gone:  # another file may have its name by now
        raise FileNotFoundError(path)


@asynccontextmanager
async def _rescuing(path: Path, presence: FilePresence, writer: Writer) -> AsyncIterator[None]:
    """Context that ends in DiskTrouble if the save is gone, whatever that broke meanwhile."""
    try:
        yield
    except DiskTrouble:
        raise
    except Exception as error:
        if presence.gone:
            raise await writer.rescued(path) from error
        raise
    if presence.gone:
        raise await writer.rescued(path)


async def _stop_if_gone(presence: FilePresence, runner: Runner) -> None:
    """Stops the run once its save was deleted or moved."""
    while not presence.gone:
        await asyncio.sleep(PRESENCE_SECONDS)
    runner.stop()


async def _stop_in_time(runner: Runner) -> None:
    """Stops the run at its deadline, or after so long without progress while it is not paused."""
    options, stats = runner.run_options, runner.stats
    seen, since = (-1, -1), time.monotonic()
    while True:
        # An answer of a provider is progress, a failed call is none.
        progress = stats.answers, stats.calls - stats.failed_calls
        if progress != seen or runner.state != "running":
            seen, since = progress, time.monotonic()
        if options.deadline is not None and datetime.now(UTC) >= options.deadline:
            stats.out_of_time = f"the deadline {options.deadline.astimezone():%H:%M} has come"
        if options.give_up_after is not None and time.monotonic() - since >= options.give_up_after:
            why = next((parked.reason for parked in runner.parking.parked.values()), "")
            stats.out_of_time = f"no progress for {options.give_up_after:g} s"
            stats.out_of_time += f" ({why})" if why else ""
        if stats.out_of_time:
            runner.stop()
            return
        await asyncio.sleep(TIME_SECONDS)


async def _update_forecast(runner: Runner) -> None:
    """Keeps the forecast of time and money in the statistics up to date."""
    throughput, spending = ThroughputEstimate(), ThroughputEstimate()
    while True:
        stats, forecast = runner.stats, runner.forecast
        now, running = time.monotonic(), runner.state == "running"
        per_second = throughput.update(now, stats.answers, running)
        stats.seconds_left = forecast.answers / per_second if per_second else None
        dollars_per_second = spending.update(now, stats.dollars, running)
        stats.dollars_per_hour = 3600 * dollars_per_second if dollars_per_second else None
        dollars_left = forecast.dollars if stats.dollars else None
        stats.dollars_at_end = None if dollars_left is None else stats.dollars + dollars_left
        if (most := runner.tournament.most_matches) is not None:
            answers, cost = forecast.up_to(most)
            stats.seconds_at_most = answers / per_second if per_second else None
            is_known = cost is not None and stats.dollars
            stats.dollars_at_most = stats.dollars + (cost or 0.0) if is_known else None
        await asyncio.sleep(FORECAST_SECONDS)


async def _store_leaderboard(path: Path, computer: Computer, writer: Writer) -> None:
    """Stores the leaderboard of the finished matches and their counts, as far as they are new."""
    with Save(path) as save:
        if save.tournament.fork is not None:
            return  # no leaderboard counts it
        stored = save.stored_leaderboard()
    known = stored[0] if stored is not None else ""
    fresh = await asyncio.to_thread(partial(computer.computed, path, known, counts=True))
    for block in map(b64decode, fresh.counts):
        await writer.counts(fresh.version, block)
    if fresh.board:
        await writer.leaderboard(fresh.input, fresh.board)


async def _checkpoints(path: Path, computer: Computer, writer: Writer) -> None:
    """Stores a leaderboard every minute, more rarely if computing one takes long."""
    pause = CHECKPOINT_SECONDS
    while True:
        await asyncio.sleep(pause)
        begun = time.monotonic()
        await _store_leaderboard(path, computer, writer)
        pause = max(CHECKPOINT_SECONDS, 20 * (time.monotonic() - begun))
