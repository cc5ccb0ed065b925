"""The command `pause`."""

from shlex import quote

from parlour.cli.options import NewestSave
from parlour.cli.output import program, safe_print
from parlour.cli.progress import STATES
from parlour.cli.steering import find_unfinished, print_ended, wait_until_paused
from parlour.tournament.control.client import RunnerClient


def pause(save: NewestSave = None) -> int:
    """Pause a running tournament; returns when nothing is in flight."""
    path = find_unfinished(save)
    RunnerClient(path).pause()
    now = wait_until_paused(path)
    if now is None:
        return print_ended(path)
    state = STATES.get(now.state, now.state)
    safe_print(f"{path}: {state}, {now.finished}/{now.matches} matches finished")
    if now.state == "quiesced":
        again = f"{program()} resume {quote(str(path))}"
        safe_print(f"Nothing is in flight. Continue with: {again}")
    return 0
