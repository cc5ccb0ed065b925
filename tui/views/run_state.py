"""The states of a tournament as signs and words, on a pill or in plain text."""

from dataclasses import dataclass

from rich.text import Text

from parlour.games.common.text import one_line
from parlour.tui.look.look import Look
from parlour.tui.models.save_view import SaveView


@dataclass(frozen=True, slots=True)
class StateWord:
    """A state as drawn: a sign, a word and a colour, and a sentence where there is one."""

    sign: str
    word: str
    colour: str
    words: str = ""


def run_state(state: str, look: Look) -> StateWord:
    """The sign and the word of a state of a runner or of a save; an unknown one is trouble."""
    signs, palette = look.signs, look.palette
    known = {
        "running": (signs.running, "running", palette.accent),
        "pausing": (signs.paused, "pausing", palette.warn),
        "paused": (signs.paused, "paused", palette.warn),
        "stopping": (signs.stopped, "stopping", palette.warn),
        "finished": (signs.done, "finished", palette.good),
        "not running": (signs.stopped, "not running", palette.warn),
        "failed": (signs.failed, "failed", palette.bad),
        "stopped": (signs.stopped, "stopped", palette.soft),
        "unfinished": (signs.stopped, "unfinished", palette.soft),
        "unread": (signs.pending, "", palette.faint),
    }
    return StateWord(*known.get(state, (signs.failed, one_line(state), palette.bad)))


def state_pill(state: str, look: Look) -> Text:
    """A state as a word on its colour."""
    shown = run_state(state, look)
    return look.pill(shown.sign, shown.word, shown.colour)


def state_text(state: str, look: Look) -> Text:
    """A state as its sign and word in its colour; what runs now stands out as a pill."""
    if state == "running":
        return state_pill(state, look)
    shown = run_state(state, look)
    return Text(f" {shown.sign} {shown.word} ", f"bold {shown.colour}", no_wrap=True)


def watched_pill(watched: SaveView, look: Look) -> Text:
    """The state of a tournament on screen; one whose last run ended by itself has failed."""
    stopped_by_itself = watched.state == "not running" and watched.failed
    return state_pill("failed" if stopped_by_itself else watched.state, look)
