"""A program on a real pty: what it writes, when, and what a terminal makes of it."""

import fcntl
import os
import re
import signal
import struct
import subprocess
import termios
import threading
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.cells import cell_len

from tests.tournaments import environment

MODES = b"|".join(b"%d" % mode for mode in (7, 25, 1000, 1003, 1004, 1006, 1015, 1049, 2004, 2026))
SEQUENCES = re.compile(
    rb"\x1b\[(?P<row>\d+);(?P<column>\d+)H"
    rb"|\x1b\[[\d;]*m"
    rb"|\x1b\[\?(?:" + MODES + rb")[hl]"
    # Questions whether the terminal can do something, its keyboard, the shape of its pointer.
    rb"|\x1b\[\?(?:2026|2048)\$p|\x1b\[\?2048l|\x1b\[>\d+u|\x1b\[<u|\x1b\]22;default\x07"
    rb"|(?P<line>\r\n|\n)|(?P<text>[^\x00-\x1f\x7f]+)"
)
"""All that Textual says to a terminal, and text."""
UNENDED = re.compile(rb"(?:\x1b[\[\d;?]*)?\Z")
"""A sequence at the end of which a part may still come, or nothing."""


class Terminal:
    """A program on a pty of its own, and every byte that it writes, with the time it came."""

    def __init__(self, words: list[str], columns: int, rows: int, cwd: Path, **env: str) -> None:
        self._ours, theirs = os.openpty()
        self._size(columns, rows)
        self.modes = termios.tcgetattr(theirs)
        self.begun = time.perf_counter()
        self.program = subprocess.Popen(
            words,
            cwd=cwd,
            env=environment(**{"TERM": "xterm-256color", "XDG_CONFIG_HOME": str(cwd), **env}),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        self.theirs = theirs  # kept, so that the modes can be read when the program has gone
        self._sized = 0  # bytes before the size was what it is
        self._picture = Picture(columns, rows)
        self._lines: list[bytes] = []
        """For each piece, once looked at: the lines into which it has written, as they are then."""
        self.shown: list[tuple[float, bytes]] = []
        self._new = threading.Condition()
        self._closed = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _size(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self) -> None:
        while not self._closed:
            try:
                got = os.read(self._ours, 1 << 16)
            except OSError:  # everybody has gone
                return
            with self._new:
                self.shown.append((time.perf_counter(), got))
                self._new.notify_all()

    def resize(self, columns: int, rows: int) -> None:
        """Makes the window another size, of which the program hears by a signal."""
        self._sized = len(self.written)
        self._lines_since(0)
        self._picture = Picture(columns, rows)
        self._size(columns, rows)
        os.kill(self.program.pid, signal.SIGWINCH)

    def type(self, keys: bytes) -> int:
        """Presses keys; how many pieces had been shown before."""
        after = len(self.shown)
        os.write(self._ours, keys)
        return after

    def press(self, key: bytes, answer: bytes) -> float:
        """Presses a key; seconds until what it does is seen."""
        now = time.perf_counter()
        return self.until(answer, self.type(key)) - now

    def until(self, answer: bytes, after: int = 0, seconds: float = 30.0) -> float:
        """When what was written, or a line it was written into, first fitted.

        Only what comes from the ``after``-th piece on counts.
        """
        deadline = time.perf_counter() + seconds
        seen = b""
        with self._new:
            while True:
                lines = self._lines_since(after)
                for (when, piece), drawn in zip(self.shown[after:], lines, strict=True):
                    after += 1
                    seen += piece
                    if re.search(answer, seen) or re.search(answer, drawn):
                        return when
                if not self._new.wait(deadline - time.perf_counter()):
                    raise TimeoutError(f"{answer!r} was not shown, but {seen[-2000:]!r}")

    def _lines_since(self, after: int) -> list[bytes]:
        for _, piece in self.shown[len(self._lines) :]:
            self._lines.append("\n".join(self._picture.feed(piece)).encode())
        return self._lines[after:]

    def bytes_within(self, seconds: float) -> float:
        """Bytes a second of the time to come."""
        begin = time.perf_counter()
        time.sleep(seconds)
        end = time.perf_counter()
        count = sum(len(piece) for when, piece in list(self.shown) if begin <= when < end)
        return count / (end - begin)

    def until_picture(
        self, wanted: Callable[[list[str]], bool], seconds: float = 30.0
    ) -> list[str]:
        """Lines shown since the last change of size, once they are as wanted."""
        deadline = time.perf_counter() + seconds
        while True:
            lines = picture(self.written[self._sized :], self.columns, self.rows)
            if wanted(lines):
                return lines
            if time.perf_counter() > deadline:
                raise TimeoutError("never as wanted:\n" + "\n".join(lines))
            pieces = len(self.shown)
            with self._new:
                self._new.wait_for(lambda n=pieces: len(self.shown) > n, 0.5)  # type: ignore[misc]
            time.sleep(0.05)  # what follows at once belongs to it

    def stop(self, how: signal.Signals) -> None:
        """Stops the program; returns once it has stopped. Linux only."""
        self.program.send_signal(how)
        status = Path(f"/proc/{self.program.pid}/stat")
        deadline = time.perf_counter() + 30
        while status.read_text().rpartition(")")[2].split()[0] != "T":
            assert time.perf_counter() < deadline, "the program does not stop"
            time.sleep(0.01)

    @property
    def written(self) -> bytes:
        """All that the program has written so far."""
        return b"".join(piece for _, piece in list(self.shown))

    @property
    def modes_now(self) -> list[object]:
        """Settings of the terminal: echo, whole lines and so on."""
        return termios.tcgetattr(self.theirs)

    def cpu_seconds(self) -> float:
        """Seconds of a processor that the program has taken; Linux only."""
        fields = Path(f"/proc/{self.program.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """Memory that the program holds now; Linux only."""
        pages = int(Path(f"/proc/{self.program.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def close(self) -> None:
        """Ends the program."""
        self.program.kill()
        self.program.wait()
        self._closed = True
        os.close(self.theirs)
        self._reader.join(timeout=5)
        os.close(self._ours)


@contextmanager
def shown(words: list[str], size: tuple[int, int], cwd: Path, **env: str) -> Iterator[Terminal]:
    """A program on a terminal of that many columns and rows."""
    terminal = Terminal(words, *size, cwd, **env)
    try:
        yield terminal
    finally:
        terminal.close()


def strange_bytes(written: bytes) -> bytes:
    """Bytes that are neither text nor anything that Textual says to a terminal.

    The last may be a sequence of which the end has not come yet.
    """
    return UNENDED.sub(b"", SEQUENCES.sub(b"", written))


class Picture:
    """The lines that a terminal of some size shows."""

    def __init__(self, columns: int, rows: int) -> None:
        self._cells = [[" "] * columns for _ in range(rows)]
        self._row = self._column = 0
        self._decoder = getincrementaldecoder("utf-8")("ignore")
        self._rest = b""  # a sequence of which the end has not come yet

    @property
    def lines(self) -> list[str]:
        """The lines, without blanks at their ends."""
        return [self._line(row) for row in range(len(self._cells))]

    def _line(self, row: int) -> str:
        return "".join(self._cells[row]).rstrip()

    def feed(self, written: bytes) -> list[str]:
        """Takes the bytes that come next. Returns the lines that they write into."""
        whole = self._rest + self._decoder.decode(written).encode()
        self._rest = UNENDED.search(whole)[0]  # type: ignore[index]
        columns, rows = len(self._cells[0]), len(self._cells)
        touched: set[int] = set()
        for match in SEQUENCES.finditer(whole.removesuffix(self._rest)):
            if match["row"]:
                self._row, self._column = int(match["row"]) - 1, int(match["column"]) - 1
            elif match["line"]:
                self._row, self._column = min(self._row + 1, rows - 1), 0
            elif match["text"]:
                for letter in match["text"].decode():
                    width = cell_len(letter)
                    if width and self._row < rows and self._column + width <= columns:
                        cells = [letter, *[""] * (width - 1)]
                        self._cells[self._row][self._column : self._column + width] = cells
                        touched.add(self._row)
                    self._column += width
        return [self._line(row) for row in sorted(touched)]


def picture(written: bytes, columns: int, rows: int) -> list[str]:
    """The lines that a terminal of that size shows after those bytes."""
    whole = Picture(columns, rows)
    whole.feed(written)
    return whole.lines
