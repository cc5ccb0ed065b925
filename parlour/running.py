"""Playing from the command line: which save, with what shown while it runs."""

import asyncio
import os
import sys
import time
from pathlib import Path
from shlex import quote

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from games.errors import BadInput, BadSave
from parlour.saves import chosen, new_save
from parlour.screen import console, print_leaderboard
from tournament.config import Tournament, read_preset, read_tournament
from tournament.runner import Runner
from tournament.save import Progress, Save, create_save
from tournament.session import Ended, current_leaderboard, run_session

INTERRUPTED = 130
TICK_SECONDS = 1.0


def run(
    tournament: Path | None,
    preset: str | None,
    save: Path | None,
    plain: bool,
    concurrency: int,
    seed: int | None,
    pace: float | None,
) -> int:
    """Plays a new tournament, or goes on with an existing save. Returns the exit code."""
    wanted = asked_for(tournament, preset, seed)
    if save is None and wanted is None:
        mend = "give a TOURNAMENT.toml, --preset NAME, or --save FILE to continue one"
        raise BadInput("parlour run", "does not know what to play", mend)
    if save is not None and save.exists():
        _same_or_refused(save, wanted)
    else:
        if wanted is None:
            mend = "give a tournament or --preset NAME to start one there"
            raise BadSave(str(save), "there is no such save", mend)
        save = save or new_save(wanted.name)
        create_save(save, wanted)
    return _play(save, plain, concurrency, pace)


def resume(save: Path | None, plain: bool, concurrency: int, pace: float | None) -> int:
    """Goes on with an unfinished save. Returns the exit code."""
    return _play(chosen(save), plain, concurrency, pace)


def asked_for(tournament: Path | None, preset: str | None, seed: int | None) -> Tournament | None:
    """The tournament that the arguments name, None if they name none."""
    if tournament is not None and preset is not None:
        mend = "give one; a file can say preset = ... to build on one"
        raise BadInput("--preset", "stands beside a tournament file", mend)
    if tournament is not None:
        return read_tournament(tournament, seed)
    if preset is not None:
        return read_preset(preset, seed)
    if seed is not None:
        mend = "give it together with a tournament; a save keeps its own"
        raise BadInput("--seed", "has no tournament to go with", mend)
    return None


def _same_or_refused(save: Path, wanted: Tournament | None) -> None:
    with Save(save) as existing:
        if wanted is not None and existing.tournament_json != wanted.to_json():
            mend = "leave the tournament out to continue it, or choose another --save"
            raise BadSave(str(save), f"holds another tournament ({existing.name!r})", mend)


def _play(path: Path, plain: bool, concurrency: int, pace: float | None) -> int:
    with Save(path) as save:
        done = save.progress().done and save.stored_leaderboard() is not None
    if not done:
        try:
            ended = asyncio.run(_session(path, plain, concurrency, pace))
        except KeyboardInterrupt:  # before the matches or after them, where nothing is in flight
            return _interrupted(path)
        if not ended.progress.done:
            return _unfinished(path, ended)
        print(f"Finished: {path}", flush=True)
    with Save(path) as save:
        print_leaderboard(current_leaderboard(save), "overall")
        frozen = save.matches("frozen IS NOT NULL")
    for match in frozen:
        print(f"parlour: match {match.number} is frozen: {match.frozen}", file=sys.stderr)
    return 1 if frozen else 0


def _unfinished(path: Path, ended: Ended) -> int:
    if ended.interrupted:
        return _interrupted(path)
    for reason in ended.tally.failed[:5]:
        print(f"parlour: {reason}", file=sys.stderr)
    count = len(ended.tally.failed)
    print(
        f"parlour: {count} matches could not go on; mend it, then: {_again(path)}", file=sys.stderr
    )
    return 1


def _interrupted(path: Path) -> int:
    print(f"Interrupted; everything answered is saved. Continue with: {_again(path)}", flush=True)
    return INTERRUPTED


def _again(path: Path) -> str:
    """The command that continues, fit to be pasted into a shell."""
    return f"parlour run --save {quote(str(path))}"


async def _session(path: Path, plain: bool, concurrency: int, pace: float | None) -> Ended:
    shows = _Shows(path, plain or not sys.stdout.isatty() or os.environ.get("TERM") == "dumb")
    ticking: list[asyncio.Task[None]] = []

    def started(runner: Runner, progress: Progress) -> None:
        ticking.append(asyncio.create_task(shows.follow(runner, progress)))

    try:
        return await run_session(
            path,
            concurrency=concurrency,
            pace=pace,
            on_start=started,
            on_trouble=shows.trouble,
        )
    finally:
        for task in ticking:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        shows.close()


class _Shows:
    """Progress on the way: a bar on a terminal, plain lines elsewhere."""

    def __init__(self, path: Path, plain: bool) -> None:
        self._path = path
        self._bar = None if plain else _bar()

    async def follow(self, runner: Runner, before: Progress) -> None:
        """Shows the runner's tally until it is cancelled."""
        begun, already = time.monotonic(), before.finished + before.frozen
        print(f"{self._path}: {before.matches} matches of {', '.join(runner.agents)}", flush=True)
        if self._bar is not None:
            self._bar.start()
            self._bar.add_task("", total=before.matches)
        while True:
            tally = runner.tally
            done = already + tally.finished + len(tally.frozen)
            rate = tally.answers / max(time.monotonic() - begun, 0.001)
            if self._bar is not None:
                text = f"{rate:,.0f} answers/s"
                self._bar.update(self._bar.task_ids[0], completed=done, description=text)
            else:
                line = f"{done}/{before.matches} matches, {tally.answers} answers, {rate:,.0f}/s"
                print(line + (f", {tally.faults} faults" if tally.faults else ""), flush=True)
            await asyncio.sleep(TICK_SECONDS if self._bar is None else 0.25)

    def trouble(self, reason: str | None) -> None:
        """Says at once that the save cannot be written, and when it can again."""
        if reason is None:
            line = f"{self._path}: can be written again"
        else:
            line = f"{self._path}: {reason}; nothing is lost, trying again: free some space"
        print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Takes the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()


def _bar() -> Bar:
    return Bar(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("matches"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=console(),
        transient=True,
    )
