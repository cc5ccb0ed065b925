"""Ballots of three players, and events of the word games, for their tests."""

import re

from parlour.games.engine.events import Event
from parlour.games.engine.moves import Seat

# Whom Player 1, 2 and 3 (seats 0, 1 and 2) name, "-" for an abstention, and who is accused.
BALLOTS = """
    1 0 0  0        2 0 0  0        - 0 0  0
    1 0 1  1        2 0 1  tie      - 0 1  tie
    1 0 -  tie      2 0 -  tie      - 0 -  0
    1 2 0  tie      2 2 0  2        - 2 0  tie
    1 2 1  1        2 2 1  2        - 2 1  tie
    1 2 -  tie      2 2 -  2        - 2 -  2
    1 - 0  tie      2 - 0  tie      - - 0  0
    1 - 1  1        2 - 1  tie      - - 1  1
    1 - -  1        2 - -  2        - - -  nobody
"""
ACCUSED = {
    (one, two, three): accused
    for one, two, three, accused in re.findall(r"(\S) (\S) (\S)  (\S+)", BALLOTS)
}
"""The accused, or "tie" or "nobody", by whom the seats name."""


def game_event(kind: str, round: int, record: dict[str, object], to: int | None = None) -> Event:
    """An event that the game told to all, or to one seat."""
    return Event(kind, round, record, None if to is None else (Seat(to),))
