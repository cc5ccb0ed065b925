"""The viewer on a real pty: kinds of terminal, sizes, and what becomes of it when it is ended."""

import os
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from parlour.games.common.text import clean
from parlour.tournament.control.client import RunnerClient
from parlour.tournament.save.lock import holder
from tests.hostile import PAYLOADS, hostile_save
from tests.terminals import Terminal, shown, strange_bytes
from tests.tournaments import ANSWERS, COMMAND, environment
from tests.tui.playing import answers_in, detached, new_save

pytestmark = pytest.mark.slow
COUNTS = re.compile(r"\d+ of \d+")
"""The matches in the header of the live screen, from its first frame on."""


@contextmanager
def attached(save: Path, size: tuple[int, int] = (80, 24), **env: str) -> Iterator[Terminal]:
    """A viewer of the save, once its screen is there."""
    with shown([*COMMAND, "attach", str(save)], size, save.parent, **env) as terminal:
        terminal.until_picture(lambda lines: COUNTS.search(lines[0]) is not None)
        terminal.until_picture(lambda lines: "1 Matches" in "\n".join(lines))
        yield terminal


def press(terminal: Terminal, keys: str, answer: str, *, gone: bool = False) -> list[str]:
    """The picture after some keys, once the answer is in it; ``gone``: once it is no longer."""
    terminal.type(keys.encode())
    return terminal.until_picture(lambda lines: (answer in "\n".join(lines)) != gone)


def test_no_byte_of_a_hostile_text_reaches_the_terminal(tmp_path: Path) -> None:
    save = hostile_save(tmp_path / "\x1b]0;title\x07[bold]x\x9b31m.db")
    with attached(save, (160, 48)) as terminal:
        for number in range(2, 9):
            press(terminal, "k", f"· match {number} ")
        press(terminal, "5", "just over")
        press(terminal, "\x1b", "just over", gone=True)
        press(terminal, "a", "as the audience sees it")
        press(terminal, "a", " sees it")
        press(terminal, "/", "filter: a game")
        press(terminal, "[/]", "1 Matches · /[/]")
        press(terminal, "\r", "filter: a game", gone=True)
        press(terminal, "\x1b", "1 Matches ─")
        press(terminal, "/", "filter: a game")
        press(terminal, "donation", "1 Matches · /donation")
        press(terminal, "\r", "· match 71 ")
        press(terminal, "r", "Replay │")
        press(terminal, "\x1b", "Parlour │")
        press(terminal, "e", "Export")
        press(terminal, "1", "Written")
        press(terminal, "l", "1  Overall")
        press(terminal, "\x1b", "1 Matches")
        terminal.type(b"q")
        assert terminal.program.wait(30) == 0
        terminal.until(rb"(?s)Finished: .*71 finished matches")
        written = terminal.written
    assert strange_bytes(written) == b""
    marks = {int(mark) for mark in re.findall(rb"QX(\d\d\d)", written)}
    assert len(marks) > 120, "what is looked at holds few of the texts"
    # Where a text ends with an escape, a sequence of the program may follow it and look the same.
    texts = [text for text in PAYLOADS if not text.endswith("\x1b")]
    acting = [text for text in texts if clean(text) != text.replace("\r\n", "\n")]
    assert len(acting) > 100
    for text in acting:
        assert text.encode(errors="surrogatepass") not in written, ascii(text)
    assert not re.search(rb"\xc2[\x80-\x9f]", written)  # controls of one byte, as UTF-8


COLOURS = {
    "16": ({"TERM": "xterm"}, rb"\x1b\[[\d;]*\b(?:3[0-7]|9[0-7]|4[0-7]|10[0-7])[;m]", rb"[34]8;"),
    "256": ({"TERM": "xterm-256color"}, rb"[34]8;5;", rb"[34]8;2;"),
    "true": ({"COLORTERM": "truecolor"}, rb"[34]8;2;", rb"[34]8;5;"),
}


@pytest.mark.parametrize("case", COLOURS)
def test_the_live_screen_keeps_to_the_colours_that_the_terminal_has(
    finished: Path, case: str
) -> None:
    env, used, unused = COLOURS[case]
    with attached(finished, **{"COLORTERM": "", **env}) as terminal:
        assert strange_bytes(terminal.written) == b""
        assert re.search(used, terminal.written)
        assert not re.search(rb"\x1b\[[\d;]*" + unused, terminal.written)


def test_without_colours_everything_is_there_in_grey(finished: Path) -> None:
    with attached(finished, NO_COLOR="1", COLORTERM="truecolor") as terminal:
        lines = terminal.until_picture(lambda lines: "1 Matches" in lines[2])
        colours = set(re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", terminal.written))
        assert all(red == green == blue for red, green, blue in colours), colours
    assert colours
    assert "✓ finished" in lines[0]
    assert "12 of 12" in lines[0]


def test_a_dumb_terminal_gets_plain_lines(finished: Path) -> None:
    words = [*COMMAND, "attach", str(finished)]
    with shown(words, (80, 24), finished.parent, TERM="dumb") as terminal:
        assert terminal.program.wait(20) == 0
        terminal.until(b"Agent")
        assert b"\x1b" not in terminal.written
        assert b"Finished: " in terminal.written


def test_a_tiny_window_made_large_again_shows_what_it_showed(finished: Path) -> None:
    with attached(finished) as terminal:
        press(terminal, "3", "Ballot")
        before = press(terminal, "2", "escaped")
        assert "1 Matches" in before[2]
        terminal.resize(20, 5)
        terminal.until_picture(lambda lines: "at least" in "\n".join(lines) and len(lines) == 5)
        terminal.resize(80, 24)
        terminal.until_picture(lambda lines: lines == before)
        assert strange_bytes(terminal.written) == b""


@pytest.mark.parametrize("which", [signal.SIGHUP, signal.SIGKILL])
def test_a_viewer_that_is_ended_leaves_the_runner_to_finish(
    tmp_path: Path, which: signal.Signals
) -> None:
    save = new_save(tmp_path / "small.db")
    with detached(save, pace=20) as runner:
        with attached(save) as terminal:
            terminal.program.send_signal(which)
            terminal.program.wait(30)
        assert holder(save)["pid"] == runner  # type: ignore[index]
        before = RunnerClient(save).status()
        assert before.state == "running"
        with attached(save) as terminal:
            RunnerClient(save).set_pace(None)
            terminal.until(b"finished")
            terminal.type(b"q")
            assert terminal.program.wait(30) == 0
    assert answers_in(save) == ANSWERS


CANARY = "sk-canary-5512"
FAILING = """
import os
from parlour.cli.app import main
from parlour.tui.screens.live import LiveScreen
def fails(self):
    key = os.environ["A_KEY"]
    raise ValueError(f"refused: {key}")
LiveScreen.action_leaderboard = fails
main()
"""


def test_a_screen_that_fails_says_so_and_how_to_attach_again_and_the_run_goes_on(
    tmp_path: Path,
) -> None:
    save = new_save(tmp_path / "small.db")
    words = [sys.executable, "-c", FAILING, "attach", str(save)]
    with detached(save, pace=20), shown(words, (80, 24), tmp_path, A_KEY=CANARY) as terminal:
        terminal.until_picture(lambda lines: "1 Matches" in "\n".join(lines))
        terminal.type(b"l")
        assert terminal.program.wait(30) == 1
        terminal.until(b"shows it again")
        assert RunnerClient(save).status().state == "running"
        assert b"ValueError: refused: [key]" in terminal.written
        again = f"attach {save}` shows it again"
        assert again.encode() in terminal.written
        assert CANARY.encode() not in terminal.written
        assert terminal.modes_now == terminal.modes


def test_a_viewer_whose_terminal_has_gone_ends_though_no_signal_comes(finished: Path) -> None:
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [*COMMAND, "attach", str(finished)],
        env=environment(TERM="xterm-256color"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as program:
        try:
            os.close(theirs)
            written = b""
            while b"finished" not in written:
                written += os.read(ours, 1 << 16)
            os.close(ours)
            assert program.wait(20) == 128 + signal.SIGHUP
        finally:
            program.kill()


@pytest.mark.parametrize(
    ("stop", "shell"), [(signal.SIGSTOP, True), (signal.SIGSTOP, False), (signal.SIGTSTP, True)]
)
def test_a_viewer_that_was_stopped_and_continued_is_where_it_was(
    finished: Path, stop: signal.Signals, shell: bool
) -> None:
    with attached(finished) as terminal:
        raw = terminal.modes_now
        press(terminal, "/", "Search the talk")
        press(terminal, "half", " half")
        for _ in range(3):
            terminal.stop(stop)
            if shell:  # which takes its own modes meanwhile
                termios.tcsetattr(terminal.theirs, termios.TCSANOW, terminal.modes)
            drawn = len(terminal.shown)
            terminal.program.send_signal(signal.SIGCONT)
            terminal.until(rb"\x1b\[\?1049h", drawn)
            terminal.until(b"half", drawn)
            assert terminal.modes_now == raw
        press(terminal, "-typed", " half-typed")
        press(terminal, "\x1b", "Search the talk", gone=True)
        terminal.type(b"q")
        assert terminal.program.wait(30) == 0
        assert_given_back(terminal)


def test_a_viewer_that_is_left_gives_the_terminal_back_as_it_was(finished: Path) -> None:
    with attached(finished) as terminal:
        assert terminal.modes_now != terminal.modes
        terminal.type(b"q")
        assert terminal.program.wait(30) == 0
        assert_given_back(terminal)


def assert_given_back(terminal: Terminal) -> None:
    """The program has gone, and the terminal has every mode that it had before."""
    terminal.until(b"Finished: ")
    assert terminal.modes_now == terminal.modes
    switched = re.findall(rb"\x1b\[\?(\d+)([hl])", terminal.written)
    last = {int(mode): how for mode, how in switched}
    on_by_default = {7, 25}  # wrapping, the cursor
    assert {mode for mode, how in last.items() if how == b"h"} == on_by_default
