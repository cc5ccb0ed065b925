"""Draws docs/picture.svg: what a terminal shows of the demo tournament.

.venv/bin/python scripts/picture.py [FILE]
"""

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

COLUMNS, LINES = 104, 40
PARLOUR = [sys.executable, "-m", "parlour"]
SHOWN = (["replay", "saves/demo.db", "1"], ["leaderboard"])
ROOT = Path(__file__).resolve().parent.parent


def on_a_terminal(command: list[str], folder: Path) -> str:
    """Output of a command on a terminal of the picture's size."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    sized = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    environment = {**sized, "TERM": "xterm-256color"}
    with subprocess.Popen(
        command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ) as running:
        os.close(theirs)
        printed = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so when the last writer has gone
                break
            if not part:
                break
            printed += part
    os.close(ours)
    if running.returncode:
        sys.exit(printed.decode())
    return printed.decode().replace("\r\n", "\n")


def picture() -> str:
    """SVG of the demo: one of its matches and its leaderboard."""
    screen = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        run = [*PARLOUR, "run", "--preset", "demo", "--plain"]
        subprocess.run(run, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for arguments in SHOWN:
            screen.print(Text(f"$ parlour {' '.join(arguments)}", style="bold green"))
            screen.print(Text.from_ansi(on_a_terminal([*PARLOUR, *arguments], folder)))
    # Rich would fetch a font from the network whenever the picture is looked at.
    form = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    return screen.export_svg(title="parlour", code_format=form, unique_id="parlour")


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "picture.svg"
    target.write_text(picture(), encoding="utf-8")
