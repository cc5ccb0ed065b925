"""Copies text to the clipboard of the terminal, over SSH and inside tmux too."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

from textual.app import App

from parlour.games.common.text import clean

WITHOUT = ("linux", "vt", "dumb", "cons")
"""Begins of TERM for terminals without a clipboard."""
TMUX_SECONDS = 2.0
"""Seconds that tmux may take to accept a copy."""


def copy(app: App[None], text: str, beside: Path) -> str:
    """Copies a text and returns the words that say where to.

    tmux takes it through its own command, since it drops the sequence of programs (OSC 52) unless
    ``set-clipboard`` is on. Where the terminal has no clipboard, the text goes into a file
    ``beside`` the save.
    """
    text = clean(text, len(text))
    if os.environ.get("TERM", "").startswith(WITHOUT):
        target = beside.with_name(f"{beside.stem}-copied.txt")
        try:
            target.write_text(f"{text}\n", encoding="utf-8")
        except OSError as error:
            return f"{target} cannot be written ({error.strerror})"
        return f"This terminal has no clipboard; written: {target}"
    app.copy_to_clipboard(text)
    if os.environ.get("TMUX"):
        with suppress(OSError, subprocess.SubprocessError):
            subprocess.run(
                ["tmux", "load-buffer", "-w", "-"],
                input=text,
                text=True,
                check=True,
                capture_output=True,
                timeout=TMUX_SECONDS,
            )
            return "Copied, also into the buffer of tmux."
    return "Copied."
