"""The log of the runs of a save: what happened when, for its operator, in a file beside the save.

It has no key, no text that a model or a person wrote, and no line of more than ``LONGEST_LINE``
characters; providers' error messages are quoted within that. ``PARLOUR_LOG`` sets the level.
"""

import logging
import os
import time
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from parlour.agents.llm.keys import from_outside
from parlour.games.common.errors import BadInput
from parlour.games.common.plain_files import open_plain
from parlour.games.common.text import one_line
from parlour.games.engine.moves import player
from parlour.tournament.control.status import RunnerStatus
from parlour.tournament.save.rows import StoredAnswer, StoredCall, StoredMatch

LEVEL = "PARLOUR_LOG"
"""Environment variable with the least level that is written."""
LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "off": logging.CRITICAL + 1,
}
LONGEST_LINE = 500
"""Characters of a message; the rest is cut."""
LOG_BYTES, OLDER_LOGS = 1_000_000, 3
"""Bytes at which the log is renamed and a new one begun, and how many older ones are kept."""
MOST_PER_SECOND = 50
"""Lines on answers and calls in a second; further ones are only counted."""
PROGRESS_SECONDS = 60.0
"""Seconds between lines on the progress."""


def run_log_file(save: Path) -> Path:
    """The log of the runs of a save."""
    return save.with_name(save.name + ".runs.log")


class RunLog:
    """The open log of a save. A log that cannot be written is left out: the run goes on.

    BadInput if the environment names an unknown level.
    """

    def __init__(self, save: Path) -> None:
        self._handler = _PrivateFile(
            run_log_file(save),
            maxBytes=LOG_BYTES,
            backupCount=OLDER_LOGS,
            encoding="utf-8",
            delay=True,
        )
        self._handler.setFormatter(_SafeLines())
        # Not a logger of the whole process: it may run several saves, or belong to a notebook.
        name = os.environ.get(LEVEL) or "info"
        if name.lower() not in LEVELS:
            raise BadInput(LEVEL, f"unknown level {name!r}", f"use one of {', '.join(LEVELS)}")
        self._logger = logging.Logger("parlour", LEVELS[name.lower()])
        self._logger.addHandler(self._handler)
        self._lines = self._left_out = 0
        self._before: RunnerStatus | None = None
        self._progress_due = time.monotonic() + PROGRESS_SECONDS
        log = self._logger
        self.info, self.warning, self.error = log.info, log.warning, log.error

    def close(self) -> None:
        """Closes the file."""
        self._handler.close()

    def answer_stored(self, match: StoredMatch, answer: StoredAnswer) -> None:
        """Writes a line on a faulty answer, at level debug on any."""
        level = logging.DEBUG if answer.fault is None else logging.WARNING
        if not self._has_room(level):
            return
        self._logger.log(
            level,
            "answer: match %d, ask %d (%s), %s, agent %r: %s, tries: %d",
            *(answer.match, answer.ask, answer.kind, player(answer.seat)),
            *(match.agents[answer.seat], answer.fault or "usable", answer.tries),
        )

    def call_stored(self, call: StoredCall) -> None:
        """Writes a line on a failed call, at level debug on any."""
        level = logging.DEBUG if call.failure is None else logging.WARNING
        if not self._has_room(level):
            return
        ended = f"{call.failure}: {call.message}" if call.failure else f"{call.finish}"
        self._logger.log(
            level,
            "call: match %d, ask %d, %s, agent %r, model %r, attempt %d, %.2f s: %s",
            *(call.match, call.ask, player(call.seat), call.agent, call.model),
            *(call.attempt, call.latency, ended),
        )

    def _has_room(self, level: int) -> bool:
        """True if a line of this level is to be written now; one that is left out is counted."""
        if level < self._logger.level:
            return False
        self._lines += 1
        self._left_out += self._lines > MOST_PER_SECOND
        return self._lines <= MOST_PER_SECOND

    def look(self, now: RunnerStatus) -> None:
        """Writes down changes of the run; call it about once a second."""
        if self._left_out:
            self.warning("%d more lines on answers and calls left out", self._left_out)
        self._lines = self._left_out = 0
        before = self._before
        self._before = now
        if before is None or before.state != now.state:
            self.info("state: %s", now.state)
        earlier = set() if before is None else {(wait.who, wait.why) for wait in before.waits}
        for wait in now.waits:
            if (wait.who, wait.why) not in earlier:
                until = f", until {wait.until}" if wait.until else ""
                self.warning("waits for %s %s: %s%s", wait.kind, wait.who, wait.why, until)
        for who, why in sorted(earlier - {(wait.who, wait.why) for wait in now.waits}):
            self.info("no longer waits for %s: %s", who, why)
        for problem in now.failed:
            if before is None or problem not in before.failed:
                self.error("problem: %s", problem)
        alarmed = {(alarm.kind, alarm.subject) for alarm in (before.alarms if before else ())}
        for alarm in now.alarms:
            if (alarm.kind, alarm.subject) not in alarmed:
                self.warning("alarm: %s", alarm.sentence)
        if time.monotonic() >= self._progress_due:
            self._progress_due = time.monotonic() + PROGRESS_SECONDS
            self.progress(now)

    def progress(self, now: RunnerStatus) -> None:
        """Writes the counts of the run."""
        self.info(
            "progress: %d of %d matches, %d answers (%d faulty), %d calls (%d failed), $%.4f",
            *(now.finished, now.matches, now.answers, now.faults),
            *(now.calls, now.failed_calls, now.dollars),
        )


class _PrivateFile(RotatingFileHandler):
    """A log that only its owner can read, whose errors never reach the run."""

    def _open(self) -> TextIOWrapper:
        handle = open_plain(Path(self.baseFilename), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        return os.fdopen(handle, "a", encoding="utf-8")

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - of the library
        """Drops a line that cannot be written: the disk may be full."""


class _SafeLines(logging.Formatter):
    """Lines of a time in UTC, a level and a message without keys and control characters."""

    converter = staticmethod(time.gmtime)

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        message = one_line(from_outside(record.getMessage()))[:LONGEST_LINE]
        return f"{self.formatTime(record, '%Y-%m-%dT%H:%M:%SZ')} {record.levelname} {message}"
