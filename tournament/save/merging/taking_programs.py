"""Takes over which versions of the program played the answers of other saves."""

import sqlite3

from parlour.tournament.save.provenance.servings import ProgramRow, program_rows
from parlour.tournament.save.reader import Save

_ADD = "INSERT INTO programs (since, program, last_answer) VALUES (?, ?, ?)"


class ProgramTaker:
    """Stores a row of ``programs`` where another version played than the answer before.

    ``program`` is the version that makes the new save.
    """

    def __init__(self, connection: sqlite3.Connection, program: str) -> None:
        self._connection = connection
        self._program = program
        self._stored = 0
        self._row = ProgramRow("", program, 0)
        self._later: list[ProgramRow] = []

    def begin(self, save: Save) -> None:
        """Goes on with the answers of another save."""
        self._row, *self._later = program_rows(save)

    def take(self, seq: int) -> None:
        """Stores the version that played an answer, which is the next one of the new save."""
        while self._later and self._later[0].last_answer < seq:
            self._row = self._later.pop(0)
        if self._row.program != self._program:
            self._program = self._row.program
            self._connection.execute(_ADD, (self._row.since, self._program, self._stored))
        self._stored += 1
