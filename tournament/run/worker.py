"""A worker process: it plays whole matches of quick agents, and the runner stores them.

The runner sends it the tournament, then lots of matches. It ends with its connection, so it never
outlives its runner.
"""

import marshal
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO, NamedTuple

from parlour.agents.registry import make_agent
from parlour.games.common.collection import imported
from parlour.games.common.errors import BadInput
from parlour.games.engine.table import Table
from parlour.tournament.plan.loader import stored_tournament
from parlour.tournament.plan.model import Tournament
from parlour.tournament.run.quick_turn import Decide, quick_turn
from parlour.tournament.save.replay import new_table
from parlour.tournament.save.rows import StoredAnswer, StoredMatch, notes_to_json, outcome_to_json

HEADER = struct.Struct(">I")
"""Before each message its length in bytes."""
REPORT_SECONDS = 0.1
"""The longest time between two reports while a match is played."""
END_SECONDS = 1.0
"""Seconds that a match in play has to end once the runner is gone."""
POLITE = 1
"""Niceness of the process: the runner and the screens come first, other programs hardly."""


class Lot(NamedTuple):
    """Matches to play: the place in the plan, the condition, the agents and the seed of each."""

    number: int
    matches: list[tuple[Any, ...]]

    @classmethod
    def of(cls, number: int, matches: list[StoredMatch]) -> "Lot":
        """The lot with these matches."""
        return cls(
            number,
            [
                (m.number, m.entry, m.setting, m.condition, m.agents, m.counted, m.seed)
                for m in matches
            ],
        )

    def planned(self) -> Iterator[StoredMatch]:
        """Yields the matches, with what playing them needs."""
        for number, entry, setting, condition, *own in self.matches:
            yield StoredMatch(number, entry, setting, "", "", condition, "", *own)


class LotProgress(NamedTuple):
    """New answers of a match of a lot, as rows, and its outcome if they end it.

    ``answers`` is None if the match cannot be played here, so that the runner must play it.
    """

    match: int
    answers: list[tuple[Any, ...]] | None
    outcome: str | None


def packed(message: Any) -> bytes:
    """A message of plain data with its header."""
    body = marshal.dumps(message)
    return HEADER.pack(len(body)) + body


def unpacked(body: bytes) -> Any:
    """Reads back a message without its header."""
    return marshal.loads(body)


class _Inbox(Thread):
    """Reads from the runner, also while a match is played; ends the process with the runner."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._lots: SimpleQueue[Lot | None] = SimpleQueue()
        self.recalled = 0
        """The lots up to this number are no longer wanted."""
        self.over = False

    def read(self) -> Any:
        """The next message; None at the end."""
        header = self._stream.read(HEADER.size)
        body = self._stream.read(HEADER.unpack(header)[0]) if len(header) == HEADER.size else b""
        return unpacked(body) if body else None

    def lots(self) -> Iterator[Lot]:
        """Yields the lots as they come, until the connection ends."""
        while (lot := self._lots.get()) is not None:
            yield lot

    def run(self) -> None:
        with suppress(OSError):
            while (message := self.read()) is not None:
                if isinstance(message, int):
                    self.recalled = message
                else:
                    self._lots.put(Lot(*message))
        self.over = True
        self._lots.put(None)
        time.sleep(END_SECONDS)  # a daemon: usually the process has ended by then
        with suppress(Exception):
            sys.stdout.flush()  # of a user's function
        os._exit(0)


class _Worker:
    def __init__(
        self, tournament: Tournament, decide: dict[str, Decide], inbox: _Inbox, link: socket.socket
    ) -> None:
        self._tournament, self._decide = tournament, decide
        self._inbox, self._link = inbox, link
        self._reported = time.monotonic()

    def play(self, lot: Lot) -> None:
        """Plays a lot and reports it; stops where the lot is recalled."""
        done: list[LotProgress] = []
        self._reported = time.monotonic()
        for match in lot.planned():
            answers: list[StoredAnswer] = []
            try:
                table = new_table(self._tournament, match)
                while table.pending is not None:
                    if self._inbox.over or self._inbox.recalled >= lot.number:
                        return
                    new = done or answers
                    if new and time.monotonic() >= self._reported + REPORT_SECONDS:
                        self._report(lot, [*done, progress_of(match, answers, table)])
                        done, answers = [], []
                    answers += play_ask(match, table, self._decide)
            except Exception:  # played again in the runner, which names what was wrong
                done.append(LotProgress(match.number, None, None))
            else:
                done.append(progress_of(match, answers, table))
        self._report(lot, done)

    def _report(self, lot: Lot, done: list[LotProgress]) -> None:
        self._link.sendall(packed((lot.number, [tuple(progress) for progress in done])))
        self._reported = time.monotonic()


def play_ask(match: StoredMatch, table: Table, decide: Mapping[str, Decide]) -> list[StoredAnswer]:
    """Puts the answers of all asked seats on the table, and returns them."""
    digest, answers = table.digest(), []
    for seat in table.waiting:
        turn = quick_turn(decide[match.agents[seat]], match, table, seat, digest)
        table.take({seat: turn.judged})
        answers.append(turn.answer)
    return answers


def progress_of(match: StoredMatch, answers: list[StoredAnswer], table: Table) -> LotProgress:
    """New answers of a match, and its outcome if its table has one."""
    rows = [tuple(row._replace(notes=notes_to_json(row.notes))) for row in answers]
    outcome = None if table.outcome is None else outcome_to_json(table.outcome)
    return LotProgress(match.number, rows, outcome)


def deciding_agents(tournament: Tournament, names: Iterable[str]) -> dict[str, Decide]:
    """The quick agents of those names that this process can make."""
    deciding = {}
    for config in tournament.agents:
        if config.name in names:
            with suppress(BadInput):
                agent: Any = make_agent(config)
                deciding[config.name] = agent.decide
    return deciding


def main(descriptor: int) -> None:
    """Plays what comes through a socket until it ends."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the runner decides
    os.nice(POLITE)
    link = socket.socket(fileno=descriptor)
    inbox = _Inbox(link.makefile("rb"))
    about = inbox.read()
    if about is None:
        return
    text, names = about
    with imported():
        tournament = stored_tournament(text, "the tournament")
        deciding = deciding_agents(tournament, names)
    with suppress(OSError):  # the runner is gone
        link.sendall(packed(list(deciding)))
        inbox.start()
        worker = _Worker(tournament, deciding, inbox, link)
        for lot in inbox.lots():
            worker.play(lot)
