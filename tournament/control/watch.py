"""The watch over one run: its heartbeat, its log, and the record of its end in the lock file."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from parlour.agents.llm.keys import from_outside
from parlour.games.common.errors import ParlourError
from parlour.games.common.text import one_line
from parlour.tournament.control.run_log import RunLog
from parlour.tournament.control.server import status_of
from parlour.tournament.run.runner import Runner
from parlour.tournament.run.state import StopReason
from parlour.tournament.save.lock import give_sign, iso, locked
from parlour.tournament.save.rows import Progress

BEAT_SECONDS = LOOK_SECONDS = 1.0
LONGEST_ERROR = 300
"""Characters of the error that is recorded."""


class Watch:
    """The watch over one run. ``record`` is what the run leaves in its lock file."""

    def __init__(self, save: Path, record: dict[str, Any]) -> None:
        self.record, self.log = record, RunLog(save)
        record.clear()  # not before: a log that is refused leaves the end of the last run
        record["started"] = iso(datetime.now(UTC))
        self._runner: Runner | None = None
        self._before = Progress(0, 0, 0, 0, 0)

    def began(self, runner: Runner, before: Progress) -> None:
        """Takes the runner, once it can play; ``before`` is the progress of the save then."""
        self._runner, self._before = runner, before
        runner.listen(self.log)
        options, counts = runner.run_options, (before.finished, before.matches, before.answers)
        self.log.info("run begins: parlour %s, process %d", version("parlour"), os.getpid())
        self.log.info(
            "%d of %d matches finished, %d answers; %d matches at once, pace %s, budget %s",
            *(*counts, runner.concurrency, options.pace, options.budget),
        )

    def trouble(self, reason: str | None) -> None:
        """Notes why a commit failed; None once commits succeed again."""
        if self._runner is not None:
            self._runner.stats.disk_trouble = reason or ""
        if reason is None:
            self.log.info("the save can be written again")
        else:
            self.log.error("the save cannot be written: %s; trying again", reason)

    def ended(self, reason: StopReason) -> None:
        """Notes why the run has ended."""
        assert self._runner is not None
        self.look()
        self.record["stopped_because"] = reason
        stopped_by = self._runner.stats.stopped_by if reason == "stopped" else ""
        if stopped_by:
            self.record["stopped_by"] = stopped_by
        self.log.progress(status_of(self._runner, self._before))
        self.log.info("run ended: %s%s", reason, f" by {stopped_by}" if stopped_by else "")

    def failed(self, error: BaseException) -> None:
        """Notes the error that ended the run."""
        interrupted = isinstance(error, KeyboardInterrupt | asyncio.CancelledError)
        self.record.setdefault("stopped_because", "stopped" if interrupted else "error")
        line = _line(error)
        self.record["error"] = line
        self.log.error("run ended: %s", line)

    def look(self) -> None:
        """Writes changes since the last look to the log."""
        if self._runner is not None:
            self.log.look(status_of(self._runner, self._before))

    async def look_often(self) -> None:
        """Looks each second, until it is cancelled. An error is logged once, not each second."""
        logged = ""
        while True:
            try:
                self.look()
            except Exception as error:
                if logged != (line := _line(error)):
                    self.log.error("the log misses changes of the run: %s", line)
                    logged = line
            await asyncio.sleep(LOOK_SECONDS)


def _line(error: BaseException) -> str:
    """An error in one line, without keys."""
    kind = "" if isinstance(error, ParlourError) else f"{type(error).__name__}: "
    return one_line(from_outside(f"{kind}{error}"))[:LONGEST_ERROR]


async def heart(save: Path) -> None:
    """Gives a sign of life each second, until it is cancelled.

    The sign is the time of change of the lock file; nothing is written to the save. It comes from
    the event loop, so it stops when an agent or a command keeps the loop busy.
    """
    while True:
        give_sign(save)
        await asyncio.sleep(BEAT_SECONDS)


@asynccontextmanager
async def watching(save: Path) -> AsyncIterator[Watch]:
    """Context of one run of a save, in which this process holds its lock."""
    with locked(save) as record:
        watch = Watch(save, record)
        tasks = [asyncio.create_task(heart(save)), asyncio.create_task(watch.look_often())]
        try:
            yield watch
        except BaseException as error:
            watch.failed(error)
            raise
        finally:
            record["ended"] = iso(datetime.now(UTC))
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            watch.log.close()
