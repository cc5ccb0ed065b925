"""Words for the state of a run, the asks that wait for people, and listeners of a run."""

from typing import Literal, NamedTuple, Protocol

from parlour.tournament.save.rows import StoredAnswer, StoredCall, StoredMatch

State = Literal["running", "pausing", "paused", "stopping"]
"""``paused``: nothing is in flight and everything is durable."""

StopReason = Literal["finished", "stopped", "budget", "failures", "time", "disk", "error", "killed"]
"""Why a run ended: all matches are over; a command or signal stopped it; a budget is used up;
only permanent errors remained; its deadline or its patience was over; the save could not be
written; it could not begin or the program failed; or its process was killed."""


class OpenAsk(NamedTuple):
    """An ask that waits for a person; ``left`` are the seconds of the clock, None without one."""

    match: int
    ask: int
    seat: int
    left: float | None


class WorkerState(NamedTuple):
    """A worker process: what it has played, and what it does now.

    ``host`` and ``pid`` say where it is. ``per_second`` are answers of matches, ``in_flight``
    calls of models. ``heard`` are the seconds since its last message.
    """

    host: str
    pid: int
    matches: int
    per_second: float
    in_flight: int
    heard: float


class Listener(Protocol):
    """A listener of a run: it gets each answer and each call of a model once it is durable."""

    def answer_stored(self, match: StoredMatch, answer: StoredAnswer, /) -> None:
        """Takes a durable answer."""

    def call_stored(self, call: StoredCall, /) -> None:
        """Takes a durable call of a model, or answer from the cache."""
