"""The command `hooks`."""

from pathlib import Path
from typing import Literal

from parlour.agents.llm.keys import settings_file
from parlour.cli.output import safe_print
from parlour.games.common.errors import BadInput
from parlour.tournament.control.hooks import EVENTS, Notice, call_hook, read_hooks


def hooks(action: Literal["list", "test"] = "list") -> int:
    """Show the commands that runs call, or try them."""
    own = read_hooks()
    chosen = {event: command for event in EVENTS if (command := own.command(event))}
    if not chosen:
        fix = 'write on_finish = ["command", "argument"] under [hooks] there'
        raise BadInput(str(settings_file()), "has no hooks", fix)
    all_passed = True
    for event, command in chosen.items():
        if action == "list":
            safe_print(f"{event}: {' '.join(command)} ({EVENTS[event]})")
            continue
        save = str(Path("saves/test.db").absolute())
        notice = Notice(event, save, "a test", done=event == "on_finish")
        called = call_hook(command, own.seconds, notice)
        all_passed = all_passed and not called.problem
        said = f"; it printed: {called.said}" if called.said else ""
        safe_print(
            f"{'FIX ' if called.problem else 'ok  '}  {event}: {called.problem or 'done'}{said}"
        )
    return 0 if all_passed else 1
