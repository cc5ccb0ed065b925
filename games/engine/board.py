"""The state of a match as pictures in data: a screen or a report draws each kind once.

A game's ``board`` function makes one or more of these from the events so far. They hold seats,
numbers and short texts, no colours and no layout. Seats are 0-based.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from parlour.games.engine.events import Event
from parlour.games.engine.moves import Outcome, Seat


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow of a ring, from one seat to another; ``target`` None points at nobody."""

    source: Seat
    target: Seat | None


@dataclass(frozen=True, slots=True)
class Ring:
    """Ring graph of the seats, with an arrow from each seat to the one it names.

    ``notes`` are texts at seats, such as a role.
    """

    title: str
    arrows: tuple[Arrow, ...]
    notes: Mapping[Seat, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a grid: a short text, and the number in it where there is one."""

    text: str
    value: float | None = None


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row of a grid with one cell a seat; ``total`` marks a sum below the rounds."""

    head: str
    cells: tuple[Cell, ...]
    total: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Actions of each seat by round, with totals below."""

    title: str
    rows: tuple[GridRow, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """One value with its label; ``seat`` says whose it is, None for the table's."""

    label: str
    value: float
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars on one scale from 0 on. ``note`` is a line that says what the numbers come to."""

    title: str
    bars: tuple[Bar, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class StackedBar:
    """A whole that is divided among the seats.

    ``seat`` made the division, in ``round``; ``supporters`` are the seats that agreed to it.
    """

    seat: Seat
    round: int
    parts: tuple[float, ...]
    supporters: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class StackedBars:
    """Divisions of one whole, in the order they were made; ``result`` says how it ended."""

    title: str
    bars: tuple[StackedBar, ...]
    result: str = ""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """An action of one seat toward another.

    ``good``: it helped; None where that cannot be said. ``share`` is what it gave of what it
    could have given, None where the action is no amount.
    """

    source: Seat
    target: Seat
    good: bool | None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Matrix:
    """Actions between seats, and what each seat has.

    ``holdings`` has one number a seat, and ``holding`` says what it is ("holds", "earned").
    ``reputation`` has one text a seat: + for each good thing known of it, - for each bad one,
    · for what is neither, oldest first.
    """

    title: str
    cells: tuple[MatrixCell, ...]
    holding: str
    holdings: tuple[float, ...]
    reputation: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FeedItem:
    """One public message: speaker, subject, tone, text, and its truth.

    ``tone`` is the tone or the signal, "" for a report of the own action. ``true`` is None where
    the message says nothing that could be checked.
    """

    round: int
    speaker: Seat
    about: Seat
    tone: str
    text: str
    true: bool | None = None


@dataclass(frozen=True, slots=True)
class Feed:
    """Public messages, oldest first."""

    title: str
    items: tuple[FeedItem, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One seat's values, a value a round."""

    seat: Seat
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Values over the rounds, one line a seat."""

    title: str
    lines: tuple[Line, ...]


Board = Ring | Grid | Bars | StackedBars | Matrix | Feed | Lines
"""One picture of a match."""
MakeBoards = Callable[[Sequence[Seat], Sequence[Event], Outcome | None], tuple[Board, ...]]
"""The pictures of a match from its seats, its events so far and, once it is over, its outcome.

The first picture gives the pane its title. Every picture may be empty before the first move.
"""


def no_boards(
    _seats: Sequence[Seat], _events: Sequence[Event], _outcome: Outcome | None
) -> tuple[Board, ...]:
    """No picture: screens then list what each player did."""
    return ()
