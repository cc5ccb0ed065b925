"""Words for the state of a run, and the asks that wait for people."""

from typing import Literal, NamedTuple

State = Literal["running", "pausing", "quiesced", "stopping"]
"""``quiesced`` is paused: nothing is in flight and everything is durable."""

StopReason = Literal["finished", "stopped", "budget", "failures", "disk", "killed"]
"""Why a run ended: all matches are over; a command or signal stopped it; a budget is used up;
only permanent errors remained; the save could not be written; or its process was killed."""


class OpenAsk(NamedTuple):
    """An ask that waits for a person; ``left`` are the seconds of the clock, None without one."""

    match: int
    ask: int
    seat: int
    left: float | None
