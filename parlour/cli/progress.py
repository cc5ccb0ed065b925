"""A run in this process, with its progress in plain lines."""

import asyncio
import re
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from parlour.cli.safe_print import print
from parlour.games.engine.transcript import counted
from parlour.tournament.calls.budget import dollars
from parlour.tournament.control.server import status_of
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.run.runner import Runner
from parlour.tournament.save.rows import Progress, RunOptions

if TYPE_CHECKING:
    from parlour.tournament.session import SessionResult

TICK_SECONDS = 1.0
COUNTDOWN = re.compile(r"(?:waiting|paused for) \d+ s")


async def session(path: Path, run_options: RunOptions) -> "SessionResult":
    """Plays a save here, with its progress in plain lines."""
    from parlour.tournament.session import run_session

    shows = _Shows(path)
    ticking: list[asyncio.Task[None]] = []

    def started(runner: Runner, progress: Progress) -> None:
        ticking.append(asyncio.create_task(shows.follow(runner, progress)))

    try:
        return await run_session(
            path,
            concurrency=run_options.concurrency,
            pace=run_options.pace,
            budget=run_options.budget,
            on_start=started,
            on_trouble=shows.trouble,
        )
    finally:
        for task in ticking:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def people_waited_for(path: Path, now: RunnerStatus) -> str:
    """Whose seats wait for an answer, and how to give one, in one line; empty if none does."""
    asked = [name for name, person in now.people.items() if person.asks]
    count = sum(len(now.people[name].asks) for name in asked)
    if not asked:
        return ""
    waits = "waits for a person" if count == 1 else "wait for people"
    return (
        f"{counted(count, 'seat')} {waits} ({', '.join(asked)}):"
        f" parlour attach {quote(str(path))}, then s, takes one"
    )


def _money(now: RunnerStatus) -> str:
    """What is spent, of which budget, and about how much it will be; nothing where nothing is."""
    if not now.dollars:
        return ""
    of = "" if now.budget is None else f" of {dollars(now.budget)}"
    at_end = now.dollars_at_end
    in_all = "" if at_end is None else f" (about {dollars(at_end)} in all)"
    return f", {dollars(now.dollars)}{of}{in_all}"


def held_up(now: RunnerStatus) -> str:
    """What calls wait for, how many matches are parked, and why the first is; mostly empty."""
    words = list(now.limits)
    if reasons := list(now.parked.values()):
        count = "5+" if len(reasons) == 5 else len(reasons)  # it tells of five at the most
        words.append(f"{count} parked: {reasons[0]}")
    return "".join(f"; {each}" for each in words)


class _Shows:
    """Progress of a headless run, in plain lines."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def follow(self, runner: Runner, before: Progress) -> None:
        """Prints the runner's stats every now and then until it is cancelled."""
        print(
            f"{self._path}: {counted(before.matches, 'match')} of {', '.join(runner.agents)}",
            flush=True,
        )
        told, last = "", ""
        while True:
            now = status_of(runner, before)
            if (waiting := people_waited_for(self._path, now)) != told:
                told = waiting
                print(told or "nobody is waited for now", flush=True)
            faults = f", {now.faults} faults" if now.faults else ""
            resting = "" if now.state == "running" else f", {now.state}"
            held = held_up(now)
            if now.in_flight and resting:
                resting += f" ({now.in_flight} in flight)"
            money = _money(now)
            line = (
                f"{now.finished}/{now.matches} matches, {now.answers} answers{faults},"
                f" {now.per_second:,.0f}/s{money}{resting}{held}"
            )
            # A person may take days, a provider may be away all night, and a log has an end.
            news = COUNTDOWN.sub("", line)
            if news != last or not (told or held):
                print(line, flush=True)
            last = news
            await asyncio.sleep(TICK_SECONDS)

    def trouble(self, reason: str | None) -> None:
        """Says at once that the save cannot be written, and when it can again."""
        if reason is None:
            line = f"{self._path}: can be written again"
        else:
            line = f"{self._path}: {reason}; nothing is lost, trying again: free some space"
        print(line, file=sys.stderr, flush=True)
