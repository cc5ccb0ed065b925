"""Screens that open on a real terminal: each is written once, in one piece."""

import re
from pathlib import Path

import pytest

from tests.terminals import SEQUENCES, Terminal, shown
from tests.tournaments import COMMAND, finished

pytestmark = pytest.mark.slow
SIZE = (160, 48)
CELLS = SIZE[0] * SIZE[1]
ASKED, BEGIN = b"\x1b[?2026$p", b"\x1b[?2026h"
"""The question if writes may be marked, and the mark of one that begins."""


def writes(terminal: Terminal, after: int = 0) -> list[int]:
    """The cells that were written, write by write."""
    written = b"".join(piece for _, piece in terminal.shown[after:])
    return list(map(_cells, written.split(BEGIN)))


def _cells(write: bytes) -> int:
    return sum(len((match["text"] or b"").decode()) for match in SEQUENCES.finditer(write))


def opened(terminal: Terminal, key: bytes, words: str) -> list[int]:
    """The cells written after a key, until the words are on the screen and all is still."""
    after = terminal.type(key)
    terminal.until_picture(lambda lines: words in "\n".join(lines))
    while terminal.bytes_within(1.0):
        pass
    return writes(terminal, after)


def test_each_screen_is_written_in_one_frame(tmp_path: Path) -> None:
    save = finished(tmp_path)
    words = [*COMMAND, "attach", str(save)]
    with shown(words, SIZE, tmp_path, COLORTERM="truecolor") as terminal:
        terminal.until(re.escape(ASKED))
        terminal.type(b"\x1b[?2026;2$y")  # yes
        # Standings and the like are computed once the screen is there.
        first = opened(terminal, b"", "12 of 12")
        assert [cells for cells in first if cells > CELLS / 2] == [CELLS], first
        assert sum(first) < 1.5 * CELLS, first
        # The next row is drawn differently, and the match that it opens; all else is the same.
        assert 0 < sum(opened(terminal, b"k", "12 of 12")) < CELLS / 2
        for key, words_there in (
            (b"l", "Overall"),
            (b"\x1b", "12 of 12"),
            (b"g", "zoom"),
            (b"\x1b", "1 Matches"),
            (b"r", "Replay"),
            (b"\x1b", "1 Matches"),
            (b"\x1b", "your"),
            (b"n", "Forecast"),
        ):
            cells = opened(terminal, key, words_there)
            assert sum(cells) < 1.2 * CELLS, (key, cells)
        assert CELLS in opened(terminal, b"\x0c", "Forecast")  # drawn again
