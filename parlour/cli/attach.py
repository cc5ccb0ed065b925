"""The command `attach`, and the screens that `parlour` alone opens."""

import time
from pathlib import Path

from parlour.cli.output import find_save, safe_print
from parlour.cli.playing import on_terminal, print_result, watch
from parlour.cli.progress import TICK_SECONDS, held_up, people_waited_for
from parlour.games.common.collection import imported
from parlour.games.common.errors import BadInput, BadSave
from parlour.tournament.control.client import ControlFailed, RunnerClient
from parlour.tournament.save.lock import holder
from parlour.tournament.save.reader import Save


def attach(save: Path | None = None) -> int:
    """Watch a tournament and steer it."""
    path = find_save(save)
    Save(path).close()
    if on_terminal():
        return watch(path)
    while holder(path) is not None:
        try:
            now = RunnerClient(path).status()
        except (ControlFailed, BadSave):
            break  # it has just ended
        safe_print(
            f"{now.state}: {now.finished}/{now.matches} matches,"
            f" {now.answers} answers, {now.per_second:,.0f}/s{held_up(now)}",
            flush=True,
        )
        if waiting := people_waited_for(path, now):
            safe_print(waiting, flush=True)
        time.sleep(TICK_SECONDS)
    return print_result(path)


def home() -> int:
    """Opens the first screen: saves, and new tournaments."""
    if not on_terminal():
        raise BadInput("the screens", "need a terminal", "see `parlour --help`")
    with imported():
        from parlour.tui.app import watch as open_screen

    open_screen(None)
    return 0
