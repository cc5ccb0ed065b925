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
    """An act of one seat toward another; ``target`` None points at nobody.

    ``good``: it is help, or the refusal of help; None where it is neither. ``share`` is what it
    gave of what it could have given, or how often it was done; None where it is no amount.
    """

    source: Seat
    target: Seat | None
    good: bool | None = None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Ring:
    """Ring graph of the seats, with an arrow from each seat to the one it names.

    ``notes`` are texts at seats, such as a role. ``marked`` seats stand out: those with the most
    votes, or those that meet now. ``counted`` is the word for an arrow that a seat gets ("vote"),
    "" if arrows are not counted. ``empty`` says that there is no arrow yet. ``again``: it shows
    what a matrix shows already, so it is drawn where there is ample room.
    """

    title: str
    arrows: tuple[Arrow, ...]
    notes: Mapping[Seat, str] = field(default_factory=dict)
    marked: tuple[Seat, ...] = ()
    counted: str = ""
    empty: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class Shares:
    """A share from 0 to 1 of each seat (row) for each seat (column), such as a suspicion.

    None where nothing is known. ``named``: each row names one seat at most, by a share of 1.
    """

    title: str
    rows: tuple[tuple[float | None, ...], ...]
    named: bool = False


@dataclass(frozen=True, slots=True)
class GridCell:
    """An action or a number of a grid as a short text, with a note to it.

    ``good``: the action helps others, or harms them; None where it does neither.
    """

    text: str
    note: str = ""
    good: bool | None = None


@dataclass(frozen=True, slots=True)
class GridRow:
    """A round of a grid with one cell a seat, and a note to all; ``total`` marks a sum."""

    head: str
    cells: tuple[GridCell, ...]
    total: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """Actions of each seat by round, with totals.

    ``rounds`` is the number of rounds there will be, 0 if that is open. ``notes`` is the word
    for the notes of the rows.
    """

    title: str
    rows: tuple[GridRow, ...]
    rounds: int = 0
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Payoff:
    """The points that these actions bring, in the same order."""

    actions: tuple[GridCell, ...]
    points: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Payoffs:
    """The points of a round by the actions in it."""

    title: str
    rows: tuple[Payoff, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """One value with its label; ``seat`` says whose it is, None for the table's.

    ``rest`` is what is left of the whole, ``result`` what the seat ends with.
    """

    label: str
    value: float
    seat: Seat | None = None
    rest: float | None = None
    result: float | None = None


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars on one scale from 0 on; those with a rest fill one whole each.

    ``note`` is a line that says what the numbers come to, ``result`` the word for the results.
    """

    title: str
    bars: tuple[Bar, ...]
    note: str = ""
    result: str = ""


@dataclass(frozen=True, slots=True)
class StackedColumns:
    """The amounts of all seats by round, from the first on; ``rounds`` as in a grid.

    Those of a round stand on top of each other. ``heading`` stands above the columns.
    """

    title: str
    columns: tuple[tuple[float, ...], ...]
    rounds: int = 0
    heading: str = ""


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
    """Divisions of one whole, in the order they were made; ``result`` says how it ended.

    ``basis`` is the division that all compare with, and ``basis_title`` its name ("use").
    """

    title: str
    bars: tuple[StackedBar, ...]
    result: str = ""
    basis: tuple[float, ...] = ()
    basis_title: str = ""


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Two numbers of each seat; the second one is None as long as a seat has none.

    ``base`` and ``value`` are their names.
    """

    title: str
    pairs: tuple[tuple[float, float | None], ...]
    base: str
    value: str


@dataclass(frozen=True, slots=True)
class Ratio:
    """A count of something among ``of``; ``bad``: less of it is better."""

    label: str
    count: int
    of: int
    bad: bool = False


@dataclass(frozen=True, slots=True)
class HelpMatrix:
    """Acts between seats, and what each seat has.

    ``holdings`` has one number a seat, and ``holding`` says what it is ("holds", "earned").
    ``reputation`` has one text a seat: + for each good thing known of it, - for each bad one,
    · for what is neither, oldest first. ``meeting`` are the seats that meet now, none or two.
    """

    title: str
    acts: tuple[Arrow, ...]
    holding: str
    holdings: tuple[float, ...]
    reputation: tuple[str, ...]
    meeting: tuple[Seat, ...] = ()
    ratios: tuple[Ratio, ...] = ()


@dataclass(frozen=True, slots=True)
class FeedItem:
    """One public message: speaker, subject, tone, text, and its truth.

    ``tone`` is the tone or the signal, "" for a report of the own action. ``true`` is None where
    the message says nothing that could be checked. ``sign`` is + for a good word, - for a bad
    one, · for what is neither.
    """

    round: int
    speaker: Seat
    about: Seat
    tone: str
    text: str
    true: bool | None = None
    sign: str = "·"


@dataclass(frozen=True, slots=True)
class Feed:
    """Public messages, oldest first."""

    title: str
    items: tuple[FeedItem, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Values of each seat, at the start and after each round; ``rounds`` as in a grid."""

    title: str
    values: tuple[tuple[float, ...], ...]
    rounds: int = 0


Board = (
    Ring
    | Shares
    | Grid
    | Payoffs
    | Bars
    | StackedColumns
    | StackedBars
    | Comparisons
    | HelpMatrix
    | Feed
    | Lines
)
"""One picture of a match."""
MakeBoards = Callable[[Sequence[Seat], Sequence[Event], Outcome | None], tuple[Board, ...]]
"""The pictures of a match from its seats, its events so far and, once it is over, its outcome.

The first picture gives the pane its title. Every picture may be empty before the first move. The
last events may be answers to an ask that others have yet to answer.
"""
