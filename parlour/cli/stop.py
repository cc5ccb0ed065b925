"""The command `stop`."""

from shlex import quote

from parlour.cli.options import NewestSave
from parlour.cli.output import find_save, program, safe_print
from parlour.cli.steering import print_ended, refuse_finished, wait_until_paused
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save


def stop(save: NewestSave = None) -> int:
    """Stop a running tournament; every answer is saved."""
    path = find_save(save)
    if holder(path) is None:
        refuse_finished(path)
    RunnerClient(path).stop()
    wait_until_paused(path)  # never true: this returns when the process has ended
    with Save(path) as stopped:
        if stopped.match_count().done:
            return print_ended(path)
    again = f"{program()} resume {quote(str(path))}"
    safe_print(f"{path}: stopped; every answer is saved. Continue with: {again}")
    return 0
