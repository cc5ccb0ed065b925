"""The command `resume`."""

from shlex import quote

from parlour.cli.options import (
    Budget,
    Concurrency,
    Deadline,
    Detach,
    GiveUpAfter,
    Memory,
    Metrics,
    NewestSave,
    Pace,
    Plain,
    Ray,
    Until,
    Workers,
)
from parlour.cli.output import find_save, program, safe_print
from parlour.cli.playing import change_memory, change_options, on_terminal, play, watch
from parlour.cli.steering import refuse_finished
from parlour.games.common.errors import BadSave
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.save.lock import holder
from parlour.tournament.save.rows import RunOptions


def resume(
    save: NewestSave = None,
    plain: Plain = False,
    concurrency: Concurrency = None,
    pace: Pace = None,
    detach: Detach = False,
    budget: Budget = None,
    until: Until = None,
    workers: Workers = None,
    ray: Ray = None,
    memory: Memory = None,
    deadline: Deadline = None,
    give_up_after: GiveUpAfter = None,
    metrics: Metrics = None,
) -> int:
    """Resume a paused tournament, or continue an unfinished save."""
    path = find_save(save)
    run_options = RunOptions(
        concurrency,
        pace,
        budget=budget,
        until=until,
        workers=workers,
        ray=ray,
        deadline=deadline,
        give_up_after=give_up_after,
        metrics=metrics,
    )
    if memory is not None:
        change_memory(path, memory)
    if holder(path) is None:
        return play(path, plain, run_options, detach)
    refuse_finished(path)
    change_options(path, run_options)
    named = quote(str(path))
    if RunnerClient(path).resume().state == "stopping":
        raise BadSave(
            str(path),
            "is being stopped",
            f"wait until it has stopped, then: parlour resume {named}",
        )
    if on_terminal() and not plain and not detach:
        return watch(path)
    safe_print(f"{path}: resumed. Watch it with: {program()} attach {named}")
    return 0
