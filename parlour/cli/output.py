"""What a command writes to: its output, and one line of complaint. Quick to import."""

import io
import os
import sys


def ready_streams() -> None:
    """Output that was closed goes nowhere; letters that a terminal has not are shown as "?"."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - open for as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def complain(line: str) -> None:
    """One line on stderr, with nothing in it that could steer a terminal."""
    from parlour.games.common.text import clean

    print(clean(line), file=sys.stderr)
